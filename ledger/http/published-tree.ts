/**
 * The published tree over the log, as it lies in its folder: the signed head, the note of where the journal
 * ended, the public key, and tiles of hashes. Anybody may read them; they name nobody and nothing but places
 * and hashes.
 */
import type { FastifyInstance } from 'fastify';
import {
  bytesIn,
  CHECKPOINT_FILE,
  JOURNAL_NOTE_FILE,
  VERIFIER_KEY_FILE,
} from '#log/transparency/tree-folder';
import { checkReceiptPage } from './check-receipt-page.js';
import { pageNonce } from './content-security.js';
import { tileAt } from '#log/transparency/tiles';

export const TREE_PATH = '/transparency';
const CHECK_RECEIPT_PATH = '/check-receipt';

const CHANGING = 'public, max-age=5';
const FOR_GOOD = 'public, max-age=31536000, immutable';
const TEXTS: ReadonlySet<string> = new Set([CHECKPOINT_FILE, JOURNAL_NOTE_FILE, VERIFIER_KEY_FILE]);
/** What a tree of before is kept under. */
const FORMER = /^epoch-[1-9]\d{0,5}\//;

/**
 * Serves the page that checks receipts, and the tree in a folder; without one, everything of the tree is 404.
 */
export function servePublishedTree(server: FastifyInstance, folder: string | undefined): void {
  server.get(CHECK_RECEIPT_PATH, (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(checkReceiptPage(pageNonce(reply))),
  );
  server.get(`${TREE_PATH}/*`, async (request, reply) => {
    const asked = (request.params as { readonly '*': string })['*'];
    const name = asked.replace(FORMER, '');
    const isText = TEXTS.has(name);
    const bytes =
      folder !== undefined && (isText || tileAt(name) !== undefined)
        ? await bytesIn(folder, asked)
        : undefined;
    reply.headers({ 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' });
    if (bytes === undefined)
      return reply
        .code(404)
        .header('cache-control', 'no-store')
        .type('text/plain')
        .send('There is nothing of that name.\n');
    return reply
      .header('cache-control', isText ? CHANGING : FOR_GOOD)
      .type(isText ? 'text/plain; charset=utf-8' : 'application/octet-stream')
      .send(bytes);
  });
}
