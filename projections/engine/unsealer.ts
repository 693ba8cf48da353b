/** The vault as projections need it: to open, and to let go of a key that was destroyed. */
import type { Vault } from '#log/vault';

export type Unsealer = Pick<Vault, 'unseal' | 'drop'>;
