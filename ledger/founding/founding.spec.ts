/** Log and provider account belong together, or the ledger does not start. */
import { describe, expect, it } from '@jest/globals';
import { Journal } from '#ledger/journal/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import type { ProviderMode } from '#contracts/events/journal';
import { recorded } from '#log/event-log';
import { archiveOf } from '#test/support/log-archive';
import { contextOf, JUNO, MILO, open, openAccount, submit } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { CannotFound, foundLedger, FoundingGate } from './founding.js';

const tip = { paymentId: 'pay_1', amount: '20.00' };
const before = [openAccount(JUNO), openAccount(MILO), open(tip), submit(tip)];

/** An account of the provider's with these payments, of which one may be another ledger's. */
const accountOf = (providerAccountId: string, intents: readonly string[] = [], another?: string) => ({
  current: () => Promise.resolve({ providerAccountId, mode: 'test' as ProviderMode }),
  has: (intentId: string) => Promise.resolve(intents.includes(intentId)),
  objectOfALedger: () => Promise.resolve(another),
});

async function journalWith(log: MemoryLog, ...commands: readonly JournalCommand[]) {
  const journal = await Journal.open(log, { archive: archiveOf(log) });
  for (const command of commands) await journal.execute(command, contextOf(command));
  return journal;
}
const typesIn = (log: MemoryLog): string[] => log.all.map((raw) => recorded(raw).type);

describe('a ledger', () => {
  it('with an empty log is founded over the account of its keys, in its first entry', async () => {
    const log = new MemoryLog();
    const journal = await journalWith(log);
    expect(await foundLedger({ journal, log, account: accountOf('acct_a') })).toBe(
      'This ledger is now founded over the card provider’s account acct_a (test mode).',
    );
    expect(typesIn(log)).toEqual(['LedgerFounded']);
    const again = await journalWith(log);
    expect(again.founding).toEqual({ providerAccountId: 'acct_a', mode: 'test' });
    expect(again.ledgerId).toMatch(/^led_[0-9a-z]{26}$/);
    expect(again.ledgerId).toBe(journal.ledgerId);
    expect(await foundLedger({ journal: again, log, account: accountOf('acct_a') })).toContain('is founded');
    expect(typesIn(log)).toEqual(['LedgerFounded']);
  });

  it('is refused a start with the keys of another account', async () => {
    const log = new MemoryLog();
    const journal = await journalWith(log);
    await foundLedger({ journal, log, account: accountOf('acct_a') });
    for (const isOperatorsAct of [false, true])
      await expect(
        foundLedger({ journal, log, account: accountOf('acct_b') }, isOperatorsAct),
      ).rejects.toThrow('was founded over acct_a');
    const live = {
      ...accountOf('acct_a'),
      current: async () => ({ providerAccountId: 'acct_a', mode: 'live' as const }),
    };
    await expect(foundLedger({ journal, log, account: live })).rejects.toBeInstanceOf(CannotFound);
  });

  it('keeps its months in the time zone that it was founded in, and is refused a start with another', async () => {
    const log = new MemoryLog();
    const journal = await journalWith(log);
    const account = accountOf('acct_a');
    await foundLedger({ journal, log, account, timeZone: 'Europe/Berlin' });
    expect(journal.founding?.timeZone).toBe('Europe/Berlin');
    expect(await foundLedger({ journal, log, account })).toContain('is founded');
    await expect(foundLedger({ journal, log, account, timeZone: 'UTC' })).rejects.toThrow(
      'Set Europe/Berlin',
    );
  });

  it('of before is founded where it stands, over the account that has its payments', async () => {
    const log = new MemoryLog();
    const journal = await journalWith(log, ...before);
    const { ledgerId } = journal;
    await expect(foundLedger({ journal, log, account: accountOf('acct_b') })).rejects.toThrow(
      'does not have the payment pi_pay_1',
    );
    await foundLedger({ journal, log, account: accountOf('acct_a', ['pi_pay_1'], 'pi_pay_1') });
    expect(typesIn(log).at(-1)).toBe('LedgerFounded');
    expect(journal.ledgerId).toBe(ledgerId);
  });

  it('with an empty log is not founded beside another ledger’s payments, unless an operator says so', async () => {
    const log = new MemoryLog();
    const journal = await journalWith(log, openAccount(JUNO));
    const account = accountOf('acct_a', [], 'pi_theirs');
    await expect(foundLedger({ journal, log, account })).rejects.toThrow('encore operate found');
    expect(typesIn(log)).toEqual(['AccountOpened']);
    await foundLedger({ journal, log, account }, true);
    expect(typesIn(log)).toEqual(['AccountOpened', 'LedgerFounded']);
    expect(await foundLedger({ journal, log, account })).toContain('is founded');
  });

  it('keeps the provider out of reach until that is proven', async () => {
    let answer: () => Promise<string> = () => Promise.reject(new CannotFound('another account'));
    const gate = new FoundingGate(() => answer());
    expect(() => gate.assertProven()).toThrow('still being set up');
    await expect(gate.attempt()).rejects.toThrow('another account');
    expect(() => gate.assertProven()).toThrow('still being set up');
    answer = () => Promise.resolve('founded');
    await gate.attempt();
    expect(() => gate.assertProven()).not.toThrow();
  });
});
