/**
 * The proof of a receipt: a file that shows, without us, that an entry stands in the published tree of the
 * books.
 */
import { z } from 'zod';

/** 32 bytes in base64 with padding (RFC 4648, section 4). */
const Hash = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64');

/**
 * What a person keeps. It holds no name, no amount and no note: docs/reference/transparency.md says what it
 * shows.
 */
export const ReceiptFile = z.strictObject({
  format: z.literal('encore-receipt/1'),
  transactionId: z.string(),
  /** The journal's revision of the entry that settled it. */
  revision: z.number().int().nonnegative(),
  /** The entry's hash in the chain of the journal. */
  leaf: Hash,
  /** The place of the leaf in the tree, from 0. */
  index: z.number().int().nonnegative(),
  /** The hashes beside the way from the leaf to the root, from below. */
  path: z.array(Hash).max(63),
  /** The signed head of the tree, as it was published (C2SP tlog-checkpoint). */
  checkpoint: z.string().max(8_192),
  /**
   * The public key that signs heads, as a C2SP verifier key; who checks compares it with one got elsewhere.
   */
  verifierKey: z.string().max(512),
  /** Where the tree is published. */
  address: z.string(),
});
export type ReceiptFile = z.infer<typeof ReceiptFile>;

export const ReceiptProof = z.discriminatedUnion('state', [
  /** The entry is in no signed head yet: it is within two minutes. `message` says so. */
  z.object({ state: z.literal('pending'), message: z.string() }),
  /** This app publishes no tree. */
  z.object({ state: z.literal('none'), message: z.string() }),
  z.object({
    state: z.literal('proven'),
    leafIndex: z.number().int().nonnegative(),
    treeSize: z.number().int().positive(),
    rootHash: Hash,
    leafHash: Hash,
    /** When the journal's end was last signed; the entry was in it. */
    publishedAt: z.iso.datetime(),
    /** For a QR code: the page that checks receipts, and the leaf behind a #. */
    checkUrl: z.string(),
    /** What a person keeps, as JSON. */
    file: ReceiptFile,
  }),
]);
export type ReceiptProof = z.infer<typeof ReceiptProof>;
