/** Whoever meets an object of ours at the provider that no entry of the log names says so here. */
import type { ObjectKind } from '../stripe/provider-figures.js';

export abstract class LostEntries {
  /**
   * Closes the gate before the log, which has lost something, and throws WritesClosed. Not for what was made
   * before an epoch: the recovery that began it has looked at that, and told an operator of what it could not
   * book. `madeAt`: when it was made, where that is known.
   */
  abstract found(kind: ObjectKind, objectId: string, madeAt: string | undefined): Promise<void>;
}
