/** Serves the script for browsers and the page of the payment form that it frames. */
import type { FastifyInstance } from 'fastify';

/** Registers `/v3/…`. */
export function registerBrowserFiles(app: FastifyInstance): void {
  app.get('/v3/ok', () => ({ ok: true }));
}
