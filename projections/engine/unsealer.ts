/** The vault as projections need it: to open, and to let go of a key that was destroyed. */
import type { VaultReader } from '#log/vault-reader';

export type Unsealer = Pick<VaultReader, 'unseal' | 'drop'>;
