/**
 * Transfers and payouts of somebody else's in the same account: counted, passed over, and holding up nothing.
 */
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ConnectHints } from '#ledger/bus/connect-hints';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { ConnectReconciliation } from '#ledger/connect/connect.handlers';
import { Journal } from '#ledger/journal/journal';
import type { PayoutProvider } from '#ledger/stripe/payout-provider';
import { archiveOf } from '#test/support/log-archive';
import { MemoryLog } from '#test/support/memory-log';
import { CountedFigures } from '#test/support/provider-figures';
import { PayoutProcess } from './payouts.handlers.js';

const UNUSED = {} as never;
const since = '2026-03-10T12:00:00.000Z';

/**
 * What a ledger with an empty journal counts of one transfer and one payout, and that it does nothing else.
 */
async function seen(isSealed: boolean): Promise<string[]> {
  const log = new MemoryLog();
  const journal = await Journal.open(log, { archive: archiveOf(log) });
  const figures = new CountedFigures();
  const lost = {
    found(kind: string, id: string) {
      figures.seen.push(`lost ${kind} ${id}`);
      return Promise.resolve();
    },
  };
  const silent = pino({ level: 'silent' });
  const commands = new InternalCommands();
  const hints = new ConnectHints();
  const provider = {
    transferredBetween: () =>
      Promise.resolve([{ payoutId: 'out_theirs', providerTransferId: 'tr_theirs', isSealed }]),
    payout: () => Promise.resolve({ payoutId: 'out_theirs', isSealed }),
  } as unknown as PayoutProvider;
  new PayoutProcess(
    UNUSED,
    journal,
    UNUSED,
    provider,
    UNUSED,
    UNUSED,
    UNUSED,
    figures,
    commands,
    hints,
    silent,
    lost,
  );
  new ConnectReconciliation(provider, hints, commands, silent);
  const reconciled = await commands.carryOut({ type: 'ReconcileTransfers', since, until: since }, 'spec');
  expect(reconciled).toEqual({ looked: 1, failed: [] });
  await hints.tell(
    { about: 'provider-payout', connectAccountId: 'acct_1', providerPayoutId: 'po_theirs' },
    { correlationId: 'spec' },
  );
  expect(log.all).toEqual([]);
  await journal.close();
  return figures.seen;
}

describe('a transfer or a payout that the journal lacks', () => {
  it('is passed over and counted where it is somebody else’s, and no reconciliation comes back to it', async () =>
    expect(await seen(false)).toEqual(['foreign transfer', 'foreign payout']));
  it('says that the log has lost something where it carries our seal', async () =>
    expect(await seen(true)).toEqual([
      'unknown transfer tr_theirs',
      'lost transfer tr_theirs',
      'unknown payout po_theirs',
      'lost payout po_theirs',
    ]));
});
