/**
 * The pages on which a payer proves who they are to their bank, or agrees in Cash App. Whoever holds the
 * intent's client secret may answer, as at the provider.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { builtScript } from './browser-files.js';
import type { StoredObject } from './collections.js';
import { ApiError, noSuch } from './errors.js';
import { escaped, hostedPage, STYLE, textIn } from './hosted-html.js';
import { finishSetupAction, setupOf } from './resources/setup-intents.js';
import { finishAction, intentOf } from './resources/payment-intents.js';
import type { Store, Transaction } from './store.js';

type Intent = StoredObject<'payment_intents'> | StoredObject<'setup_intents'>;

const CODE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" role="img" aria-label="No code in test mode"><rect width="200" height="200" fill="#fff"/><text x="100" y="96" font-family="sans-serif" font-size="14" text-anchor="middle">Test mode:</text><text x="100" y="118" font-family="sans-serif" font-size="14" text-anchor="middle">follow the link instead</text></svg>`;

/** The intent of a path, for whoever shows its secret. */
function intentFor(transaction: Transaction, id: string, secret: string): Intent {
  const record = id.startsWith('seti_') ? setupOf(transaction, id) : intentOf(transaction, id);
  // The same answer as for an id that does not exist: a guess must not learn which ids do.
  if (record.api.client_secret !== secret) throw noSuch('payment_intent', id, 'intent');
  return record;
}

function askingPage({ api }: Intent, embedded: boolean): string {
  const cash = api.next_action?.cashapp_handle_redirect_or_display_qr_code !== undefined;
  const amount =
    api.object === 'payment_intent'
      ? `<p class="amount">${escaped(new Intl.NumberFormat('en-US', { style: 'currency', currency: api.currency }).format(api.amount / 100))}</p>`
      : '';
  const [title, sentence, yes, no] = cash
    ? ['Cash App', 'A payment is waiting for your approval.', 'Authorize', 'Refuse']
    : ['Confirm it is you', 'Your bank asks whether you are making this payment.', 'Complete', 'Fail'];
  return hostedPage(
    title,
    `<h1>${title}</h1><p>${sentence}</p>${amount}<form method="post" action="/hosted/${escaped(api.id)}/answer">` +
      `<input type="hidden" name="client_secret" value="${escaped(api.client_secret)}">` +
      `<input type="hidden" name="embedded" value="${embedded ? '1' : ''}">` +
      `<button name="outcome" value="succeed">${yes}</button><button name="outcome" value="fail">${no}</button></form>` +
      `<p class="note">Test mode. This page stands in for ${cash ? 'Cash App' : 'your bank’s page'}; no money moves.</p>`,
    embedded ? 'asking' : 'no',
  );
}

/** Where the payer returns to, with what the provider adds to the address. */
function returnAddress({ api, secret }: Intent): string | undefined {
  if (secret.returnUrl === null || !URL.canParse(secret.returnUrl)) return undefined;
  const url = new URL(secret.returnUrl);
  url.searchParams.set(api.object, api.id);
  url.searchParams.set(`${api.object}_client_secret`, api.client_secret);
  const failed = api.status === 'requires_payment_method' || api.status === 'canceled';
  url.searchParams.set(
    'redirect_status',
    failed ? 'failed' : api.status === 'succeeded' ? 'succeeded' : 'pending',
  );
  return url.href;
}

/** Registers `/hosted/…`. */
export function registerHostedPages(app: FastifyInstance, store: Store): void {
  const challengeScript = builtScript('challenge');

  const html = async (reply: FastifyReply, intent: Intent, text: string): Promise<FastifyReply> => {
    // Chrome holds a form's redirect to form-action too, and the answer redirects to the shop.
    const back = returnAddress(intent);
    const to = back === undefined ? '' : ` ${new URL(back).origin}`;
    return reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'self'${to}`,
      )
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .send(text);
  };

  app.get('/hosted/page.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE));
  app.get('/hosted/challenge.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(challengeScript),
  );
  app.get('/hosted/code.svg', async (_request, reply) => reply.type('image/svg+xml').send(CODE));

  app.get<{ Params: { id: string } }>('/hosted/:id', async (request, reply) => {
    const intent = intentFor(store.read(), request.params.id, textIn(request.query, 'client_secret'));
    const embedded = textIn(request.query, 'embedded') === '1';
    if (intent.api.status === 'requires_action') return html(reply, intent, askingPage(intent, embedded));
    return finished(reply, intent, embedded);
  });

  app.post<{ Params: { id: string } }>('/hosted/:id/answer', async (request, reply) => {
    const outcome = textIn(request.body, 'outcome');
    if (outcome !== 'succeed' && outcome !== 'fail')
      throw new ApiError(400, {
        type: 'invalid_request_error',
        message: 'The answer must be succeed or fail.',
        param: 'outcome',
      });
    const intent = await store.change({ requestId: null, idempotencyKey: null }, (transaction) => {
      const record = intentFor(transaction, request.params.id, textIn(request.body, 'client_secret'));
      // A second click finds it done and goes the same way.
      if (record.api.status !== 'requires_action') return record;
      if (record.api.object === 'setup_intent')
        finishSetupAction(transaction, setupOf(transaction, record.api.id), outcome);
      else finishAction(transaction, intentOf(transaction, record.api.id), outcome);
      return intentFor(transaction, record.api.id, record.api.client_secret);
    });
    return finished(reply, intent, textIn(request.body, 'embedded') === '1');
  });

  async function finished(reply: FastifyReply, intent: Intent, embedded: boolean): Promise<FastifyReply> {
    if (embedded) return html(reply, intent, hostedPage('Done', '<p>Done.</p>', 'done'));
    const back = returnAddress(intent);
    if (back !== undefined) return reply.redirect(back, 303);
    return html(reply, intent, hostedPage('Done', '<h1>Done</h1><p>You can close this page.</p>'));
  }
}
