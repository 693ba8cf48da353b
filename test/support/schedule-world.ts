/**
 * Schedules over a virtual clock: the real deciders, the real journal, the real flow of the ledger and the
 * real read model, on a log in memory. Only the card provider is played. A year passes in seconds:
 *
 *     const world = await ScheduleWorld.open(stack().env.DATABASE_URL!, '2026-01-01T09:00:00.000Z');
 *     const id = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'daily' });
 *     await world.liveUntil('2027-01-01T09:00:00.000Z');
 */
import { Inject, Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CommandHandler, CqrsModule, type ICommandHandler } from '@nestjs/cqrs';
import type pg from 'pg';
import { pino } from 'pino';
import type { DomainEvent } from '#contracts/events/index';
import { JOURNAL, type SavedCard } from '#contracts/events/journal';
import type { Frequency } from '#contracts/plain/recurrence';
import { OUR_PREFIXES } from '#contracts/events/our-streams';
import { START, type Position, type RecordedEvent } from '#contracts/log';
import { LOG } from '#ledger/parts';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { ExecuteJournalCommand, JournalCommandHandler } from '#ledger/bus/execute-journal-command';
import { ExecuteStreamCommand, StreamCommandHandler } from '#ledger/bus/execute-stream-command';
import { ChargeSavedCard, GiveUpPayment, type PaymentOutcome } from '#ledger/bus/payments';
import { FindDefaultCard } from '#ledger/bus/saved-cards';
import { recorded } from '#log/event-log';
import { storedEvent, type StoredEvent } from '#log/stored-event';
import { Journal } from '#ledger/journal/journal';
import { Patience } from '#ledger/patience';
import { idFrom } from '#ledger/journal/keys';
import { Unavailable } from '#ledger/rejection';
import { SchedulesModule } from '#ledger/schedules/schedules.module';
import { ScheduleClock } from '#ledger/schedules/schedule-clock';
import { scheduledPayment } from '#ledger/schedules/scheduled-payment.decider';
import { subscription } from '#ledger/schedules/subscription.decider';
import { user } from '#ledger/users/user.decider';
import { KnownPeople, RequireStayingHandler } from '#ledger/users/users.handlers';
import { StreamRunner } from '#ledger/streams/runner';
import { openReadPool } from '#projections/engine/database';
import { prepareReadModels } from '#projections/engine/prepare';
import { connectProjector, projectBatch } from '#projections/engine/project-batch';
import { rebuild } from '#projections/engine/rebuild';
import { readModels } from '#projections/read-models';
import { dueSchedules, HELD } from '#projections/schedules/queries';
import { isLeaving } from '#projections/users/queries';
import type { DueSchedule } from '#projections/schedules/queries';
import { commandFor } from '#workers/jobs/due-schedules';
import { freshDatabase } from './database.js';
import { minor, openAccount } from './journal-spec.js';
import { archiveOf } from './log-archive.js';
import { MemoryLog } from './memory-log.js';
import { PlainVault, profileOf, sealedFor } from './plain-vault.js';
import { slices } from './slices.js';

/** What a saved card does when it is charged in its owner's absence. */
export type CardMood = 'pays' | 'declines' | 'asks' | 'is-away';

const BATCH = 500;
const MS_PER_YEAR = 366 * 24 * 3_600_000;

/**
 * The card provider as the ledger sees it through its payments: what it knows of a payment, and its word to
 * the journal.
 */
export class PlayedProvider {
  /** By payer; a payer without an entry has no card. */
  readonly moods = new Map<string, CardMood>();
  charges = 0;
  /** What each payment was charged, however often somebody asked. */
  readonly taken = new Map<string, number>();

  constructor(
    private readonly log: MemoryLog,
    private readonly tell: (command: ExecuteJournalCommand['command']) => Promise<unknown>,
    private readonly now: () => Date,
  ) {}

  cardOf(payerId: string): SavedCard | undefined {
    return this.moods.has(payerId)
      ? { customerId: `cus_${payerId}`, paymentMethodId: `pm_${payerId}` }
      : undefined;
  }

  async run(what: 'charge' | 'give-up', paymentId: string): Promise<PaymentOutcome> {
    const seen = this.entriesOf(paymentId);
    const opened = seen.find((event) => event.type === 'PaymentOpened');
    if (!opened) throw new Error(`${paymentId} was never opened.`);
    const { payerId, amountMinor, currency } = opened.data;
    const occurredAt = this.now().toISOString();
    const mood = this.moods.get(payerId) ?? 'declines';
    if (mood === 'is-away') throw new Unavailable('The card provider is not answering right now.');
    const intentId = `pi_${paymentId}`;
    if (what === 'give-up') {
      if (!this.taken.has(paymentId))
        await this.tell({ type: 'CancelPayment', paymentId, intentId, reason: 'abandoned', occurredAt });
    } else if (!seen.some(({ type }) => type === 'PaymentSubmitted' || type === 'PaymentSettled')) {
      this.charges += 1;
      await this.tell({ type: 'SubmitPayment', paymentId, intentId });
      if (mood === 'pays') await this.settle(paymentId, amountMinor, currency);
      else {
        const code = mood === 'asks' ? 'authentication_required' : 'generic_decline';
        await this.tell({
          type: 'RecordFailedAttempt',
          paymentId,
          attemptId: `ch_no_${paymentId}`,
          code,
          reason: 'Your card was declined.',
          occurredAt,
        });
      }
    }
    return this.outcomeOf(paymentId);
  }

  /** The payer confirms in the browser: the money is taken, and the webhook says so. */
  async confirm(paymentId: string): Promise<void> {
    const opened = this.entriesOf(paymentId).find((event) => event.type === 'PaymentOpened');
    if (!opened) throw new Error(`${paymentId} was never opened.`);
    await this.settle(paymentId, opened.data.amountMinor, opened.data.currency);
  }

  /** The payer confirms in the browser, and their bank declines the card: the webhook says so. */
  async decline(paymentId: string, reason: string): Promise<void> {
    await this.tell({
      type: 'RecordFailedAttempt',
      paymentId,
      attemptId: `ch_later_${paymentId}`,
      code: 'insufficient_funds',
      reason,
      occurredAt: this.now().toISOString(),
    });
  }

  private async settle(paymentId: string, amountMinor: number, currency: string): Promise<void> {
    this.taken.set(paymentId, amountMinor);
    const chargeId = `ch_${paymentId}`;
    const occurredAt = this.now().toISOString();
    await this.tell({
      type: 'SettlePayment',
      paymentId,
      intentId: `pi_${paymentId}`,
      chargeId,
      amountMinor,
      currency,
      occurredAt,
    });
  }

  private entriesOf(paymentId: string): RecordedEvent[] {
    return this.log.all
      .filter(
        ({ stream, data }) =>
          stream === JOURNAL && (data.value as { paymentId?: string }).paymentId === paymentId,
      )
      .map((raw) => recorded(raw));
  }

  private outcomeOf(paymentId: string): PaymentOutcome {
    const entries = this.entriesOf(paymentId);
    const failed = entries.findLast((event) => event.type === 'PaymentAttemptFailed');
    const status = entries.some(({ type }) => type === 'PaymentSettled')
      ? 'settled'
      : entries.some(({ type }) => type === 'PaymentCanceled')
        ? 'canceled'
        : 'open';
    return {
      status,
      failure: failed && { code: failed.data.code, reason: failed.data.reason },
      openedAt: new Date(entries[0]?.metadata.recordedAt ?? 0),
    };
  }
}

const PLAYED = Symbol('played provider');

type MaybeProvider = { current: PlayedProvider | undefined };

function played({ current }: MaybeProvider): PlayedProvider {
  if (!current) throw new Error('The provider is not there yet.');
  return current;
}

@CommandHandler(ChargeSavedCard)
class PlayedCharges implements ICommandHandler<ChargeSavedCard> {
  constructor(@Inject(PLAYED) private readonly provider: MaybeProvider) {}
  execute({ paymentId }: ChargeSavedCard): Promise<PaymentOutcome> {
    return played(this.provider).run('charge', paymentId);
  }
}

@CommandHandler(GiveUpPayment)
class PlayedEndings implements ICommandHandler<GiveUpPayment> {
  constructor(@Inject(PLAYED) private readonly provider: MaybeProvider) {}
  execute({ paymentId }: GiveUpPayment): Promise<PaymentOutcome> {
    return played(this.provider).run('give-up', paymentId);
  }
}

@CommandHandler(FindDefaultCard)
class PlayedCards implements ICommandHandler<FindDefaultCard> {
  constructor(@Inject(PLAYED) private readonly provider: MaybeProvider) {}
  execute({ userId }: FindDefaultCard): Promise<SavedCard | undefined> {
    return Promise.resolve(this.provider.current?.cardOf(userId));
  }
}

export class ScheduleWorld {
  readonly log: MemoryLog;
  now: Date;
  #made = 0;
  #fed: Position = START;

  private constructor(
    readonly databaseUrl: string,
    readonly db: pg.Pool,
    readonly journal: Journal,
    readonly bus: CommandBus,
    readonly provider: PlayedProvider,
    private readonly context: INestApplicationContext,
    private readonly projector: pg.Client,
    log: MemoryLog,
    private readonly clock: { now: Date },
  ) {
    this.log = log;
    this.now = clock.now;
  }

  static async open(url: string, from: string): Promise<ScheduleWorld> {
    const clock = { now: new Date(from) };
    const now = (): Date => clock.now;
    const log = new MemoryLog(now);
    const databaseUrl = await freshDatabase(url);
    const vault = new PlainVault();
    await prepareReadModels({ databaseUrl, log, models: readModels(vault) });
    // Nothing leaves the window: the archive of a spec reads the whole log each time.
    const window = { ms: 5 * MS_PER_YEAR, entries: 1_000_000 };
    const journal = await Journal.open(log, { archive: archiveOf(log), clock: now, window });
    const provider: MaybeProvider = { current: undefined };
    const db = openReadPool(databaseUrl, 4);

    @Module({
      imports: [CqrsModule.forRoot()],
      providers: slices(
        [SchedulesModule],
        [
          { provide: LOG, useValue: pino({ level: 'silent' }) },
          { provide: Journal, useValue: journal },
          { provide: Patience, useValue: new Patience(log.health) },
          { provide: StreamRunner, useValue: new StreamRunner(log, now) },
          { provide: ScheduleClock, useValue: { now } },
          { provide: PLAYED, useValue: provider },
          { provide: KnownPeople, useValue: { isLeaving: (userId: string) => isLeaving(db, userId) } },
          RequireStayingHandler,
          InternalCommands,
          JournalCommandHandler,
          StreamCommandHandler,
          PlayedCharges,
          PlayedEndings,
          PlayedCards,
        ],
      ),
    })
    class WorldModule {}

    const context = await NestFactory.createApplicationContext(WorldModule, { logger: false });
    const bus = context.get(CommandBus);
    provider.current = new PlayedProvider(
      log,
      (command) => bus.execute(new ExecuteJournalCommand(command, { correlationId: 'provider' })),
      now,
    );
    const projector = await connectProjector(databaseUrl, 'read');
    return new ScheduleWorld(databaseUrl, db, journal, bus, provider.current, context, projector, log, clock);
  }

  async close(): Promise<void> {
    await this.context.close();
    await this.journal.close();
    await this.projector.end();
    await this.db.end();
  }

  /** Opens accounts. */
  async people(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.tell(openAccount(id));
  }

  /** Somebody asks to be forgotten: it is done so many hours later. */
  async asksToBeForgotten(userId: string, hours: number): Promise<void> {
    const name = userId.replace('usr_', '');
    const profile = sealedFor(userId, JSON.stringify(profileOf(name)));
    const own = [
      { type: 'Register', userId, issuer: 'spec', subject: name, profile },
      { type: 'RequestForgetting', userId, waitMs: hours * 3_600_000, now: this.now },
    ] as const;
    for (const command of own)
      await this.bus.execute(new ExecuteStreamCommand(user, userId, command, { correlationId: 'spec' }));
    await this.project();
  }

  /** They stay after all. */
  async stays(userId: string): Promise<void> {
    const command = { type: 'EndForgettingRequest', userId, why: 'canceled', now: this.now } as const;
    await this.bus.execute(new ExecuteStreamCommand(user, userId, command, { correlationId: 'spec' }));
    await this.project();
  }

  /** Gives somebody a balance, by a card payment of the one who pays for everything. */
  async earn(userId: string, amount: string): Promise<void> {
    const paymentId = `pay_earned_${(this.#made += 1)}`;
    const terms = { paymentId, amountMinor: minor(amount), currency: 'usd' };
    await this.tell(
      { type: 'OpenPayment', ...terms, payerId: 'usr_fan', recipientId: userId, method: 'card' },
      paymentId,
    );
    const occurredAt = this.now.toISOString();
    await this.tell({
      type: 'SettlePayment',
      ...terms,
      intentId: `pi_${paymentId}`,
      chargeId: `ch_${paymentId}`,
      occurredAt,
    });
  }

  async subscribe(terms: {
    from: string;
    to: string;
    amount: string;
    frequency: Frequency;
    note?: string;
  }): Promise<string> {
    const subscriptionId = idFrom('sub', `spec:${(this.#made += 1)}`);
    await this.bus.execute(
      new ExecuteStreamCommand(
        subscription,
        subscriptionId,
        {
          type: 'CreateSubscription',
          subscriptionId,
          payerId: terms.from,
          recipientId: terms.to,
          amountMinor: minor(terms.amount),
          currency: 'usd',
          frequency: terms.frequency,
          description: terms.note === undefined ? undefined : sealedFor(terms.from, terms.note),
          fingerprint: subscriptionId,
          now: this.now,
        },
        { correlationId: 'spec' },
      ),
    );
    return subscriptionId;
  }

  async schedule(terms: { from: string; to: string; amount: string; dueAt: string }): Promise<string> {
    const scheduleId = idFrom('sch', `spec:${(this.#made += 1)}`);
    await this.bus.execute(
      new ExecuteStreamCommand(
        scheduledPayment,
        scheduleId,
        {
          type: 'SchedulePayment',
          scheduleId,
          payerId: terms.from,
          recipientId: terms.to,
          amountMinor: minor(terms.amount),
          currency: 'usd',
          dueAt: terms.dueAt,
          description: undefined,
          fingerprint: scheduleId,
          now: this.now,
        },
        { correlationId: 'spec' },
      ),
    );
    return scheduleId;
  }

  async change(
    id: string,
    by: string,
    type: 'PauseSubscription' | 'ResumeSubscription' | 'CancelSubscription',
  ): Promise<void> {
    await this.bus.execute(
      new ExecuteStreamCommand(subscription, id, { type, by, now: this.now }, { correlationId: 'spec' }),
    );
  }

  /** Moves the clock without anybody looking: the workers are down. */
  sleepUntil(when: string | Date): void {
    this.now = new Date(when);
    this.clock.now = this.now;
  }

  /** Brings the read models up to the log. */
  async project(): Promise<void> {
    const models = readModels(new PlainVault());
    let batch: StoredEvent[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length > 0)
        await projectBatch(this.projector, batch, { schema: 'read', models, announce: false });
      batch = [];
    };
    for await (const raw of this.log.readAll(this.#fed, OUR_PREFIXES)) {
      batch.push(storedEvent(raw));
      this.#fed = raw.position;
      if (batch.length === BATCH) await flush();
    }
    await flush();
  }

  /** What a worker does once: finds what is due and asks for it. Answers what could not be done. */
  async scan(ask: (due: DueSchedule) => Promise<void> = (due) => this.ask(due)): Promise<unknown[]> {
    await this.project();
    const troubles: unknown[] = [];
    for (const due of await dueSchedules(this.db, this.now, 1_000))
      await ask(due).catch((error: unknown) => troubles.push(error));
    await this.project();
    return troubles;
  }

  /** A worker's job: as it would arrive at the internal port. */
  async ask(due: DueSchedule): Promise<void> {
    await this.context.get(InternalCommands).carryOut(commandFor(due), 'spec');
  }

  /** Workers at work until a moment: the clock jumps from one thing that is due to the next. */
  async liveUntil(end: string, ask?: (due: DueSchedule) => Promise<void>): Promise<void> {
    const endMs = Date.parse(end);
    let before: string | undefined;
    for (;;) {
      await this.project();
      const { rows } = await this.db.query<{ wake: Date | null }>(
        `select min(wake_at) as wake from schedules s where not ${HELD}`,
      );
      const wake = rows[0]?.wake ?? undefined;
      if (wake === undefined || wake.getTime() > endMs) break;
      if (wake > this.now) this.sleepUntil(wake);
      const troubles = await this.scan(ask);
      const state = `${this.log.all.length} ${this.now.toISOString()}`;
      // Nothing moved although something is due: looked at again a little later, as the next scan would.
      if (state === before || troubles.length > 0)
        this.sleepUntil(new Date(Math.min(this.now.getTime() + 60_000, endMs)));
      if (this.now.getTime() >= endMs && state === before) break;
      before = state;
    }
    this.sleepUntil(end);
  }

  /** Everything that the log holds, read as a reader does. */
  events(): RecordedEvent[] {
    return this.log.all.map((raw) => recorded(raw));
  }

  of<T extends DomainEvent['type']>(type: T): Extract<RecordedEvent, { type: T }>[] {
    return this.events().filter((event): event is Extract<RecordedEvent, { type: T }> => event.type === type);
  }

  /** Live rows are what a replay of the log yields. */
  async rebuildsTheSame(): Promise<{ table: string; onlyLive: number; onlyRebuilt: number }[]> {
    await this.project();
    const models = readModels(new PlainVault());
    const report = await rebuild({
      databaseUrl: this.databaseUrl,
      log: this.log,
      models,
      compare: true,
      swap: false,
    });
    return report.tables
      .filter(({ onlyLive, onlyRebuilt }) => onlyLive + onlyRebuilt > 0)
      .map(({ table, onlyLive, onlyRebuilt }) => ({ table, onlyLive, onlyRebuilt }));
  }

  private tell(command: ExecuteJournalCommand['command'], id?: string): Promise<unknown> {
    const key = id === undefined ? undefined : `spec:${id}`;
    return this.bus.execute(
      new ExecuteJournalCommand(command, { correlationId: 'spec', ...(key && { key }) }),
    );
  }
}
