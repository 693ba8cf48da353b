/** Whoever meets an object of ours at the provider that no entry of the log names says so here. */
import type { ObjectKind } from '../stripe/provider-figures.js';

export abstract class LostEntries {
  /** Closes the gate before the log: it has lost something. Always throws WritesClosed. */
  abstract found(kind: ObjectKind, objectId: string): Promise<never>;
}
