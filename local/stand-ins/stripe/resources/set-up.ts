/**
 * How an account is set up: where its webhooks go, which ways to pay are active, and where wallets are shown.
 * The webhooks' addresses are this server's own settings; what is asked to be changed of them is refused.
 */
import { ApiError, invalidParameter } from '../errors.js';
import { newId } from '../identifiers.js';
import { page } from '../listing.js';
import { API_VERSION, type PaymentMethodDomain, type WebhookEndpoint } from '../objects.js';
import type { Route } from '../routing.js';
import type { Transaction } from '../store.js';

/** Makes the endpoints of the settings known, as those that somebody has set in the Dashboard. */
export function keepEndpoints(transaction: Transaction, urls: readonly string[]): void {
  for (const url of urls) {
    const id = `we_${Buffer.from(url).toString('hex').slice(-24)}`;
    if (transaction.get('webhook_endpoints', id)) continue;
    const endpoint: WebhookEndpoint = {
      id,
      object: 'webhook_endpoint',
      api_version: API_VERSION,
      application: null,
      created: transaction.now,
      description: null,
      enabled_events: ['*'],
      livemode: false,
      metadata: {},
      status: 'enabled',
      url,
    };
    transaction.insert('webhook_endpoints', endpoint, null);
  }
}

const ON = { available: true, display_preference: { overridable: null, preference: 'on', value: 'on' } };

function newDomain(now: number, name: string): PaymentMethodDomain {
  const active = { status: 'active' } as const;
  return {
    id: newId('pmd'),
    object: 'payment_method_domain',
    amazon_pay: active,
    apple_pay: active,
    created: now,
    domain_name: name,
    enabled: true,
    google_pay: active,
    klarna: active,
    link: active,
    livemode: false,
    paypal: active,
  };
}

export const setUpRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/webhook_endpoints',
    access: 'secret',
    run: (call) => page(call, 'webhook_endpoints', '/v1/webhook_endpoints'),
  },
  {
    method: 'POST',
    path: '/v1/webhook_endpoints',
    access: 'secret',
    run: () => {
      throw new ApiError(400, {
        type: 'invalid_request_error',
        message: 'This stand-in sends webhooks where its own settings say, and nowhere else.',
      });
    },
  },
  {
    method: 'GET',
    path: '/v1/payment_method_configurations',
    access: 'secret',
    run: ({ parameters }) => {
      parameters.integer('limit');
      parameters.refuseUnknown();
      const configuration = {
        id: 'pmc_1StandInDefault',
        object: 'payment_method_configuration',
        active: true,
        application: null,
        card: ON,
        cashapp: ON,
        is_default: true,
        livemode: false,
        name: 'Default',
        parent: null,
      };
      return {
        object: 'list',
        url: '/v1/payment_method_configurations',
        has_more: false,
        data: [configuration],
      };
    },
  },
  {
    method: 'GET',
    path: '/v1/payment_method_domains',
    access: 'secret',
    run: (call) => page(call, 'payment_method_domains', '/v1/payment_method_domains'),
  },
  {
    method: 'POST',
    path: '/v1/payment_method_domains',
    access: 'secret',
    run: ({ transaction, parameters }) => {
      const name = parameters.requiredText('domain_name');
      parameters.refuseUnknown();
      if (!/^[a-z0-9.-]+$/i.test(name)) throw invalidParameter('domain_name', `Invalid domain: ${name}`);
      return transaction.insert('payment_method_domains', newDomain(transaction.now, name), null).api;
    },
  },
];
