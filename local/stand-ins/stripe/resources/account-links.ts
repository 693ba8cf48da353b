/** Account links: the way for a connected account's holder to the hosted onboarding. Each opens it once. */
import type { StoredObject } from '../collections.js';
import { invalidParameter } from '../errors.js';
import { randomText } from '../identifiers.js';
import type { Parameters } from '../parameters.js';
import type { Route } from '../routing.js';
import { accountOf } from './accounts.js';

const WORKS_SECONDS = 300;

export type StoredLink = StoredObject<'onboarding_links'>;

function requiredUrl(parameters: Parameters, name: string): string {
  const text = parameters.requiredText(name);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw invalidParameter(name, 'Not a valid URL', 'url_invalid');
  return text;
}

export const accountLinkRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/account_links',
    access: 'secret',
    run: ({ transaction, parameters, publicUrl }) => {
      const account = parameters.requiredText('account');
      const type = parameters.oneOf('type', ['account_onboarding', 'account_update'] as const);
      if (!type) throw parameters.missing('type');
      const refreshUrl = requiredUrl(parameters, 'refresh_url');
      const returnUrl = requiredUrl(parameters, 'return_url');
      parameters.oneOf('collect', ['currently_due', 'eventually_due'] as const);
      parameters.only('collection_options', { fields: true, future_requirements: true });
      parameters.refuseUnknown();
      const { id } = accountOf(transaction, account).api;
      const { api } = transaction.insert(
        'onboarding_links',
        {
          id: randomText(32),
          account: id,
          created: transaction.now,
          expires_at: transaction.now + WORKS_SECONDS,
          refresh_url: refreshUrl,
          return_url: returnUrl,
        },
        { opened: false },
      );
      return {
        object: 'account_link',
        created: api.created,
        expires_at: api.expires_at,
        url: `${publicUrl}/hosted/onboarding/${api.id}`,
      };
    },
  },
];
