/**
 * How often cards are declined, paying or being saved: for one payer, one card, behind one address, and for
 * one performer. A tester of stolen cards changes card, account and address with each try, but pays somebody;
 * and is declined more often than not. So the counts of a performer and of an address hold against nobody as
 * long as more payments go through than are declined, and what comes from one card, or one address, counts
 * little against a performer.
 *
 * From half of a limit on, the payer's bank is asked to confirm who pays. At the limit nothing new is
 * started, and what is open is ended with its next decline. Counts are hints in Redis, and never money: lost,
 * they begin anew.
 */
import { aboutTime, type LimitName } from '#contracts/limits';
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
  keep(paymentId: string, network: string): Promise<void>;
  of(paymentId: string): Promise<string | undefined>;
}

type Side = 'payer' | 'card' | 'address' | 'performer';

const SIDES: Readonly<Record<Side, { readonly limits: readonly LimitName[]; readonly isShared: boolean }>> = {
  payer: { limits: ['payer-declines', 'payer-declines-day'], isShared: false },
  card: { limits: ['card-declines', 'card-declines-day'], isShared: false },
  // Of these, honest people use one together.
  address: { limits: ['address-declines', 'address-declines-day'], isShared: true },
  performer: { limits: ['performer-declines', 'performer-declines-day'], isShared: true },
};

const WORDS: Readonly<Record<Side, string>> = {
  payer: 'Too many cards were declined.',
  card: 'Too many cards were declined.',
  address: 'Too many cards were declined at this connection.',
  performer: 'Too many cards were declined for this person just now.',
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
  ) {}

  /** Notes where a payment is started from; `ip` is the caller's address, by its network. */
  async started(paymentId: string, network: string): Promise<void> {
    await this.startedFrom.keep(paymentId, this.counts.hidden(network));
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
    await this.#count('', { ...parties, network }, card);
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
    await this.#count(PAID, { ...parties, network }, undefined);
  }

  /** What somebody may do who starts a payment from a network, or to save a card: then nobody is paid. */
  judge(payerId: string, recipientId: string | undefined, network: string): Promise<Judgement> {
    return this.#judge(placesOf({ payerId, recipientId, network: this.counts.hidden(network) }, undefined));
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

  /** Counts a decline, or what went through, for all who are concerned. */
  async #count(prefix: string, parties: Parties, card: string | undefined): Promise<void> {
    const sources = sourcesOf(parties, card);
    await Promise.all(
      placesOf(parties, card).flatMap(({ side, of }) =>
        SIDES[side].limits.map(async (limit) => {
          const isOften =
            side === 'performer' && prefix !== PAID && (await this.#isOften({ limit, of }, sources));
          if (!isOften) await this.counts.add({ limit, of: prefix + of });
        }),
      ),
    );
  }

  /** Notes where a performer's decline came from; whether enough from there have been counted already. */
  async #isOften({ limit, of }: Counted, sources: readonly Source[]): Promise<boolean> {
    for (const { by, most } of sources)
      if ((await this.counts.add({ limit, of: `${of} by ${by}` })).count > most) return true;
    return false;
  }

  async #judge(places: readonly Place[]): Promise<Judgement> {
    const looked = await Promise.all(
      places.flatMap(({ side, of }) =>
        SIDES[side].limits.map(async (limit) => {
          const [declined, paid] = await Promise.all([
            this.counts.look({ limit, of }),
            this.counts.look({ limit, of: PAID + of }),
          ]);
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
}

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

const sourcesOf = ({ network }: Parties, card: string | undefined): Source[] => [
  ...(card === undefined ? [] : [{ by: card, most: MOST_OF_ONE.card }]),
  ...(network === undefined ? [] : [{ by: network, most: MOST_OF_ONE.address }]),
];

const reachedBy = (limit: LimitName, { endsInMs }: Count): Reached => ({ limit, waitMs: endsInMs });
