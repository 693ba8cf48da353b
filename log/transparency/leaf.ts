/** What of an event is a leaf of the tree: its hash in the chain, which covers everything it says. */
import { GENESIS, hashToFollow } from '../chain.js';
import type { RawEvent } from '../event-log.js';

/**
 * The 32 bytes that a leaf holds. An event that carries no hash, which no ledger wrote, is taken as if it
 * were the first of its stream: its content is covered all the same.
 */
export const leafOf = (raw: RawEvent): Buffer => Buffer.from(hashToFollow(GENESIS, raw), 'base64url');
