/**
 * Schedules after the log lost its end: what the provider proves of them is told, and never collected again.
 */
import { beforeEach, expect, it } from '@jest/globals';
import { scheduledPaymentStream } from '#contracts/events/schedule';
import { idFrom } from '#ledger/journal/keys';
import type { Payment } from '#ledger/journal/state';
import { occurrenceIdFrom } from '#ledger/schedules/occurrence';
import {
  scheduledPayment,
  type KnownScheduledPayment,
  type ScheduledPaymentCommand,
} from '#ledger/schedules/scheduled-payment.decider';
import { subscription } from '#ledger/schedules/subscription.decider';
import { StreamRunner } from '#ledger/streams/runner';
import { MemoryLog } from '#test/support/memory-log';
import { pauseSchedules, type ProvenOccurrence } from './pause-schedules.js';

const ID = 'sch_1';
const MILO = 'usr_milo';
const [ASKED_AT, EARLIER, DUE, LATER, NOW] = [1, 2, 5, 8, 20].map(
  (day) => new Date(Date.UTC(2026, 2, day)),
) as [Date, Date, Date, Date, Date];

let log: MemoryLog;
let streams: StreamRunner;
beforeEach(async () => {
  log = new MemoryLog();
  streams = new StreamRunner(log);
  await say({
    type: 'SchedulePayment',
    scheduleId: ID,
    payerId: MILO,
    recipientId: 'usr_juno',
    amountMinor: 500,
    currency: 'usd',
    dueAt: DUE.toISOString(),
    description: undefined,
    fingerprint: 'f',
    now: ASKED_AT,
  });
});

const say = (command: ScheduledPaymentCommand) =>
  streams.execute(scheduledPayment, ID, command, { correlationId: 'spec', actorId: MILO });
/** Attempts at a due time that the provider has objects of. */
const proven = (dueAt: Date, attempts: readonly number[]): ProvenOccurrence[] =>
  attempts.map((attempt) => ({
    occurrenceId: occurrenceIdFrom(ID, dueAt.toISOString()),
    kind: 'scheduled-payment',
    scheduleId: ID,
    dueAt: dueAt.toISOString(),
    attempt,
    paymentId: idFrom('pay', `${dueAt.toISOString()} ${attempt}`),
  }));
/** Tells twice what is proven; of the attempts the last one was paid. */
async function told(...occurrences: readonly ProvenOccurrence[]): Promise<KnownScheduledPayment> {
  const last = occurrences.at(-1);
  const routes = new Map(
    occurrences.map(({ occurrenceId: id }) => [id, occurrences.filter((one) => one.occurrenceId === id)]),
  );
  const journal = journalOf({
    payments: last ? [{ paymentId: last.paymentId, status: 'settled' }] : [],
    routes,
  });
  let length = -1;
  for (const runner of [streams, new StreamRunner(log)]) {
    await pauseSchedules({ log, streams: runner, journal, now: NOW }, [], occurrences);
    if (length >= 0) expect(log.all).toHaveLength(length);
    length = log.all.length;
  }
  // Nothing of it is due any more.
  expect((await say({ type: 'ClaimDue', now: NOW })).events).toEqual([]);
  return (await streams.read(scheduledPayment, ID)) as KnownScheduledPayment;
}
/** A journal that knows these payments, and what was decided of these occurrences. */
const journalOf = ({
  payments,
  routes,
  executed = [],
}: {
  readonly payments: readonly { readonly paymentId: string; readonly status: Payment['status'] }[];
  readonly routes: ReadonlyMap<string, readonly { readonly attempt: number; readonly paymentId: string }[]>;
  readonly executed?: string[];
}) =>
  ({
    look: (kind: 'payment' | 'occurrence', id: string) =>
      Promise.resolve(
        kind === 'payment'
          ? payments.find(({ paymentId }) => paymentId === id)
          : { routes: routes.get(id) ?? [] },
      ),
    execute: ({ type, paymentId }: { readonly type: string; readonly paymentId: string }) =>
      Promise.resolve(void executed.push(`${type} ${paymentId}`)),
  }) as unknown as Parameters<typeof pauseSchedules>[0]['journal'];
async function failedFourTimes(): Promise<void> {
  const occurrenceId = occurrenceIdFrom(ID, DUE.toISOString());
  let now = DUE;
  for (let attempt = 1; attempt <= 4; attempt++) {
    await say({ type: 'ClaimDue', now });
    const why = { code: 'card_declined', reason: 'The card was declined.', isFinal: false, isOurs: false };
    await say({ type: 'RecordFailure', occurrenceId, attempt, now, ...why });
    now = new Date(now.getTime() + 4 * 86_400_000);
  }
}

it('is completed where it was paid at its time', async () => {
  expect(await told(...proven(DUE, [1]))).toMatchObject({ status: 'completed' });
});

it.each([
  ['an earlier', EARLIER],
  ['a later', LATER],
])(
  'is completed, and not collected a second time, where its payer had moved it to %s time',
  async (_, at) => {
    const { status, terms, paidDueAt } = await told(...proven(at, [1, 2]));
    expect([status, terms.dueAt, paidDueAt]).toEqual(['completed', at.toISOString(), at.toISOString()]);
  },
);

it('is completed where its payer had it tried again after it was given up', async () => {
  await failedFourTimes();
  expect(await told(...proven(DUE, [4, 5]))).toMatchObject({ status: 'completed' });
});

it.each([
  ['as the journal has it', 'canceled', []],
  ['in the journal too where it never came to the provider', 'opened', ['CancelPayment pay_0']],
] as const)(
  'ends an attempt that was under way %s, before it tells of the next time',
  async (_, status, expected) => {
    await say({ type: 'ClaimDue', now: DUE });
    const [later] = proven(LATER, [1]);
    const executed: string[] = [];
    const journal = journalOf({
      payments: [
        { paymentId: 'pay_0', status },
        { paymentId: later!.paymentId, status: 'settled' },
      ],
      routes: new Map([
        [occurrenceIdFrom(ID, DUE.toISOString()), [{ attempt: 1, paymentId: 'pay_0' }]],
        [later!.occurrenceId, [later!]],
      ]),
      executed,
    });
    await pauseSchedules({ log, streams, journal, now: NOW }, [], [later!]);
    expect(executed).toEqual(expected);
    expect(await streams.read(scheduledPayment, ID)).toMatchObject({
      status: 'completed',
      paidDueAt: later!.dueAt,
    });
  },
);

it('keeps the time to which it was moved where the log knows that', async () => {
  await failedFourTimes();
  const moved = { dueAt: new Date(NOW.getTime() + 86_400_000).toISOString(), now: NOW };
  await say({ type: 'ChangeScheduledPayment', by: MILO, ...moved });
  const [first] = proven(DUE, [1]);
  const before = log.all.length;
  const journal = { look: () => Promise.resolve(undefined) } as never;
  await pauseSchedules({ log, streams, journal, now: NOW }, [], [first!]);
  expect(log.all).toHaveLength(before);
  expect(await streams.read(scheduledPayment, ID)).toMatchObject({
    status: 'pending',
    terms: { dueAt: moved.dueAt },
  });
});

it('tells a later time of a subscription, and pauses it, where the time before never came to the provider', async () => {
  const id = 'sub_1';
  const by = { correlationId: 'spec', actorId: MILO };
  const created = {
    type: 'CreateSubscription',
    subscriptionId: id,
    payerId: MILO,
    recipientId: 'usr_juno',
    amountMinor: 500,
    currency: 'usd',
    frequency: 'daily',
    description: undefined,
    fingerprint: 'f',
    now: DUE,
  } as const;
  await streams.execute(subscription, id, created, by);
  await streams.execute(subscription, id, { type: 'ClaimDue', now: DUE }, by);
  const occurrenceAt = (at: Date) => occurrenceIdFrom(id, at.toISOString());
  const later: ProvenOccurrence = {
    occurrenceId: occurrenceAt(LATER),
    kind: 'subscription',
    scheduleId: id,
    dueAt: LATER.toISOString(),
    attempt: 1,
    paymentId: 'pay_later',
  };
  const journal = journalOf({
    payments: [
      { paymentId: 'pay_0', status: 'opened' },
      { paymentId: 'pay_later', status: 'settled' },
    ],
    routes: new Map([
      [occurrenceAt(DUE), [{ attempt: 1, paymentId: 'pay_0' }]],
      [occurrenceAt(LATER), [later]],
    ]),
  });
  await pauseSchedules({ log, streams, journal, now: NOW }, [], [later]);
  expect(await streams.read(subscription, id)).toMatchObject({
    status: 'paused',
    paidDueAt: later.dueAt,
    open: undefined,
  });
});

it('holds up nothing where its stream is parked', async () => {
  const other = 'sch_2';
  const terms = { payerId: MILO, recipientId: 'usr_juno', amountMinor: 500, currency: 'usd' };
  await streams.execute(
    scheduledPayment,
    other,
    {
      type: 'SchedulePayment',
      scheduleId: other,
      ...terms,
      dueAt: DUE.toISOString(),
      description: undefined,
      fingerprint: 'f',
      now: ASKED_AT,
    },
    { correlationId: 'spec' },
  );
  log.put(scheduledPaymentStream(ID), { id: 'strange', type: 'Dimmed', data: {}, metadata: {} });
  const journal = journalOf({ payments: [], routes: new Map() });
  const due = [ID, other].map((id) => ({ id, kind: 'scheduled-payment' }) as const);
  const parts = { log, streams: new StreamRunner(log), journal, now: NOW };
  expect(await pauseSchedules(parts, due, proven(LATER, [1]))).toEqual([ID]);
  expect(await streams.read(scheduledPayment, other)).toMatchObject({ status: 'canceled' });
});
