/**
 * The provider's side of bank accounts and payouts: a connected account for each user, their bank accounts
 * there, and money that goes to it, on to a bank, or all the way back. A request whose outcome is unknown may
 * be made again: each has a key of its own, and where the provider may have dropped the key, what it made is
 * looked up first.
 */
import Stripe from 'stripe';
import { CURRENCY } from '#contracts/plain/money';
import { Unavailable } from '../rejection.js';
import { isSealed, oldestSealed, type OwnershipSeal } from './ownership.js';
import { arrivalOf, bankOf, disabledCodeOf, payoutOf, sumOf, transferredIn } from './payout-objects.js';
import {
  ACCOUNT_GONE,
  DESTINATION_GONE,
  readMovedMoney,
  numbersRefused,
  outcomeOf,
} from './payout-refusals.js';
import { ProviderRefused, type AttemptOutcome } from './provider-payment.js';
import {
  onceNamed,
  PayoutAccountGone,
  type BankNumbers,
  type ConnectSubject,
  type PayoutAttempt,
  type ProviderBankAccount,
  type ProviderPayout,
  type ProviderReversal,
  type ProviderStanding,
  type ProviderTransfer,
} from './provider-payout.js';
import { idIn, readable, type UnreadableAnswer } from './answers.js';
import { claimsAccountGone, namesMissingDestination, refusalOf } from './refusals.js';
import {
  all,
  translatingRefusals,
  CLOCK_SKEW_MS,
  isAccountGone,
  isoFrom,
  KEYS_LAST_MS,
  alarmUnreadable,
  madeOnce,
  openStripe,
  PAGE,
  readableOf,
  type StripeAccess,
} from './stripe-client.js';
import { signedEvent, type WebhookOptions } from './webhook-signature.js';

/** Its webhook secrets sign what happens at connected accounts; the platform's own webhooks have others. */
interface PayoutProviderOptions extends StripeAccess, WebhookOptions {
  readonly seal: OwnershipSeal;
}

/** Where the provider's pages send a user back to. */
interface ReturnAddresses {
  readonly done: string;
  /** The link was old or used: a fresh one is to be asked for. */
  readonly expired: string;
}

const REFUSED = 'The payment provider did not take this. Please try again.';

/** What an account of somebody who is paid out is: without a dashboard, and the platform answers for it. */
export const PAYEE_ACCOUNT: Stripe.AccountCreateParams = {
  country: 'US',
  business_type: 'individual',
  controller: {
    fees: { payer: 'application' },
    losses: { payments: 'application' },
    requirement_collection: 'application',
    stripe_dashboard: { type: 'none' },
  },
  capabilities: { transfers: { requested: true } },
  settings: { payouts: { schedule: { interval: 'manual' } } },
};

/** What is asked about, and listened to, of connected accounts. */
export const CONNECT_EVENT_TYPES = [
  'account.application.deauthorized',
  'account.updated',
  'account.external_account.created',
  'account.external_account.updated',
  'account.external_account.deleted',
  'payout.created',
  'payout.updated',
  'payout.paid',
  'payout.failed',
  'payout.canceled',
] as const;

/** Where an attempt sends money: a refusal may be about either. */
interface AttemptTarget {
  readonly connectAccountId?: string;
  readonly externalAccountId?: string;
}

export class PayoutProvider {
  private readonly stripe: Stripe;
  /** Alarms of an object in a list that cannot be read. */
  readonly #left = (error: UnreadableAnswer): void => alarmUnreadable(this.options, error);

  constructor(private readonly options: PayoutProviderOptions) {
    this.stripe = openStripe(options);
  }

  /**
   * Turns a bank account's numbers into a token that works once. Throws NumbersRefused, Unavailable
   * and ProviderRefused.
   */
  async bankToken({
    accountHolderName,
    accountNumber,
    routingNumber,
    accountType,
  }: BankNumbers): Promise<string> {
    try {
      return await this.asked(async () => {
        const { id } = await this.stripe.tokens.create({
          bank_account: {
            country: 'US',
            currency: CURRENCY,
            account_holder_name: accountHolderName,
            account_holder_type: 'individual',
            account_number: accountNumber,
            routing_number: routingNumber,
            account_type: accountType,
          },
        });
        return id;
      });
    } catch (error) {
      // Without their causes: the provider's answer may repeat what was sent, and errors are logged.
      if (error instanceof Unavailable) throw new Unavailable(error.message);
      if (!(error instanceof ProviderRefused)) throw error;
      throw numbersRefused(error.cause) ?? new ProviderRefused(error.message, { refusal: error.refusal });
    }
  }

  /**
   * The one account of a user at the provider, made if it is not there. `since`: no attempt to make it was
   * before that. `closed`: accounts of theirs that are gone, in whose place another is made.
   */
  accountFor(userId: string, since: Date, closed: readonly string[] = []): Promise<string> {
    const find = (): Promise<Stripe.Account | undefined> => this.findAccount(userId, since, closed);
    return this.asked(async () => {
      if (this.isLate(since)) {
        const found = await find();
        if (found) return found.id;
      }
      const account = await madeOnce(
        closed.length === 0 ? `connect-${userId}` : `connect-${userId}-after-${closed.length}`,
        (idempotencyKey) =>
          this.stripe.accounts.create(
            {
              ...PAYEE_ACCOUNT,
              metadata: this.options.seal.of('account', { userId }),
            },
            { idempotencyKey, maxNetworkRetries: 0 },
          ),
        find,
      );
      return readable('made', account).id;
    });
  }

  /**
   * A user's account as it is now. Throws {@link PayoutAccountGone}, as whatever is asked of an account does.
   */
  standing(connectAccountId: string): Promise<ProviderStanding> {
    return this.askedOf(connectAccountId, async () => {
      const [shown, banks] = await Promise.all([
        this.stripe.accounts.retrieve(connectAccountId),
        this.banksOf(connectAccountId),
      ]);
      const account = readable('account', shown);
      const { requirements } = account;
      const due = [...(requirements?.currently_due ?? []), ...(requirements?.past_due ?? [])];
      return {
        connectAccountId: account.id,
        userId: idIn(account.metadata, 'userId'),
        payoutsEnabled: account.payouts_enabled,
        disabledCode: account.payouts_enabled ? undefined : disabledCodeOf(requirements?.disabled_reason),
        isOnboardingDue: account.details_submitted === false || due.length > 0,
        bankAccounts: banks,
      };
    });
  }

  /**
   * The user that an account's metadata name, as people may have edited them. That much is shown of
   * everybody's accounts in ours; their bank accounts only of those whose requirements are the platform's.
   */
  userNamed(connectAccountId: string): Promise<string | undefined> {
    return this.askedOf(connectAccountId, async () => {
      const account = readable('listed', await this.stripe.accounts.retrieve(connectAccountId));
      return idIn(account.metadata, 'userId');
    });
  }

  /** A page of the provider's where the user verifies themselves; it works for one visit. */
  onboardingUrl(connectAccountId: string, { done, expired }: ReturnAddresses): Promise<string> {
    return this.askedOf(connectAccountId, async () => {
      const { url } = await this.stripe.accountLinks.create({
        account: connectAccountId,
        type: 'account_onboarding',
        return_url: done,
        refresh_url: expired,
      });
      return url;
    });
  }

  /**
   * Adds a token's bank account to a user's account, once: the one that is there under its id, or a new one.
   * Throws NumbersRefused for one that the provider does not take.
   */
  addBankAccount(connectAccountId: string, bankAccountId: string, tokenId: string): Promise<string> {
    return this.askedOf(connectAccountId, async () => {
      const before = await this.findBank(connectAccountId, bankAccountId);
      if (before) return before.externalAccountId;
      try {
        // The token is part of the key: another request for the same account brings another one.
        const external = await madeOnce(
          `bank-${bankAccountId}-${tokenId}`,
          (idempotencyKey) =>
            this.stripe.accounts.createExternalAccount(
              connectAccountId,
              {
                external_account: tokenId,
                metadata: this.options.seal.of('bank-account', { bankAccountId }),
              },
              { idempotencyKey, maxNetworkRetries: 0 },
            ),
          async () => {
            const found = await this.findBank(connectAccountId, bankAccountId);
            return found && { id: found.externalAccountId };
          },
        );
        return readable('made', external).id;
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        // Another request for it was faster.
        const found = await this.findBank(connectAccountId, bankAccountId);
        if (found) return found.externalAccountId;
        throw numbersRefused(error) ?? error;
      }
    });
  }

  /** Makes a bank account the one to which the provider itself would pay. */
  makeDefault(connectAccountId: string, externalAccountId: string): Promise<void> {
    return this.askedOf(connectAccountId, async () => {
      await this.stripe.accounts.updateExternalAccount(connectAccountId, externalAccountId, {
        default_for_currency: true,
      });
    });
  }

  /**
   * Takes a bank account away. Answers false where the provider keeps it: the last one stays until there is
   * another.
   */
  removeBankAccount(connectAccountId: string, externalAccountId: string): Promise<boolean> {
    return this.askedOf(connectAccountId, async () => {
      try {
        await this.stripe.accounts.deleteExternalAccount(connectAccountId, externalAccountId);
        return true;
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        return error.code === 'resource_missing';
      }
    });
  }

  /** What the platform's balance at the provider has available, in minor units; below zero it is owed. */
  availableMinor(): Promise<number> {
    return this.asked(async () => {
      const { available } = readable('balance', await this.stripe.balance.retrieve());
      return available.reduce((sum, { amount, currency }) => (currency === CURRENCY ? sum + amount : sum), 0);
    });
  }

  /** Moves a payout's money to the user's account. */
  transfer(attempt: PayoutAttempt): Promise<AttemptOutcome<ProviderTransfer>> {
    const { payoutId, amountMinor, connectAccountId } = attempt;
    const sum = { amountMinor, currency: CURRENCY };
    return this.tried({ connectAccountId }, async () => {
      const made = await this.moveOnce(
        attempt,
        'transfer',
        (idempotencyKey) =>
          this.stripe.transfers.create(
            {
              amount: amountMinor,
              currency: CURRENCY,
              destination: connectAccountId,
              transfer_group: payoutId,
              metadata: this.options.seal.ofPayout('transfer', attempt, connectAccountId, sum),
            },
            { idempotencyKey, maxNetworkRetries: 0 },
          ),
        () => this.findTransfer(payoutId),
      );
      const { id: providerTransferId, created } = readable('transfer', made);
      return { providerTransferId, occurredAt: isoFrom(created) };
    });
  }

  /** Sends a payout's money on from the user's account to a bank. */
  send(
    attempt: PayoutAttempt & { readonly externalAccountId: string },
  ): Promise<
    AttemptOutcome<{ providerPayoutId: string; arrivesOn?: string | undefined; occurredAt: string }>
  > {
    const { payoutId, amountMinor, connectAccountId, externalAccountId } = attempt;
    const sum = { amountMinor, currency: CURRENCY };
    return this.tried({ connectAccountId, externalAccountId }, async () => {
      const made = await this.moveOnce(
        attempt,
        'payout',
        (idempotencyKey) =>
          this.stripe.payouts.create(
            {
              amount: amountMinor,
              currency: CURRENCY,
              destination: externalAccountId,
              metadata: this.options.seal.ofPayout('payout', attempt, externalAccountId, sum),
            },
            { stripeAccount: connectAccountId, idempotencyKey, maxNetworkRetries: 0 },
          ),
        () => this.findPayout(connectAccountId, payoutId, attempt.begunAt),
      );
      const { id: providerPayoutId, created } = readable('payout', made);
      return { providerPayoutId, arrivesOn: arrivalOf(made), occurredAt: isoFrom(created) };
    });
  }

  /**
   * Whether any of a transfer was taken back: nobody but us does that, and people at the provider by hand.
   */
  isTakenBack(providerTransferId: string): Promise<boolean> {
    return this.asked(async () => {
      const shown = await this.stripe.transfers.retrieve(providerTransferId);
      return readable('transfer', shown).amount_reversed > 0;
    });
  }

  /**
   * Takes a transfer back whole. Done only once the provider shows the transfer as reversed in full; what was
   * reversed before counts.
   */
  reverse(
    providerTransferId: string,
    { payoutId, attempt }: Pick<PayoutAttempt, 'payoutId' | 'attempt'>,
  ): Promise<AttemptOutcome<ProviderReversal>> {
    return this.tried({}, async () => {
      const before = readable('transfer', await this.stripe.transfers.retrieve(providerTransferId));
      const amount = before.amount - before.amount_reversed;
      if (amount > 0)
        await madeOnce<unknown>(
          `reversal-${payoutId}-${attempt}-${amount}`,
          (idempotencyKey) =>
            this.stripe.transfers.createReversal(
              providerTransferId,
              {
                amount,
                metadata: this.options.seal.of(
                  'reversal',
                  { payoutId, attempt: String(attempt) },
                  { amountMinor: amount, currency: before.currency },
                ),
              },
              { idempotencyKey, maxNetworkRetries: 0 },
            ),
          async () =>
            (await this.stripe.transfers.retrieve(providerTransferId)).reversed ? true : undefined,
        );
      const [shown, reversals] = await Promise.all([
        this.stripe.transfers.retrieve(providerTransferId),
        all(this.stripe.transfers.listReversals(providerTransferId, { limit: PAGE })),
      ]);
      const transfer = readable('transfer', shown);
      const last = reversals[0] && readable('transfer_reversal', reversals[0]);
      if (!transfer.reversed || transfer.amount_reversed !== transfer.amount || last === undefined)
        throw new Unavailable('The payment provider has not given the money of this payout back yet.');
      return { reversalId: last.id, occurredAt: isoFrom(last.created) };
    });
  }

  /** A payout as the provider shows it now. */
  payout(connectAccountId: string, providerPayoutId: string): Promise<ProviderPayout> {
    return this.askedOf(connectAccountId, async () =>
      payoutOf(
        await this.stripe.payouts.retrieve(providerPayoutId, {}, { stripeAccount: connectAccountId }),
        this.options.seal,
      ),
    );
  }

  /**
   * The payouts of a user's account that anything happened to in a time, each once, and whether anything
   * happened to the account itself.
   */
  changedBetween(
    connectAccountId: string,
    since: Date,
    until: Date,
  ): Promise<{ payoutIds: string[]; account: boolean }> {
    return this.askedOf(connectAccountId, async () => {
      const created = between(since, until);
      const stripeAccount = connectAccountId;
      const ids = new Set<string>();
      let account = false;
      const types = [...CONNECT_EVENT_TYPES];
      const events = this.stripe.events.list({ created, types, limit: PAGE }, { stripeAccount });
      for await (const event of readableOf('event', events, this.#left)) {
        const { object } = event.data;
        if ('object' in object && object.object === 'payout') ids.add(object.id);
        else account = true;
      }
      // Events are kept for 30 days only and may be missing from a stand-in; the objects themselves are not.
      const payouts = this.stripe.payouts.list({ created, limit: PAGE }, { stripeAccount });
      for await (const { id } of readableOf('made', payouts, this.#left)) ids.add(id);
      return { payoutIds: [...ids], account };
    });
  }

  /** The transfers made in a time that name a payout of ours. */
  transferredBetween(
    since: Date,
    until: Date,
  ): Promise<{ payoutId: string; providerTransferId: string; isSealed: boolean }[]> {
    return this.asked(async () => {
      const created = between(since, until);
      const found: { payoutId: string; providerTransferId: string; isSealed: boolean }[] = [];
      const list = this.stripe.transfers.list({ created, limit: PAGE });
      for await (const transfer of readableOf('transfer', list, this.#left)) {
        const { id: providerTransferId, metadata } = transfer;
        const payoutId = idIn(metadata, 'payoutId');
        if (payoutId === undefined) continue;
        const isSealed = transferredIn(transfer, this.options.seal) !== undefined;
        found.push({ payoutId, providerTransferId, isSealed });
      }
      return found;
    });
  }

  /** What a connected account's webhook is about. Throws what {@link signedEvent} does. */
  webhookSubject(body: Buffer, signature: string): ConnectSubject | undefined {
    const event = signedEvent(this.stripe, body, signature, this.options, 'payment provider');
    if (typeof event.account !== 'string' || !CONNECT_EVENT_TYPES.some((type) => type === event.type))
      return undefined;
    const object = event.data.object as { object?: unknown; id?: unknown };
    const isPayout = object.object === 'payout' && typeof object.id === 'string';
    return {
      connectAccountId: event.account,
      providerPayoutId: isPayout ? String(object.id) : undefined,
    };
  }

  /**
   * Moves the money of an attempt once. If somebody may have asked before, what they made is looked up first.
   * A refusal for a fault of ours may also follow a request that was carried out and whose answer was lost:
   * that is looked up too, or money that was moved would be given back as well.
   */
  private async moveOnce<T>(
    payout: PayoutAttempt,
    step: 'transfer' | 'payout',
    make: (idempotencyKey: string) => Promise<T>,
    find: () => Promise<T | undefined>,
  ): Promise<T> {
    this.options.assertMayMove?.();
    const lookUp = (): Promise<T | undefined> => readMovedMoney(find());
    const before = this.isToLookUp(payout) ? await lookUp() : undefined;
    if (before !== undefined) return before;
    try {
      return await madeOnce(`${step}-${payout.payoutId}-${payout.attempt}`, make, lookUp);
    } catch (error) {
      const made = refusalOf(error)?.kind === 'our-fault' ? await lookUp() : undefined;
      if (made === undefined) throw error;
      return made;
    }
  }

  /**
   * Whether to look before asking: an earlier attempt was refused, somebody else began this one, or it began
   * long ago. Our clock alone cannot tell whether the provider still has the key: it lags after a machine
   * slept.
   */
  private isToLookUp({ attempt, begunAt, isFresh = false }: PayoutAttempt): boolean {
    return attempt > 1 || !isFresh || this.isLate(begunAt);
  }

  private isLate(since: Date): boolean {
    return Date.now() - since.getTime() > KEYS_LAST_MS;
  }

  private async findAccount(
    userId: string,
    since: Date,
    closed: readonly string[],
  ): Promise<Stripe.Account | undefined> {
    const created = notBefore(since);
    const ofUser: Stripe.Account[] = [];
    const list = this.stripe.accounts.list({ created, limit: PAGE });
    for await (const account of readableOf('listed', list, this.#left))
      if (account.metadata?.['userId'] === userId && this.options.seal.mayBeOurs('account', account.metadata))
        ofUser.push(account);
    return oldestSealed(ofUser.filter(({ id }) => !closed.includes(id)));
  }

  private async banksOf(connectAccountId: string): Promise<ProviderBankAccount[]> {
    const banks = await all(
      this.stripe.accounts.listExternalAccounts(connectAccountId, { object: 'bank_account', limit: PAGE }),
    );
    return banks.flatMap((bank) => (bank.object === 'bank_account' ? [bankOf(bank, this.options.seal)] : []));
  }

  private async findBank(
    connectAccountId: string,
    bankAccountId: string,
  ): Promise<ProviderBankAccount | undefined> {
    const banks = onceNamed(await this.banksOf(connectAccountId));
    return banks.find((bank) => bank.bankAccountId === bankAccountId);
  }

  private async findTransfer(payoutId: string): Promise<Stripe.Transfer | undefined> {
    const { seal } = this.options;
    // A group is a text that anybody may write.
    const ofGroup = await all(this.stripe.transfers.list({ transfer_group: payoutId, limit: PAGE }));
    return oldestSealed(
      ofGroup.filter(
        (transfer) => !isSealed(transfer) || transferredIn(transfer, seal)?.payoutId === payoutId,
      ),
    );
  }

  private async findPayout(
    connectAccountId: string,
    payoutId: string,
    since: Date,
  ): Promise<Stripe.Payout | undefined> {
    const created = notBefore(since);
    const sent = await all(
      this.stripe.payouts.list({ created, limit: PAGE }, { stripeAccount: connectAccountId }),
    );
    return oldestSealed(
      sent.filter(
        (payout) =>
          payout.metadata?.['payoutId'] === payoutId &&
          this.options.seal.mayBeOurs('payout', payout.metadata, sumOf(payout)),
      ),
    );
  }

  /**
   * Tells what may be tried again from what never will be. A connected account is gone only where the
   * provider shows it, see {@link isAccountGone}. Throws Unavailable.
   */
  private tried<T extends object>(target: AttemptTarget, work: () => Promise<T>): Promise<AttemptOutcome<T>> {
    return this.asked(async () => {
      try {
        return { kind: 'done', ...(await work()) };
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === undefined || refusal.kind === 'outage') throw error;
        if (
          claimsAccountGone(error) &&
          target.connectAccountId !== undefined &&
          (await isAccountGone(this.stripe, target.connectAccountId))
        )
          return { kind: 'never', about: 'account', code: 'no_destination', reason: ACCOUNT_GONE };
        if (target.externalAccountId !== undefined && namesMissingDestination(error))
          return { kind: 'never', about: 'bank-account', code: 'no_destination', reason: DESTINATION_GONE };
        if (refusal.kind === 'our-fault' && error instanceof Error) this.options.onRefusal?.(refusal, error);
        return outcomeOf(refusal);
      }
    });
  }

  /** Asks something of a user's account. */
  private askedOf<T>(connectAccountId: string, work: () => Promise<T>): Promise<T> {
    return this.asked(async () => {
      try {
        return await work();
      } catch (error) {
        if (claimsAccountGone(error) && (await isAccountGone(this.stripe, connectAccountId)))
          throw new PayoutAccountGone(connectAccountId);
        throw error;
      }
    });
  }

  private asked<T>(work: () => Promise<T>): Promise<T> {
    return translatingRefusals(work, REFUSED, this.options);
  }
}

/** A time for the provider's lists, in their whole seconds. */
const between = (since: Date, until: Date): Stripe.RangeQueryParam => ({
  gte: Math.floor(since.getTime() / 1000),
  lt: Math.ceil(until.getTime() / 1000),
});
/** The same without an end. The provider's clock may be behind ours. */
const notBefore = (since: Date): Stripe.RangeQueryParam => ({
  gte: Math.floor((since.getTime() - CLOCK_SKEW_MS) / 1000),
});
