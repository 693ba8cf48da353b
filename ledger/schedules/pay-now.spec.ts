/** A failed payment is not tried again for a recipient who is closing their account. */
import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#edge/caller';
import { StreamRunner } from '#ledger/streams/runner';
import { JUNO, MILO } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { RequireStaying } from '../bus/known-user.js';
import { idFrom } from '../journal/keys.js';
import { Rejected } from '../rejection.js';
import { scheduledPayment } from './scheduled-payment.decider.js';
import { ScheduledPaymentsController } from './scheduled-payments.controller.js';
import { subscription } from './subscription.decider.js';
import { SubscriptionsController } from './subscriptions.controller.js';

const CAUSE = { correlationId: 'spec' };
const SUB = idFrom('sub', 'spec');
const SCH = idFrom('sch', 'spec');
const DUE_AT = '2026-03-02T00:00:00.000Z';
const terms = {
  payerId: MILO,
  recipientId: JUNO,
  amountMinor: 500,
  currency: 'usd',
  description: undefined,
  fingerprint: 'f',
};

/** Milo's payment of each kind has failed, and Juno stays or leaves. */
async function failedPayments() {
  const world = { isLeaving: true };
  const clock = { now: new Date('2026-03-01T00:00:00.000Z') };
  const now = () => clock.now;
  const streams = new StreamRunner(new MemoryLog(now), now);
  const create = { ...terms, subscriptionId: SUB, frequency: 'monthly' } as const;
  clock.now = new Date(DUE_AT);
  await streams.execute(subscription, SUB, { type: 'CreateSubscription', ...create, now: now() }, CAUSE);
  clock.now = new Date('2026-03-01T00:00:00.000Z');
  const schedule = { ...terms, scheduleId: SCH, dueAt: DUE_AT };
  await streams.execute(scheduledPayment, SCH, { type: 'SchedulePayment', ...schedule, now: now() }, CAUSE);
  clock.now = new Date(DUE_AT);
  const failed = {
    type: 'RecordFailure',
    attempt: 1,
    code: 'c',
    reason: 'r',
    isFinal: true,
    isOurs: false,
  } as const;
  const [a] = (await streams.execute(subscription, SUB, { type: 'ClaimDue', now: now() }, CAUSE)).events;
  const [b] = (await streams.execute(scheduledPayment, SCH, { type: 'ClaimDue', now: now() }, CAUSE)).events;
  const idOf = (event: typeof a | typeof b) =>
    event?.type === 'OccurrenceClaimed' ? event.data.occurrenceId : '';
  await streams.execute(subscription, SUB, { ...failed, occurrenceId: idOf(a), now: now() }, CAUSE);
  await streams.execute(scheduledPayment, SCH, { ...failed, occurrenceId: idOf(b), now: now() }, CAUSE);
  const bus = {
    execute: (sent: unknown) => {
      if (sent instanceof ExecuteStreamCommand)
        return streams.execute(sent.decider, sent.id, sent.command, sent.provenance);
      if (!(sent instanceof RequireStaying)) throw new Error('Nothing else is asked');
      const { recipientId } = sent;
      return world.isLeaving
        ? Promise.reject(new Rejected('RecipientLeaves', { recipientId }))
        : Promise.resolve();
    },
  } as unknown as CommandBus;
  const none = undefined as never;
  const counts = { take: () => Promise.resolve() } as never;
  const collection = { collect: () => Promise.resolve(undefined) } as never;
  const answers = { of: () => Promise.resolve(undefined) } as never;
  const shown = { hold: () => Promise.resolve(false) } as never;
  const parts = [none, none, collection, answers, { now }, none, shown] as const;
  const own = new SubscriptionsController(bus, streams, ...parts);
  const once = new ScheduledPaymentsController(bus, streams, ...parts, counts);
  const milo = { userId: MILO, correlationId: 'spec' } as Caller;
  const reply = {} as FastifyReply;
  return {
    world,
    stays: () => (world.isLeaving = false),
    leaves: () => (world.isLeaving = true),
    paySubscription: () => own.payNow(milo, SUB, { dueAt: DUE_AT }, reply),
    payOnce: () => once.payNow(milo, SCH, { dueAt: DUE_AT }, reply),
    attempts: async () => {
      const [sub, sch] = [await streams.read(subscription, SUB), await streams.read(scheduledPayment, SCH)];
      return [sub, sch].map((state) => (state.status === 'none' ? undefined : state.open?.attempt));
    },
  };
}

describe('a failed payment that is to be tried again now', () => {
  it('is refused while its recipient is closing their account, and tried once they stay', async () => {
    const payments = await failedPayments();
    for (const pay of [payments.paySubscription, payments.payOnce])
      await expect(pay()).rejects.toMatchObject({ reason: 'RecipientLeaves' });
    expect(await payments.attempts()).toEqual([undefined, undefined]);
    payments.stays();
    await payments.paySubscription();
    await payments.payOnce();
    expect(await payments.attempts()).toEqual([2, 2]);
  });

  it('that is under way already is answered as that, whoever leaves meanwhile', async () => {
    const payments = await failedPayments();
    payments.stays();
    await payments.paySubscription();
    await payments.payOnce();
    payments.leaves();
    await payments.paySubscription();
    await payments.payOnce();
    expect(await payments.attempts()).toEqual([2, 2]);
  });
});
