/** Connected accounts and their bank accounts as the suites of the card provider's stand-in need them. */
import type Stripe from 'stripe';
import type { RunningStripe } from './stripe-process.js';

/**
 * The one kind of account that the stand-in has: no dashboard, and the application answers for everything.
 */
export const ACCOUNT: Stripe.AccountCreateParams = {
  country: 'US',
  controller: {
    stripe_dashboard: { type: 'none' },
    requirement_collection: 'application',
    losses: { payments: 'application' },
    fees: { payer: 'application' },
  },
  capabilities: { transfers: { requested: true } },
  settings: { payouts: { schedule: { interval: 'manual' } } },
};

const PAYS = '000123456789';

export function bankToken(
  sdk: Stripe,
  account_number = PAYS,
  extra: Partial<Stripe.TokenCreateParams.BankAccount> = {},
): Promise<Stripe.Token> {
  return sdk.tokens.create({
    bank_account: {
      country: 'US',
      currency: 'usd',
      account_holder_name: 'Ada Lovelace',
      account_holder_type: 'individual',
      account_type: 'checking',
      routing_number: '110000000',
      account_number,
      ...extra,
    },
  });
}

export function asBank(found: Stripe.ExternalAccount): Stripe.BankAccount {
  if (found.object !== 'bank_account') throw new Error(`${found.id} is no bank account.`);
  return found;
}

/** Gives an account the bank account of a number. */
export async function addBank(
  sdk: Stripe,
  account: string,
  number?: string,
  isDefault?: boolean,
): Promise<Stripe.BankAccount> {
  const { id } = await bankToken(sdk, number);
  const added = await sdk.accounts.createExternalAccount(account, {
    external_account: id,
    ...(isDefault === undefined ? {} : { default_for_currency: isDefault }),
  });
  return asBank(added);
}

/** An account that may be paid out, and its bank account of a number. */
export async function readyAccount(
  { sdk, control }: RunningStripe,
  number?: string,
): Promise<{ account: string; bank: string }> {
  const { id: account } = await sdk.accounts.create(ACCOUNT);
  await control('POST', `/test/accounts/${account}/onboard`);
  return { account, bank: (await addBank(sdk, account, number)).id };
}
