/**
 * Whatever a provider, banks, people and operators do, in any order that the ledger takes: the audit finds it
 * in order, and what its reports list adds up to what the journal holds.
 */
import { describe, expect, it } from '@jest/globals';
import { available, platform } from '#contracts/plain/accounts';
import type { JournalEvent } from '#contracts/events/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import { decide } from '#ledger/journal/books';
import { Rejected } from '#ledger/rejection';
import { askerOf } from '#test/support/asker';
import { Dice } from '#test/simulator/dice';
import {
  closeDispute,
  closeWallet,
  completePayout,
  contextOf,
  dispute,
  failPayout,
  failRefund,
  failUnapplied,
  fund,
  JUNO,
  MILO,
  open,
  openAccount,
  openWallet,
  payoutTransferred,
  refund,
  reinstateDisputed,
  requestPayout,
  returnPayout,
  returnUnapplied,
  settle,
  submitPayout,
  transfer,
  withdraw,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { aging, type AgingKind } from './books/aging.js';
import { THE_END } from './books/moments.js';
import { verifyLog } from './verify-log.js';

const STEPS = 150;
const seeds = Array.from({ length: 10 }, (_, n) => n + 1);

/** Nobody in these histories has added a bank account. */
const isOfBank = (finding: string): boolean =>
  /bank account ba_1 is none|account acct_1 at the provider/.test(finding);

/** The entry as a ledger wrote it that took nothing from what waits unclaimed: the platform bore all. */
function asOlderLedger(event: JournalEvent): JournalEvent {
  if (!('drawn' in event.data) || event.data.drawn === undefined) return event;
  const { drawn: _, postings, ...data } = event.data;
  const borne = postings.map((posting) =>
    posting.debit === platform('unclaimed') ? { ...posting, debit: platform('losses') } : posting,
  );
  const [first, second, ...more] = borne;
  const isSplit = first!.debit === second?.debit && first!.credit === second.credit;
  const whole = isSplit
    ? [{ ...first!, amountMinor: first!.amountMinor + second.amountMinor }, ...more]
    : borne;
  return { ...event, data: { ...data, postings: whole } } as JournalEvent;
}

function historyOf(seed: number): Story {
  const dice = new Dice(seed);
  const story = new Story();
  story.register(JUNO, profileOf('juno'));
  story.register(MILO, profileOf('milo'));
  story.command(openAccount(JUNO), openAccount(MILO));
  const tips = [1, 2, 3].map((n) => ({ paymentId: `pay_${n}`, amount: `${n}0.00` }));
  const stray = { paymentId: 'pay_stray', amount: '25.00' };
  const charges = [...tips, stray];
  story.command(...tips.map(open));
  const outs = ['out_1', 'out_2', 'out_3'];
  const amount = (): string => `${dice.between(1, 30)}.00`;
  const twoOf = <T extends JournalCommand>(command: T): JournalCommand =>
    'disputeId' in command && dice.chance(0.4)
      ? ({ ...command, disputeId: `${String(command.disputeId)}_b` } as JournalCommand)
      : command;
  const any: readonly ((n: number) => JournalCommand)[] = [
    () => settle(dice.one(charges)),
    () => settle(dice.one(charges)),
    (n) => refund(dice.one(tips), amount(), `re_${n % 12}`),
    () => failRefund(dice.one(tips), `re_${dice.below(12)}`),
    (n) => ({ ...returnUnapplied('ch_pay_stray', amount()), refundId: `reu_${n % 5}` }) as JournalCommand,
    () => failUnapplied('ch_pay_stray', `reu_${dice.below(5)}`),
    () => twoOf(dispute(dice.one(charges))),
    (n) => twoOf(withdrawDisputed(dice.one(charges), amount(), '0', n)),
    (n) => twoOf(reinstateDisputed(dice.one(charges), amount(), dice.one(['0', '5.00']), n)),
    () => twoOf(closeDispute(dice.one(charges), dice.one(['won', 'lost'] as const))),
    () => requestPayout(amount(), JUNO, dice.one(outs)),
    () => payoutTransferred(dice.one(outs)),
    () => submitPayout(dice.one(outs)),
    () => completePayout(dice.one(outs)),
    () => returnPayout(dice.one(outs)),
    () => {
      const out = dice.one(outs);
      const status = story.books.payouts.get(out)?.status;
      return failPayout(status === 'requested' || status === undefined ? undefined : `trr_${out}`, out);
    },
    (n) => transfer(amount(), JUNO, MILO, `trf_${n}`),
    (n) => transfer(amount(), MILO, JUNO, `trf_${n}`),
    (n) => openWallet(JUNO, `wal_${n % 3}`),
    (n) => fund(amount(), `wtx_in_${n}`, JUNO, `wal_${n % 3}`),
    (n) => withdraw(amount(), `wtx_out_${n}`, JUNO, `wal_${n % 3}`),
    (n) => closeWallet(`wtx_close_${n}`, JUNO, `wal_${n % 3}`),
    (n) => ({ type: 'WriteOffDebt', userId: JUNO, writeOffId: `wo_${n}` }),
    (n) => ({ type: 'WriteOffDebt', userId: JUNO, writeOffId: `wo_${n}` }),
    () => {
      const itemId = dice.one([...outs, 're_1', 're_2', 're_3']);
      const amountMinor = story.books.unclaimed.get(itemId)?.amountMinor ?? 100;
      return { type: 'PayUnclaimed', itemId, amountMinor, reference: 'wire' };
    },
    ...(seed % 2 === 0 ? [(): JournalCommand => ({ type: 'CloseAccount', userId: JUNO })] : []),
  ];
  for (let n = 0; n < STEPS; n += 1) {
    const command = dice.one(any)(n);
    try {
      const decision = decide(command, contextOf(command), story.books, story.nowMs);
      if (decision.kind !== 'entry') continue;
      const event = seed % 4 === 0 && dice.chance(0.5) ? asOlderLedger(decision.event) : decision.event;
      story.entry(event, { key: decision.key, actorId: askerOf(command) });
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
    }
  }
  return story;
}

describe('any history', () => {
  it.each(seeds)('is in order, and adds up (seed %i)', async (seed) => {
    const story = historyOf(seed);
    const { checks, balances } = await verifyLog(story.log);
    const findings = checks.flatMap((check) => check.findings).filter((finding) => !isOfBank(finding));
    expect({ seed, findings }).toEqual({ seed, findings: [] });
    const sumOf = async (kind: AgingKind): Promise<number> =>
      (await aging(story.log, kind, THE_END, new Date(story.nowMs))).items
        .filter(({ currency }) => currency === 'usd')
        .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    const held = (account: string): number => balances.get(account) ?? 0;
    expect({ seed, unapplied: await sumOf('unapplied') }).toEqual({
      seed,
      unapplied: held(platform('unapplied')),
    });
    expect({ seed, unclaimed: await sumOf('unclaimed') }).toEqual({
      seed,
      unclaimed: held(platform('unclaimed')),
    });
    expect({ seed, debts: await sumOf('debts') }).toEqual({
      seed,
      debts: Math.max(0, -held(available(JUNO))),
    });
  });
});
