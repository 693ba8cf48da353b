/**
 * How often cards are declined, paying or being saved: for one payer, one card, behind one address, and for
 * one performer. A tester of stolen cards changes card, account and address with each try, but pays somebody;
 * and is declined more often than not. So the counts of a performer and of an address hold against nobody as
 * long as more payments go through than are declined, and what comes from one card, or one address, counts
 * little against a performer.
 *
 * A payment that is started may be tried once, whatever has been declined since: how many an address starts
 * and does not pay has limits, too.
 *
 * From half of a limit on, the payer's bank is asked to confirm who pays. At the limit nothing new is
 * started, and what is open is ended with its next decline. Counts are hints in Redis, and never money: lost,
 * they begin anew.
 */
import { aboutTime, withinMsOf, type LimitName } from '#contracts/limits';
import { Refusal } from '#edge/refusal';
import type { Count, Counted, LimitCounts, Reached } from './counter.js';

/** Who is concerned when a payment is started, or declined. */
export interface Parties {
  readonly payerId: string;
  /** Undefined where a card is only saved. */
  readonly recipientId: string | undefined;
  /** The network that the payment was started from, as {@link LimitCounts.hidden} has it. */
  readonly network: string | undefined;
}

/** What a payment may do: go on, go on once the payer's bank has confirmed them, or not be started. */
export type Judgement =
  | { readonly kind: 'clear' }
  | { readonly kind: 'challenge' }
  | { readonly kind: 'refuse'; readonly reached: Reached };

/** Where a payment was started, kept for as long as it may be open. */
export interface StartedFrom {
  /** Answers whether it is kept, and was not before. */
  keep(paymentId: string, network: string): Promise<boolean>;
  of(paymentId: string): Promise<string | undefined>;
}

type Side = 'payer' | 'card' | 'address' | 'performer' | 'unpaid';

const SIDES: Readonly<Record<Side, { readonly limits: readonly LimitName[]; readonly isShared: boolean }>> = {
  payer: { limits: ['payer-declines', 'payer-declines-day'], isShared: false },
  card: { limits: ['card-declines', 'card-declines-day'], isShared: false },
  // Of these, honest people use one together.
  address: { limits: ['address-declines', 'address-declines-day'], isShared: true },
  performer: { limits: ['performer-declines', 'performer-declines-day'], isShared: true },
  unpaid: { limits: ['unpaid-address', 'unpaid-address-day'], isShared: true },
};

const WORDS: Readonly<Record<Side, string>> = {
  payer: 'Too many cards were declined.',
  card: 'Too many cards were declined.',
  address: 'Too many cards were declined at this connection.',
  performer: 'Too many cards were declined for this person just now.',
  unpaid: 'Too many payments were started at this connection and not paid.',
};

/**
 * So often the declines of one card, and those behind one address, count against a performer, within the
 * time of each limit. Whoever tests cards has many of both, or is stopped at their own; whoever wants a
 * performer to be paid nothing needs no more than a card that they have frozen, or digits that add up.
 */
const MOST_OF_ONE = { card: 2, address: 10 } as const;

const sideOf = (limit: LimitName): Side => limit.split('-', 1)[0] as Side;

/** The answer to somebody who may not start a payment now. */
export const tooManyDeclines = ({ limit, waitMs }: Reached): Refusal =>
  new Refusal(
    429,
    `${WORDS[sideOf(limit)]} Please wait ${aboutTime(waitMs)} and try again.`,
    undefined,
    Math.max(1, Math.ceil(waitMs / 1000)),
  );

export class Declines {
  constructor(
    private readonly counts: LimitCounts,
    private readonly startedFrom: StartedFrom,
    private readonly now: () => number = Date.now,
  ) {}

  /** Notes where a payment is started from, or a card begun to be saved. */
  async started(paymentId: string, network: string): Promise<void> {
    await this.startedFrom.keep(paymentId, this.counts.hidden(network));
  }

  /** The same of a payment that a browser may confirm once it knows its secret: counted until it is paid. */
  async opened(paymentId: string, network: string): Promise<void> {
    const hidden = this.counts.hidden(network);
    // What is not kept could not be taken for paid either.
    if (await this.startedFrom.keep(paymentId, hidden)) await this.#add('', this.#unpaidAt(hidden));
  }

  /**
   * Counts a decline; `card` is the card's fingerprint at the provider. Once for each attempt: by whoever
   * books it.
   */
  async declined(
    paymentId: string,
    parties: Omit<Parties, 'network'>,
    card: string | undefined,
  ): Promise<void> {
    const network = await this.startedFrom.of(paymentId);
    await this.#add('', placesOf({ ...parties, network }, card), sourcesOf(network, card));
  }

  /**
   * Counts a card that was declined as it was being saved. Once for each event of the provider's, which may
   * come several times. Answers whether another card may be tried.
   */
  async setupDeclined(setup: {
    readonly setupId: string;
    readonly eventId: string;
    readonly payerId: string;
    readonly card: string | undefined;
  }): Promise<boolean> {
    const { setupId, eventId, payerId, card } = setup;
    const parties = { payerId, recipientId: undefined };
    const told = await this.counts.add({ limit: 'payer-declines-day', of: `event ${eventId}` });
    if (told.count === 1) await this.declined(setupId, parties, card);
    return this.mayGoOn(setupId, parties, card);
  }

  /** Counts a payment that went through, by a card or not. */
  async paid(paymentId: string, parties: Omit<Parties, 'network'>): Promise<void> {
    const network = await this.startedFrom.of(paymentId);
    await this.#add(PAID, [...placesOf({ ...parties, network }, undefined), ...this.#unpaidAt(network)]);
  }

  /** What somebody may do who starts a payment from a network, or to save a card: then nobody is paid. */
  judge(payerId: string, recipientId: string | undefined, from: string): Promise<Judgement> {
    const network = this.counts.hidden(from);
    return this.#judge([
      ...placesOf({ payerId, recipientId, network }, undefined),
      ...this.#unpaidAt(network),
    ]);
  }

  /** A payment was refused: for the metrics. */
  refused({ limit }: Reached): void {
    this.counts.refused(limit);
  }

  /** Whether a payment that was declined may be tried once more. */
  async mayGoOn(
    paymentId: string,
    parties: Omit<Parties, 'network'>,
    card: string | undefined,
  ): Promise<boolean> {
    const network = await this.startedFrom.of(paymentId);
    return (await this.#judge(placesOf({ ...parties, network }, card))).kind !== 'refuse';
  }

  /** Counts one more at each place; at a performer's only while there are few from the same sources. */
  async #add(prefix: string, places: readonly Place[], sources: readonly Source[] = []): Promise<void> {
    await Promise.all(
      places.flatMap(({ side, of, during }) =>
        limitsOf(side, during).map(async (limit) => {
          const isOften = side === 'performer' && (await this.#isOften({ limit, of }, sources));
          if (!isOften) await this.counts.add({ limit, of: prefix + of });
        }),
      ),
    );
  }

  /**
   * Where an address's payments are counted that are not paid. By the clock, so that a payment counts in the
   * same time as what pays it: with times that each begin by themselves, what is paid would soon be forgotten
   * before what was started.
   */
  #unpaidAt(network: string | undefined): Place[] {
    if (network === undefined) return [];
    return SIDES.unpaid.limits.map((during) => {
      const time = Math.floor(this.now() / (withinMsOf(during) ?? Infinity));
      return { side: 'unpaid', of: `${network} in ${time}`, during };
    });
  }

  /** Notes where a performer's decline came from; whether enough from there have been counted already. */
  async #isOften({ limit, of }: Counted, sources: readonly Source[]): Promise<boolean> {
    for (const { by, most } of sources)
      if ((await this.counts.add({ limit, of: `${of} by ${by}` })).count > most) return true;
    return false;
  }

  /** How many are not paid of those that were started; the count ends by the clock, as it is kept. */
  #unpaidOf(limit: LimitName, opened: Count, paid: Count): Count {
    const withinMs = withinMsOf(limit) ?? Infinity;
    return { ...opened, count: opened.count - paid.count, endsInMs: withinMs - (this.now() % withinMs) };
  }

  async #judge(places: readonly Place[]): Promise<Judgement> {
    const looked = await Promise.all(
      places.flatMap(({ side, of, during }) =>
        limitsOf(side, during).map(async (limit) => {
          const [counted, paid] = await Promise.all([
            this.counts.look({ limit, of }),
            this.counts.look({ limit, of: PAID + of }),
          ]);
          const declined = side === 'unpaid' ? this.#unpaidOf(limit, counted, paid) : counted;
          return { side, limit, declined, paid };
        }),
      ),
    );
    // Who has paid today is not stopped by what others do, only asked to confirm.
    const isKnown = looked.some(({ limit, paid }) => limit === 'payer-declines-day' && paid.count > 0);
    let reached: Reached | undefined;
    let isChallenged = false;
    for (const { side, limit, declined, paid } of looked) {
      const { isShared } = SIDES[side];
      if (isShared && declined.count <= paid.count) continue;
      const most = this.counts.most({ limit }, declined);
      if (declined.count * 2 >= most) isChallenged = true;
      if (declined.count < most || (isShared && isKnown)) continue;
      if (reached === undefined || declined.endsInMs > reached.waitMs) reached = reachedBy(limit, declined);
    }
    if (reached !== undefined) return { kind: 'refuse', reached };
    return { kind: isChallenged ? 'challenge' : 'clear' };
  }
}

/** What went through counts beside what was declined, under the same limit's time. */
const PAID = 'paid ';

interface Place {
  readonly side: Side;
  readonly of: string;
  /** The one limit that it is for; all of its side's otherwise. */
  readonly during?: LimitName;
}

const limitsOf = (side: Side, during: LimitName | undefined): readonly LimitName[] =>
  during === undefined ? SIDES[side].limits : [during];

function placesOf({ payerId, recipientId, network }: Parties, card: string | undefined): Place[] {
  return [
    { side: 'payer', of: payerId },
    ...(recipientId === undefined ? [] : [{ side: 'performer' as const, of: recipientId }]),
    ...(network === undefined ? [] : [{ side: 'address' as const, of: network }]),
    ...(card === undefined ? [] : [{ side: 'card' as const, of: card }]),
  ];
}

/** What a decline came from, and how many of its declines count against one performer. */
interface Source {
  readonly by: string;
  readonly most: number;
}

const sourcesOf = (network: string | undefined, card: string | undefined): Source[] => [
  ...(card === undefined ? [] : [{ by: card, most: MOST_OF_ONE.card }]),
  ...(network === undefined ? [] : [{ by: network, most: MOST_OF_ONE.address }]),
];

const reachedBy = (limit: LimitName, { endsInMs }: Count): Reached => ({ limit, waitMs: endsInMs });
