/** Serves the script for browsers and the page of the payment form that it frames. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { PAYMENT_FORM_PAGE, PAYMENT_FORM_STYLE } from './payment-form-page.js';

/** The form talks to this server only; fonts come from wherever the page around has them. */
const FRAME_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src *; base-uri 'none'; form-action 'none'";

/** A script of the folder `browser`, as the build made it. */
export function builtScript(name: string): string {
  return readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8');
}

/** Registers `/v3/…`. */
export function registerBrowserFiles(app: FastifyInstance): void {
  const scripts = { stripe: builtScript('stripe'), form: builtScript('payment-form') };
  // Three names for one script: as the setting has it, and as the provider's own addresses end.
  for (const path of ['/v3', '/v3/', '/v3/stripe.js'])
    app.get(path, async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(scripts.stripe),
    );
  app.get('/v3/elements/payment', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', FRAME_POLICY)
      .header('cache-control', 'no-cache')
      .header('referrer-policy', 'no-referrer')
      .send(PAYMENT_FORM_PAGE),
  );
  app.get('/v3/elements/payment.css', async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(PAYMENT_FORM_STYLE),
  );
  app.get('/v3/elements/payment-form.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(scripts.form),
  );
}
