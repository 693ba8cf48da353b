/** Forgetting somebody while a stranger has a payment to them open, or while they owe something. */
import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { available, platform } from '#contracts/plain/accounts';
import type { JournalCommand } from '#ledger/journal/commands';
import { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import { ExecuteStreamCommand } from '#ledger/bus/execute-stream-command';
import { DropCardsOf, EndSchedulesOf, ForgetGuestsOf } from '#ledger/bus/forget-user';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { GiveUpPayment } from '#ledger/bus/payments';
import { Journal } from '#ledger/journal/journal';
import type { Sessions } from '#ledger/sessions/sessions';
import type { Vault } from '#log/vault';
import { StreamParked, Unavailable } from '#ledger/rejection';
import {
  cancel,
  contextOf,
  JUNO,
  MILO,
  open,
  openAccount,
  refund,
  settle,
  submit,
  transfer,
} from '#test/support/journal-spec';
import { archiveOf } from '#test/support/log-archive';
import { MemoryLog } from '#test/support/memory-log';
import { ForgetUserHandler } from './users.handlers.js';

const strangers = { paymentId: 'pay_open', amount: '5.00' };
const tip = { paymentId: 'pay_1', amount: '20.00' };

/** The handler over a journal of its own; `provider` says what giving a payment up comes to. */
async function forgetting(provider: 'cancels' | 'is away', ...history: JournalCommand[]) {
  const log = new MemoryLog();
  const journal = await Journal.open(log, { archive: archiveOf(log) });
  for (const command of [openAccount(JUNO), openAccount(MILO), ...history])
    await journal.execute(command, contextOf(command));
  const givenUp: string[] = [];
  /** What is asked of users' streams and of guests, in order. */
  const asks: string[] = [];
  const said: string[] = [];
  let parked: readonly ('cards' | 'guest')[] = [];
  const position = { commit: 7n, prepare: 7n };
  const bus = {
    async execute(asked: object) {
      if (asked instanceof ExecuteJournalCommand) return journal.execute(asked.command, asked.context);
      if (asked instanceof ExecuteStreamCommand) {
        asks.push((asked.command as { type: string }).type);
        return { position };
      }
      if (asked instanceof DropCardsOf && parked.includes('cards'))
        throw new StreamParked(`cards-${JUNO}`, 3, 'unreadable');
      if (asked instanceof EndSchedulesOf) asks.push('EndSchedulesOf');
      if (asked instanceof ForgetGuestsOf && parked.includes('guest')) {
        asks.push('ForgetGuestsOf');
        throw new StreamParked('guest-gst_a', 1, 'unreadable');
      }
      if (asked instanceof ForgetGuestsOf) {
        expect(asked).toMatchObject({ userId: JUNO, since: position });
        asks.push('ForgetGuestsOf');
        if (isBehind) throw new Unavailable('Behind.');
      }
      if (!(asked instanceof GiveUpPayment)) return undefined;
      givenUp.push(asked.paymentId);
      if (provider === 'is away') throw new Unavailable('Away.');
      return journal.execute(cancel({ paymentId: asked.paymentId, amount: '1.00' }), {
        correlationId: 'spec',
      });
    },
  } as unknown as CommandBus;
  const commands = new InternalCommands();
  const nothing = { forget: () => Promise.resolve(), endAllOf: () => Promise.resolve() };
  new ForgetUserHandler(
    bus,
    nothing as unknown as Vault,
    nothing as unknown as Sessions,
    journal,
    commands,
    pino({ level: 'warn' }, { write: (line: string) => void said.push(line) }),
  );
  const types = () => log.all.map(({ type }) => type);
  let isBehind = false;
  return {
    asks,
    /** The rows are not there yet, or are. */
    fallBehind: (is: boolean) => (isBehind = is),
    park: (...which: typeof parked) => (parked = which),
    /** What the log warns of. */
    said,
    journal,
    givenUp,
    types,
    forget: () => commands.carryOut({ type: 'ForgetUser', userId: JUNO }, 'spec'),
  };
}

describe('forgetting somebody', () => {
  it('ends a stranger’s open payment to them first', async () => {
    const { forget, givenUp, types, journal } = await forgetting(
      'cancels',
      open(strangers),
      submit(strangers),
    );
    await forget();
    expect(givenUp).toEqual(['pay_open']);
    expect(types().slice(-2)).toEqual(['PaymentCanceled', 'AccountClosed']);
    await journal.close();
  });

  it('is kept up by no payment that cannot be ended: what it pays goes back', async () => {
    const { forget, types, journal } = await forgetting('is away', open(strangers), submit(strangers));
    await forget();
    expect(types().at(-1)).toBe('AccountClosed');
    const { key } = await journal.execute(settle(strangers), { correlationId: 'spec' });
    expect(key).toBe('unapplied:ch_pay_open');
    expect(journal.balanceOf(available(JUNO))).toBe(0);
    await journal.close();
  });

  it('is refused while money of theirs is left, and then ends nobody’s payment', async () => {
    const { forget, givenUp, journal } = await forgetting('cancels', open(tip), settle(tip), open(strangers));
    await expect(forget()).rejects.toMatchObject({ reason: 'MoneyLeft' });
    expect(givenUp).toEqual([]);
    await journal.close();
  });

  it('is not finished before whom they were as a guest is forgotten too', async () => {
    const { forget, asks, fallBehind, journal } = await forgetting('cancels');
    fallBehind(true);
    await expect(forget()).rejects.toBeInstanceOf(Unavailable);
    expect(asks).toEqual(['Forget', 'EndSchedulesOf', 'ForgetGuestsOf']);
    fallBehind(false);
    await forget();
    expect(asks.slice(3)).toEqual(['Forget', 'EndSchedulesOf', 'ForgetGuestsOf', 'FinishForgetting']);
    await journal.close();
  });

  it('waits for nothing but its end where a stream is parked, and says in the log which one holds that back', async () => {
    const { forget, asks, park, said, journal } = await forgetting('cancels');
    park('cards', 'guest');
    await expect(forget()).rejects.toBeInstanceOf(StreamParked);
    expect(asks).toEqual(['Forget', 'EndSchedulesOf', 'ForgetGuestsOf']);
    expect(said.map((line) => JSON.parse(line) as object)).toMatchObject([
      { userId: JUNO, stream: `cards-${JUNO}`, revision: 3 },
      { userId: JUNO, stream: 'guest-gst_a', revision: 1 },
    ]);
    park();
    await forget();
    expect(asks.at(-1)).toBe('FinishForgetting');
    await journal.close();
  });

  it('books what they owe as a loss, and may be asked again', async () => {
    const spent = [open(tip), settle(tip), transfer('20.00', JUNO, MILO), refund(tip, '20.00')];
    const { forget, types, journal } = await forgetting('cancels', ...spent);
    await forget();
    await forget();
    expect(types().filter((type) => type === 'AccountClosed')).toHaveLength(1);
    expect(journal.balanceOf(available(JUNO))).toBe(0);
    expect(journal.balanceOf(platform('losses'))).toBe(-2000);
    await journal.close();
  });
});
