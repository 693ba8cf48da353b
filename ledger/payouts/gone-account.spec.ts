/** A payout that was sent, and then its account at the provider was deleted or taken away. */
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ConnectHints, type Hint } from '#ledger/bus/connect-hints';
import { InternalCommands } from '#ledger/bus/internal-commands';
import type { Journal } from '#ledger/journal/journal';
import type { PayoutProvider } from '#ledger/stripe/payout-provider';
import { PayoutAccountGone } from '#ledger/stripe/provider-payout';
import { PayoutProcess } from './payouts.handlers.js';

const UNUSED = {} as never;
const AT_PROVIDER = { connectAccountId: 'acct_gone', providerPayoutId: 'po_1' };

it('is told of the account, and neither its webhooks nor the look at it fail', async () => {
  const payout = { payoutId: 'out_1', userId: 'user_1', status: 'submitted', ...AT_PROVIDER };
  const journal = { look: () => Promise.resolve(payout) } as unknown as Journal;
  const provider = {
    payout: () => Promise.reject(new PayoutAccountGone(AT_PROVIDER.connectAccountId)),
  } as unknown as PayoutProvider;
  const told: Hint[] = [];
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const hints = new ConnectHints().on('account', (hint) => {
    told.push(hint);
    return Promise.resolve();
  });
  const payouts = new PayoutProcess(
    UNUSED,
    journal,
    UNUSED,
    provider,
    UNUSED,
    UNUSED,
    UNUSED,
    UNUSED,
    new InternalCommands(),
    hints,
    log,
    UNUSED,
  );

  await payouts.advance('out_1', { correlationId: 'look' });
  await hints.tell({ about: 'provider-payout', ...AT_PROVIDER }, { correlationId: 'webhook' });

  const { connectAccountId } = AT_PROVIDER;
  expect(told).toEqual([
    { about: 'account', connectAccountId, userId: 'user_1' },
    { about: 'account', connectAccountId },
  ]);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { correlationId: 'look', payoutId: 'out_1', ...AT_PROVIDER },
    { correlationId: 'webhook', ...AT_PROVIDER },
  ]);
});
