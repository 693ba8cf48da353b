/** A history whose money moves in four months and three currencies, for what is told of months. */
import type { JournalCommand } from '#ledger/journal/commands';
import {
  collect,
  fund,
  open,
  openWallet,
  providerFee,
  settle,
  transfer,
  JUNO,
  MILO,
} from './journal-spec.js';
import { OutsideWorld } from './outside-world.js';
import type { Story } from './story.js';

const DAY_MS = 86_400_000;

/** A provider's world and more of the ledger's own, over four months, with money in other currencies. */
export function fourMonths(): Story {
  const { story } = new OutsideWorld(7, 'exclusive');
  for (let month = 1; month <= 3; month++) {
    story.nowMs += 25 * DAY_MS;
    const tip = { paymentId: `pay_month_${month}`, amount: '120.00', charge: `ch_month_${month}` };
    story.command(
      open(tip),
      settle(tip),
      providerFee(tip, '3.78'),
      transfer('1.00', JUNO, MILO, `trf_${month}`),
    );
  }
  const euros: JournalCommand = {
    ...settle({ paymentId: 'pay_none', amount: '7.77' }),
    currency: 'eur',
  } as JournalCommand;
  const yen: JournalCommand = {
    ...settle({ paymentId: 'pay_no', amount: '9.00' }),
    currency: 'jpy',
  } as JournalCommand;
  story.command(openWallet(), fund('5.00'), collect('0.50'), euros, yen);
  return story;
}
