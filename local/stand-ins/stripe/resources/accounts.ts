/**
 * Connected accounts: those that a platform pays out to. Only the kind that Encore makes is here: no
 * dashboard of its own, the platform collects what is required and answers for losses, and nothing is paid
 * out unless it is asked for.
 */
import type { StoredObject } from '../collections.js';
import type { Requirements } from '../connect-objects.js';
import { ApiError, noSuch } from '../errors.js';
import type { Transaction } from '../store.js';

/** What is asked of a person before their account may hold money. */
const ABOUT_THE_PERSON = [
  'business_type',
  'individual.dob.day',
  'individual.dob.month',
  'individual.dob.year',
  'individual.first_name',
  'individual.last_name',
  'individual.ssn_last_4',
  'tos_acceptance.date',
  'tos_acceptance.ip',
];
const EXTERNAL_ACCOUNT = 'external_account';
export const CAPABILITIES = ['card_payments', 'transfers'] as const;

export type StoredAccount = StoredObject<'accounts'>;
export type StoredBank = StoredObject<'external_accounts'>;

/**
 * The account of an id. The provider answers the same for one that is not there and for one of another
 * platform.
 */
export function accountOf(transaction: Transaction, id: string, param?: string): StoredAccount {
  const record = transaction.get('accounts', id);
  if (record && !record.secret.deleted) return record;
  if (param !== undefined)
    throw new ApiError(
      400,
      {
        type: 'invalid_request_error',
        code: 'resource_missing',
        message: `No such destination: '${id}'`,
        param,
      },
      'key',
    );
  throw new ApiError(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    message:
      `The provided key does not have access to account '${id}' (or that account does not exist). Application access may ` +
      'have been revoked.',
  });
}

/** A bank account of the connected account in whose scope the call is. Throws when it has none of that id. */
export function bankOf(transaction: Transaction, id: string, param = 'id', status = 404): StoredBank {
  const record = transaction.get('external_accounts', id);
  if (!record || record.secret.removed) throw noSuch('external account', id, param, status);
  return record;
}

export const noRequirements = (): Requirements => ({
  alternatives: [],
  current_deadline: null,
  currently_due: [],
  disabled_reason: null,
  errors: [],
  eventually_due: [],
  past_due: [],
  pending_verification: [],
});

/**
 * Works out what follows from the rest: what is due, and what the account may do. Returns whether anything
 * changed.
 */
export function derive(transaction: Transaction, record: StoredAccount): boolean {
  const { api, secret } = record;
  const before = JSON.stringify(api);
  const banks = banksOf(transaction, record);
  const usable = banks.some(({ status }) => status === 'new');
  const due = [
    ...(api.details_submitted ? [] : ABOUT_THE_PERSON),
    ...(banks.length > 0 ? [] : [EXTERNAL_ACCOUNT]),
  ].sort();
  const isApproved = api.details_submitted && !secret.restricted;
  for (const name of CAPABILITIES)
    if (api.capabilities[name]) api.capabilities[name] = isApproved ? 'active' : 'inactive';
  api.charges_enabled = isApproved;
  api.payouts_enabled = isApproved && usable && api.capabilities.transfers === 'active';
  api.requirements = {
    ...noRequirements(),
    currently_due: due,
    eventually_due: due,
    past_due: due,
    disabled_reason: secret.restricted ? 'under_review' : due.length > 0 ? 'requirements.past_due' : null,
  };
  api.external_accounts.data = banks;
  return JSON.stringify(api) !== before;
}

function banksOf(transaction: Transaction, record: StoredAccount): StoredBank['api'][] {
  return transaction.within(record.api.id, () =>
    record.secret.banks.map((id) => bankOf(transaction, id).api),
  );
}

/** Stores an account after a change, and emits `account.updated` when something visible changed. */
export function accountChanged(transaction: Transaction, record: StoredAccount, always = false): void {
  const derived = derive(transaction, record);
  transaction.changed('accounts', record);
  if (derived || always)
    transaction.within(record.api.id, () => transaction.emit('account.updated', record.api));
}

/** The holder answered all questions and agreed. */
export function finishOnboarding(transaction: Transaction, record: StoredAccount, ip: string): void {
  const { api } = record;
  if (api.details_submitted) return;
  api.details_submitted = true;
  api.business_type ??= 'individual';
  api.tos_acceptance = { ...api.tos_acceptance, date: transaction.now, ip, user_agent: null };
  accountChanged(transaction, record);
}

/**
 * The account is gone for the platform, whatever it holds: deleted at the provider, or taken away from it.
 */
export function deauthorize(transaction: Transaction, record: StoredAccount): void {
  record.secret.deleted = true;
  transaction.unlist('accounts', record);
  transaction.within(record.api.id, () =>
    transaction.emit('account.application.deauthorized', {
      id: 'ca_standin',
      object: 'application',
      name: 'Platform',
    }),
  );
}

/** The provider holds the account back, or lets it go on. */
export function restrict(transaction: Transaction, record: StoredAccount, restricted: boolean): void {
  record.secret.restricted = restricted;
  accountChanged(transaction, record);
}
