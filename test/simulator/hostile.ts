/**
 * A story with a hostile provider: whoever has its account edits metadata, copies whole ones with their seal,
 * names one object's id on another, and answers any value, in any order, to two ledgers at once. What is
 * judged is the log that comes of it.
 */
import type Stripe from 'stripe';
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { verifyLog } from '#audit/verify-log';
import { JOURNAL, subjectsOf, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { recorded } from '#log/event-log';
import type { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import { InternalCommands } from '#ledger/bus/internal-commands';
import type { Archive } from '#ledger/journal/archive';
import type { JournalCommand } from '#ledger/journal/commands';
import { Journal } from '#ledger/journal/journal';
import { BookedHints } from '#ledger/payments/booked-hints';
import { PaymentOwnership } from '#ledger/payments/payment-ownership';
import { PaymentProcess } from '#ledger/payments/payments.handlers';
import { PaymentSync } from '#ledger/payments/payment-sync';
import { Rejected, Unavailable } from '#ledger/rejection';
import { DeclinedPayments } from '#ledger/payments/declined-payments';
import { declinesWith, UNLIMITED_DECLINES } from '#test/support/declines';
import type { CardProvider } from '#ledger/stripe/card-provider';
import { chargeOf, disputeOf, refundOf } from '#ledger/stripe/provider-charge';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import type { ProviderPayment } from '#ledger/stripe/provider-payment';
import { MemoryLog } from '#test/support/memory-log';
import { CountedFigures } from '#test/support/provider-figures';
import { Dice } from './dice.js';
import { isOfSignIn } from './judge.js';

const STEPS = 100;
const PEOPLE = ['usr_ada', 'usr_juno', 'usr_milo', 'usr_nils'];
const PAYMENTS = 8;
/** So short that most of what is told has left the memory. */
const WINDOW = { ms: 60_000, entries: 12 };
const NOW_S = Date.UTC(2026, 2, 1, 20) / 1000;
const BY = { correlationId: 'hostile' };

const AMOUNTS = [0, -1, 1, 0.5, 2_000, 2 ** 53, 1e300, NaN, null, '2000'];
const CURRENCIES = ['eur', 'USD', '', 'a/b', '__proto__', 'u\0d', null, 7];
const TIMES = [0, -1, 1e12, 4_102_444_800, 'yesterday', null];
const TEXTS = ['', '\0', '\ud800', 'constructor', 'long '.repeat(1_000), null, 7, {}];

/** Raw objects, as the provider's API has them: any field may hold anything. */
type Raw = Record<string, unknown> & { id: string };

interface World {
  readonly intents: Raw[];
  readonly charges: Raw[];
  readonly refunds: Raw[];
  readonly disputes: Raw[];
}

export class HostileStory {
  readonly wrongs: string[] = [];
  readonly #dice: Dice;
  #nowMs = NOW_S * 1000;
  readonly #clock = (): Date => new Date(this.#nowMs);
  readonly #log = new MemoryLog(this.#clock);
  /** The journal as it was read so far: what the ledgers ask about their past. */
  readonly #read: RecordedEvent<JournalEvent>[] = [];
  #seen = 0;
  readonly #archive: Archive = {
    find: (key) => {
      const found = this.#events().find(({ metadata }) => metadata.key === key);
      const entry = found && {
        revision: found.revision,
        position: found.position,
        fingerprint: found.metadata.fingerprint,
        subject: subjectsOf(found)[0],
      };
      return Promise.resolve({ entry, throughRevision: this.#read.length - 1 });
    },
    entriesOf: (subject) => {
      const about = this.#events().filter((event) => subjectsOf(event).includes(subject));
      const revisions = about.map(({ revision }) => revision);
      return Promise.resolve({ revisions, throughRevision: this.#read.length - 1 });
    },
  };
  readonly #world: World = { intents: [], charges: [], refunds: [], disputes: [] };
  /** Of which charges the provider ever said that this object is. */
  readonly #claims = new Map<string, Set<string>>();
  readonly #askedBack: string[] = [];
  readonly #seal = new OwnershipSeal(Buffer.alloc(32, 7), () => 'led_story');
  #made = 0;

  private constructor(seed: number) {
    this.#dice = new Dice(seed);
  }

  /** Lives through a story, and answers what was wrong in it, and how many entries it made. */
  static async live(seed: number): Promise<{ readonly wrongs: readonly string[]; readonly entries: number }> {
    const story = new HostileStory(seed);
    const entries = await story.#live();
    return { wrongs: story.wrongs, entries };
  }

  async #live(): Promise<number> {
    const ledgers = [await this.#ledger(), await this.#ledger()];
    await this.#begin(ledgers[0]!.journal);
    for (let step = 0; step < STEPS; step++) {
      this.#nowMs += 60_000;
      this.#move();
      const { id } = this.#dice.one(this.#world.intents);
      const some = this.#dice.chance(0.3) ? ledgers : [this.#dice.one(ledgers)];
      await Promise.all(some.map(({ sync }) => this.#expectNo(`sync of ${id}`, () => sync.payment(id, BY))));
      const charge = this.#dice.maybe(this.#world.charges);
      if (charge && this.#dice.chance(0.2)) {
        const { process } = this.#dice.one(ledgers);
        await this.#expectNo('refund', () => process.refundUnapplied(charge.id, BY));
      }
    }
    for (const { journal } of ledgers) await this.#goesOn(journal);
    const entries = this.#events();
    this.#judge(entries);
    const { checks } = await verifyLog(this.#log);
    for (const { name, findings } of checks)
      for (const found of findings) if (!isOfSignIn(found)) this.wrongs.push(`${name}: ${found}`);
    for (const { journal } of ledgers) await journal.close();
    const again = await Journal.open(this.#log, {
      archive: this.#archive,
      window: WINDOW,
      clock: this.#clock,
    });
    if (again.status().revision !== entries.length - 1) this.wrongs.push('The log is not read again whole.');
    await again.close();
    return entries.length;
  }

  async #ledger() {
    const journal = await Journal.open(this.#log, {
      archive: this.#archive,
      window: WINDOW,
      clock: this.#clock,
    });
    const bus = {
      execute: ({ command, context }: ExecuteJournalCommand) => journal.execute(command, context),
    } as unknown as CommandBus;
    const provider = {
      payment: (intentId: string) => Promise.resolve().then(() => this.#shown(intentId)),
      refundRest: (chargeId: string) => {
        this.#askedBack.push(chargeId);
        return Promise.resolve(this.#refundsOf(chargeId).flatMap((refund) => refundOf(refund) ?? []));
      },
    } as unknown as CardProvider;
    const silent = pino({ level: 'silent' });
    const figures = new CountedFigures();
    const ownership = new PaymentOwnership(journal);
    const hints = new BookedHints(journal);
    const commands = new InternalCommands();
    // Nobody outside may have a ledger believe that its log has lost something: it would close for everybody.
    const lost = {
      found: (kind: string, id: string) => {
        this.wrongs.push(`The ${kind} ${id} closes the ledger.`);
        return Promise.reject(new Unavailable('The log has lost something.'));
      },
    };
    const declines = declinesWith(UNLIMITED_DECLINES);
    const declined = new DeclinedPayments(journal, declines, provider, { perPayment: Infinity }, silent);
    const sync = new PaymentSync(bus, ownership, hints, figures, provider, commands, silent, lost, declined);
    const cap = { perHour: 1_000 };
    const others = new InternalCommands();
    const process = new PaymentProcess(journal, provider, sync, ownership, figures, cap, others, silent);
    return { journal, sync, process };
  }

  /** People, and payments that were sent to the provider; of one in four the answer was lost. */
  async #begin(journal: Journal): Promise<void> {
    for (const userId of PEOPLE) await journal.execute({ type: 'OpenAccount', userId }, BY);
    for (let n = 1; n <= PAYMENTS; n++) {
      const [payerId, recipientId] = this.#dice.shuffled(PEOPLE) as [string, string];
      const paymentId = `pay_${n}`;
      const sum = { amountMinor: this.#dice.one([2_000, 3_000, 3_000]), currency: 'usd' };
      const key = `${payerId}:key-${n}`;
      const terms = { paymentId, payerId, recipientId, method: 'card', ...sum } as const;
      await journal.execute({ type: 'OpenPayment', ...terms }, { ...BY, actorId: payerId, key });
      const booking = { paymentId, key, payerId, recipientId, method: 'card' } as const;
      const intent = this.#intent(sum.amountMinor, { ...this.#seal.ofPayment(booking, sum) });
      if (!this.#dice.chance(0.25))
        await journal.execute({ type: 'SubmitPayment', paymentId, intentId: intent.id }, BY);
    }
  }

  /** Whatever the provider had to say, people can still be paid. */
  async #goesOn(journal: Journal): Promise<void> {
    if (!journal.status().ready) this.wrongs.push('A ledger takes no commands any more.');
    const n = ++this.#made;
    const opened: JournalCommand = {
      type: 'OpenPayment',
      paymentId: `pay_last_${n}`,
      payerId: 'usr_milo',
      recipientId: 'usr_juno',
      method: 'card',
      amountMinor: 500,
      currency: 'usd',
    };
    await journal
      .execute(opened, { ...BY, actorId: 'usr_milo', key: `usr_milo:last-${n}` })
      .catch((error: unknown) => {
        this.wrongs.push(`Nobody can pay any more: ${String(error)}`);
      });
  }

  async #expectNo(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof Rejected || error instanceof Unavailable) return;
      this.wrongs.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }

  // What happens at the provider.
  // ---------------------------------------------------------------------------------------

  #move(): void {
    const { intents, charges, refunds, disputes } = this.#world;
    const { one, maybe } = { one: this.#dice.one.bind(this.#dice), maybe: this.#dice.maybe.bind(this.#dice) };
    const intent = one(intents);
    const charge = maybe(charges);
    const kind = this.#dice.weighted({
      pay: 6,
      refund: 4,
      dispute: 4,
      end: 3,
      edit: 3,
      foreign: 1,
      steal: 3,
      spoil: 3,
    });
    switch (kind) {
      case 'pay':
        return this.#charge(intent);
      case 'refund':
        return charge && this.#refund(charge);
      case 'dispute':
        return charge && this.#dispute(charge);
      case 'end': {
        const ended = maybe(disputes);
        if (ended) this.#endDispute(ended);
        const refund = maybe(refunds);
        if (refund) refund.status = one(['succeeded', 'failed', 'canceled', 'pending']);
        return;
      }
      case 'edit':
        intent.metadata = one([{}, null, { paymentId: `pay_${this.#dice.between(1, PAYMENTS)}` }]);
        return;
      case 'foreign': {
        // Somebody else's, with everything copied from one of ours, its seal too.
        const foreign = this.#intent(2_000, { ...(intent.metadata as object) });
        return this.#charge(foreign);
      }
      case 'steal': {
        // One object is told of elsewhere, under its own id.
        const list = one([charges, refunds, disputes]);
        const taken = maybe(list);
        if (!taken) return;
        const copy = structuredClone(taken);
        if (list === charges) copy.payment_intent = one(intents).id;
        else copy.charge = maybe(charges)?.id ?? null;
        if (this.#dice.chance(0.5)) copy.created = NOW_S + this.#dice.between(-1_000_000, 1_000_000);
        list.push(copy);
        return;
      }
      case 'spoil': {
        const list = maybe([charges, refunds, disputes, intents].filter(({ length }) => length > 0));
        if (list) this.#spoil(one(list));
      }
    }
  }

  #spoil(object: Raw): void {
    const field = this.#dice.one([
      'amount',
      'amount_captured',
      'currency',
      'created',
      'status',
      'reason',
      'charge',
      'failure_reason',
      'metadata',
      'balance_transaction',
      'balance_transactions',
    ]);
    object[field] =
      field === 'currency'
        ? this.#dice.one(CURRENCIES)
        : field === 'created'
          ? this.#dice.one(TIMES)
          : field.startsWith('amount')
            ? this.#dice.one(AMOUNTS)
            : this.#dice.one(TEXTS);
  }

  #id(prefix: string): string {
    return `${prefix}_${++this.#made}`;
  }

  #intent(amount: number, metadata: object): Raw {
    const status = 'requires_payment_method';
    const intent = { id: this.#id('pi'), amount, currency: 'usd', created: NOW_S, status, metadata };
    this.#world.intents.push(intent);
    return intent;
  }

  #charge(intent: Raw): void {
    const amount = this.#dice.chance(0.8) ? intent.amount : 100;
    this.#world.charges.push({
      id: this.#id('ch'),
      payment_intent: intent.id,
      amount,
      amount_captured: amount,
      amount_refunded: 0,
      created: this.#nowMs / 1000,
      currency: this.#dice.chance(0.95) ? 'usd' : 'eur',
      status: this.#dice.chance(0.8) ? 'succeeded' : 'failed',
      disputed: true,
      balance_transaction: this.#transaction(Number(amount), 88),
    });
  }

  /** A new balance transaction, or one that stands elsewhere already. */
  #transaction(amount: number, fee: number): Raw {
    const known = this.#world.charges.map(({ balance_transaction: taken }) => taken as Raw | undefined);
    const id = this.#dice.chance(0.1) ? (this.#dice.maybe(known)?.id ?? this.#id('txn')) : this.#id('txn');
    const at = { created: this.#nowMs / 1000, available_on: NOW_S };
    return { id, amount, fee, net: amount - fee, currency: 'usd', type: 'adjustment', ...at };
  }

  #refund(charge: Raw): void {
    this.#world.refunds.push({
      id: this.#id('re'),
      charge: charge.id,
      amount: this.#dice.one([100, 500, charge.amount, 5_000]),
      currency: charge.currency,
      created: this.#nowMs / 1000,
      status: 'succeeded',
    });
  }

  #dispute(charge: Raw): void {
    this.#world.disputes.push({
      id: this.#id('dp'),
      charge: charge.id,
      amount: charge.amount,
      currency: charge.currency,
      created: this.#nowMs / 1000,
      reason: 'fraudulent',
      status: 'needs_response',
      balance_transactions: [this.#transaction(-Number(charge.amount), this.#dice.one([1_500, 0, -1_500]))],
    });
  }

  #endDispute(dispute: Raw): void {
    dispute.status = this.#dice.one(['won', 'lost', 'warning_closed', 'constructor']);
    if (dispute.status === 'won' && Array.isArray(dispute.balance_transactions))
      dispute.balance_transactions.push(
        this.#transaction(Number(dispute.amount), this.#dice.one([0, -1_500, 100])),
      );
    if (this.#dice.chance(0.2) && Array.isArray(dispute.balance_transactions))
      dispute.balance_transactions.push(this.#transaction(0, this.#dice.one([1_500, -1_500])));
  }

  // How it is read.
  // ---------------------------------------------------------------------------------------

  #refundsOf(chargeId: string): Stripe.Refund[] {
    const refunds = this.#world.refunds.filter(({ charge }) => charge === chargeId);
    for (const { id } of refunds) this.#claim(id, chargeId);
    return refunds as unknown as Stripe.Refund[];
  }

  #shown(intentId: string): ProviderPayment {
    const intent = this.#world.intents.find(({ id }) => id === intentId)!;
    const charges = this.#world.charges.filter(({ payment_intent: named }) => named === intentId);
    const ids = new Set(charges.map(({ id }) => id));
    const ofCharges = (list: readonly Raw[]): Raw[] => list.filter(({ charge }) => ids.has(String(charge)));
    const refunds = ofCharges(this.#world.refunds);
    const disputes = ofCharges(this.#world.disputes);
    for (const { id, charge } of [...refunds, ...disputes]) this.#claim(id, String(charge));
    const metadata = intent.metadata as Record<string, string> | null | undefined;
    const sum = { amountMinor: intent.amount as number, currency: intent.currency as string };
    return {
      intentId,
      paymentId: metadata?.['paymentId'],
      isSealed: this.#seal.isOurs('payment', metadata, sum),
      canceled: undefined,
      charges: this.#dice.shuffled(charges).map((charge) => chargeOf(charge as unknown as Stripe.Charge)),
      refunds: this.#dice
        .shuffled(refunds)
        .flatMap((refund) => refundOf(refund as unknown as Stripe.Refund) ?? []),
      disputes: this.#dice
        .shuffled(disputes)
        .map((dispute) => disputeOf(dispute as unknown as Stripe.Dispute)),
    };
  }

  #claim(id: string, chargeId: string): void {
    this.#claims.set(id, (this.#claims.get(id) ?? new Set()).add(chargeId));
  }

  // What must be so.
  // ---------------------------------------------------------------------------------------

  #events(): readonly RecordedEvent<JournalEvent>[] {
    for (const raw of this.#log.all.slice(this.#seen))
      if (raw.stream === JOURNAL) this.#read.push(recorded(raw) as RecordedEvent<JournalEvent>);
    this.#seen = this.#log.all.length;
    return this.#read;
  }

  #judge(entries: readonly RecordedEvent<JournalEvent>[]): void {
    const seen = new Set<string>();
    const once = (what: string | undefined): void => {
      if (what === undefined) return;
      if (seen.has(what)) this.wrongs.push(`${what} is booked twice.`);
      seen.add(what);
    };
    const intents = new Map<string, string>();
    const paidBy = new Map<string, string>();
    const unapplied = new Set<string>();
    for (const event of entries) {
      const { key } = event.metadata;
      once(key && `the key ${key}`);
      for (const id of idsOf(event)) once(id);
      if (event.type === 'PaymentSubmitted') {
        const { paymentId, intentId } = event.data;
        if (intents.has(intentId)) this.wrongs.push(`${intentId} is recorded for two payments.`);
        intents.set(intentId, paymentId);
      } else if (event.type === 'PaymentSettled') {
        const { paymentId, intentId, chargeId } = event.data;
        if ((intents.get(intentId) ?? paymentId) !== paymentId)
          this.wrongs.push(
            `${chargeId} of ${intentId} settles ${paymentId}, not the payment it was made for.`,
          );
        intents.set(intentId, paymentId);
        paidBy.set(paymentId, chargeId);
      } else if (event.type === 'UnappliedReceived') unapplied.add(event.data.chargeId);
      else this.#judgeLater(event, paidBy, unapplied);
    }
    for (const chargeId of this.#askedBack) {
      const charge = entries.find(
        ({ type, data }) => type === 'UnappliedReceived' && 'chargeId' in data && data.chargeId === chargeId,
      );
      if (charge?.type !== 'UnappliedReceived' || !intents.has(charge.data.intentId))
        this.wrongs.push(`${chargeId} was given back, and no entry names its intent.`);
    }
  }

  /** Refunds, disputes and fees are of the charge that their payment was settled by. */
  #judgeLater(
    { type, data }: JournalEvent,
    paidBy: ReadonlyMap<string, string>,
    unapplied: ReadonlySet<string>,
  ): void {
    if (!/^(PaymentRefunded|RefundFailed|Dispute|ProviderFeeBooked|UnappliedRefund)/.test(type)) return;
    const { paymentId, chargeId, refundId, disputeId } = data as Record<string, string | undefined>;
    const settledBy = paymentId === undefined ? undefined : paidBy.get(paymentId);
    const charge = chargeId ?? settledBy;
    if (paymentId !== undefined && settledBy !== charge)
      this.wrongs.push(`${type} of ${charge} is booked to ${paymentId}, which ${settledBy} paid.`);
    if (paymentId === undefined && !unapplied.has(charge ?? ''))
      this.wrongs.push(`${type} of ${charge}, which is no unapplied money.`);
    const named = refundId ?? disputeId;
    const claims = named === undefined ? undefined : this.#claims.get(named);
    if (claims && charge !== undefined && !claims.has(charge))
      this.wrongs.push(`${type} ${named} is booked to ${charge}, of which the provider never told it.`);
  }
}

/** The provider's ids that an entry books, each with what of it: a refund may be given, and fail. */
function idsOf(event: JournalEvent): string[] {
  switch (event.type) {
    case 'PaymentSettled':
    case 'UnappliedReceived':
      return [`the charge ${event.data.chargeId}`];
    case 'PaymentRefunded':
    case 'UnappliedRefunded':
      return [`the refund ${event.data.refundId}`];
    case 'RefundFailed':
    case 'UnappliedRefundFailed':
      return [`the failure of ${event.data.refundId}`];
    case 'DisputeOpened':
      return [`the dispute ${event.data.disputeId}`];
    case 'DisputeFundsWithdrawn':
    case 'DisputeFundsReinstated':
      return [`the money of ${event.data.balanceTransactionId}`];
    case 'ProviderFeeBooked':
      return [`the fee of ${event.data.balanceTransactionId}`];
    case 'ProviderChargeReturned':
      return [`the returned fee of ${event.data.balanceTransactionId}`];
    default:
      return [];
  }
}
