/**
 * One story from one seed: people tip, save cards, subscribe, schedule, fill wallets and ask for payouts; one
 * may leave, and banks and cards still decide about their money; an operator pays what waits for them and
 * writes debts off; the provider loses, doubles, delays and shuffles; ledger processes die; the clock jumps;
 * Redis is flushed. Then everything is let come to rest, and {@link judge} says whether the books are right.
 */
import { askerOf } from '#test/support/asker';
import { Rejected, Unavailable } from '#ledger/rejection';
import { Refusal } from '#edge/refusal';
import { idFrom, userKey } from '#ledger/journal/keys';
import { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import { ExecuteStreamCommand } from '#ledger/bus/execute-stream-command';
import { OpenCardCustomer } from '#ledger/bus/saved-cards';
import { scheduledPayment } from '#ledger/schedules/scheduled-payment.decider';
import { subscription } from '#ledger/schedules/subscription.decider';
import { ProviderRefused } from '#ledger/stripe/provider-payment';
import type { JournalCommand } from '#ledger/journal/commands';
import { LedgerAway, LedgerDeclined } from '#workers/ledger-client';
import type { DueSchedule } from '#projections/schedules/queries';
import { commandFor } from '#workers/jobs/due-schedules';
import { backOffMs } from '#workers/jobs/back-off';
import type { BehindKind, JobContext, JobName, Mark, MarkName } from '#workers/jobs/context';
import { JOBS } from '#workers/jobs/jobs';
import { JOURNAL } from '#contracts/events/journal';
import { available } from '#contracts/plain/accounts';
import type { Epoch } from '#ledger/journal/state';
import type { ProviderRecovery } from '#ledger/recovery/provider-recovery';
import { carriedHash } from '#log/chain';
import { recorded, type RawEvent } from '#log/event-log';
import { closeConcerned, comparedSince, lastHeardMs, winBack } from '#processes/operate/win-back';
import type { LinksWonBack } from '#processes/operate/win-back-links';
import { movedMark } from '#test/support/job-world';
import { MemoryLog } from '#test/support/memory-log';
import { sealedFor } from '#test/support/plain-vault';
import { Dice } from './dice.js';
import { Died, LedgerProcess, type Losses, type Surroundings } from './ledger-process.js';
import { Lookout } from './lookout.js';
import { Loom } from './loom.js';
import { ProviderModel, type Announcement, type CardMood } from './provider.js';

async function* each(events: readonly RawEvent[]): AsyncGenerator<RawEvent> {
  yield* events;
}
const isOneAppend = (one: RawEvent | undefined, next: RawEvent | undefined): boolean =>
  one !== undefined &&
  one.stream !== JOURNAL &&
  one.stream === next?.stream &&
  recorded(one).metadata.correlationId === recorded(next).metadata.correlationId &&
  one.createdAt.getTime() === next.createdAt.getTime();
const keyOf = (raw: RawEvent): string | undefined => recorded(raw).metadata.key;

const differing = (one: readonly string[], other: readonly string[]): readonly string[] => [
  ...one.filter((it) => !other.includes(it)),
  ...other.filter((it) => !one.includes(it)),
];

function copyOf(events: readonly RawEvent[], now: () => Date): MemoryLog {
  const log = new MemoryLog(now);
  log.all.push(...events);
  log.reindex();
  return log;
}

/**
 * What a log says, in the order of its streams: without the ids, times and hashes of what was written anew.
 */
const saidBy = (events: readonly RawEvent[]): readonly string[] =>
  events
    .map(({ stream, type, data }) => {
      const { commonHash: _, ...said } = data.value as { readonly commonHash?: string };
      return `${stream} ${type} ${JSON.stringify(said)}`;
    })
    .sort();

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_AT = '2026-01-29T09:00:00.000Z';
// The simulated provider keeps no balance that could be compared.
const JOB_NAMES = (Object.keys(JOBS) as JobName[]).filter((job) => job !== 'compare-provider-balance');
const MOODS: Readonly<Record<CardMood, number>> = { pays: 6, declines: 2, asks: 2 };
/** Turns of the story; in each some things are begun, and time goes on. */
const TURNS = 45;
/** From which of them on somebody may leave: there is something to look back at. */
const LEAVING_FROM = 12;
const TRIES = 4;
/** With the longest jump of the clock it is less than how far back a pass goes that remembers nothing. */
const COMPARED_WITHIN_MS = 12 * DAY_MS;

type Parts = Parameters<Parameters<LedgerProcess['do']>[0]>[0];
type Redelivery = { readonly what: Announcement; readonly at: number; readonly tries: number };

export interface StoryOptions {
  /** Told of everything that happens, one line each. */
  readonly tell?: (line: string) => void;
  /** For proving that a story notices: the provider forgets its keys. */
  readonly forgetsKeys?: boolean;
  /** The log loses its end before the story comes to rest, and is recovered. */
  readonly loss?: {
    readonly hasArchive: boolean;
    /** At how many of its writes, at most, the recovery is killed and run again, on copies of the log. */
    readonly kills?: number;
  };
}

/** What a story lost and won back. */
export interface StoryLoss {
  /** The log as it was before the loss. */
  readonly before: readonly RawEvent[];
  /** The log as it was right after the recovery. */
  readonly after: readonly RawEvent[];
  readonly hasArchive: boolean;
  /** Where the log was cut. */
  readonly kept: number;
  /** Since when the provider's lists were compared. */
  readonly since: Date;
  readonly provider: ProviderRecovery;
  readonly links: LinksWonBack;
  /** The keys of entries that rows knew and no source has. */
  readonly listed: ReadonlySet<string>;
  readonly epoch: Epoch | undefined;
}

export class SimulatedWorld {
  readonly dice: Dice;
  readonly loom: Loom;
  readonly log: MemoryLog;
  lookout: Lookout;
  loss: StoryLoss | undefined;
  /** How often a recovery was killed and ended right when it was run again, or is a surprise. */
  recoveriesKilled = 0;
  readonly provider: ProviderModel;
  readonly losses: Losses = { log: 0, provider: 0 };
  readonly people: readonly string[];
  processes: LedgerProcess[] = [];
  /** Keys that their askers were told are done. */
  readonly acknowledged = new Set<string>();
  /** What must not be thrown at anybody. */
  readonly surprises: string[] = [];
  #surroundings: Surroundings;
  readonly #marks = new Map<MarkName, Mark>();
  readonly #behind = new Map<BehindKind, Map<string, Date>>();
  readonly #tried = new Map<string, { readonly tries: number; readonly againAt: number }>();
  #jobs: DueSchedule[] = [];
  #post: Redelivery[] = [];
  #under: Set<Promise<void>> = new Set();
  #born = 0;
  #asked = 0;
  #turns = 0;
  #latestMs = Date.parse(START_AT);
  #wallets: { walletId: string; userId: string }[] = [];
  /** Who leaves in the course of the story, if anybody does. */
  readonly #leaver: string | undefined;
  readonly #schedules: { id: string; payerId: string; kind: 'subscription' | 'scheduled-payment' }[] = [];
  readonly #bankAccounts: { userId: string; bankAccountId: string }[] = [];
  readonly #tell: (line: string) => void;
  readonly #restore: () => void;

  private constructor(
    readonly seed: number,
    { tell, forgetsKeys = false }: StoryOptions,
  ) {
    this.dice = new Dice(seed);
    this.loom = new Loom(START_AT, this.dice);
    this.#restore = this.loom.install();
    this.#tell = (line) => tell?.(`${this.loom.now.toISOString()}  ${line}`);
    this.log = new MemoryLog(() => this.loom.now);
    this.lookout = new Lookout(this.log);
    this.provider = new ProviderModel(
      () => this.loom.nowMs,
      (what) => this.#announced(what),
    );
    this.provider.forgetsKeys = forgetsKeys;
    this.people = Array.from(
      { length: this.dice.between(3, 5) },
      (_, n) => `usr_${['juno', 'milo', 'ada', 'rex', 'ivy'][n]}`,
    );
    this.#leaver = this.dice.chance(0.7) ? this.people.at(-1) : undefined;
    const { loom, dice, log, lookout, provider, losses } = this;
    this.#surroundings = { loom, dice, log, lookout, provider, losses, wrote: () => this.#readOn() };
  }

  /** Lives a whole story and lets it come to rest. What it leaves is judged outside. */
  static async live(seed: number, options: StoryOptions = {}): Promise<SimulatedWorld> {
    const world = new SimulatedWorld(seed, options);
    try {
      await world.#open();
      for (let turn = 0; turn < TURNS; turn++) await world.#turn();
      if (options.loss) await world.#loseAndRecover(options.loss);
      await world.#comeToRest();
    } finally {
      world.#restore();
    }
    return world;
  }

  get now(): Date {
    return this.loom.now;
  }

  // ---- the course of a story
  // ------------------------------------------------------------------------------------------

  async #open(): Promise<void> {
    await this.#start();
    if (this.dice.chance(0.6)) await this.#start();
    for (const userId of this.people)
      this.#launch(`an account for ${userId}`, () => this.#journal({ type: 'OpenAccount', userId }));
    await this.#settle();
    Object.assign(this.losses, { log: this.dice.next() * 0.08, provider: this.dice.next() * 0.12 });
    for (const userId of this.people) {
      this.#tip(this.dice.one(this.people.filter((id) => id !== userId)), userId, 'pays');
      if (this.dice.chance(0.6)) this.#saveCard(userId);
      if (this.dice.chance(0.6)) this.#addBankAccount(userId);
    }
    await this.#settle();
  }

  async #turn(): Promise<void> {
    this.#turns += 1;
    await this.#compare();
    for (let n = this.dice.between(1, 4); n > 0; n--) this.#act();
    await this.loom.spin(this.dice.below(120));
    this.#deliver();
    this.#drop();
    if (this.dice.chance(0.08)) await this.#crash();
    for (const job of this.dice.shuffled(JOB_NAMES)) if (this.dice.chance(0.6)) this.#tick(job);
    await this.loom.spin(this.dice.below(300));
    if (this.dice.chance(0.6)) await this.#settle();
    this.#work();
    if (this.dice.chance(0.6)) await this.#settle();
    this.#jump();
  }

  /**
   * Workers compare log and provider every hour, which is hundreds of times a month, and a story has tens of
   * turns. So that none of it comes to what no ledger bears (nothing was ever compared in a month, and then
   * Redis forgets how far it had come), now and then one of these passes finds the provider well.
   */
  async #compare(): Promise<void> {
    for (const job of ['reconcile', 'reconcile-payouts'] as const) {
      if (this.loom.nowMs - (this.#marks.get(job)?.at.getTime() ?? Date.parse(START_AT)) < COMPARED_WITHIN_MS)
        continue;
      const { provider } = this.losses;
      this.losses.provider = 0;
      this.provider.isAway = false;
      this.#tick(job);
      await this.#settle();
      this.losses.provider = provider;
    }
  }

  /**
   * Every process is ended, the log is put back to an older copy, and recovered. The rows know all of what is
   * lost: whether Postgres was put back too says only how much of it can be listed.
   */
  async #loseAndRecover({ hasArchive, kills = 0 }: NonNullable<StoryOptions['loss']>): Promise<void> {
    await this.#settle();
    for (const process of this.processes.splice(0)) process.kill();
    await this.#settle();
    const before = [...this.log.all];
    let kept = this.dice.between(Math.max(2, Math.floor(before.length / 4)), before.length);
    // A store keeps an append whole or not at all.
    while (isOneAppend(before[kept - 1], before[kept])) kept += 1;
    this.log.all.length = kept;
    this.log.reindex();
    this.#tell(`the log is put back to ${kept} of ${before.length} events`);
    this.#jobs = [];
    const cut = [...this.log.all];
    const { now } = this;
    const ofJournal = cut.filter(({ stream }) => stream === JOURNAL);
    const lastMs = await this.#brought(
      'the end of the log is read',
      lastHeardMs(this.log, ofJournal.length - 1),
    );
    const since = lastMs === undefined ? new Date(0) : comparedSince(lastMs, now.getTime(), 'rows');
    const recover = async (log: MemoryLog): Promise<StoryLoss> => {
      const ends = new Map(before.map((event) => [event.stream, event]));
      const wonBack = await winBack({
        log,
        archive: hasArchive ? each(before) : undefined,
        row: { logRevision: ofJournal.length - 1, knownFrom: 'rows' },
        sources: [
          {
            from: 'rows',
            known: () =>
              Promise.resolve(
                [...ends.values()].map((end) => ({
                  stream: end.stream,
                  revision: end.revision,
                  id: end.id,
                  hash: carriedHash(end),
                })),
              ),
          },
        ],
        // By the log as it was found: a recovery that was killed has written entries of now.
        provider: () => Promise.resolve({ history: this.provider.history(), since }),
        tell: () => undefined,
      });
      const { journal, provider, links, isVerbatim } = wonBack;
      const has = new Set(log.all.map(keyOf));
      const listed = new Set(before.flatMap((event) => keyOf(event) ?? []).filter((key) => !has.has(key)));
      const lookout = new Lookout(log);
      await lookout.feed(Infinity);
      if (!isVerbatim) {
        const paused = lookout.dueSchedules(now);
        await closeConcerned(log, wonBack, { suspended: this.people, paused, now });
        // An operator looks at once at whom it concerns.
        if (log === this.log)
          for (const userId of this.people) await journal.execute({ type: 'ResumeDebits', userId }, CAUSE);
      }
      const { epoch } = journal;
      await journal.close();
      return { before, after: [...log.all], hasArchive, kept, since, provider, links, listed, epoch };
    };
    if (kills > 0) await this.#recoverKilled(cut, kills, recover);
    this.loss = await this.#brought('the log is recovered', recover(this.log));
    this.lookout = new Lookout(this.log);
    this.#surroundings = { ...this.#surroundings, lookout: this.lookout };
    this.#readOn();
    await this.#start();
  }

  /**
   * Recovers copies of the log, killed at one write after the other and run again: each must end as one that
   * nobody killed. Of more writes than `kills`, so many are chosen, by the seed.
   */
  async #recoverKilled(
    cut: readonly RawEvent[],
    kills: number,
    recover: (log: MemoryLog) => Promise<StoryLoss>,
  ): Promise<void> {
    const whole = copyOf(cut, () => this.now);
    const { after } = await this.#brought('a copy of the log is recovered', recover(whole));
    const expected = saidBy(after);
    const writes = whole.appends;
    for (let n = 0; n < Math.min(kills, writes); n++) {
      const at = kills >= writes ? n : Math.floor(((n + (this.seed % 97) / 97) * writes) / kills);
      const log = copyOf(cut, () => this.now);
      let hasDied = false;
      const never = new Promise<never>(() => undefined);
      // Killed before a write is killed behind the one before it.
      log.onAppend(at, (write) => {
        write();
        hasDied = true;
        log.append = () => never;
        return never;
      });
      // Of what is dead nobody hears any more.
      void recover(log).catch((error: unknown) => {
        if (!hasDied) this.surprises.push(`a recovery that was to be killed: ${String(error)}`);
      });
      await this.loom.until(() => hasDied, `the recovery is killed at its write ${at}`);
      const again = copyOf(log.all, () => this.now);
      const ended = saidBy((await this.#brought('it is recovered again', recover(again))).after);
      if (ended.join('\n') !== expected.join('\n'))
        this.surprises.push(
          `killed at write ${at} of ${writes} and run again, the recovery ended otherwise: ` +
            `${ended.length} events and not ${expected.length}; ${differing(ended, expected).join('; ')}`,
        );
      this.recoveriesKilled += 1;
    }
  }

  /** What a promise comes to while the world goes on. */
  async #brought<T>(what: string, promise: Promise<T>): Promise<T> {
    let end: (() => T) | undefined;
    void promise.then(
      (value) => (end = () => value),
      (error: unknown) =>
        (end = () => {
          throw new Error(`Not so: ${what}`, { cause: error });
        }),
    );
    await this.loom.until(() => end !== undefined, what);
    return end!();
  }

  /** Everybody is well, the post arrives, time goes on: whatever can end, ends. */
  async #comeToRest(): Promise<void> {
    this.#tell('— from here on, rest —');
    Object.assign(this.losses, { log: 0, provider: 0 });
    Object.assign(this.provider, { isAway: false, isShort: false });
    if (this.processes.length === 0) await this.#start();
    await this.#settle();
    for (const { id, payerId, kind } of this.#schedules) this.#cancelSchedule(id, payerId, kind);
    await this.#settle();
    for (const account of this.provider.accounts.values()) this.provider.setEnabled(account, true);
    const waits = [
      ...Array.from({ length: 4 }, () => 10 * MINUTE_MS),
      ...Array.from({ length: 6 }, () => HOUR_MS + MINUTE_MS),
      ...Array.from({ length: 10 }, () => 4 * HOUR_MS),
      ...Array.from({ length: 12 }, () => 12 * HOUR_MS),
    ];
    for (const [n, wait] of waits.entries()) {
      // Late, but the bank says yes or no, and refunds arrive.
      for (const payout of this.provider.payouts)
        if (payout.status === 'underway')
          this.provider.endPayout(payout, this.dice.chance(0.7) ? 'paid' : 'failed');
      for (const refund of this.provider.refunds) this.provider.endRefund(refund, 'succeeded');
      if (n === 0)
        for (const dispute of this.provider.disputes)
          this.provider.endDispute(dispute, this.dice.one(['won', 'lost']));
      this.#deliver();
      for (const job of this.dice.shuffled(JOB_NAMES)) this.#tick(job);
      await this.#settle();
      this.#work();
      await this.#settle();
      this.loom.jump(wait);
    }
    while (this.lookout.isBehind) await this.lookout.feed(Infinity);
    for (const process of this.processes)
      this.#launch('a last look', () => process.do(({ bus }) => bus.execute(lastLook(this.people[0]!))));
    await this.#settle();
  }

  /** Until everything that was begun has ended, one way or the other. */
  async #settle(): Promise<void> {
    await this.loom.until(
      () => this.#under.size === 0,
      `${this.#under.size} things that were begun have ended`,
    );
  }

  #jump(): void {
    const ms = this.dice.weighted({
      seconds: 5,
      minutes: 6,
      hours: 6,
      day: 4,
      days: 1.5,
      weeks: 0.3,
      back: 0.6,
    }) satisfies string;
    const by = {
      seconds: this.dice.between(1, 90) * SECOND_MS,
      minutes: this.dice.between(2, 50) * MINUTE_MS,
      hours: this.dice.between(1, 20) * HOUR_MS,
      day: DAY_MS,
      days: this.dice.between(2, 6) * DAY_MS,
      weeks: 14 * DAY_MS,
      // A clock that is set right: no more in all than what a ledger bears.
      back: Math.min(0, this.#latestMs - 4 * MINUTE_MS - this.loom.nowMs + this.dice.below(4 * MINUTE_MS)),
    }[ms];
    this.loom.jump(by);
    this.#latestMs = Math.max(this.#latestMs, this.loom.nowMs);
    this.#tell(`the clock: ${by < 0 ? 'back' : 'on'} by ${Math.abs(by / SECOND_MS)} s`);
  }

  async #start(): Promise<void> {
    const name = `ledger ${(this.#born += 1)}`;
    let process: LedgerProcess | undefined;
    let trouble: unknown;
    void LedgerProcess.start(name, this.#surroundings).then(
      (started) => (process = started),
      (error: unknown) => (trouble = error),
    );
    await this.loom.until(() => process !== undefined || trouble !== undefined, `${name} has started`);
    if (!process) throw new Error(`${name} did not start`, { cause: trouble });
    this.processes.push(process);
    this.#tell(`${name} started`);
  }

  async #crash(): Promise<void> {
    const victim = this.dice.one(this.processes);
    this.#tell(`${victim.name} is killed, with ${this.#under.size} things under way`);
    victim.kill();
    this.processes = this.processes.filter((process) => process !== victim);
    await this.#start();
  }

  /** The provider and Redis have their days. */
  #drop(): void {
    if (this.dice.chance(0.1)) {
      this.provider.isAway = !this.provider.isAway;
      this.#tell(`the provider is ${this.provider.isAway ? 'away' : 'back'}`);
    } else if (this.provider.isAway && this.dice.chance(0.5)) this.provider.isAway = false;
    if (this.dice.chance(0.15)) this.provider.isShort = !this.provider.isShort;
    if (this.dice.chance(0.05)) {
      this.#tell('Redis is flushed');
      this.#marks.clear();
      this.#behind.clear();
      this.#tried.clear();
      this.#jobs = [];
    }
  }

  // ---- what people do
  // -------------------------------------------------------------------------------------------------

  #act(): void {
    const { dice, provider } = this;
    const who = dice.one(this.people);
    const other = dice.one(this.people.filter((id) => id !== who));
    const paid = provider.charges.filter(({ status }) => status === 'succeeded');
    const act = dice.weighted({
      tip: 8,
      confirm: 4,
      transfer: 3,
      subscribe: 3,
      schedule: 3,
      change: 3,
      edit: 2,
      payNow: 2,
      card: 2,
      bank: 2,
      unbank: 0.7,
      payout: 4,
      wallet: 3,
      refund: 1.5,
      endRefund: 1.5,
      dispute: 1,
      endDispute: 1,
      endPayout: 4,
      enable: 2,
      stray: 0.8,
      leave: this.#leaver !== undefined && this.#turns >= LEAVING_FROM ? 12 : 0,
      payUnclaimed: 0.7,
      writeOff: 0.7,
    });
    switch (act) {
      case 'tip':
        return this.#tip(who, other, dice.weighted({ ...MOODS, never: 2 }));
      case 'confirm': {
        const intent = dice.maybe([...provider.intents.keys()]);
        if (intent !== undefined) provider.confirm(intent, dice.weighted(MOODS));
        return;
      }
      case 'transfer': {
        const key = this.#key(who);
        const amountMinor = this.#amount();
        return this.#ask(`${who} transfers ${amountMinor} to ${other}`, key, {
          type: 'PostTransfer',
          transferId: idFrom('trf', key),
          payerId: who,
          recipientId: other,
          amountMinor,
          currency: 'usd',
        });
      }
      case 'subscribe':
        return this.#subscribe(who, other);
      case 'schedule':
        return this.#schedule(who, other);
      case 'change': {
        const schedule = dice.maybe(this.#schedules);
        if (!schedule) return;
        const { id, payerId, kind } = schedule;
        if (kind === 'scheduled-payment' || dice.chance(0.2)) return this.#cancelSchedule(id, payerId, kind);
        const type = dice.one(['PauseSubscription', 'ResumeSubscription'] as const);
        return this.#launch(`${payerId}: ${type} ${id}`, () =>
          this.#at(({ bus }) =>
            bus.execute(
              new ExecuteStreamCommand(
                subscription,
                id,
                { type, by: payerId, now: this.now },
                { ...CAUSE, actorId: payerId },
              ),
            ),
          ),
        );
      }
      case 'edit':
        return this.#editSchedule();
      case 'payNow':
        return this.#payNow();
      case 'card':
        return this.#saveCard(who);
      case 'bank':
        return this.#addBankAccount(who);
      case 'unbank': {
        const mine = dice.maybe(this.#bankAccounts.filter(({ userId }) => userId === who));
        if (!mine) return;
        return this.#launch(`${who} removes ${mine.bankAccountId}`, () =>
          this.#at(({ banks }) => banks.remove(who, mine.bankAccountId, CAUSE)),
        );
      }
      case 'payout':
        return this.#payout(who);
      case 'wallet':
        return this.#wallet(who);
      case 'refund': {
        const charge = dice.maybe(paid);
        if (!charge) return;
        const amount = dice.chance(0.5) ? charge.amountMinor : dice.between(1, charge.amountMinor);
        if (provider.refund(charge, amount))
          this.#tell(`the provider refunds ${amount} of ${charge.chargeId}`);
        return;
      }
      case 'endRefund': {
        const refund = dice.maybe(provider.refunds);
        if (refund) provider.endRefund(refund, dice.chance(0.7) ? 'succeeded' : 'failed');
        return;
      }
      case 'dispute': {
        // Money that nobody can place goes back by itself.
        const charge = dice.maybe(
          paid.filter(({ chargeId }) => !this.lookout.isHeld(chargeId) && this.#isBooked(chargeId)),
        );
        if (charge && provider.dispute(charge)) this.#tell(`${charge.chargeId} is disputed`);
        return;
      }
      case 'endDispute': {
        const dispute = dice.maybe(provider.disputes);
        if (dispute) provider.endDispute(dispute, dice.one(['won', 'lost']));
        return;
      }
      case 'endPayout': {
        const payout = dice.maybe(provider.payouts);
        if (!payout) return;
        const status = dice.chance(0.65) ? 'paid' : 'failed';
        this.#tell(
          `the bank: ${payout.providerPayoutId} of ${payout.payoutId} was ${payout.status}, is ${status}`,
        );
        provider.endPayout(payout, status);
        return;
      }
      case 'enable': {
        const account = dice.maybe([...provider.accounts.values()]);
        if (account) provider.setEnabled(account, dice.chance(0.8));
        return;
      }
      case 'leave':
        return this.#leave();
      case 'payUnclaimed':
        return this.#payUnclaimed();
      case 'writeOff': {
        const command = { type: 'WriteOffDebt', userId: who, writeOffId: this.#uuid() } as const;
        return this.#launch(`an operator writes off what ${who} owes`, () => this.#journal(command));
      }
      case 'stray': {
        const known = dice.maybe(paid.filter((charge) => charge.paymentId !== undefined));
        // The same sum a second time is money for a payment that is paid; another sum would be told apart by
        // that alone.
        if (known && dice.chance(0.5)) {
          const again = provider.again(known);
          return this.#tell(`the provider takes ${again.paymentId} a second time: ${again.chargeId}`);
        }
        const naming = dice.one(['known', 'unknown', 'none']);
        const paymentId = { known: known?.paymentId, unknown: 'pay_nobody_knows', none: undefined }[naming];
        const charge = provider.foreign(
          paymentId,
          dice.chance(0.5) && known ? known.amountMinor : this.#amount(),
        );
        this.#tell(`somebody else's money: ${charge.chargeId}, naming ${charge.paymentId}`);
        return;
      }
    }
  }

  /** Somebody takes all their money out, and leaves as soon as none is left. */
  #leave(): void {
    const who = this.#leaver;
    if (who === undefined) return;
    if (this.lookout.hasLeft(who)) return this.#decideAbout(who);
    const bank = this.dice.maybe(this.#bankAccounts.filter(({ userId }) => userId === who));
    if (!bank && this.dice.chance(0.5)) return this.#addBankAccount(who);
    for (const account of this.provider.accounts.values())
      if (account.userId === who) this.provider.setEnabled(account, true);
    for (const payout of this.provider.payouts)
      if (payout.account.userId === who && payout.status === 'underway' && this.dice.chance(0.7))
        this.provider.endPayout(payout, 'paid');
    const uuid = this.#uuid();
    const key = this.#key(who);
    this.#launch(`${who} leaves`, async () => {
      for (const { walletId } of this.#wallets.filter(({ userId }) => userId === who)) {
        const asked = this.#key(who);
        const terms = { movementId: idFrom('wtx', asked), walletId, userId: who, currency: 'usd' };
        await this.#journal({ type: 'CloseWallet', ...terms }, asked);
        this.#wallets = this.#wallets.filter((wallet) => wallet.walletId !== walletId);
      }
      const amount = this.processes[0]?.journal.balanceOf(available(who)) ?? 0;
      const gift = { transferId: idFrom('trf', key), payerId: who, recipientId: this.people[0]! };
      if (amount > 0 && bank) {
        const body = { amount, bankAccountId: bank.bankAccountId };
        await this.#again(() => this.#at(({ payouts }) => payouts.request(who, body, uuid, 'payout')));
      } else if (amount > 0)
        await this.#journal({ type: 'PostTransfer', ...gift, amountMinor: amount, currency: 'usd' }, key);
      await this.#journal({ type: 'CloseAccount', userId: who });
    });
  }

  /** What banks, cards and the provider decide about the money of somebody who has left. */
  #decideAbout(who: string): void {
    const { dice, provider } = this;
    const isTheirs = ({ intentId }: { readonly intentId: string }): boolean =>
      provider.intents.get(intentId)?.booking?.recipientId === who;
    const charges = provider.charges.filter(
      (charge) => charge.status === 'succeeded' && isTheirs(charge) && this.#isBooked(charge.chargeId),
    );
    switch (dice.one(['return', 'return', 'refund', 'dispute', 'endRefund', 'endDispute'] as const)) {
      case 'return': {
        const sent = provider.payouts.filter(
          ({ account, status }) => account.userId === who && status === 'paid',
        );
        const payout = dice.maybe(sent);
        if (!payout) return;
        this.#tell(`the bank returns ${payout.providerPayoutId} of ${who}, who has left`);
        return provider.endPayout(payout, 'failed');
      }
      case 'refund': {
        const charge = dice.maybe(charges);
        if (charge && provider.refund(charge, dice.between(1, charge.amountMinor)))
          this.#tell(`the provider refunds some of ${charge.chargeId}, and ${who} has left`);
        return;
      }
      case 'dispute': {
        const charge = dice.maybe(charges);
        if (charge && provider.dispute(charge))
          this.#tell(`${charge.chargeId} is disputed, and ${who} has left`);
        return;
      }
      case 'endRefund': {
        const refund = dice.maybe(provider.refunds.filter(({ charge }) => isTheirs(charge)));
        if (refund) provider.endRefund(refund, dice.one(['succeeded', 'failed']));
        return;
      }
      case 'endDispute': {
        const dispute = dice.maybe(provider.disputes.filter(({ charge }) => isTheirs(charge)));
        if (dispute) provider.endDispute(dispute, dice.one(['won', 'lost']));
        return;
      }
    }
  }

  /** By what the rows say, which may be less by now; now and then it is asked twice. */
  #payUnclaimed(): void {
    const item = this.dice.maybe(this.lookout.unclaimed());
    if (!item) return;
    const { itemId, amountMinor } = item;
    const pay = async (): Promise<void> => {
      await this.#journal({ type: 'PayUnclaimed', itemId, amountMinor, reference: 'wire 17' });
      this.acknowledged.add(`unclaimed-paid:${itemId}`);
    };
    this.#launch(`an operator pays ${amountMinor}, which waits as ${itemId}`, pay);
    if (this.dice.chance(0.3)) this.#launch(`an operator pays ${itemId} once more`, pay);
  }

  #isBooked(chargeId: string): boolean {
    return this.lookout.events.some(
      (event) => event.type === 'PaymentSettled' && event.data.chargeId === chargeId,
    );
  }

  #tip(payerId: string, recipientId: string, mood: CardMood | 'never'): void {
    const uuid = this.#uuid();
    const amount = this.#amount();
    const body = {
      amount,
      toUserId: recipientId,
      paymentMethod: 'card' as const,
      description: undefined,
      saveCard: false,
    };
    this.#launch(`${payerId} tips ${recipientId} ${amount}`, async () => {
      const { answer } = await this.#again(() =>
        this.#at(({ checkout }) =>
          checkout.open(payerId, body, uuid, { correlationId: 'tip', network: '192.0.2.7' }),
        ),
      );
      this.acknowledged.add(userKey(payerId, uuid));
      if (mood === 'never') return;
      await this.loom.turn();
      const intentId = answer.clientSecret.replace('_secret', '');
      this.#tell(`${payerId} confirms ${intentId}: ${mood}`);
      this.provider.confirm(intentId, mood);
      // Another card, after the first was declined.
      if (mood !== 'pays' && this.dice.chance(0.5)) this.provider.confirm(intentId, 'pays');
    });
  }

  #saveCard(userId: string): void {
    const mood = this.dice.weighted(MOODS);
    this.#launch(`${userId} saves a card that ${mood}`, async () => {
      await this.#again(() =>
        this.#at(({ bus }) => bus.execute(new OpenCardCustomer(userId, { correlationId: 'card' }))),
      );
      this.provider.saveCard(userId, mood);
      if (this.dice.chance(0.2)) {
        const [card] = await this.#again(() => this.#at(({ cards }) => cards.of(userId)));
        if (card) await this.#at(({ cards }) => cards.remove(userId, card.cardId, CAUSE));
      }
    });
  }

  /** Another amount, source or date for something that goes on, or not any more. */
  #editSchedule(): void {
    const schedule = this.dice.maybe(this.#schedules);
    if (!schedule) return;
    const { id, payerId, kind } = schedule;
    const change = {
      by: payerId,
      now: this.now,
      ...(this.dice.chance(0.6) && { amountMinor: this.#amount() }),
      ...(this.dice.chance(0.5) && {
        source: { from: this.dice.one(['balance', 'balance_then_card'] as const) },
      }),
    };
    const dueAt = new Date(this.loom.nowMs + this.dice.between(1, 200) * HOUR_MS).toISOString();
    const by = { ...CAUSE, actorId: payerId };
    const ofSubscription = { type: 'ChangeSubscription', ...change } as const;
    const isMoved = this.dice.chance(0.5);
    const ofPayment = { type: 'ChangeScheduledPayment', ...change, ...(isMoved && { dueAt }) } as const;
    this.#launch(`${payerId} changes ${id}`, () =>
      this.#at(async ({ bus }) => {
        if (kind === 'subscription')
          await bus.execute(new ExecuteStreamCommand(subscription, id, ofSubscription, by));
        else await bus.execute(new ExecuteStreamCommand(scheduledPayment, id, ofPayment, by));
      }),
    );
  }

  /** Its payer has a failed payment tried again, while a worker may be at it. */
  #payNow(): void {
    const failed = this.lookout.scheduleRows().filter((row) => row['failed_due_at'] !== null);
    const row = this.dice.maybe(failed);
    const schedule = this.#schedules.find(({ id }) => id === row?.['id']);
    if (!row || !schedule) return;
    const { id, payerId, kind } = schedule;
    const dueAt = new Date(String(row['failed_due_at'])).toISOString();
    const command = { type: 'PayNow', by: payerId, dueAt, now: this.now } as const;
    const by = { ...CAUSE, actorId: payerId };
    this.#launch(`${payerId} pays ${id} of ${dueAt} now`, () =>
      this.#at(async ({ bus, collection }) => {
        if (kind === 'subscription')
          await bus.execute(new ExecuteStreamCommand(subscription, id, command, by));
        else await bus.execute(new ExecuteStreamCommand(scheduledPayment, id, command, by));
        await collection.collect(kind, id, CAUSE);
      }),
    );
  }

  #subscribe(payerId: string, recipientId: string): void {
    const id = idFrom('sub', `simulated:${(this.#asked += 1)}`);
    const terms = { subscriptionId: id, payerId, recipientId, amountMinor: this.#amount(), currency: 'usd' };
    const frequency = this.dice.one(['daily', 'weekly', 'monthly'] as const);
    this.#schedules.push({ id, payerId, kind: 'subscription' });
    this.#launch(`${payerId} subscribes to ${recipientId}: ${frequency} ${terms.amountMinor} (${id})`, () =>
      this.#again(() =>
        this.#at(({ bus }) => {
          const rest = { frequency, description: undefined, fingerprint: id, now: this.now };
          return bus.execute(
            new ExecuteStreamCommand(
              subscription,
              id,
              { type: 'CreateSubscription', ...terms, ...rest },
              { ...CAUSE, actorId: payerId },
            ),
          );
        }),
      ),
    );
  }

  #schedule(payerId: string, recipientId: string): void {
    const id = idFrom('sch', `simulated:${(this.#asked += 1)}`);
    const dueAt = new Date(this.loom.nowMs + this.dice.between(1, 200) * HOUR_MS).toISOString();
    const terms = {
      scheduleId: id,
      payerId,
      recipientId,
      amountMinor: this.#amount(),
      currency: 'usd',
      dueAt,
    };
    this.#schedules.push({ id, payerId, kind: 'scheduled-payment' });
    this.#launch(`${payerId} schedules ${terms.amountMinor} to ${recipientId} for ${dueAt} (${id})`, () =>
      this.#again(() =>
        this.#at(({ bus }) => {
          const rest = { description: undefined, fingerprint: id, now: this.now };
          return bus.execute(
            new ExecuteStreamCommand(
              scheduledPayment,
              id,
              { type: 'SchedulePayment', ...terms, ...rest },
              { ...CAUSE, actorId: payerId },
            ),
          );
        }),
      ),
    );
  }

  #cancelSchedule(id: string, by: string, kind: 'subscription' | 'scheduled-payment'): void {
    this.#launch(`${by} cancels ${id}`, () =>
      this.#again(() =>
        this.#at<unknown>(({ bus }) =>
          kind === 'subscription'
            ? bus.execute(
                new ExecuteStreamCommand(
                  subscription,
                  id,
                  { type: 'CancelSubscription', by, now: this.now },
                  { ...CAUSE, actorId: by },
                ),
              )
            : bus.execute(
                new ExecuteStreamCommand(
                  scheduledPayment,
                  id,
                  { type: 'CancelScheduledPayment', by, now: this.now },
                  { ...CAUSE, actorId: by },
                ),
              ),
        ),
      ),
    );
  }

  #addBankAccount(userId: string): void {
    const uuid = this.#uuid();
    const accountNumber = this.dice.chance(0.1) ? '1230000' : String(1_000_001 + this.#asked);
    const numbers = { accountNumber, routingNumber: '110000000', accountType: 'checking' as const };
    const body = { accountHolderName: 'A Name', bankName: 'A Bank', ...numbers };
    this.#launch(`${userId} adds a bank account`, async () => {
      const { account } = await this.#again(() =>
        this.#at(({ banks }) => banks.add(userId, body, uuid, 'bank')),
      );
      this.#bankAccounts.push({ userId, bankAccountId: account.bankAccountId });
      const there = [...this.provider.accounts.values()].find((known) => known.userId === userId);
      if (there && this.dice.chance(0.8)) this.provider.setEnabled(there, true);
    });
  }

  #payout(userId: string): void {
    const uuid = this.#uuid();
    const mine = this.dice.maybe(this.#bankAccounts.filter((known) => known.userId === userId));
    if (!mine) return;
    const body = { amount: this.#amount(), bankAccountId: mine.bankAccountId };
    this.#launch(`${userId} asks for a payout of ${body.amount}`, async () => {
      await this.#again(() => this.#at(({ payouts }) => payouts.request(userId, body, uuid, 'payout')));
      this.acknowledged.add(userKey(userId, uuid));
    });
  }

  #wallet(userId: string): void {
    const mine = this.dice.maybe(this.#wallets.filter((known) => known.userId === userId));
    const key = this.#key(userId);
    if (!mine) {
      const walletId = idFrom('wal', key);
      this.#wallets.push({ walletId, userId });
      const displayName = sealedFor(userId, 'Tour');
      return this.#ask(`${userId} opens a wallet`, key, {
        type: 'OpenWallet',
        walletId,
        userId,
        displayName,
        currency: 'usd',
      });
    }
    const movement = {
      movementId: idFrom('wtx', key),
      walletId: mine.walletId,
      userId,
      amountMinor: this.#amount(),
      currency: 'usd',
    };
    const type = this.dice.one(['FundWallet', 'WithdrawWallet'] as const);
    return this.#ask(`${userId}: ${type} ${movement.amountMinor}`, key, { type, ...movement });
  }

  // ---- workers and webhooks
  // -------------------------------------------------------------------------------------------

  #tick(job: JobName): void {
    const context: JobContext = {
      mail: undefined,
      now: () => this.now,
      marks: {
        get: (name) => Promise.resolve(this.#marks.get(name)),
        set: (name, mark) => Promise.resolve(void this.#marks.set(name, mark)),
        move: (name, from, to) => Promise.resolve(movedMark(this.#marks, name, from, to)),
        behind: (kind) => Promise.resolve(new Map(this.#behind.get(kind))),
        leaveBehind: (kind, id, since) => {
          const known = this.#behind.get(kind) ?? new Map<string, Date>();
          if (!known.has(id)) known.set(id, since);
          return Promise.resolve(void this.#behind.set(kind, known));
        },
        caughtUp: (kind, id) => Promise.resolve(void this.#behind.get(kind)?.delete(id)),
      },
      ask: async (command) => {
        try {
          return await this.#at((parts) => parts.carryOut(command, job));
        } catch (error) {
          // As the internal port answers.
          if (error instanceof Rejected) throw new LedgerDeclined(error.message, true);
          if (error instanceof ProviderRefused) throw new LedgerDeclined(error.message, false);
          if (error instanceof Unavailable || error instanceof Died) throw new LedgerAway(error.message);
          throw error;
        }
      },
      attempts: {
        due: (names) =>
          Promise.resolve(
            new Map(
              names.flatMap((name) => {
                const { tries = 0, againAt = 0 } = this.#tried.get(`${job} ${name}`) ?? {};
                return againAt <= this.loom.nowMs ? [[name, tries] as const] : [];
              }),
            ),
          ),
        done: (name) =>
          Promise.resolve(
            void this.#tried.set(`${job} ${name}`, { tries: 0, againAt: this.loom.nowMs + 26 * HOUR_MS }),
          ),
        note: (name) => {
          const tries = (this.#tried.get(`${job} ${name}`)?.tries ?? 0) + 1;
          const againAt = this.loom.nowMs + backOffMs(tries, { firstMs: MINUTE_MS, longestMs: 6 * HOUR_MS });
          return Promise.resolve(void this.#tried.set(`${job} ${name}`, { tries, againAt }));
        },
      },
      unappliedCharges: (after) => Promise.resolve(after ? [] : this.lookout.unappliedCharges()),
      unresolvedPayments: (after) => Promise.resolve(after ? [] : this.lookout.unresolvedPayments()),
      unfinishedPayouts: (after) => Promise.resolve(after ? [] : this.lookout.unfinishedPayouts()),
      payoutAccounts: (after) => Promise.resolve(after ? [] : this.lookout.connectAccounts()),
      payoutRetryMs: 5 * MINUTE_MS,
      usersWithStuckBankAccounts: (after) =>
        Promise.resolve(
          after === undefined
            ? this.lookout.usersWithStuckBankAccounts(new Date(this.loom.nowMs - 11 * MINUTE_MS))
            : [],
        ),
      halfForgotten: () => Promise.resolve([]),
      dueToBeForgotten: () => Promise.resolve([]),
      dueSchedules: (now, after) => Promise.resolve(after ? [] : this.lookout.dueSchedules(now)),
      enqueue: (dues) => Promise.resolve(void this.#jobs.push(...dues)),
      declined: (command, error) => this.#tell(`${job}: ${command.type} was declined: ${error.message}`),
    };
    const pass = async (): Promise<void> => {
      if ((await JOBS[job](context)) === 'more') this.#tick(job);
    };
    this.#launch(`job ${job}`, pass, false);
  }

  /** The jobs of due schedules, some of them twice. */
  #work(): void {
    for (const due of this.dice.shuffled(this.#jobs.splice(0)))
      for (let times = this.dice.chance(0.2) ? 2 : 1; times > 0; times--)
        this.#launch(`job ${due.id} attempt ${due.attempt}`, () =>
          this.#at((parts) => parts.carryOut(commandFor(due), 'job')),
        );
  }

  #announced(what: Announcement): void {
    const copies = this.dice.weighted({ '0': 3, '1': 5, '2': 2, '3': 1 });
    for (let n = Number(copies); n > 0; n--) {
      const late = this.dice.weighted({ now: 6, hour: 2, days: 1 });
      const by =
        late === 'now' ? 0 : late === 'hour' ? this.dice.below(HOUR_MS) : this.dice.below(4 * DAY_MS);
      this.#post.push({ what, at: this.loom.nowMs + by, tries: 0 });
    }
  }

  #deliver(): void {
    const due = this.#post.filter(({ at }) => at <= this.loom.nowMs);
    this.#post = this.#post.filter(({ at }) => at > this.loom.nowMs);
    for (const { what, tries } of this.dice.shuffled(due))
      this.#launch(
        `webhook ${JSON.stringify(what)}`,
        () =>
          this.#hear(what).catch((error: unknown) => {
            // Not answered with 200: it comes again, and not for ever.
            if (tries < 3) this.#post.push({ what, at: this.loom.nowMs + HOUR_MS, tries: tries + 1 });
            throw error;
          }),
        false,
      );
  }

  async #hear(what: Announcement): Promise<void> {
    await this.#at<unknown>(({ payments, hints }) => {
      if (what.about === 'intent')
        return payments.follow(
          { intentId: what.intentId, isTwin: false, isMarked: undefined, ...what.hint },
          CAUSE,
        );
      const { connectAccountId } = what;
      return what.about === 'account'
        ? hints.tell({ about: 'account', connectAccountId }, CAUSE)
        : hints.tell(
            { about: 'provider-payout', connectAccountId, providerPayoutId: what.providerPayoutId },
            CAUSE,
          );
    });
  }

  // ---- inside
  // ---------------------------------------------------------------------------------------------------------

  #journal(command: JournalCommand, key?: string): Promise<unknown> {
    const context = {
      correlationId: 'simulated',
      actorId: askerOf(command),
      ...(key === undefined ? {} : { key, fingerprint: JSON.stringify(command) }),
    };
    return this.#again(() => this.#at(({ bus }) => bus.execute(new ExecuteJournalCommand(command, context))));
  }

  /** What a user asks of the journal under a key; now and then their client sends it twice. */
  #ask(what: string, key: string, command: JournalCommand): void {
    const send = async (): Promise<void> => {
      await this.#journal(command, key);
      this.acknowledged.add(key);
    };
    this.#launch(what, send);
    if (this.dice.chance(0.2)) this.#launch(`${what}, again`, send);
  }

  /** The read models go on when it is their turn, and rarely to the end at once. */
  #readOn(): void {
    this.loom.offer(() => {
      void this.lookout.feed(this.dice.between(1, 60)).then(
        () => this.lookout.isBehind && this.#readOn(),
        (error: unknown) => this.#ended('reading the log', error),
      );
    });
  }

  /** In one of the processes. */
  #at<T>(work: (parts: Parts) => Promise<T>): Promise<T> {
    const process = this.dice.maybe(this.processes);
    return process ? process.do(work) : Promise.reject(new Died('No ledger is running.'));
  }

  /** As a client does: the same again while there is no answer. */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Unavailable || error instanceof Died) || tries === TRIES) throw error;
        await this.loom.turn();
      }
    }
  }

  /** Begins something; what it throws is told, and what it must not throw is kept. */
  #launch(what: string, work: () => Promise<unknown>, isTold = true): void {
    if (isTold) this.#tell(what);
    const under = work()
      .then(
        () => undefined,
        (error: unknown) => this.#ended(what, error),
      )
      .finally(() => this.#under.delete(under));
    this.#under.add(under);
  }

  #ended(what: string, error: unknown): void {
    const isExpected = [
      Rejected,
      Unavailable,
      ProviderRefused,
      Refusal,
      Died,
      LedgerAway,
      LedgerDeclined,
    ].some((kind) => error instanceof kind);
    const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#tell(`${what} — ${words}`);
    if (!isExpected) this.surprises.push(`${what}: ${error instanceof Error ? error.stack : words}`);
  }

  #amount(): number {
    return this.dice.weighted({ small: 6, middle: 3, large: 1 }) === 'small'
      ? this.dice.between(50, 900)
      : this.dice.between(900, 9_000);
  }

  #key(userId: string): string {
    return userKey(userId, this.#uuid());
  }

  /** A UUIDv7 of this world's time and chance. */
  #uuid(): string {
    const hex = (digits: number): string =>
      Array.from({ length: digits }, () => this.dice.below(16).toString(16)).join('');
    const time = this.loom.nowMs.toString(16).padStart(12, '0');
    this.#asked += 1;
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
  }
}

const CAUSE = { correlationId: 'simulated' };

/** Changes nothing, and makes a process read to the journal's end. */
const lastLook = (userId: string): ExecuteJournalCommand =>
  new ExecuteJournalCommand({ type: 'OpenAccount', userId }, CAUSE);
