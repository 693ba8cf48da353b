/**
 * What comes back after debts were given up leaves the books as if it had never been gone: whichever refunds
 * fail, disputes are won and payouts come back, and in whatever order.
 */
import { describe, expect, it } from '@jest/globals';
import { available, platform } from '#contracts/plain/accounts';
import { Rejected } from '#ledger/rejection';
import {
  apply,
  AT,
  completePayout,
  contextOf,
  dispute,
  failPayout,
  failRefund,
  JUNO,
  MILO,
  open,
  openAccount,
  payoutTransferred,
  refund,
  reinstateDisputed,
  requestPayout,
  returnPayout,
  settle,
  submitPayout,
  transfer,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { Dice } from '#test/simulator/dice';
import { decide } from './books.js';
import type { JournalCommand } from './commands.js';
import { Books } from './state.js';

/** A command, and what is gone by it, where something is; `undo` says that it is back. */
interface Step {
  readonly command: JournalCommand;
  readonly of?: string;
  readonly undoes?: string;
}

function booksOf(steps: readonly Step[]): { books: Books; taken: Step[] } {
  const books = new Books();
  const taken: Step[] = [];
  let revision = -1;
  for (const step of steps)
    try {
      const decision = decide(step.command, contextOf(step.command), books, Date.parse(AT));
      if (decision.kind !== 'entry') continue;
      apply(books, decision, ++revision);
      taken.push(step);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
    }
  return { books, taken };
}

/** Each tip is either refunded or disputed, as a provider has it. */
function historyOf(dice: Dice): Step[] {
  const tips = [1, 2, 3, 4, 5, 6].map((n) => ({ paymentId: `pay_${n}`, amount: `${n}0.00` }));
  const outs = ['out_1', 'out_2', 'out_3'];
  const steps: Step[] = [openAccount(JUNO), openAccount(MILO), ...tips.map(open)].map((command) => ({
    command,
  }));
  const rounds = new Map<string, number>();
  for (let n = 0; n < 80; n += 1) {
    const tip = dice.one(tips);
    const k = tips.indexOf(tip);
    const out = dice.one(outs);
    const of = `tip ${k}`;
    const round = rounds.get(of) ?? 0;
    steps.push(
      ...dice.one<() => Step[]>([
        () => [{ command: settle(tip) }],
        () => [{ command: settle(tip) }],
        () => [{ command: transfer(`${dice.between(1, 40)}.00`, JUNO, MILO, `trf_${n}`) }],
        () => [{ command: transfer(`${dice.between(1, 40)}.00`, JUNO, MILO, `trf_${n}`) }],
        () => {
          if (round % 2 === 1 || round > 2) return [];
          rounds.set(of, round + 1);
          return k % 2 === 0
            ? [{ command: refund(tip, tip.amount, `re_${k}_${round}`), of: `${of} ${round}` }]
            : [
                { command: dispute(tip) },
                { command: withdrawDisputed(tip, tip.amount, '0', round), of: `${of} ${round}` },
              ];
        },
        () => {
          if (round % 2 === 0) return [];
          rounds.set(of, round + 1);
          const undoes = `${of} ${round - 1}`;
          return k % 2 === 0
            ? [{ command: failRefund(tip, `re_${k}_${round - 1}`), undoes }]
            : [{ command: reinstateDisputed(tip, tip.amount, '0', round - 1), undoes }];
        },
        () =>
          [
            requestPayout(`${dice.between(1, 40)}.00`, JUNO, out),
            payoutTransferred(out),
            submitPayout(out),
            completePayout(out),
          ].map((command) => ({ command, of: out })),
        () => [
          { command: returnPayout(out), of: out },
          { command: failPayout(`trr_${out}`, out), of: out, undoes: out },
        ],
        () => [{ command: { type: 'WriteOffDebt', userId: JUNO, writeOffId: `wo_${n}` } }],
        () => [{ command: { type: 'WriteOffDebt', userId: JUNO, writeOffId: `wo_${n}` } }],
      ])(),
    );
  }
  return steps;
}

const seeds = Array.from({ length: Number(process.env['HISTORIES'] ?? 120) }, (_, n) => n + 1);

describe('what comes back after debts were given up', () => {
  it('leaves everybody with what they would have had it never been gone', () => {
    for (const seed of seeds) {
      const { books, taken } = booksOf(historyOf(new Dice(seed)));
      const undone = new Set(taken.flatMap(({ undoes }) => undoes ?? []));
      const rest = taken.filter(({ of, undoes }) => !undone.has(of ?? '') && undoes === undefined);
      const never = booksOf(rest).books;
      const held = (of: Books) =>
        [available(JUNO), platform('losses')].map((account) => of.balanceOf(account) ?? 0);
      expect({ seed, held: held(books) }).toEqual({ seed, held: held(never) });
    }
  });
});
