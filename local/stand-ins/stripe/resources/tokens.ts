/** Tokens of bank accounts: the numbers are sent once, here, and only the token is used afterwards. */
import { ApiError, invalidParameter, noSuch } from '../errors.js';
import { newId } from '../identifiers.js';
import type { BankToken } from '../connect-objects.js';
import type { Parameters } from '../parameters.js';
import { pathValue, type Route } from '../routing.js';
import type { Transaction } from '../store.js';
import type { StoredObject } from '../collections.js';
import { bankNameOf, isRoutingNumber, payoutOutcomeOf } from '../test-banks.js';

/** Makes a token of `bank_account[…]`. Throws for numbers that no bank in the country has. */
export function tokenFrom(transaction: Transaction, bank: Parameters): StoredObject<'tokens'> {
  const country = bank.requiredText('country').toUpperCase();
  const currency = (bank.text('currency') ?? 'usd').toLowerCase();
  const routing = (bank.text('routing_number') ?? '').replace(/[ -]/g, '');
  const number = bank.requiredText('account_number').replace(/[ -]/g, '');
  const holder = bank.text('account_holder_name', 256) ?? null;
  const holderType = bank.oneOf('account_holder_type', ['individual', 'company'] as const) ?? null;
  const type = bank.oneOf('account_type', ['checking', 'savings'] as const) ?? null;
  bank.ignore('object');
  bank.refuseUnknown();
  if (country !== 'US')
    throw invalidParameter('bank_account[country]', 'This stand-in has bank accounts in US only.');
  if (currency !== 'usd')
    throw invalidParameter('bank_account[currency]', 'This stand-in has bank accounts in usd only.');
  if (routing === '')
    throw invalidParameter(
      'bank_account[routing_number]',
      'You must provide a routing_number.',
      'parameter_missing',
    );
  if (!isRoutingNumber(routing))
    throw invalidParameter(
      'bank_account[routing_number]',
      'Invalid routing number',
      'routing_number_invalid',
    );
  if (!/^\d{4,17}$/.test(number))
    throw invalidParameter(
      'bank_account[account_number]',
      'Invalid account number',
      'account_number_invalid',
    );
  return transaction.insert(
    'tokens',
    {
      id: newId('btok'),
      object: 'token',
      bank_account: {
        id: newId('ba'),
        object: 'bank_account',
        account_holder_name: holder,
        account_holder_type: holderType,
        account_type: type,
        bank_name: bankNameOf(routing),
        country,
        currency,
        // The same for the same account, so that a second entry of it can be told; nobody finds the number
        // from it.
        fingerprint: transaction.fingerprint(`${routing}:${number}`),
        last4: number.slice(-4),
        routing_number: routing,
        status: 'new',
      },
      client_ip: null,
      created: transaction.now,
      livemode: false,
      type: 'bank_account',
      used: false,
    },
    { payouts: payoutOutcomeOf(number) },
  );
}

/** Uses a token up. Throws when there is none, or it has been used. */
export function spendToken(transaction: Transaction, id: string, param: string): StoredObject<'tokens'> {
  const record = transaction.get('tokens', id);
  if (!record) throw noSuch('token', id, param, 400);
  if (record.api.used)
    throw new ApiError(
      400,
      {
        type: 'invalid_request_error',
        code: 'token_already_used',
        message: `You cannot use a Stripe token more than once: ${id}.`,
        param,
      },
      'key',
    );
  record.api.used = true;
  transaction.changed('tokens', record);
  return record;
}

export const tokenRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/tokens',
    access: 'publishable',
    onAccounts: true,
    run: ({ transaction, parameters }): BankToken => {
      const bank = parameters.hash('bank_account');
      parameters.refuseUnknown();
      if (!bank)
        throw invalidParameter(
          'bank_account',
          'This stand-in makes tokens of bank accounts only: give bank_account.',
          'parameter_missing',
        );
      return tokenFrom(transaction, bank).api;
    },
  },
  {
    method: 'GET',
    path: '/v1/tokens/:id',
    access: 'secret',
    run: (call): BankToken => {
      call.parameters.refuseUnknown();
      const id = pathValue(call, 'id');
      const record = call.transaction.get('tokens', id);
      if (!record) throw noSuch('token', id);
      return record.api;
    },
  },
];
