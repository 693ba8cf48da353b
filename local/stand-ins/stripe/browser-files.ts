/** Serves the script for browsers and the page of the payment form that it frames. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { PAYMENT_FORM_PAGE, PAYMENT_FORM_STYLE } from './payment-form-page.js';

/** The form talks to this server only; fonts come from wherever the page around has them. */
const FRAME_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src *; base-uri 'none'; form-action 'none'";

/** What the provider's own script weighs on the way to a browser, about; it is not published. */
const REAL_SCRIPT_BYTES = 240_000;

/** The script with as much behind it as the real one has: nothing that gets smaller when it is packed. */
function paddedScript(script: string): string {
  const missing = REAL_SCRIPT_BYTES - Buffer.byteLength(script);
  let filling = '';
  for (let block = 0; filling.length < missing; block += 1)
    filling += createHash('sha512').update(String(block)).digest('base64');
  return `${script}\n/*${filling.slice(0, missing)}*/\n`;
}

/** A script of the folder `browser`, as the build made it. */
export function builtScript(name: string): string {
  return readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8');
}

/** Registers `/v3/…`. */
export function registerBrowserFiles(app: FastifyInstance): void {
  const scripts = { stripe: paddedScript(builtScript('stripe')), form: builtScript('payment-form') };
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
