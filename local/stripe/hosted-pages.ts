/** The pages on which a payer proves who they are or agrees in Cash App. */
import type { FastifyInstance } from 'fastify';
import type { Store } from './store.js';

/** Registers `/hosted/…`. */
export function registerHostedPages(app: FastifyInstance, _store: Store): void {
  app.get('/hosted/ok', () => ({ ok: true }));
}
