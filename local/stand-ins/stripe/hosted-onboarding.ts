/**
 * The page on which the holder of a connected account tells who they are. Here it asks for nothing: it says
 * what would be asked, and takes yes or not now.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from './errors.js';
import { escaped, hostedPage, textIn } from './hosted-html.js';
import { accountOf, finishOnboarding, type StoredAccount } from './resources/accounts.js';
import type { StoredLink } from './resources/account-links.js';
import type { Store, Transaction } from './store.js';

const NO_CAUSE = { requestId: null, idempotencyKey: null };

function linkOf(transaction: Transaction, id: string): StoredLink {
  const record = transaction.get('onboarding_links', id);
  if (!record)
    throw new ApiError(404, { type: 'invalid_request_error', message: 'This link leads nowhere.' });
  return record;
}

function askingPage(link: StoredLink, { api }: StoredAccount): string {
  const due = api.requirements.currently_due;
  const asked =
    due.length === 0
      ? '<p>Nothing more is needed.</p>'
      : `<p>Needed before money can be paid out:</p><ul>${due.map((name) => `<li>${escaped(name)}</li>`).join('')}</ul>`;
  return hostedPage(
    'Set up payouts',
    `<h1>Set up payouts</h1>${asked}<form method="post" action="/hosted/onboarding/${escaped(link.api.id)}">` +
      '<button name="outcome" value="succeed">Accept</button><button name="outcome" value="fail">Leave unfinished</button></form>' +
      '<p class="note">Test mode. This page stands in for the provider’s form: Accept tells everything about you but your bank ' +
      'account, which the application gives.</p>',
  );
}

/** Registers `/hosted/onboarding/…`. */
export function registerOnboardingPage(app: FastifyInstance, store: Store): void {
  const html = async (reply: FastifyReply, returnUrl: string, text: string): Promise<FastifyReply> =>
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        // Chrome holds a form's redirect to form-action too, and the answer redirects to the application.
        `default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self' ${new URL(returnUrl).origin}`,
      )
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .send(text);

  app.get<{ Params: { link: string } }>('/hosted/onboarding/:link', async (request, reply) => {
    const { link, account } = await store.change(NO_CAUSE, (transaction) => {
      const found = linkOf(transaction, request.params.link);
      // As at the provider: a link opens the form once, and for minutes only. After that the application
      // makes another.
      if (found.secret.opened || found.api.expires_at < transaction.now)
        return { link: found, account: undefined };
      found.secret.opened = true;
      transaction.changed('onboarding_links', found);
      return { link: found, account: accountOf(transaction, found.api.account) };
    });
    if (!account) return reply.redirect(link.api.refresh_url, 303);
    return html(reply, link.api.return_url, askingPage(link, account));
  });

  app.post<{ Params: { link: string } }>('/hosted/onboarding/:link', async (request, reply) => {
    const outcome = textIn(request.body, 'outcome');
    if (outcome !== 'succeed' && outcome !== 'fail')
      throw new ApiError(400, {
        type: 'invalid_request_error',
        message: 'The answer must be succeed or fail.',
        param: 'outcome',
      });
    const returnUrl = await store.change(NO_CAUSE, (transaction) => {
      const { api } = linkOf(transaction, request.params.link);
      if (outcome === 'succeed')
        finishOnboarding(transaction, accountOf(transaction, api.account), request.ip);
      return api.return_url;
    });
    return reply.redirect(returnUrl, 303);
  });
}
