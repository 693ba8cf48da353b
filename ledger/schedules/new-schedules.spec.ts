/** One request for a schedule that reaches two ledgers at once: both say that it is made. */
import { describe, expect, it } from '@jest/globals';
import type { ExecuteStreamCommand } from '#ledger/bus/execute-stream-command';
import { Rejected } from '#ledger/rejection';
import { StreamRunner } from '#ledger/streams/runner';
import { MemoryLog } from '#test/support/memory-log';
import { NewSchedules } from './new-schedules.js';
import { ScheduledPaymentsController } from './scheduled-payments.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';

const MILO = { userId: 'usr_milo', correlationId: 'spec' } as never;
const KEY = '019d0000-0000-7000-8000-000000000001';
const NOW = new Date('2026-03-01T12:00:00.000Z');
const TERMS = { toUserId: 'usr_juno', amount: 500, description: undefined };
const SUBSCRIPTION = { ...TERMS, frequency: 'monthly' } as const;
const SCHEDULED = { ...TERMS, scheduledDate: '2026-03-02T12:00:00.000Z' };

const KINDS = { subscription: SubscriptionsController, 'scheduled payment': ScheduledPaymentsController };
type Kind = keyof typeof KINDS;

function ledgers(kind: Kind) {
  const log = new MemoryLog(() => NOW);
  /** `asked`: what happens while a ledger looks whether the payer can pay. */
  const ledger = (asked: () => Promise<void>) => {
    const streams = new StreamRunner(log, () => NOW);
    const nothing = () => Promise.resolve(undefined);
    const controller = new (KINDS[kind] as typeof ScheduledPaymentsController)(
      {
        execute: ({ decider, id, command, provenance }: ExecuteStreamCommand<never, never, never>) =>
          streams.execute(decider, id, command, provenance),
      } as never,
      streams,
      new NewSchedules({} as never, { assertPossible: asked } as never, { take: nothing } as never),
      {} as never,
      { collect: nothing } as never,
      { of: nothing } as never,
      { now: () => NOW },
      { fingerprint: (_: string, body: object) => Promise.resolve(JSON.stringify(body)) } as never,
      { hold: () => Promise.resolve(true) } as never,
      {} as never,
    );
    const body = kind === 'subscription' ? SUBSCRIPTION : SCHEDULED;
    return async (amount = TERMS.amount): Promise<string> =>
      (await controller.create(MILO, { ...body, amount } as never, KEY, {} as never)).id;
  };
  return { ledger, made: () => log.all.filter(({ type }) => /Created|PaymentScheduled/.test(type)).length };
}

describe.each(Object.keys(KINDS) as Kind[])('a request for a %s that is sent twice', (kind) => {
  const BROKE = new Rejected('CardRequired');
  const broke = () => Promise.reject(BROKE);

  it('is answered as made by the ledger that finds the money gone, for the other one has made it', async () => {
    const { ledger, made } = ledgers(kind);
    const here = ledger(() => Promise.resolve());
    let id = '';
    const there = ledger(async () => {
      id = await here();
      return broke();
    });
    expect(await there()).toBe(id);
    expect(made()).toBe(1);
  });

  it('is refused where nobody has made it', async () => {
    const { ledger, made } = ledgers(kind);
    await expect(ledger(broke)()).rejects.toBe(BROKE);
    expect(made()).toBe(0);
  });

  it('is refused where another amount was made under its key', async () => {
    const { ledger, made } = ledgers(kind);
    const here = ledger(() => Promise.resolve());
    const there = ledger(async () => {
      await here(700);
      return broke();
    });
    await expect(there()).rejects.toMatchObject({ reason: 'KeyReused' });
    expect(made()).toBe(1);
  });
});
