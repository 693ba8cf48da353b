/** External accounts: the bank accounts that a connected account is paid out to. */
import type { BankAccount, BankRequirements, BankStatus } from '../connect-objects.js';
import { ApiError, invalidParameter } from '../errors.js';
import { page } from '../listing.js';
import type { Metadata } from '../parameters.js';
import { pathValue, type Call, type Route } from '../routing.js';
import type { Transaction } from '../store.js';
import { accountChanged, accountOf, bankOf, type StoredAccount, type StoredBank } from './accounts.js';
import { spendToken, tokenFrom } from './tokens.js';

const MOST = 200;

const nothingDue = (): BankRequirements => ({
  currently_due: [],
  errors: [],
  past_due: [],
  pending_verification: [],
});

interface NewBank {
  token: string;
  isDefault: boolean;
  metadata: Metadata;
}

/** Gives a connected account the bank account of a token. The first one is the default, whatever is asked. */
export function addBank(
  transaction: Transaction,
  account: StoredAccount,
  { token, isDefault, metadata }: NewBank,
): BankAccount {
  if (account.secret.banks.length >= MOST)
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message: `An account may have at most ${MOST} external accounts.`,
    });
  const { api, secret } = spendToken(transaction, token, 'external_account');
  const { id } = account.api;
  return transaction.within(id, () => {
    const record = transaction.insert(
      'external_accounts',
      {
        ...api.bank_account,
        account: id,
        available_payout_methods: ['standard'],
        default_for_currency: account.secret.banks.length === 0,
        future_requirements: nothingDue(),
        metadata,
        requirements: nothingDue(),
      },
      { ...secret, removed: false },
    );
    account.secret.banks.push(record.api.id);
    if (isDefault) makeDefault(transaction, account, record);
    transaction.emit('account.external_account.created', record.api);
    return record.api;
  });
}

function makeDefault(transaction: Transaction, account: StoredAccount, chosen: StoredBank): void {
  for (const id of account.secret.banks) {
    const bank = bankOf(transaction, id);
    const isDefault = id === chosen.api.id;
    if (bank.api.default_for_currency === isDefault) continue;
    bank.api.default_for_currency = isDefault;
    transaction.changed('external_accounts', bank);
    if (!isDefault)
      transaction.emit('account.external_account.updated', bank.api, { default_for_currency: true });
  }
}

/** What a bank's answers, or a suite, make of a bank account. Runs in its account's scope. */
export function setBankStatus(transaction: Transaction, record: StoredBank, status: BankStatus): void {
  const previous = { status: record.api.status };
  if (previous.status === status) return;
  record.api.status = status;
  transaction.changed('external_accounts', record);
  transaction.emit('account.external_account.updated', record.api, previous);
  if (record.account !== undefined) accountChanged(transaction, accountOf(transaction, record.account));
}

function create(call: Call): BankAccount {
  const { transaction, parameters } = call;
  const account = accountOf(transaction, pathValue(call, 'id'));
  const isDefault = parameters.boolean('default_for_currency') ?? false;
  const metadata = parameters.metadata();
  let token: string;
  if (parameters.isHash('external_account')) {
    const numbers = parameters.hash('external_account');
    parameters.refuseUnknown();
    if (numbers?.text('object') !== 'bank_account')
      throw invalidParameter(
        'external_account[object]',
        'This stand-in has bank accounts only: it must be bank_account.',
      );
    token = tokenFrom(transaction, numbers).api.id;
  } else {
    token = parameters.requiredText('external_account');
    parameters.refuseUnknown();
  }
  const bank = addBank(transaction, account, { token, isDefault, metadata });
  accountChanged(transaction, account, true);
  return bank;
}

function update(call: Call): BankAccount {
  const { transaction, parameters } = call;
  const account = accountOf(transaction, pathValue(call, 'id'));
  return transaction.within(account.api.id, () => {
    const record = bankOf(transaction, pathValue(call, 'bank'));
    const { api } = record;
    const isDefault = parameters.boolean('default_for_currency');
    if (parameters.has('account_holder_name'))
      api.account_holder_name = parameters.text('account_holder_name', 256) ?? null;
    api.account_holder_type =
      parameters.oneOf('account_holder_type', ['individual', 'company'] as const) ?? api.account_holder_type;
    api.account_type = parameters.oneOf('account_type', ['checking', 'savings'] as const) ?? api.account_type;
    api.metadata = parameters.metadata(api.metadata ?? {});
    parameters.refuseUnknown();
    if (isDefault === false && api.default_for_currency === true)
      throw invalidParameter(
        'default_for_currency',
        'You cannot unset the default external account of a currency: make another one the default.',
      );
    transaction.changed('external_accounts', record);
    if (isDefault === true) makeDefault(transaction, account, record);
    transaction.emit('account.external_account.updated', api);
    accountChanged(transaction, account);
    return api;
  });
}

function remove(call: Call): object {
  const { transaction, parameters } = call;
  const account = accountOf(transaction, pathValue(call, 'id'));
  parameters.refuseUnknown();
  return transaction.within(account.api.id, () => {
    const record = bankOf(transaction, pathValue(call, 'bank'));
    const { id, currency } = record.api;
    // The provider keeps one to pay to, also when it is the last: it is replaced as the default before it can
    // go.
    if (record.api.default_for_currency === true)
      throw new ApiError(
        400,
        {
          type: 'invalid_request_error',
          message:
            'You cannot delete the default external account for your default currency. Please make another external account ' +
            'the default using the `default_for_currency` param, and then delete this one.',
        },
        'key',
      );
    account.secret.banks = account.secret.banks.filter((bank) => bank !== id);
    record.secret.removed = true;
    transaction.unlist('external_accounts', record);
    transaction.emit('account.external_account.deleted', record.api);
    accountChanged(transaction, account, true);
    return { id, object: 'bank_account', currency, deleted: true };
  });
}

export const externalAccountRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/accounts/:id/external_accounts',
    access: 'secret',
    onAccounts: true,
    run: create,
  },
  {
    method: 'GET',
    path: '/v1/accounts/:id/external_accounts',
    access: 'secret',
    onAccounts: true,
    run: (call) => {
      const { id } = accountOf(call.transaction, pathValue(call, 'id')).api;
      call.parameters.oneOf('object', ['bank_account'] as const);
      return call.transaction.within(id, () =>
        page(call, 'external_accounts', `/v1/accounts/${id}/external_accounts`),
      );
    },
  },
  {
    method: 'GET',
    path: '/v1/accounts/:id/external_accounts/:bank',
    access: 'secret',
    onAccounts: true,
    run: (call): BankAccount => {
      const { id } = accountOf(call.transaction, pathValue(call, 'id')).api;
      call.parameters.refuseUnknown();
      return call.transaction.within(id, () => bankOf(call.transaction, pathValue(call, 'bank')).api);
    },
  },
  {
    method: 'POST',
    path: '/v1/accounts/:id/external_accounts/:bank',
    access: 'secret',
    onAccounts: true,
    run: update,
  },
  {
    method: 'DELETE',
    path: '/v1/accounts/:id/external_accounts/:bank',
    access: 'secret',
    onAccounts: true,
    run: remove,
  },
];
