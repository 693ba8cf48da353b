/** A receipt's file: made from a proof, and checked with nothing but itself and the key. */
import type { ReceiptFile } from '#contracts/api/receipt-proof';
import { openCheckpoint, type Checkpoint } from './checkpoint.js';
import { leafHash, ProofRefused, rootFromInclusion } from './merkle.js';
import { verifierFrom } from './note.js';
import type { JournalProof } from './tree-folder.js';

/** `address`: where the tree is published. */
export const receiptFile = (
  { leaf, index, path, checkpoint, verifierKey }: JournalProof,
  { transactionId, revision, address }: Pick<ReceiptFile, 'transactionId' | 'revision' | 'address'>,
): ReceiptFile => ({
  format: 'encore-receipt/1',
  transactionId,
  revision,
  leaf: leaf.toString('base64'),
  index,
  path: path.map((hash) => hash.toString('base64')),
  checkpoint,
  verifierKey,
  address,
});

/** The page that checks receipts, with the leaf behind a #, which no browser sends to anybody. */
export const receiptLink = (publicUrl: string, { leaf }: Pick<JournalProof, 'leaf'>): string =>
  `${publicUrl}/check-receipt#${leaf.toString('base64url')}`;

/**
 * The head in which a receipt's entry stands, signed by the key that whoever checks has got elsewhere. Throws
 * {@link NoteRefused} or {@link ProofRefused}.
 */
export function checkReceipt(receipt: ReceiptFile, verifierKey: string): Checkpoint {
  const head = openCheckpoint(receipt.checkpoint, verifierFrom(verifierKey));
  const root = rootFromInclusion(
    leafHash(Buffer.from(receipt.leaf, 'base64')),
    receipt.index,
    head.size,
    receipt.path.map((hash) => Buffer.from(hash, 'base64')),
  );
  if (!root.equals(head.root))
    throw new ProofRefused('The path does not lead from the leaf to the signed root.');
  return head;
}
