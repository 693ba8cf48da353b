/**
 * A provider that says anything at all: any currency, amount, text, id and order. Whatever it says is booked
 * or refused alone; the writer goes on, every reader can read what it wrote, and no key stands in two
 * entries.
 */
import { describe, expect, it } from '@jest/globals';
import { platform } from '#contracts/plain/accounts';
import { JOURNAL } from '#contracts/events/journal';
import { recorded } from '#log/event-log';
import { Journal } from '#ledger/journal/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import type { JournalObservation } from '#ledger/journal/options';
import { Rejected } from '#ledger/rejection';
import { archiveOf } from '#test/support/log-archive';
import {
  AT,
  apply,
  booksAfter,
  closeDispute,
  contextOf,
  dispute,
  given,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  open,
  openAccount,
  refund,
  reinstateDisputed,
  returnUnapplied,
  settle,
  snapshot,
  submit,
  transfer,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { Dice } from '#test/simulator/dice';
import { MemoryLog } from '#test/support/memory-log';
import { decide } from './books.js';

const tip = { paymentId: 'pay_1', amount: '20.00' };
const other = { paymentId: 'pay_2', amount: '30.00' };
const people = [openAccount(JUNO), openAccount(MILO)];
const paid = [...people, open(tip), settle(tip)];
const UNAPPLIED_EUR = platform('unapplied', 'eur');
const inEuro = (command: JournalCommand): JournalCommand =>
  ({ ...command, currency: 'eur' }) as JournalCommand;

describe('a dispute in another currency than its charge', () => {
  it('is kept apart in its own currency, and takes nothing from the recipient', () =>
    void given(...paid, dispute(tip))
      .when(inEuro(withdrawDisputed(tip, '18.00')))
      .then('DisputeFundsWithdrawn', {
        [JUNO_AVAILABLE]: '20.00',
        [UNAPPLIED_EUR]: '-18.00',
        [platform('card-clearing', 'eur')]: '18.00',
      }));

  it('that gives money back in it takes it from where it was kept, whoever bore what was taken', () => {
    given(...paid, dispute(tip), withdrawDisputed(tip))
      .when(inEuro(reinstateDisputed(tip, '18.00')))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '0', [UNAPPLIED_EUR]: '18.00' });
    given(...paid, dispute(tip), inEuro(withdrawDisputed(tip)), inEuro(reinstateDisputed(tip)))
      .when(closeDispute(tip, 'won'))
      .then('DisputeWon', { [JUNO_AVAILABLE]: '20.00', [UNAPPLIED_EUR]: '0' });
  });

  it('of money that no payment explains leaves what is held of it', () => {
    const stray = { paymentId: 'pay_stray', amount: '20.00' };
    const event = given(settle(stray), dispute(stray))
      .when(inEuro(withdrawDisputed(stray)))
      .then('DisputeFundsWithdrawn', { [platform('unapplied')]: '20.00', [UNAPPLIED_EUR]: '-20.00' });
    expect(event.data).toMatchObject({ unappliedMinor: 0, platformMinor: 2_000 });
  });
});

describe('a refund in another currency than its charge', () => {
  it('is refused alone', () => {
    const euro = { ...refund(tip, '5.00'), currency: 'eur' } as JournalCommand;
    given(...paid)
      .when(euro)
      .thenRejects('OtherCurrency');
    given(...paid)
      .when({ ...refund(tip, '5.00'), currency: 'usd' } as JournalCommand)
      .then('PaymentRefunded');
  });
});

describe('an entry that the books cannot take', () => {
  const hostile: readonly (readonly [string, JournalCommand])[] = [
    ['an amount below zero', { ...refund(tip, '5.00'), amountMinor: -500 } as JournalCommand],
    ['an amount that is no whole number', { ...refund(tip, '5.00'), amountMinor: 0.5 } as JournalCommand],
    ['no amount', { ...settle(other, { amountMinor: 0 }) }],
    ['a sum beyond what can be held exactly', settle(other, { amountMinor: Number.MAX_SAFE_INTEGER })],
    ['a currency that is none', settle(other, { currency: 'a/b' })],
    ['a zero byte', settle(other, { intentId: 'pi_\0' })],
    ['half a character', settle(other, { intentId: 'pi_\ud800' })],
    ['an id longer than any', settle(other, { chargeId: 'c'.repeat(3_000) })],
  ];
  it.each(hostile)('is refused alone: %s', (_, command) => {
    given(...paid)
      .when(command)
      .thenRejects('DoesNotApply');
  });

  it.each([-500, 0, 0.5])('is refused alone: %s returned of what no payment explains', (amountMinor) => {
    given(...people, settle(tip))
      .when({ ...returnUnapplied('ch_pay_1', '20.00'), amountMinor } as JournalCommand)
      .thenRejects('DoesNotApply');
  });

  it('is thrown before any of it has changed the books', () => {
    const books = booksAfter(...paid);
    const before = snapshot(books);
    const postings = [
      { debit: platform('card-clearing'), credit: JUNO_AVAILABLE, amountMinor: 500 },
      { debit: platform('card-clearing'), credit: JUNO_AVAILABLE, amountMinor: Number.MAX_SAFE_INTEGER },
    ];
    const data = {
      transferId: 'trf_x',
      payerId: MILO,
      recipientId: JUNO,
      amountMinor: 1_000,
      currency: 'usd',
    };
    const event = { type: 'TransferPosted' as const, data: { ...data, postings } };
    expect(() => apply(books, { kind: 'entry', key: 'k', event }, 9)).toThrow('would be');
    expect(snapshot(books)).toEqual(before);
    expect(books.keys.get('k')).toBeUndefined();
  });
});

describe('an object of the provider that is told of two payments', () => {
  it('is booked once, to the one that it was told of first', () => {
    given(...paid, open(other), settle(other), refund(tip, '5.00', 're_1'))
      .when(refund(other, '5.00', 're_1'))
      .thenNothing();
    const fee = { type: 'BookProviderFee', balanceTransactionId: 'txn_1', amountMinor: 88 } as const;
    const feeOf = ({ paymentId }: { paymentId: string }): JournalCommand => ({
      ...fee,
      paymentId,
      chargeId: `ch_${paymentId}`,
      currency: 'usd',
      netMinor: 1912,
      availableOn: AT,
      occurredAt: AT,
    });
    given(...paid, open(other), settle(other), feeOf(tip))
      .when(feeOf(other))
      .thenNothing();
  });

  it('is booked once also when the first entry has left the memory', async () => {
    const log = new MemoryLog();
    const archive = archiveOf(log);
    const journal = await Journal.open(log, { archive, window: { ms: 60_000, entries: 1 } });
    for (const command of [...paid, open(other), settle(other), refund(tip, '5.00', 're_1')])
      await journal.execute(command, contextOf(command));
    for (const n of [1, 2, 3]) {
      const unrelated = transfer('0.01', JUNO, MILO, `trf_${n}`);
      await journal.execute(unrelated, contextOf(unrelated));
    }
    const again = await journal.execute(refund(other, '5.00', 're_1'), { correlationId: 'spec' });
    expect(again).toMatchObject({ repeated: true, key: 'refund:re_1', revision: 6 });
    await journal.close();
  });
});

const AMOUNTS = [
  2_000,
  3_000,
  1,
  0,
  -1,
  0.5,
  NaN,
  Infinity,
  2 ** 52,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  1e300,
];
const CURRENCIES = ['usd', 'usd', 'usd', 'eur', 'xyz', 'USD', '', 'a/b', '__proto__', 'u\0d'];
const TIMES = [AT, AT, '2031-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', 'yesterday', ''];
const IDS = ['1', '2', '3', '4', 'x\0', 'y'.repeat(5_000)];
const TEXTS = ['fraudulent', '', '\0', '\ud800', 'long '.repeat(1_000)];
const PAYMENTS = ['pay_1', 'pay_2', 'pay_unknown', undefined];

/** What a provider may say, in any combination of the values above. */
function hostileCommand(dice: Dice): JournalCommand {
  const pick = <T>(of: readonly T[]): T => of[dice.below(of.length)]!;
  const amount = () => pick(dice.chance(0.6) ? AMOUNTS.slice(0, 3) : AMOUNTS);
  const paymentId = pick(PAYMENTS);
  const named = {
    paymentId: paymentId ?? 'pay_1',
    intentId: `pi_${pick(IDS)}`,
    chargeId: `ch_${pick(IDS)}`,
    refundId: `re_${pick(IDS)}`,
    attemptId: `ch_${pick(IDS)}`,
    disputeId: `dp_${pick(IDS)}`,
    balanceTransactionId: `txn_${pick(IDS)}`,
    amountMinor: amount(),
    currency: pick(CURRENCIES),
    feeMinor: amount(),
    feeCurrency: pick(CURRENCIES),
    reason: pick(TEXTS),
    code: pick(TEXTS),
    outcome: pick(['won', 'lost'] as const),
    providerType: pick(['topup', 'payout', 'stripe_fee', 'adjustment', 'charge', ...TEXTS]),
    sourceId: pick([undefined, 'po_1', ...TEXTS]),
    occurredAt: pick(TIMES),
  };
  const type = pick([
    'SubmitPayment',
    'RecordFailedAttempt',
    'SettlePayment',
    'SettlePayment',
    'CancelPayment',
    'RefundPayment',
    'FailRefund',
    'RefundUnapplied',
    'FailUnappliedRefund',
    'OpenDispute',
    'OpenDispute',
    'WithdrawDisputed',
    'ReinstateDisputed',
    'CloseDispute',
    'BookProviderFee',
    'BookPlatformMoney',
  ] as const);
  return { type, ...named } as JournalCommand;
}

const SEEDS = Array.from({ length: Number(process.env.HISTORIES ?? 5) }, (_, n) => n + 1);

describe('a provider that says anything at all', () => {
  it.each(SEEDS)('has each of its words booked or refused alone, never thrown (seed %i)', (seed) => {
    const dice = new Dice(seed);
    const books = booksAfter(...people, open(tip), open(other));
    const keys = new Set<string>();
    for (let step = 0; step < 300; step++) {
      const command = hostileCommand(dice);
      const before = snapshot(books);
      try {
        const decision = decide(command, { correlationId: 'spec' }, books, Date.parse(AT));
        if (decision.kind !== 'entry') continue;
        expect(keys.has(decision.key)).toBe(false);
        keys.add(decision.key);
        apply(books, decision, 100 + step);
      } catch (error) {
        // A rule's no, or the check's; anything else would have stopped the writer.
        if (!(error instanceof Rejected)) throw error;
        expect(snapshot(books)).toEqual(before);
      }
    }
    expect(keys.size).toBeGreaterThan(2);
  });

  it('leaves a journal that goes on and that everybody can read', async () => {
    const dice = new Dice(7);
    const log = new MemoryLog();
    const alarms: JournalObservation[] = [];
    const options = {
      archive: archiveOf(log),
      window: { ms: 60_000, entries: 20 },
      observe: (observed: JournalObservation) =>
        void (observed.kind === 'inapplicable' && alarms.push(observed)),
    };
    const journal = await Journal.open(log, options);
    for (const command of [...people, open(tip), submit(tip), open(other), settle(tip)])
      await journal.execute(command, contextOf(command));
    for (let step = 0; step < 120; step++) {
      const refusal = await journal
        .execute(hostileCommand(dice), { correlationId: 'spec' })
        .then(() => undefined)
        .catch((error: unknown) => error);
      if (refusal !== undefined && !(refusal instanceof Rejected)) throw refusal;
    }
    expect(alarms.length).toBeGreaterThan(10);
    expect(journal.status().ready).toBe(true);
    const last = transfer('0.01', JUNO, MILO);
    await journal.execute(last, contextOf(last)).catch((error: unknown) => {
      if (!(error instanceof Rejected)) throw error;
    });
    const entries = log.all.filter(({ stream }) => stream === JOURNAL).map(recorded);
    const keys = entries.map(({ metadata }) => metadata.key);
    expect(new Set(keys).size).toBe(keys.length);
    await journal.close();
    const again = await Journal.open(log, options);
    expect(again.status().revision).toBe(entries.length - 1);
    await again.close();
  });
});
