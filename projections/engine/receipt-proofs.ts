/** What the proof of a receipt is made from: the published tree, which lies outside of both stores. */
import type { JournalProof } from '#log/transparency/tree-folder';

export abstract class ReceiptProofs {
  /** Where the tree is published. */
  abstract readonly address: string;
  /** The page that checks receipts, with a leaf. */
  abstract linkFor(proof: JournalProof): string;
  /** The proof of an entry of the journal. Throws where what is published does not hold. */
  abstract of(revision: number): Promise<JournalProof | 'pending' | 'none'>;
}
