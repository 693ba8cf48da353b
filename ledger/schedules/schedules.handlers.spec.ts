/**
 * Two who collect the same attempt at once, on the real journal and streams over a log in memory: one
 * outcome, told twice.
 */
import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandHandler, CqrsModule, type CommandBus, type ICommandHandler } from '@nestjs/cqrs';
import { pino } from 'pino';
import { SchedulesReport, isInOrder } from '#audit/schedules-report';
import { available } from '#contracts/plain/accounts';
import { JOURNAL, type SavedCard } from '#contracts/events/journal';
import { scheduledPaymentStream } from '#contracts/events/schedule';
import { subscriptionStream } from '#contracts/events/subscription';
import { LOG } from '#ledger/parts';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { ExecuteJournalCommand, JournalCommandHandler } from '../bus/execute-journal-command.js';
import { ExecuteStreamCommand, StreamCommandHandler } from '../bus/execute-stream-command.js';
import { EndSchedulesOf } from '../bus/forget-user.js';
import { ChargeSavedCard, type PaymentOutcome } from '../bus/payments.js';
import { FindDefaultCard } from '../bus/saved-cards.js';
import type { AppendResult, NewEvent } from '#log/event-log';
import { Journal } from '#ledger/journal/journal';
import { Patience } from '#ledger/patience';
import { StreamRunner } from '#ledger/streams/runner';
import { KnownPeople, RequireStayingHandler } from '#ledger/users/users.handlers';
import { ADA, contextOf, JUNO, MILO, minor, open, openAccount, settle } from '#test/support/journal-spec';
import { archiveOf } from '#test/support/log-archive';
import { slices } from '#test/support/slices';
import { MemoryLog } from '#test/support/memory-log';
import { scheduledPayment } from './scheduled-payment.decider.js';
import { CollectDueHandler, EndSchedulesOfHandler } from './schedules.handlers.js';
import { SchedulesModule } from './schedules.module.js';
import { StoreAway, StreamParked } from '../rejection.js';
import { RETRY_AFTER_MS } from './occurrence.js';
import { ScheduleClock } from './schedule-clock.js';
import { subscription } from './subscription.decider.js';

const CAUSE = { correlationId: 'spec' };
const SCHEDULE = 'sch_1';
const DUE_AT = '2026-03-02T00:00:00.000Z';
const SECOND_MS = 1000;

/** Nobody has a card here. */
@CommandHandler(FindDefaultCard)
class NoCards implements ICommandHandler<FindDefaultCard> {
  execute(): Promise<SavedCard | undefined> {
    return Promise.resolve(undefined);
  }
}

/** The log, where what is appended to a schedule's stream may be held up. */
class GatedLog extends MemoryLog {
  holds: (event: NewEvent) => boolean = () => false;
  readonly #waiting: (() => void)[] = [];
  #arrived: (() => void)[] = [];

  override async append(
    stream: string,
    events: readonly NewEvent[],
    expectedRevision: number,
  ): Promise<AppendResult> {
    if (stream !== JOURNAL && events.some((event) => this.holds(event)))
      await new Promise<void>((go) => {
        this.#waiting.push(go);
        for (const look of this.#arrived.splice(0)) look();
      });
    return super.append(stream, events, expectedRevision);
  }

  /** When so many wait. */
  async held(count: number): Promise<void> {
    while (this.#waiting.length < count) await new Promise<void>((look) => this.#arrived.push(look));
  }

  /** The one that has waited longest goes on. */
  letOneGo(): void {
    this.#waiting.shift()?.();
  }
}

/** Milo has promised Juno ten dollars, has nothing, and everything but the last attempt has failed. */
async function beforeTheLastAttempt() {
  const clock = { now: new Date('2026-03-01T00:00:00.000Z') };
  const now = (): Date => clock.now;
  const log = new GatedLog(now);
  const journal = await Journal.open(log, { archive: archiveOf(log), clock: now });
  const streams = new StreamRunner(log, now);

  @Module({
    imports: [CqrsModule.forRoot()],
    providers: slices(
      [SchedulesModule],
      [
        { provide: LOG, useValue: pino({ level: 'silent' }) },
        { provide: Journal, useValue: journal },
        { provide: Patience, useValue: new Patience(log.health) },
        { provide: StreamRunner, useValue: streams },
        { provide: ScheduleClock, useValue: { now } },
        InternalCommands,
        JournalCommandHandler,
        StreamCommandHandler,
        { provide: KnownPeople, useValue: { isLeaving: () => Promise.resolve(false) } },
        RequireStayingHandler,
        NoCards,
      ],
    ),
  })
  class CollectionModule {}

  const context = await NestFactory.createApplicationContext(CollectionModule, { logger: false });
  const collection = context.get(CollectDueHandler);
  const close = async (): Promise<void> => {
    await context.close();
    await journal.close();
  };
  for (const user of [JUNO, MILO, ADA]) await journal.execute(openAccount(user), CAUSE);
  const terms = {
    scheduleId: SCHEDULE,
    payerId: MILO,
    recipientId: JUNO,
    amountMinor: minor('10.00'),
    currency: 'usd',
  };
  const more = { dueAt: DUE_AT, description: undefined, fingerprint: 'spec', now: clock.now };
  await streams.execute(scheduledPayment, SCHEDULE, { type: 'SchedulePayment', ...terms, ...more }, CAUSE);
  const collect = (): Promise<unknown> => collection.collect('scheduled-payment', SCHEDULE, CAUSE);
  clock.now = new Date(Date.parse(DUE_AT) + SECOND_MS);
  for (const wait of RETRY_AFTER_MS) {
    await collect();
    clock.now = new Date(clock.now.getTime() + wait + SECOND_MS);
  }
  return { clock, log, journal, collect, streams, close };
}

describe('the last attempt, by two who work on it', () => {
  it('fails for both when it has failed for one, though money comes in between', async () => {
    const { clock, log, journal, collect, close } = await beforeTheLastAttempt();
    // The first one is refused, and the schedule's stream has not heard of it yet.
    log.holds = ({ type }) => type !== 'OccurrenceRetried';
    const one = collect();
    await log.held(1);
    const gift = { paymentId: 'pay_gift', amount: '25.00', from: ADA, to: MILO };
    for (const command of [open(gift), settle(gift)]) await journal.execute(command, contextOf(command));
    // The second one has its answer from the journal as well before the first goes on.
    const other = collect();
    await log.held(2);
    log.letOneGo();
    await one;
    log.letOneGo();
    await other;

    const types = log.all
      .filter(({ stream }) => stream === scheduledPaymentStream(SCHEDULE))
      .map(({ type }) => type);
    expect(types.filter((type) => type === 'OccurrenceFailed')).toHaveLength(1);
    expect(types).not.toContain('OccurrenceCollected');
    expect(log.all.map(({ type }) => type)).not.toContain('TransferPosted');
    expect(journal.balanceOf(available(MILO))).toBe(minor('25.00'));
    const report = await SchedulesReport.of(log);
    expect(report.days(clock.now).map((day) => [day, isInOrder(report.on(day, clock.now))])).toContainEqual([
      DUE_AT.slice(0, 10),
      true,
    ]);
    expect(report.on(DUE_AT.slice(0, 10), clock.now)).toMatchObject({ due: 1, failed: 1, retried: 3 });
    await close();
  });

  it('and the payer, who has it paid now at the same moment, is paid once', async () => {
    const { clock, log, journal, collect, streams, close } = await beforeTheLastAttempt();
    const gift = { paymentId: 'pay_gift', amount: '25.00', from: ADA, to: MILO };
    for (const command of [open(gift), settle(gift)]) await journal.execute(command, contextOf(command));
    const payNow = async (): Promise<void> => {
      const command = { type: 'PayNow', by: MILO, dueAt: DUE_AT, now: clock.now } as const;
      await streams.execute(scheduledPayment, SCHEDULE, command, { ...CAUSE, actorId: MILO });
      await collect();
    };
    await Promise.all([collect(), payNow(), payNow(), collect()]);
    const types = log.all.map(({ type }) => type);
    expect(
      types.filter((type) => type === 'TransferPosted' || type === 'OccurrenceCollected').sort(),
    ).toEqual(['OccurrenceCollected', 'TransferPosted']);
    expect(types.filter((type) => type === 'OccurrenceRetried')).toHaveLength(3);
    expect(journal.balanceOf(available(MILO))).toBe(minor('15.00'));
    await close();
  });

  it('given up and then paid now by several, is paid once, and the report of the day agrees', async () => {
    const { clock, log, journal, collect, streams, close } = await beforeTheLastAttempt();
    await collect();
    const gift = { paymentId: 'pay_gift', amount: '25.00', from: ADA, to: MILO };
    for (const command of [open(gift), settle(gift)]) await journal.execute(command, contextOf(command));
    const payNow = async (): Promise<void> => {
      const command = { type: 'PayNow', by: MILO, dueAt: DUE_AT, now: clock.now } as const;
      await streams.execute(scheduledPayment, SCHEDULE, command, { ...CAUSE, actorId: MILO });
      await collect();
    };
    await Promise.all([payNow(), payNow(), collect()]);
    await payNow();
    expect(journal.balanceOf(available(MILO))).toBe(minor('15.00'));
    const day = DUE_AT.slice(0, 10);
    const report = (await SchedulesReport.of(log)).on(day, clock.now);
    expect([isInOrder(report), report.collected, report.failed, report.retried]).toEqual([true, 1, 0, 4]);
    await close();
  });

  it('collects for both when it has collected for one', async () => {
    const { log, journal, collect, close } = await beforeTheLastAttempt();
    const gift = { paymentId: 'pay_gift', amount: '25.00', from: ADA, to: MILO };
    for (const command of [open(gift), settle(gift)]) await journal.execute(command, contextOf(command));
    await Promise.all([collect(), collect()]);
    const types = log.all.map(({ type }) => type);
    expect(
      types.filter((type) => type === 'TransferPosted' || type === 'OccurrenceCollected').sort(),
    ).toEqual(['OccurrenceCollected', 'TransferPosted']);
    expect(journal.balanceOf(available(MILO))).toBe(minor('15.00'));
    await close();
  });
});

const MONTHLY = {
  type: 'CreateSubscription',
  payerId: MILO,
  recipientId: JUNO,
  amountMinor: minor('10.00'),
  currency: 'usd',
  frequency: 'monthly',
  description: undefined,
  fingerprint: 'spec',
} as const;

describe('a card payment that the payer’s bank wants confirmed', () => {
  /**
   * What becomes of Milo's subscription where his card's bank asks for him, and the payment stays open for so
   * long.
   */
  async function collectedWhileOpenFor(openForMs: number) {
    const now = new Date(DUE_AT);
    const log = new MemoryLog(() => now);
    const journal = await Journal.open(log, { archive: archiveOf(log), clock: () => now });
    const streams = new StreamRunner(log, () => now);
    for (const user of [JUNO, MILO]) await journal.execute(openAccount(user), CAUSE);
    await streams.execute(subscription, 'sub_1', { ...MONTHLY, subscriptionId: 'sub_1', now }, CAUSE);
    const open: PaymentOutcome = {
      status: 'open',
      failure: { code: 'authentication_required', reason: 'Your bank asks for you.' },
      openedAt: now,
      openForMs,
    };
    let charges = 0;
    const bus = {
      execute(sent: unknown): Promise<unknown> {
        if (sent instanceof ExecuteStreamCommand)
          return streams.execute(sent.decider, sent.id, sent.command, sent.provenance);
        if (sent instanceof ExecuteJournalCommand) return journal.execute(sent.command, sent.context);
        if (sent instanceof FindDefaultCard)
          return Promise.resolve({ customerId: 'cus_1', paymentMethodId: 'pm_1' });
        if (sent instanceof ChargeSavedCard) charges += 1;
        return Promise.resolve(sent instanceof ChargeSavedCard ? open : { ...open, status: 'canceled' });
      },
    } as unknown as CommandBus;
    const silent = pino({ level: 'silent' });
    const collection = new CollectDueHandler(
      bus,
      streams,
      { now: () => now },
      new InternalCommands(),
      silent,
    );
    await collection.collect('subscription', 'sub_1', CAUSE);
    const state = await streams.read(subscription, 'sub_1');
    await journal.close();
    return { stage: state.status === 'none' ? undefined : state.open?.stage, charges };
  }
  const HOUR_MS = 3_600_000;

  it('waits for the payer only until the payment is closed', async () =>
    expect(await collectedWhileOpenFor(9 * HOUR_MS)).toMatchObject({
      stage: {
        kind: 'confirming',
        confirmBy: new Date(Date.parse(DUE_AT) + 9 * HOUR_MS).toISOString(),
      },
    }));

  it('fails at once when it was charged so late that it closes soon, and is retried as another payment', async () =>
    expect(await collectedWhileOpenFor(2 * HOUR_MS)).toEqual({
      charges: 1,
      stage: { kind: 'waiting', retryAt: new Date(Date.parse(DUE_AT) + HOUR_MS).toISOString() },
    }));
});

describe('what was to come for somebody who is forgotten', () => {
  it('ends but for what is parked, which ends when it can be read again', async () => {
    const now = new Date('2026-03-01T00:00:00.000Z');
    const log = new MemoryLog(() => now);
    const ids = ['sub_a', 'sub_b', 'sub_c'];
    for (const subscriptionId of ids)
      await new StreamRunner(log, () => now).execute(
        subscription,
        subscriptionId,
        { ...MONTHLY, subscriptionId, now },
        CAUSE,
      );
    const streams = new StreamRunner(log, () => now);
    const world = { parked: 'sub_a' };
    const bus = {
      execute: ({ decider, id, command, provenance }: ExecuteStreamCommand<never, never, never>) =>
        id === world.parked
          ? Promise.reject(new StreamParked(subscriptionStream(id), 1, 'unreadable'))
          : streams.execute(decider, id, command, provenance),
    } as unknown as CommandBus;
    const living = {
      of: () => Promise.resolve(ids.map((id) => ({ id, kind: 'subscription' as const, payerId: MILO }))),
    };
    const handler = new EndSchedulesOfHandler(bus, living, { now: () => now }, pino({ level: 'silent' }));
    const statuses = () => Promise.all(ids.map(async (id) => (await streams.read(subscription, id)).status));

    await handler.execute(new EndSchedulesOf(JUNO, CAUSE));
    expect(await statuses()).toEqual(['active', 'canceled', 'canceled']);
    world.parked = '';
    await handler.execute(new EndSchedulesOf(JUNO, CAUSE));
    expect(await statuses()).toEqual(['canceled', 'canceled', 'canceled']);
  });

  it('is not said to have ended while the store is away', async () => {
    const bus = { execute: () => Promise.reject(new StoreAway()) } as unknown as CommandBus;
    const living = {
      of: () => Promise.resolve([{ id: 'sub_a', kind: 'subscription' as const, payerId: MILO }]),
    };
    const clock = { now: () => new Date() };
    const handler = new EndSchedulesOfHandler(bus, living, clock, pino({ level: 'silent' }));
    await expect(handler.execute(new EndSchedulesOf(JUNO, CAUSE))).rejects.toBeInstanceOf(StoreAway);
  });
});
