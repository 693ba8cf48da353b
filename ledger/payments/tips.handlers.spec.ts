/**
 * A tip by saved card that is sent again, for its answer was lost: what has changed since does not make it
 * another one.
 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import { RequireStaying } from '#ledger/bus/known-user';
import { FindCard } from '#ledger/bus/saved-cards';
import { Journal } from '#ledger/journal/journal';
import { Rejected } from '#ledger/rejection';
import { declinesWith } from '#test/support/declines';
import { CARD, JUNO, MILO, openAccount } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { Tips } from './tips.handlers.js';

const BY = { correlationId: 'spec', network: '192.0.2.7' };
const [KEY, OTHER_KEY] = ['019d0000-0000-7000-8000-000000000001', '019d0000-0000-7000-8000-000000000002'];
const BODY = { toUserId: JUNO, amount: 2_000, from: 'pm_card', description: undefined };
const PAID = { status: 'completed', clientSecret: null, failureReason: null };

async function tipsOfMilo() {
  const log = new MemoryLog();
  const stopped = () => new Promise<never>(() => undefined);
  const journal = await Journal.open(log, { archive: { find: stopped, entriesOf: stopped } });
  for (const user of [JUNO, MILO]) await journal.execute(openAccount(user), BY);
  const world = { isCardThere: true, isLeaving: false, rows: Promise.resolve(), sealing: 0 };
  const declines = declinesWith({ 'payer-declines': 1 });
  const bus = {
    execute: (asked: ExecuteJournalCommand | RequireStaying | FindCard) => {
      if (asked instanceof ExecuteJournalCommand) return journal.execute(asked.command, asked.context);
      if (asked instanceof RequireStaying)
        return world.rows.then(() => {
          if (world.isLeaving) throw new Rejected('RecipientLeaves', { recipientId: JUNO });
        });
      return world.isCardThere ? Promise.resolve(CARD) : Promise.reject(new Rejected('CardNotFound'));
    },
  };
  const vault = {
    fingerprint: (_: string, body: unknown) => {
      world.sealing += 1;
      return Promise.resolve(JSON.stringify(body));
    },
  };
  const cards = { charge: (id: string) => Promise.resolve({ ...PAID, id }) };
  const tips = new Tips(bus as never, cards as never, vault as never, declines, journal);
  return {
    world,
    declines,
    opened: () => log.all.filter(({ type }) => type === 'PaymentOpened').length,
    pay: async (key = KEY, amount = BODY.amount) =>
      (await tips.pay(MILO, { ...BODY, amount }, key, true, BY)).answer,
  };
}

describe('a tip by saved card that is sent again', () => {
  let milo: Awaited<ReturnType<typeof tipsOfMilo>>;
  let answer: Awaited<ReturnType<typeof milo.pay>>;
  beforeEach(async () => {
    milo = await tipsOfMilo();
    answer = await milo.pay();
  });

  it('is answered as before, and paid once', async () => {
    expect(await milo.pay()).toEqual(answer);
    expect(milo.opened()).toBe(1);
  });

  it('is answered as before where the card was removed since', async () => {
    milo.world.isCardThere = false;
    expect(await milo.pay()).toEqual(answer);
    expect(milo.opened()).toBe(1);
  });

  it('is answered as before where too many cards were declined since', async () => {
    await milo.declines.declined('pay_other', { payerId: MILO, recipientId: JUNO }, undefined);
    expect(await milo.pay()).toEqual(answer);
    expect(milo.opened()).toBe(1);
  });

  it('is answered as before where the recipient has asked to be forgotten since; a new one is refused', async () => {
    milo.world.isLeaving = true;
    expect(await milo.pay()).toEqual(answer);
    await expect(milo.pay(OTHER_KEY)).rejects.toMatchObject({ reason: 'RecipientLeaves' });
    expect(milo.opened()).toBe(1);
  });

  it('does not wait for the rows before it is sealed, and is opened only once they say that its recipient stays', async () => {
    let say = (): void => undefined;
    milo.world.rows = new Promise((resolve) => (say = resolve));
    const before = milo.world.sealing;
    const paying = milo.pay(OTHER_KEY);
    await new Promise((resolve) => setImmediate(resolve));
    expect([milo.world.sealing, milo.opened()]).toEqual([before + 1, 1]);
    say();
    await paying;
    expect(milo.opened()).toBe(2);
  });

  it('is refused with another amount, as ever', async () => {
    milo.world.isCardThere = false;
    await expect(milo.pay(KEY, 2_100)).rejects.toMatchObject({ reason: 'KeyReused' });
  });

  it('is another one under another key, and refused without the card or after too many declines', async () => {
    milo.world.isCardThere = false;
    await expect(milo.pay(OTHER_KEY)).rejects.toMatchObject({ reason: 'CardNotFound' });
    milo.world.isCardThere = true;
    await milo.declines.declined('pay_other', { payerId: MILO, recipientId: JUNO }, undefined);
    await expect(milo.pay(OTHER_KEY)).rejects.toMatchObject({ answer: { status: 429 } });
    expect(milo.opened()).toBe(1);
  });
});
