/**
 * Somebody who is paid and wants it at their bank: bank accounts, the provider's verification, payouts, and
 * what the provider has of them. Keeps every answer, so that a suite can search them for what they must not
 * hold.
 */
import { expect } from '@jest/globals';
import type Stripe from 'stripe';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { AddedBankAccount, BankAccount, Onboarding } from '#contracts/api/bank-accounts';
import { Payout } from '#contracts/api/payouts';
import { eventually } from '#test/conformance/stripe-process';
import type { CardProviderWorld } from './payer.js';
import { json, Person, type Answer } from './person.js';

export const ROUTING = '110000000';
/** Payouts to it are paid. */
export const GOOD_BANK = '000123456789';
/** Payouts to these fail, with the provider's code. */
export const FAILING_BANKS = {
  no_account: '000111111116',
  account_closed: '000111111113',
  insufficient_funds: '000222222227',
  debit_not_authorized: '000333333335',
  invalid_currency: '000444444440',
} as const;
/** Payouts to it are paid, and come back after that. */
export const RETURNING_BANK = '000777777771';

const HOLDER = 'Wilhelmina Quartermain';
const BANK = 'Lighthouse Savings';
/** What no log, event or answer may hold of the bank accounts that a payee adds. */
export const BANK_SECRETS = [GOOD_BANK, RETURNING_BANK, ...Object.values(FAILING_BANKS), ROUTING];
/** What no log and no event may hold; its owner's answers do. */
export const BANK_NAMES = [HOLDER, BANK];

export class Payee {
  /** Every answer so far, as text. */
  readonly answers: string[] = [];

  private constructor(
    readonly person: Person,
    private readonly provider: CardProviderWorld,
  ) {}

  static async signUp(url: string, provider: CardProviderWorld, firstName = 'Juno'): Promise<Payee> {
    return new Payee(await Person.signUp(url, firstName), provider);
  }

  /** Signs up, is tipped, adds a bank account and verifies themselves. */
  static async verified(
    url: string,
    provider: CardProviderWorld,
    fan: Person,
    tips: string,
  ): Promise<{ payee: Payee; bank: string }> {
    const payee = await Payee.signUp(url, provider);
    await payee.earn(fan, tips);
    const { id } = await payee.addBank();
    await payee.verify();
    return { payee, bank: id };
  }

  /** A fan's card is charged and the balance shows it. */
  async earn(fan: Person, amount: string): Promise<void> {
    const before = Number((await this.person.me()).earnings);
    const { clientSecret } = await fan.pay(this.person.id, amount);
    await this.provider.card(clientSecret);
    await eventually(
      async () => Number((await this.person.me()).earnings) >= before + Number(amount),
      `${amount} to arrive`,
    );
  }

  bankBody(accountNumber: string = GOOD_BANK): Record<string, string> {
    return {
      accountHolderName: HOLDER,
      bankName: BANK,
      accountNumber,
      routingNumber: ROUTING,
      accountType: 'checking',
    };
  }

  async tryBank(body: object, key?: string): Promise<Answer> {
    return this.keep(
      await this.person.post('/api/bank-accounts', body, key === undefined ? {} : { 'idempotency-key': key }),
    );
  }
  async addBank(accountNumber?: string, key?: string): Promise<AddedBankAccount> {
    return AddedBankAccount.parse(taken(await this.tryBank(this.bankBody(accountNumber), key)));
  }
  async banks(): Promise<BankAccount[]> {
    return z.array(BankAccount).parse(taken(this.keep(await this.person.get('/api/bank-accounts'))));
  }
  async choose(id: string): Promise<Answer> {
    return this.keep(await this.person.call('PUT', `/api/bank-accounts/${id}/primary`));
  }
  async remove(id: string): Promise<Answer> {
    return this.keep(await this.person.call('DELETE', `/api/bank-accounts/${id}`));
  }

  /** Goes to the provider's page, accepts, and waits until it is known. Returns where the page sent them. */
  async verify(): Promise<string | null> {
    const { onboardingUrl } = Onboarding.parse(
      taken(this.keep(await this.person.post('/api/payouts/onboarding', {}))),
    );
    if (onboardingUrl === null) throw new Error('There is nothing to verify.');
    const back = await acceptOnboarding(onboardingUrl);
    await eventually(async () => (await this.person.me()).isVerified, 'the verification to be known');
    return back;
  }

  async tryPayout(bankAccountId: string, amount: string | number, key = uuidv7()): Promise<Answer> {
    return this.keep(
      await this.person.post('/api/payouts', { amount, bankAccountId }, { 'idempotency-key': key }),
    );
  }
  async requestPayout(bankAccountId: string, amount: string | number, key?: string): Promise<Payout> {
    return Payout.parse(taken(await this.tryPayout(bankAccountId, amount, key)));
  }
  async payouts(): Promise<Payout[]> {
    return z.array(Payout).parse(taken(this.keep(await this.person.get('/api/payouts'))));
  }
  async payout(id: string): Promise<Payout> {
    const found = (await this.payouts()).find((payout) => payout.id === id);
    if (!found) throw new Error(`${id} is not in the list.`);
    return found;
  }
  /** Waits until a payout looks like this. */
  async until(id: string, like: Partial<Payout>): Promise<Payout> {
    return eventually(
      async () => {
        const payout = await this.payout(id);
        return (
          Object.entries(like).every(([name, value]) => payout[name as keyof Payout] === value) && payout
        );
      },
      `payout ${id} to be ${JSON.stringify(like)}`,
    );
  }

  async earnings(): Promise<string> {
    return (await this.person.me()).earnings;
  }

  /** All that the provider has made for a payout of ours: each must be there once at most. */
  async atProvider(payoutId: string): Promise<{ transfers: Stripe.Transfer[]; payouts: Stripe.Payout[] }> {
    const { stripe } = this.provider;
    const transfers = (await stripe.transfers.list({ transfer_group: payoutId, limit: 100 })).data;
    const account = await this.account();
    const all = (await stripe.payouts.list({ limit: 100 }, { stripeAccount: account.id })).data;
    return { transfers, payouts: all.filter(({ metadata }) => metadata?.['payoutId'] === payoutId) };
  }

  /** The user's one account at the provider. */
  async account(): Promise<Stripe.Account> {
    const found: Stripe.Account[] = [];
    for await (const account of this.provider.stripe.accounts.list({ limit: 100 }))
      if (account.metadata?.['userId'] === this.person.id) found.push(account);
    expect(found).toHaveLength(1);
    return found[0]!;
  }

  private keep(answer: Answer): Answer {
    this.answers.push(answer.text);
    return answer;
  }
}

/** Presses Accept on the provider's page; returns where that leads. */
export async function acceptOnboarding(url: string): Promise<string | null> {
  const page = await (await fetch(url)).text();
  const target = /action="([^"]+)"/.exec(page)?.[1];
  if (target === undefined) throw new Error(`No form at ${url}: ${page.slice(0, 200)}`);
  const body = new URLSearchParams({ outcome: 'succeed' });
  return (await fetch(new URL(target, url), { method: 'POST', body, redirect: 'manual' })).headers.get(
    'location',
  );
}

function taken(answer: Answer): unknown {
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  return json(answer);
}
