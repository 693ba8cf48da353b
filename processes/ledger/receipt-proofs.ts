/** The proofs of receipts, read from the folder of the published tree. */
import type { Provider } from '@nestjs/common';
import { TREE_PATH } from '#ledger/http/published-tree';
import { receiptLink } from '#log/transparency/receipt';
import { proofOf } from '#log/transparency/tree-folder';
import { ReceiptProofs } from '#projections/engine/receipt-proofs';

export const receiptProofs = (folder: string | undefined, publicUrl: string): Provider => ({
  provide: ReceiptProofs,
  useValue: {
    address: `${publicUrl}${TREE_PATH}`,
    linkFor: (proof) => receiptLink(publicUrl, proof),
    of: async (revision) => (folder === undefined ? 'none' : proofOf(folder, revision)),
  } satisfies ReceiptProofs,
});
