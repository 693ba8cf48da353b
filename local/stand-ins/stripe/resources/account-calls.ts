/** The calls about connected accounts: create, read, list, update and delete. */
import type { Account } from '../connect-objects.js';
import { invalidParameter, wrongState } from '../errors.js';
import { randomText } from '../identifiers.js';
import { page } from '../listing.js';
import type { Names, Parameters } from '../parameters.js';
import { pathValue, type Call, type Route } from '../routing.js';
import { accountChanged, accountOf, CAPABILITIES, derive, noRequirements } from './accounts.js';
import { totalIn } from './balance.js';
import { addBank } from './external-accounts.js';
import type { Transaction } from '../store.js';

const ADDRESS: Names = {
  city: true,
  country: true,
  line1: true,
  line2: true,
  postal_code: true,
  state: true,
};
const PERSON: Names = {
  address: ADDRESS,
  dob: { day: true, month: true, year: true },
  email: true,
  first_name: true,
  gender: true,
  id_number: true,
  id_number_secondary: true,
  last_name: true,
  maiden_name: true,
  metadata: true,
  phone: true,
  political_exposure: true,
  registered_address: ADDRESS,
  relationship: {
    director: true,
    executive: true,
    owner: true,
    percent_ownership: true,
    title: true,
  },
  ssn_last_4: true,
  verification: {
    additional_document: { back: true, front: true },
    document: { back: true, front: true },
  },
};
const COMPANY: Names = {
  address: ADDRESS,
  directors_provided: true,
  executives_provided: true,
  name: true,
  owners_provided: true,
  phone: true,
  registration_number: true,
  structure: true,
  tax_id: true,
  vat_id: true,
  verification: { document: { back: true, front: true } },
};

function checkController(parameters: Parameters): void {
  if (parameters.has('type'))
    throw invalidParameter(
      'type',
      'Account types are not part of this stand-in: describe the account with `controller`.',
    );
  const controller = parameters.hash('controller');
  const dashboard = controller?.hash('stripe_dashboard');
  const fees = controller?.hash('fees');
  const losses = controller?.hash('losses');
  const given = {
    'stripe_dashboard][type': dashboard?.text('type') ?? 'full',
    requirement_collection: controller?.text('requirement_collection') ?? 'stripe',
    'losses][payments': losses?.text('payments') ?? 'stripe',
    'fees][payer': fees?.text('payer') ?? 'account',
  };
  for (const each of [dashboard, fees, losses, controller]) each?.refuseUnknown();
  const wanted: Record<string, string> = {
    'stripe_dashboard][type': 'none',
    requirement_collection: 'application',
    'losses][payments': 'application',
    'fees][payer': 'application',
  };
  for (const [name, value] of Object.entries(given))
    if (value !== wanted[name])
      throw invalidParameter(
        `controller[${name}]`,
        `This stand-in has accounts without a dashboard, for which the application answers: controller[${name}] must be ${wanted[name]}.`,
      );
}

function applyCapabilities(account: Account, parameters: Parameters): void {
  const capabilities = parameters.hash('capabilities');
  for (const name of CAPABILITIES) {
    const capability = capabilities?.hash(name);
    const requested = capability?.boolean('requested');
    capability?.refuseUnknown();
    if (requested === true) account.capabilities[name] ??= 'inactive';
    if (requested === false) delete account.capabilities[name];
  }
  capabilities?.refuseUnknown();
}

function applySettings(account: Account, parameters: Parameters): void {
  const settings = parameters.hash('settings');
  const payouts = settings?.hash('payouts');
  const schedule = payouts?.hash('schedule');
  const kept = account.settings.payouts;
  kept.schedule.interval =
    schedule?.oneOf('interval', ['manual', 'daily', 'weekly', 'monthly'] as const) ?? kept.schedule.interval;
  // "minimum", or a number of days.
  if (schedule?.text('delay_days') !== 'minimum')
    kept.schedule.delay_days = schedule?.integer('delay_days') ?? kept.schedule.delay_days;
  kept.debit_negative_balances = payouts?.boolean('debit_negative_balances') ?? kept.debit_negative_balances;
  if (payouts?.has('statement_descriptor'))
    kept.statement_descriptor = payouts.text('statement_descriptor', 22) ?? null;
  for (const each of [schedule, payouts, settings]) each?.refuseUnknown();
  if (kept.schedule.interval !== 'manual')
    throw invalidParameter(
      'settings[payouts][schedule][interval]',
      'This stand-in pays out when it is asked and not by itself: settings[payouts][schedule][interval] must be manual.',
    );
}

/** Applies the parameters that were sent to an account; the rest stays. */
function apply(account: Account, parameters: Parameters): void {
  if (parameters.has('email')) account.email = parameters.email('email') ?? null;
  account.metadata = parameters.metadata(account.metadata);
  account.business_type =
    parameters.oneOf('business_type', ['individual', 'company'] as const) ?? account.business_type;
  applyCapabilities(account, parameters);
  applySettings(account, parameters);
  const profile = parameters.hash('business_profile');
  for (const name of [
    'mcc',
    'name',
    'product_description',
    'support_email',
    'support_phone',
    'support_url',
    'url',
  ] as const)
    if (profile?.has(name)) account.business_profile[name] = profile.text(name) ?? null;
  profile?.refuseUnknown();
  const terms = parameters.hash('tos_acceptance');
  const agreement = terms?.oneOf('service_agreement', ['full', 'recipient'] as const);
  if (agreement) account.tos_acceptance.service_agreement = agreement;
  if (terms?.has('date')) account.tos_acceptance.date = terms.integer('date') ?? null;
  if (terms?.has('ip')) account.tos_acceptance.ip = terms.text('ip') ?? null;
  terms?.ignore('user_agent');
  terms?.refuseUnknown();
  // Identity is collected on the hosted page; what is sent here is accepted and not stored.
  parameters.only('individual', PERSON);
  parameters.only('company', COMPANY);
}

function create(call: Call): Account {
  const { transaction, parameters } = call;
  checkController(parameters);
  const country = (parameters.text('country') ?? 'US').toUpperCase();
  const currency = parameters.currency('default_currency') ?? 'usd';
  const token = parameters.text('external_account');
  const account = blankAccount(transaction.now, country, currency);
  apply(account, parameters);
  parameters.refuseUnknown();
  if (country !== 'US')
    throw invalidParameter('country', 'This stand-in has accounts in US only.', 'country_unsupported');
  if (currency !== 'usd')
    throw invalidParameter('default_currency', 'This stand-in has accounts in usd only.');
  if (Object.keys(account.capabilities).length === 0)
    throw invalidParameter(
      'capabilities',
      'You must request at least one capability for an account without a Stripe dashboard, such as capabilities[transfers][requested].',
      'parameter_missing',
    );
  const record = transaction.insert('accounts', account, { banks: [], restricted: false, deleted: false });
  if (token !== undefined) addBank(transaction, record, { token, isDefault: true, metadata: {} });
  derive(transaction, record);
  return account;
}

function update(call: Call): Account {
  const { transaction, parameters } = call;
  const record = accountOf(transaction, pathValue(call, 'id'));
  apply(record.api, parameters);
  const token = parameters.text('external_account');
  parameters.refuseUnknown();
  if (token !== undefined) addBank(transaction, record, { token, isDefault: true, metadata: {} });
  accountChanged(transaction, record, true);
  return record.api;
}

function remove(call: Call): object {
  const { transaction, parameters } = call;
  const record = accountOf(transaction, pathValue(call, 'id'));
  const { id } = record.api;
  parameters.refuseUnknown();
  const held = transaction.within(id, () => totalIn(transaction, record.api.default_currency));
  if (held !== 0)
    throw wrongState('account_invalid', 'This account cannot be deleted because it still has a balance.');
  record.secret.deleted = true;
  transaction.unlist('accounts', record);
  return { id, object: 'account', deleted: true };
}

/** An account of which nothing is known yet. */
function blankAccount(now: number, country: string, currency: string): Account {
  const id = `acct_${randomText(16)}`;
  return {
    id,
    object: 'account',
    business_profile: {
      mcc: null,
      minority_owned_business_designation: null,
      name: null,
      product_description: null,
      specified_commercial_transactions_act_url: null,
      support_address: null,
      support_email: null,
      support_phone: null,
      support_url: null,
      url: null,
    },
    business_type: null,
    capabilities: {},
    charges_enabled: false,
    controller: {
      fees: { payer: 'application' },
      is_controller: true,
      losses: { payments: 'application' },
      requirement_collection: 'application',
      stripe_dashboard: { type: 'none' },
      type: 'application',
    },
    country,
    created: now,
    default_currency: currency,
    details_submitted: false,
    email: null,
    external_accounts: {
      object: 'list',
      data: [],
      has_more: false,
      url: `/v1/accounts/${id}/external_accounts`,
    },
    future_requirements: noRequirements(),
    metadata: {},
    payouts_enabled: false,
    requirements: noRequirements(),
    settings: {
      branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
      card_payments: {
        decline_on: { avs_failure: false, cvc_failure: false },
        statement_descriptor_prefix: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      dashboard: { display_name: null, timezone: 'Etc/UTC' },
      payments: {
        statement_descriptor: null,
        statement_descriptor_kana: null,
        statement_descriptor_kanji: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      payouts: {
        debit_negative_balances: false,
        schedule: { delay_days: 2, interval: 'daily' },
        statement_descriptor: null,
      },
    },
    tos_acceptance: { date: null, ip: null, user_agent: null },
    type: 'none',
  };
}

/** Makes the platform's own account, whose keys the calls are made with, where the folder has none yet. */
export function makePlatform(transaction: Transaction): void {
  if (transaction.get('platform', 'platform')) return;
  const { now } = transaction;
  const account: Account = {
    ...blankAccount(now, 'US', 'usd'),
    business_type: 'company',
    charges_enabled: true,
    details_submitted: true,
    payouts_enabled: true,
  };
  transaction.insert('platform', { id: 'platform', created: now, account }, null);
}

function platformAccount(transaction: Transaction): Account {
  const platform = transaction.get('platform', 'platform');
  if (!platform) throw new Error('The platform has no account: it is made at the start.');
  return platform.api.account;
}

export const accountRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/accounts', access: 'secret', run: create },
  {
    method: 'GET',
    path: '/v1/accounts',
    access: 'secret',
    run: (call) => page(call, 'accounts', '/v1/accounts'),
  },
  {
    method: 'GET',
    path: '/v1/accounts/:id',
    access: 'secret',
    run: (call): Account => {
      call.parameters.refuseUnknown();
      return accountOf(call.transaction, pathValue(call, 'id')).api;
    },
  },
  {
    method: 'GET',
    path: '/v1/account',
    access: 'secret',
    onAccounts: true,
    run: ({ transaction, parameters }): Account => {
      parameters.refuseUnknown();
      if (transaction.account === null) return platformAccount(transaction);
      return accountOf(transaction, transaction.account).api;
    },
  },
  { method: 'POST', path: '/v1/accounts/:id', access: 'secret', run: update },
  { method: 'DELETE', path: '/v1/accounts/:id', access: 'secret', run: remove },
];
