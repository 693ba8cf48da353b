/**
 * The provider as a model: what it holds, what its people and banks do, and the ports of `ledger/stripe` over
 * it. Requests are made once under their keys for a day, as the real one's; answers may be lost on either
 * side of the deed. Every change is announced, and whoever carries the announcements loses, doubles, delays
 * and shuffles them.
 */
import { CARD_GONE, type CardProvider } from '#ledger/stripe/card-provider';
import type { PayoutProvider } from '#ledger/stripe/payout-provider';
import {
  ProviderRefused,
  type ProviderDispute,
  type ProviderPayment,
  type ReadingDepth,
} from '#ledger/stripe/provider-payment';
import { NumbersRefused, type PayoutAttempt, type ProviderStanding } from '#ledger/stripe/provider-payout';
import type { SavedCards } from '#ledger/stripe/saved-cards';
import type { PaymentHint } from '#ledger/stripe/webhook-hints';
import type { PaymentBooking, PayoutBooking } from '#ledger/stripe/ownership';
import type { ListedPayment, ProviderHistory } from '#ledger/stripe/provider-history';
import type { SavedCard } from '#contracts/events/journal';
import { Unavailable } from '#ledger/rejection';

/** A saved card that its owner removed was to be charged. */
class CardGone extends Error {}

/** A class's public side. */
export type Port<T> = Pick<T, keyof T>;

export type CardMood = 'pays' | 'declines' | 'asks';
export type Announcement =
  | { readonly about: 'intent'; readonly intentId: string; readonly hint: EventHint }
  | { readonly about: 'account'; readonly connectAccountId: string }
  | { readonly about: 'payout'; readonly connectAccountId: string; readonly providerPayoutId: string };

/** What an event about a payment tells, and of which charge. */
type EventHint = Pick<PaymentHint, 'tells' | 'chargeId'>;

export interface Charge {
  readonly chargeId: string;
  readonly intentId: string;
  readonly paymentId: string | undefined;
  readonly status: 'succeeded' | 'failed';
  readonly amountMinor: number;
  readonly at: number;
  readonly code: string | undefined;
  readonly feeMinor: number;
}
interface Intent {
  readonly intentId: string;
  readonly paymentId: string | undefined;
  readonly amountMinor: number;
  readonly at: number;
  /** Of somebody else's who has the account too, whatever its metadata name. */
  readonly isForeign: boolean;
  canceledAt: number | undefined;
  customerId: string | undefined;
  /** What our seal covers. */
  booking: PaymentBooking | undefined;
  savedCard: SavedCard | undefined;
}
export interface Refund {
  readonly refundId: string;
  readonly charge: Charge;
  readonly amountMinor: number;
  readonly at: number;
  /** Given by a ledger, under its seal. */
  readonly isOurs: boolean;
  status: 'pending' | 'succeeded' | 'failed';
}
export interface Dispute {
  readonly disputeId: string;
  readonly charge: Charge;
  readonly amountMinor: number;
  readonly at: number;
  status: 'open' | 'won' | 'lost';
  endedAt: number | undefined;
}
interface Bank {
  readonly externalAccountId: string;
  readonly bankAccountId: string;
  isDefault: boolean;
}
interface Account {
  readonly connectAccountId: string;
  readonly userId: string;
  readonly at: number;
  payoutsEnabled: boolean;
  banks: Bank[];
  balanceMinor: number;
}
export interface Transfer {
  readonly providerTransferId: string;
  readonly payoutId: string;
  readonly account: Account;
  readonly amountMinor: number;
  readonly at: number;
  readonly booking: PayoutBooking;
  reversalId: string | undefined;
  reversedAt: number | undefined;
}
export interface Payout {
  readonly providerPayoutId: string;
  readonly payoutId: string;
  readonly account: Account;
  readonly amountMinor: number;
  readonly at: number;
  status: 'underway' | 'paid' | 'failed';
}

const HOUR_MS = 3_600_000;
const KEYS_KEPT_MS = 24 * HOUR_MS;
/** As the real ports have it: what may be older than the keys are kept is looked up before it is made. */
const LOOKED_UP_AFTER_MS = 23 * HOUR_MS;
const DISPUTE_FEE_MINOR = 1500;
const NOT_THERE_YET = { kind: 'not-now', code: 'balance_insufficient', reason: 'Not there yet.' } as const;

/** How one ledger process reaches it: waits its turn, and may lose the question or the answer. */
export interface Line {
  /** Throws Unavailable. */
  call<T>(deed: () => T): Promise<T>;
}

export class ProviderModel {
  readonly customers = new Map<
    string,
    {
      readonly customerId: string;
      readonly at: number;
      cards: { cardId: string; mood: CardMood; at: number }[];
    }
  >();
  readonly intents = new Map<string, Intent>();
  readonly charges: Charge[] = [];
  readonly refunds: Refund[] = [];
  readonly disputes: Dispute[] = [];
  readonly accounts = new Map<string, Account>();
  readonly transfers: Transfer[] = [];
  readonly payouts: Payout[] = [];
  /** What we have there. */
  balanceMinor = 0;
  isAway = false;
  /** It has not the money for transfers yet. */
  isShort = false;
  /** For proving that a simulation would notice: it forgets under which keys it was asked. */
  forgetsKeys = false;
  readonly #keys = new Map<string, { readonly value: unknown; readonly at: number }>();
  readonly #changes: { readonly at: number; readonly what: Announcement }[] = [];
  #made = 0;

  constructor(
    private readonly nowMs: () => number,
    private readonly announce: (what: Announcement) => void,
  ) {}

  // ---- what people and banks do there
  // -------------------------------------------------------------------------------

  /**
   * The payer's browser confirms: answers the charge, undefined where nothing is to be confirmed any more.
   */
  confirm(intentId: string, mood: CardMood): Charge | undefined {
    const intent = this.intents.get(intentId);
    if (!intent || intent.canceledAt !== undefined || this.isPaid(intentId)) return undefined;
    return this.#charge(intent, mood);
  }

  /** Money of somebody else's in the same account: of an intent that names a payment of ours, or none. */
  foreign(paymentId: string | undefined, amountMinor: number): Charge {
    return this.#charge(this.#intent(paymentId, amountMinor, true), 'pays');
  }

  /** A second charge of a payment that is paid. */
  again({ intentId }: Charge): Charge {
    return this.#charge(this.#intentOf(intentId), 'pays');
  }

  isForeign({ intentId }: Pick<Charge, 'intentId'>): boolean {
    return this.#intentOf(intentId).isForeign;
  }

  /** What of our balance there is somebody else's. */
  get foreignMinor(): number {
    const of = <T extends { readonly charge: Charge }>(items: readonly T[]): T[] =>
      items.filter(({ charge }) => this.isForeign(charge));
    const paid = this.charges.filter((charge) => charge.status === 'succeeded' && this.isForeign(charge));
    const sum = (amounts: readonly number[]): number => amounts.reduce((total, one) => total + one, 0);
    return (
      sum(paid.map(({ amountMinor, feeMinor }) => amountMinor - feeMinor)) -
      sum(of(this.refunds).map(({ amountMinor, status }) => (status === 'failed' ? 0 : amountMinor))) -
      sum(of(this.disputes).map((it) => DISPUTE_FEE_MINOR + (it.status === 'won' ? 0 : it.amountMinor)))
    );
  }

  isPaid(intentId: string): boolean {
    return this.charges.some((charge) => charge.intentId === intentId && charge.status === 'succeeded');
  }

  refund(charge: Charge, amountMinor: number, isOurs = false): Refund | undefined {
    const gone = this.#goneOf(charge);
    if (amountMinor <= 0 || gone + amountMinor > charge.amountMinor) return undefined;
    const refund: Refund = {
      refundId: this.#id('re'),
      charge,
      amountMinor,
      at: this.nowMs(),
      isOurs,
      status: 'pending',
    };
    this.refunds.push(refund);
    this.balanceMinor -= amountMinor;
    this.#changed(ofCharge(charge));
    return refund;
  }

  /** A pending refund arrives, or comes back. */
  endRefund(refund: Refund, status: 'succeeded' | 'failed'): void {
    if (refund.status !== 'pending') return;
    refund.status = status;
    if (status === 'failed') this.balanceMinor += refund.amountMinor;
    this.#changed(ofCharge(refund.charge));
  }

  dispute(charge: Charge): Dispute | undefined {
    const amountMinor = charge.amountMinor - this.#goneOf(charge);
    if (amountMinor <= 0 || this.disputes.some((known) => known.charge === charge)) return undefined;
    const at = this.nowMs();
    const dispute: Dispute = {
      disputeId: this.#id('dp'),
      charge,
      amountMinor,
      at,
      status: 'open',
      endedAt: undefined,
    };
    this.disputes.push(dispute);
    this.balanceMinor -= amountMinor + DISPUTE_FEE_MINOR;
    this.#changed(ofCharge(charge));
    return dispute;
  }

  endDispute(dispute: Dispute, status: 'won' | 'lost'): void {
    if (dispute.status !== 'open') return;
    dispute.status = status;
    if (status === 'won') this.balanceMinor += dispute.amountMinor;
    dispute.endedAt = this.nowMs();
    this.#changed(ofCharge(dispute.charge));
  }

  setEnabled(account: Account, payoutsEnabled: boolean): void {
    if (account.payoutsEnabled === payoutsEnabled) return;
    account.payoutsEnabled = payoutsEnabled;
    this.#changed({ about: 'account', connectAccountId: account.connectAccountId });
  }

  /** The bank has it, or sends it back: that also after it had it. */
  endPayout(payout: Payout, status: 'paid' | 'failed'): void {
    if (payout.status === 'failed' || payout.status === status) return;
    payout.status = status;
    if (status === 'failed') payout.account.balanceMinor += payout.amountMinor;
    const { connectAccountId } = payout.account;
    this.#changed({ about: 'payout', connectAccountId, providerPayoutId: payout.providerPayoutId });
  }

  saveCard(userId: string, mood: CardMood): void {
    this.customers.get(userId)?.cards.push({ cardId: this.#id('pm'), mood, at: this.nowMs() });
  }

  // ---- the ports of ledger/stripe
  // ---------------------------------------------------------------------------------------

  cardsPort(line: Line): Omit<Port<CardProvider>, 'webhookSubject'> {
    return {
      intentFor: ({ paymentId, amountMinor, openedAt, savesFor, ...rest }) =>
        line.call(() =>
          shown(
            this.#once(
              paymentId,
              openedAt,
              () => this.#find(paymentId),
              () =>
                Object.assign(this.#intent(paymentId, amountMinor), {
                  customerId: savesFor,
                  booking: bookingOf({ paymentId, ...rest }),
                }),
            ),
          ),
        ),
      chargeSaved: ({ paymentId, amountMinor, openedAt, savedCard, ...rest }) =>
        line.call(() => {
          const card = this.#cardOf(savedCard.customerId, savedCard.paymentMethodId);
          const make = (): Intent => {
            if (!card) throw new CardGone();
            const intent = this.#intent(paymentId, amountMinor);
            Object.assign(intent, { booking: bookingOf({ paymentId, ...rest }), savedCard });
            this.#charge(intent, card.mood);
            return intent;
          };
          try {
            const { intentId } = this.#once(paymentId, openedAt, () => this.#find(paymentId), make);
            return { kind: 'done', intentId };
          } catch (error) {
            if (!(error instanceof CardGone)) throw error;
            return { kind: 'never', about: 'card', code: CARD_GONE };
          }
        }),
      // No bank asks anybody here, so nothing waits to be confirmed.
      confirmSaved: ({ intentId }) =>
        line.call(() => {
          this.#intentOf(intentId);
          return { kind: 'done' };
        }),
      keepCard: (intentId, customerId) =>
        line.call(() => {
          const intent = this.#intentOf(intentId);
          if (intent.canceledAt === undefined && !this.isPaid(intentId)) intent.customerId = customerId;
        }),
      // No bank asks anybody here.
      askForConfirmation: (intentId) => line.call(() => void this.#intentOf(intentId)),
      intent: (intentId) => line.call(() => shown(this.#intentOf(intentId))),
      find: ({ paymentId }) => line.call(() => this.#find(paymentId)?.intentId),
      payment: (intentId, depth) => line.call(() => this.#payment(intentId, depth)),
      cancel: (intentId) =>
        line.call(() => {
          const intent = this.#intentOf(intentId);
          if (intent.canceledAt !== undefined || this.isPaid(intentId)) return;
          intent.canceledAt = this.nowMs();
          this.#changed({ about: 'intent', intentId, hint: { tells: 'canceled', chargeId: undefined } });
        }),
      refundRest: (chargeId) =>
        line.call(() => {
          const charge = this.charges.find((known) => known.chargeId === chargeId);
          if (!charge) throw new ProviderRefused('The card provider does not know this charge.');
          this.refund(charge, charge.amountMinor - this.#goneOf(charge), true);
          return this.refunds.filter((known) => known.charge === charge).map(refundShown);
        }),
      changedBetween: (since, until) =>
        line.call(() => {
          const told = this.#changesIn(since, until).flatMap((what): PaymentHint[] =>
            what.about === 'intent'
              ? [{ intentId: what.intentId, isTwin: false, isMarked: undefined, ...what.hint }]
              : [],
          );
          const made = [...this.intents.values()]
            .filter(({ at }) => at >= since.getTime() && at < until.getTime())
            .map(({ intentId }): PaymentHint => ({
              intentId,
              chargeId: undefined,
              tells: 'made',
              isTwin: false,
              isMarked: undefined,
            }));
          return [...told, ...made];
        }),
    };
  }

  savedCardsPort(line: Line): Omit<Port<SavedCards>, 'setUp' | 'declinedSetup' | 'cancelSetup'> {
    const of = (customerId: string) =>
      [...this.customers.values()].find((known) => known.customerId === customerId);
    const shownCards = (customerId: string) =>
      (of(customerId)?.cards ?? []).toReversed().map(({ cardId }, n) => ({
        cardId,
        brand: 'visa',
        last4: '4242',
        expMonth: 12,
        expYear: 2030,
        isDefault: n === 0,
        copies: [],
      }));
    return {
      openCustomer: (userId) =>
        line.call(() => {
          const known = this.customers.get(userId) ?? {
            customerId: `cus_${userId}`,
            at: this.nowMs(),
            cards: [],
          };
          this.customers.set(userId, known);
          return known.customerId;
        }),
      isLost: (customerId) => line.call(() => of(customerId) === undefined),
      of: (customerId) => line.call(() => shownCards(customerId)),
      withOwner: (customerId) =>
        line.call(() => ({
          userId: [...this.customers].find(([, known]) => known.customerId === customerId)?.[0],
          cards: shownCards(customerId),
        })),
      choose: () => line.call(() => undefined),
      closeCustomer: (customerId) =>
        line.call(() => {
          for (const [userId, known] of this.customers)
            if (known.customerId === customerId) this.customers.delete(userId);
        }),
      remove: (cardId) =>
        line.call(() => {
          for (const customer of this.customers.values())
            customer.cards = customer.cards.filter((card) => card.cardId !== cardId);
        }),
    };
  }

  payoutsPort(line: Line): Omit<Port<PayoutProvider>, 'webhookSubject'> {
    return {
      bankToken: ({ accountNumber }) =>
        line.call(() => {
          if (accountNumber.endsWith('0000'))
            throw new NumbersRefused('The account number is not a valid one.');
          return this.#id('btok');
        }),
      accountFor: (userId, since) => line.call(() => this.#accountFor(userId, since).connectAccountId),
      standing: (connectAccountId) => line.call(() => standingOf(this.#account(connectAccountId))),
      userNamed: (connectAccountId) => line.call(() => this.#account(connectAccountId).userId),
      onboardingUrl: (connectAccountId) => line.call(() => `https://provider.example/${connectAccountId}`),
      addBankAccount: (connectAccountId, bankAccountId) =>
        line.call(() => {
          const account = this.#account(connectAccountId);
          const known = account.banks.find((bank) => bank.bankAccountId === bankAccountId);
          if (known) return known.externalAccountId;
          const bank = {
            externalAccountId: this.#id('ba'),
            bankAccountId,
            isDefault: account.banks.length === 0,
          };
          account.banks.push(bank);
          this.#changed({ about: 'account', connectAccountId });
          return bank.externalAccountId;
        }),
      makeDefault: (connectAccountId, externalAccountId) =>
        line.call(() => {
          for (const bank of this.#account(connectAccountId).banks)
            bank.isDefault = bank.externalAccountId === externalAccountId;
        }),
      removeBankAccount: (connectAccountId, externalAccountId) =>
        line.call(() => {
          const account = this.#account(connectAccountId);
          if (account.banks.length < 2) return false;
          account.banks = account.banks.filter((bank) => bank.externalAccountId !== externalAccountId);
          this.#changed({ about: 'account', connectAccountId });
          return true;
        }),
      availableMinor: () => line.call(() => (this.isShort ? 0 : Number.MAX_SAFE_INTEGER)),
      transfer: (attempt) =>
        line.call(() => {
          const made = this.#transfer(attempt);
          if (made === 'short') return NOT_THERE_YET;
          return { kind: 'done', providerTransferId: made.providerTransferId, occurredAt: iso(made.at) };
        }),
      send: (attempt) =>
        line.call(() => {
          const made = this.#send(attempt);
          if (made === 'gone')
            return {
              kind: 'never',
              about: 'bank-account',
              code: 'no_destination',
              reason: 'The bank account is gone.',
            };
          if (made === 'not-allowed')
            return { kind: 'not-now', code: 'payouts_not_allowed', reason: 'Not at the moment.' };
          if (made === 'short') return NOT_THERE_YET;
          return { kind: 'done', providerPayoutId: made.providerPayoutId, occurredAt: iso(made.at) };
        }),
      isTakenBack: (providerTransferId) =>
        line.call(() =>
          this.transfers.some(
            (known) => known.providerTransferId === providerTransferId && known.reversalId !== undefined,
          ),
        ),
      reverse: (providerTransferId) =>
        line.call(() => {
          const transfer = this.transfers.find((known) => known.providerTransferId === providerTransferId);
          if (!transfer) throw new ProviderRefused('The provider does not know this transfer.');
          if (transfer.reversalId === undefined) {
            const { account, amountMinor } = transfer;
            if (account.balanceMinor < amountMinor) return NOT_THERE_YET;
            account.balanceMinor -= amountMinor;
            this.balanceMinor += amountMinor;
            transfer.reversalId = this.#id('trr');
            transfer.reversedAt = this.nowMs();
          }
          return { kind: 'done', reversalId: transfer.reversalId, occurredAt: iso(this.nowMs()) } as const;
        }),
      payout: (_, providerPayoutId) =>
        line.call(() => {
          const payout = this.payouts.find((known) => known.providerPayoutId === providerPayoutId);
          if (!payout) throw new ProviderRefused('The provider does not know this payout.');
          return payoutShown(payout);
        }),
      changedBetween: (connectAccountId, since, until) =>
        line.call(() => {
          const changes = this.#changesIn(since, until);
          const payoutIds = changes.flatMap((what) =>
            what.about === 'payout' && what.connectAccountId === connectAccountId
              ? [what.providerPayoutId]
              : [],
          );
          const account = changes.some(
            (what) => what.about === 'account' && what.connectAccountId === connectAccountId,
          );
          return { payoutIds: [...new Set(payoutIds)], account };
        }),
      transferredBetween: (since, until) =>
        line.call(() =>
          this.transfers
            .filter(({ at }) => at >= since.getTime() && at < until.getTime())
            .map(({ payoutId, providerTransferId }) => ({ payoutId, providerTransferId, isSealed: true })),
        ),
    };
  }

  #accountFor(userId: string, since: Date): Account {
    const find = (): Account | undefined =>
      [...this.accounts.values()].find((known) => known.userId === userId);
    return this.#once(`connect-${userId}`, since, find, () => {
      const made = {
        connectAccountId: this.#id('acct'),
        userId,
        at: this.nowMs(),
        payoutsEnabled: false,
        banks: [],
        balanceMinor: 0,
      };
      this.accounts.set(made.connectAccountId, made);
      this.#changed({ about: 'account', connectAccountId: made.connectAccountId });
      return made;
    });
  }

  /** Under one key the provider repeats its no as well. */
  #transfer({
    payoutId,
    attempt,
    begunAt,
    amountMinor,
    connectAccountId,
    key,
    userId,
    bankAccountId,
  }: PayoutAttempt): Transfer | 'short' {
    const account = this.#account(connectAccountId);
    const find = (): Transfer | undefined => this.transfers.find((known) => known.payoutId === payoutId);
    return this.#once<Transfer | 'short'>(`transfer-${payoutId}-${attempt}`, begunAt, find, () => {
      if (this.isShort) return 'short';
      const transfer = {
        providerTransferId: this.#id('tr'),
        payoutId,
        account,
        amountMinor,
        at: this.nowMs(),
        booking: { payoutId, key, userId, bankAccountId, attempt },
        reversalId: undefined,
        reversedAt: undefined,
      };
      this.transfers.push(transfer);
      this.balanceMinor -= amountMinor;
      account.balanceMinor += amountMinor;
      return transfer;
    });
  }

  /** The same to a bank. */
  #send({
    payoutId,
    attempt,
    begunAt,
    amountMinor,
    connectAccountId,
    externalAccountId,
  }: Parameters<PayoutProvider['send']>[0]): Payout | 'gone' | 'not-allowed' | 'short' {
    const account = this.#account(connectAccountId);
    const find = (): Payout | undefined => this.payouts.find((known) => known.payoutId === payoutId);
    return this.#once<Payout | 'gone' | 'not-allowed' | 'short'>(
      `payout-${payoutId}-${attempt}`,
      begunAt,
      find,
      () => {
        if (!account.banks.some((bank) => bank.externalAccountId === externalAccountId)) return 'gone';
        if (!account.payoutsEnabled) return 'not-allowed';
        if (account.balanceMinor < amountMinor) return 'short';
        const payout: Payout = {
          providerPayoutId: this.#id('po'),
          payoutId,
          account,
          amountMinor,
          at: this.nowMs(),
          status: 'underway',
        };
        account.balanceMinor -= amountMinor;
        this.payouts.push(payout);
        this.#changed({ about: 'payout', connectAccountId, providerPayoutId: payout.providerPayoutId });
        return payout;
      },
    );
  }

  /** As a recovery of the log reads it: by lists of what was made in a time, or changed in it. */
  history(): ProviderHistory {
    const since = <T extends { readonly at: number }>(items: readonly T[], from: Date): T[] =>
      items.filter(({ at }) => at >= from.getTime());
    return {
      unreadable: () => [],
      payments: (from) => {
        const changed = this.#changesIn(from, new Date(this.nowMs() + 1));
        const named = new Set(changed.flatMap((what) => (what.about === 'intent' ? [what.intentId] : [])));
        const listed = [...this.intents.values()].filter(
          ({ at, intentId }) => at >= from.getTime() || named.has(intentId),
        );
        return Promise.resolve(
          listed.map((intent): ListedPayment => {
            const { intentId, booking, amountMinor, savedCard, at, isForeign } = intent;
            const isNew = at >= from.getTime();
            const shownBooking =
              isNew && !isForeign && booking ? { ...booking, amountMinor, currency: 'usd' } : undefined;
            const seen = this.#payment(intentId, 'all-charges');
            return {
              ...seen,
              isSealed: shownBooking !== undefined,
              at: iso(at),
              booking: shownBooking,
              savedCard,
              returnedByUs: this.refunds
                .filter(({ charge, isOurs }) => isOurs && charge.intentId === intentId)
                .map(({ charge }) => charge.chargeId),
            };
          }),
        );
      },
      transfers: (from) =>
        Promise.resolve(
          since(this.transfers, from).map(
            ({ providerTransferId, payoutId, account, amountMinor, at, booking, reversalId }) => ({
              providerTransferId,
              connectAccountId: account.connectAccountId,
              amountMinor,
              currency: 'usd',
              at: iso(at),
              payoutId,
              booking,
              reversal: reversalId === undefined ? undefined : { reversalId, at: iso(at) },
            }),
          ),
        ),
      reversals: (from) =>
        Promise.resolve(
          this.transfers.flatMap(({ providerTransferId, amountMinor, reversalId, reversedAt }) =>
            reversalId !== undefined && reversedAt !== undefined && reversedAt >= from.getTime()
              ? [{ reversalId, providerTransferId, amountMinor, at: iso(reversedAt) }]
              : [],
          ),
        ),
      payouts: (accounts, from) =>
        Promise.resolve(
          since(this.payouts, from)
            .filter(({ account }) => accounts.includes(account.connectAccountId))
            .map(({ account, ...payout }) => ({
              connectAccountId: account.connectAccountId,
              ...payoutShown({ account, ...payout }),
            })),
        ),
      customers: (from) =>
        Promise.resolve(
          [...this.customers]
            .map(([userId, { customerId, at }]) => ({ providerId: customerId, userId, at }))
            .filter(({ at }) => at >= from.getTime())
            .map((link) => ({ ...link, at: iso(link.at) })),
        ),
      accounts: (from) =>
        Promise.resolve(
          since([...this.accounts.values()], from).map(({ connectAccountId, userId, at }) => ({
            providerId: connectAccountId,
            userId,
            at: iso(at),
          })),
        ),
    };
  }

  // ---- inside
  // ---------------------------------------------------------------------------------------------------------

  #once<T>(key: string, begunAt: Date, find: () => T | undefined, make: () => T): T {
    const isLate = this.nowMs() - begunAt.getTime() > LOOKED_UP_AFTER_MS;
    const found = isLate ? find() : undefined;
    if (found !== undefined) return found;
    const known = this.#keys.get(key);
    if (known && !this.forgetsKeys && this.nowMs() - known.at < KEYS_KEPT_MS) return known.value as T;
    const value = make();
    this.#keys.set(key, { value, at: this.nowMs() });
    return value;
  }

  #intent(paymentId: string | undefined, amountMinor: number, isForeign = false): Intent {
    const intent: Intent = {
      intentId: this.#id('pi'),
      paymentId,
      amountMinor,
      at: this.nowMs(),
      isForeign,
      canceledAt: undefined,
      customerId: undefined,
      booking: undefined,
      savedCard: undefined,
    };
    this.intents.set(intent.intentId, intent);
    return intent;
  }

  #charge({ intentId, paymentId, amountMinor }: Intent, mood: CardMood): Charge {
    const isPaid = mood === 'pays';
    const charge: Charge = {
      chargeId: this.#id('ch'),
      intentId,
      paymentId,
      status: isPaid ? 'succeeded' : 'failed',
      amountMinor,
      at: this.nowMs(),
      code: isPaid ? undefined : mood === 'asks' ? 'authentication_required' : 'generic_decline',
      feeMinor: isPaid ? Math.floor(amountMinor / 40) + 30 : 0,
    };
    this.charges.push(charge);
    if (isPaid) {
      this.balanceMinor += amountMinor - charge.feeMinor;
    }
    this.#changed(ofCharge(charge, isPaid ? 'paid' : 'declined'));
    return charge;
  }

  #payment(intentId: string, depth: ReadingDepth): ProviderPayment {
    const ofIntent = this.charges.filter((charge) => charge.intentId === intentId);
    const shownCharges = depth === 'all-charges' ? ofIntent : ofIntent.slice(-1);
    const { paymentId, canceledAt, isForeign } = this.#intentOf(intentId);
    return {
      intentId,
      paymentId,
      isSealed: !isForeign,
      canceled: canceledAt === undefined ? undefined : { reason: 'abandoned', at: iso(canceledAt) },
      charges: shownCharges.map(({ chargeId, status, amountMinor, at, code, feeMinor }) => ({
        chargeId,
        status,
        amountMinor,
        currency: 'usd',
        createdAt: iso(at),
        failure: code === undefined ? undefined : { code, reason: 'Your card was declined.' },
        fee:
          status === 'succeeded'
            ? {
                balanceTransactionId: `txn_fee_${chargeId}`,
                amountMinor: feeMinor,
                currency: 'usd',
                netMinor: amountMinor - feeMinor,
                availableOn: iso(at),
                at: iso(at),
              }
            : undefined,
      })),
      // The newest first, as the real one lists them.
      refunds: this.refunds
        .filter(({ charge }) => charge.intentId === intentId)
        .toReversed()
        .map(refundShown),
      disputes: this.disputes.filter(({ charge }) => charge.intentId === intentId).map(disputeShown),
    };
  }

  #goneOf(charge: Charge): number {
    const refunded = this.refunds.filter((refund) => refund.charge === charge && refund.status !== 'failed');
    const disputed = this.disputes.filter((dispute) => dispute.charge === charge && dispute.status !== 'won');
    return [...refunded, ...disputed].reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  }

  #cardOf(customerId: string, cardId: string) {
    const customer = [...this.customers.values()].find((known) => known.customerId === customerId);
    return customer?.cards.find((card) => card.cardId === cardId);
  }

  #find(paymentId: string): Intent | undefined {
    return [...this.intents.values()].find((intent) => intent.paymentId === paymentId && !intent.isForeign);
  }

  #intentOf(intentId: string): Intent {
    const intent = this.intents.get(intentId);
    if (!intent) throw new ProviderRefused('The card provider does not know this payment.');
    return intent;
  }

  #account(connectAccountId: string): Account {
    const account = this.accounts.get(connectAccountId);
    if (!account) throw new ProviderRefused('The provider does not know this account.');
    return account;
  }

  #changesIn(since: Date, until: Date): Announcement[] {
    return this.#changes
      .filter(({ at }) => at >= since.getTime() && at < until.getTime())
      .map(({ what }) => what);
  }

  #changed(what: Announcement): void {
    this.#changes.push({ at: this.nowMs(), what });
    this.announce(what);
  }

  #id(kind: string): string {
    return `${kind}_${(this.#made += 1)}`;
  }
}

const bookingOf = ({
  paymentId,
  key,
  payerId,
  recipientId,
  method,
  occurrence,
}: PaymentBooking): PaymentBooking => ({
  paymentId,
  key,
  payerId,
  recipientId,
  method,
  occurrence,
});

const payoutShown = ({ providerPayoutId, payoutId, status, at }: Payout) => ({
  providerPayoutId,
  payoutId,
  isSealed: true,
  status,
  failure:
    status === 'failed' ? { code: 'account_closed', reason: 'The bank account has been closed.' } : undefined,
  createdAt: iso(at),
});

const iso = (ms: number): string => new Date(ms).toISOString();

const ofCharge = ({ intentId, chargeId }: Charge, tells: EventHint['tells'] = 'anything'): Announcement => ({
  about: 'intent',
  intentId,
  hint: { tells, chargeId },
});

const shown = ({ intentId, canceledAt, customerId }: Intent) => ({
  intentId,
  clientSecret: `${intentId}_secret`,
  methods: undefined,
  isCanceled: canceledAt !== undefined,
  needsAction: false,
  isUnderWay: false,
  savesFor: customerId,
});

const refundShown = ({ refundId, charge, status, amountMinor, at }: Refund) => ({
  refundId,
  chargeId: charge.chargeId,
  status: status === 'failed' ? ('failed' as const) : ('given' as const),
  isFinal: status === 'succeeded',
  amountMinor,
  currency: 'usd',
  createdAt: iso(at),
  failureReason: status === 'failed' ? 'expired_or_canceled_card' : undefined,
});

/** Its money goes at once, with a fee that stays, and comes back if it is won. */
function disputeShown({ disputeId, charge, amountMinor, at, status, endedAt }: Dispute): ProviderDispute {
  const money = { amountMinor, currency: 'usd', feeCurrency: 'usd' };
  const out = {
    balanceTransactionId: `txn_out_${disputeId}`,
    ...money,
    feeMinor: DISPUTE_FEE_MINOR,
    at: iso(at),
  };
  const back = { balanceTransactionId: `txn_in_${disputeId}`, ...money, feeMinor: 0, at: iso(endedAt ?? at) };
  return {
    disputeId,
    chargeId: charge.chargeId,
    amountMinor,
    currency: 'usd',
    reason: 'fraudulent',
    openedAt: iso(at),
    movements: [
      { kind: 'withdrawn', ...out },
      ...(status === 'won' ? [{ kind: 'reinstated' as const, ...back }] : []),
    ],
    fees: [],
    outcome: status === 'open' ? undefined : status,
  };
}

const standingOf = ({ connectAccountId, userId, payoutsEnabled, banks }: Account): ProviderStanding => ({
  connectAccountId,
  userId,
  payoutsEnabled,
  disabledCode: payoutsEnabled ? undefined : 'requirements.past_due',
  isOnboardingDue: !payoutsEnabled,
  bankAccounts: banks.map((bank) => ({ ...bank, error: undefined })),
});

/** The line of somebody who is always answered; `away` is what a lost question or answer looks like. */
export const away = (): Unavailable => new Unavailable('The card provider is not answering right now.');
