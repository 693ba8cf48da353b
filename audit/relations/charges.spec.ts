/**
 * Who gets a refund that failed after a dispute took the money: the platform, as far as it bore what the
 * dispute took.
 */
import { describe, expect, it } from '@jest/globals';
import { JOURNAL, type JournalEventOf } from '#contracts/events/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import { recorded } from '#log/event-log';
import {
  closeDispute,
  completePayout,
  dispute,
  failPayout,
  failRefund,
  failUnapplied,
  JUNO,
  MILO,
  open,
  openAccount,
  payoutTransferred,
  refund,
  reinstateDisputed,
  requestPayout,
  returnPayout,
  returnUnapplied,
  settle,
  submitPayout,
  transfer,
  withdrawDisputed,
  type Tip,
} from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { Relations } from './relations.js';
import type { JournalEntry } from './relation.js';

const TIP = { paymentId: 'pay_1', amount: '20.00' };
type Parts = Partial<JournalEventOf<'RefundFailed'>['data']>;

/**
 * What is found of a refund of $15 that fails after a dispute of all; `parts` stand in its entry instead of
 * what was due.
 */
function findings(parts: Parts = {}): readonly string[] {
  const story = new Story();
  story.command(openAccount(JUNO), openAccount(MILO), open(TIP), settle(TIP));
  story.command(refund(TIP, '15.00'), dispute(TIP), withdrawDisputed(TIP));
  story.command(failRefund(TIP), reinstateDisputed(TIP));
  const relations = new Relations();
  for (const raw of story.log.all.filter(({ stream }) => stream === JOURNAL)) {
    const event = recorded(raw) as JournalEntry;
    if (event.type === 'RefundFailed') relations.entry({ ...event, data: { ...event.data, ...parts } });
    else relations.entry(event);
  }
  // Nobody in this story has registered.
  return relations
    .checks()
    .flatMap((check) => check.findings)
    .filter((finding) => !finding.endsWith('never registered'));
}

/** The same of money that no payment explains. */
function findingsOfUnapplied(parts: Partial<JournalEventOf<'UnappliedRefundFailed'>['data']> = {}) {
  const [chargeId, refundId] = ['ch_pay_1', 're_ch_pay_1'];
  const story = new Story();
  story.command(settle(TIP), returnUnapplied(chargeId, '20.00'), dispute(TIP), withdrawDisputed(TIP));
  story.command(failUnapplied(chargeId, refundId), reinstateDisputed(TIP));
  const relations = new Relations();
  for (const raw of story.log.all) {
    const event = recorded(raw) as JournalEntry;
    if (event.type === 'UnappliedRefundFailed')
      relations.entry({ ...event, data: { ...event.data, ...parts } });
    else relations.entry(event);
  }
  return relations.checks().flatMap((check) => check.findings);
}

/** A refund of unapplied money that arrives after a dispute of $5 of it, and comes back when that is won. */
function findingsOfArrived(parts: Partial<JournalEventOf<'UnappliedRefunded'>['data']> = {}) {
  const [chargeId, refundId] = ['ch_pay_1', 're_ch_pay_1'];
  const story = new Story();
  story.command(settle(TIP), dispute(TIP), withdrawDisputed(TIP, '5.00'), returnUnapplied(chargeId, '20.00'));
  story.command(reinstateDisputed(TIP, '5.00'), failUnapplied(chargeId, refundId));
  const relations = new Relations();
  for (const raw of story.log.all) {
    const event = recorded(raw) as JournalEntry;
    if (event.type === 'UnappliedRefunded') relations.entry({ ...event, data: { ...event.data, ...parts } });
    else relations.entry(event);
  }
  return relations.checks().flatMap((check) => check.findings);
}

/** A refund of $15 that is told of after a dispute of all, and fails; the dispute is won. */
function findingsOfLate(parts: Partial<JournalEventOf<'PaymentRefunded'>['data']> = {}): readonly string[] {
  const story = new Story();
  story.command(openAccount(JUNO), openAccount(MILO), open(TIP), settle(TIP));
  story.command(dispute(TIP), withdrawDisputed(TIP));
  story.command(refund(TIP, '15.00'), failRefund(TIP), reinstateDisputed(TIP));
  const relations = new Relations();
  for (const raw of story.log.all) {
    const event = recorded(raw) as JournalEntry;
    if (event.type === 'PaymentRefunded') relations.entry({ ...event, data: { ...event.data, ...parts } });
    else relations.entry(event);
  }
  return relations
    .checks()
    .flatMap((check) => check.findings)
    .filter((finding) => !finding.endsWith('never registered'));
}

describe('a refund that is told of after a dispute took the money', () => {
  it('is in order where the platform bears what the dispute took', () =>
    expect(findingsOfLate()).toEqual([]));

  it('is found where the recipient bears more of it than was left to them', () =>
    expect(findingsOfLate({ recipientMinor: 100, disputedMinor: 1_400 })).toEqual(
      expect.arrayContaining([
        expect.stringContaining('disputedMinor is 1400 and should be 1500'),
        expect.stringContaining('recipientMinor is 100 and should be 0'),
      ]),
    ));
});

describe('a refund that fails after a debt was given up', () => {
  /** Of $20 that was spent; `madeUpMinor` stands in its entry instead of what was due. */
  const findingsOfGivenUp = (madeUpMinor?: number): readonly string[] => {
    const story = new Story();
    story.register(JUNO, profileOf('juno'));
    story.register(MILO, profileOf('milo'));
    story.command(openAccount(JUNO), openAccount(MILO), open(TIP), settle(TIP));
    story.command(transfer('8.00', JUNO, MILO), refund(TIP, '20.00'));
    story.command({ type: 'WriteOffDebt', userId: JUNO, writeOffId: 'wo_1' }, failRefund(TIP));
    const relations = new Relations();
    for (const raw of story.log.all) {
      const event = recorded(raw);
      if (event.type === 'RefundFailed' && madeUpMinor !== undefined) {
        const data = { ...event.data, madeUpMinor, recipientMinor: 2_000 - madeUpMinor };
        relations.entry({ ...event, data });
      } else if (raw.stream === JOURNAL) relations.entry(event as JournalEntry);
      else relations.other(event);
    }
    return relations.checks().flatMap((check) => check.findings);
  };

  it('is in order where it makes up for the debt', () => expect(findingsOfGivenUp()).toEqual([]));

  it('is found where it makes up for less', () =>
    expect(findingsOfGivenUp(100)).toEqual(
      expect.arrayContaining([expect.stringContaining('madeUpMinor is 100 and should be 800')]),
    ));
});

describe('what comes back after a debt was given up', () => {
  type Reinstated = Partial<JournalEventOf<'DisputeFundsReinstated'>['data']>;
  type Failed = Partial<JournalEventOf<'PayoutFailed'>['data']>;
  interface Forged {
    readonly reinstated?: Reinstated;
    readonly failed?: Failed;
  }
  const people = [openAccount(JUNO), openAccount(MILO)];
  const writeOff = { type: 'WriteOffDebt', userId: JUNO, writeOffId: 'wo_1' } as const;

  /** What is found of these commands; `forged` stands in an entry instead of what was due. */
  const findingsAfter = (commands: readonly JournalCommand[], forged: Forged = {}): readonly string[] => {
    const story = new Story();
    story.register(JUNO, profileOf('juno'));
    story.register(MILO, profileOf('milo'));
    story.command(...commands);
    const relations = new Relations();
    for (const raw of story.log.all) {
      const event = recorded(raw);
      if (raw.stream !== JOURNAL) relations.other(event);
      else if (event.type === 'DisputeFundsReinstated')
        relations.entry({ ...event, data: { ...event.data, ...forged.reinstated } });
      else if (event.type === 'PayoutFailed')
        relations.entry({ ...event, data: { ...event.data, ...forged.failed } });
      else relations.entry(event as JournalEntry);
    }
    return relations.checks().flatMap((check) => check.findings);
  };

  const spent = [...people, open(TIP), settle(TIP), transfer('8.00', JUNO, MILO)];
  const taken = [dispute(TIP), withdrawDisputed(TIP, '20.00', '0.00'), closeDispute(TIP, 'lost')];
  const won = [...spent, ...taken, writeOff, reinstateDisputed(TIP)];

  it('is in order where a dispute that is won makes up for the debt', () =>
    expect(findingsAfter(won)).toEqual([]));

  it('is in order where a refund and a dispute made the debt, whichever of them is undone first', () => {
    const refundFirst = [refund(TIP, '20.00'), ...taken, writeOff, failRefund(TIP), reinstateDisputed(TIP)];
    const disputeFirst = [...taken, writeOff, refund(TIP, '20.00'), reinstateDisputed(TIP), failRefund(TIP)];
    expect(findingsAfter([...spent, ...refundFirst])).toEqual([]);
    expect(findingsAfter([...spent, ...disputeFirst])).toEqual([]);
  });

  it('is in order where an older ledger gave the recipient all of a dispute that was won', () => {
    const debit = 'platform/card-clearing';
    const postings = [{ debit, credit: `user/${JUNO}/available`, amountMinor: 2_000 }];
    const reinstated = { recipientMinor: 2_000, madeUpMinor: undefined, madeUpSince: undefined, postings };
    expect(findingsAfter(won, { reinstated })).toEqual([]);
  });

  it('is in order where two debts were given up, and what made the first one is undone first', () => {
    const other = { paymentId: 'pay_2', amount: '30.00' };
    const gone = (of: Tip): JournalCommand[] => [
      ...[open(of), settle(of), transfer(of.amount, JUNO, MILO, `trf_${of.paymentId}`), dispute(of)],
      ...[withdrawDisputed(of), closeDispute(of, 'lost')],
      { ...writeOff, writeOffId: `wo_${of.paymentId}` },
    ];
    const twice = [...people, ...gone(TIP), ...gone(other)];
    expect(findingsAfter([...twice, reinstateDisputed(TIP), reinstateDisputed(other)])).toEqual([]);
    expect(findingsAfter([...twice, reinstateDisputed(other), reinstateDisputed(TIP)])).toEqual([]);
  });

  it('is in order where a build of before made up for the debt, which did not say since when', () =>
    expect(findingsAfter(won, { reinstated: { madeUpSince: undefined } })).toEqual([]));

  it('is found where its money is said to have been gone since another entry', () =>
    expect(findingsAfter(won, { reinstated: { madeUpSince: 3 } })).toEqual([
      expect.stringMatching(/DisputeFundsReinstated: madeUpSince is 3 and should be \d+$/),
    ]));

  it('is found where a dispute that is won makes up for less', () =>
    expect(findingsAfter(won, { reinstated: { recipientMinor: 1_900, madeUpMinor: 100 } })).toEqual(
      expect.arrayContaining([expect.stringContaining('madeUpMinor is 100 and should be 800')]),
    ));

  const paidOut = [requestPayout('12.00'), payoutTransferred(), submitPayout(), completePayout()];
  const returned = [
    ...spent,
    ...paidOut,
    refund(TIP, '15.00'),
    writeOff,
    returnPayout(),
    failPayout('trr_1'),
  ];
  // Nobody in this story has a bank account or an account at the provider.
  const ofPayout = (forged?: Forged): readonly string[] =>
    findingsAfter(returned, forged).filter((finding) => /Minor|should move/.test(finding));

  it('is in order where a payout that comes back makes up for the debt', () =>
    expect(ofPayout()).toEqual([]));

  it('is found where a payout makes up for less, or its owner has more of it', () => {
    expect(ofPayout({ failed: { ownerMinor: 1_100, madeUpMinor: 100 } })).toEqual(
      expect.arrayContaining([expect.stringContaining('madeUpMinor is 100 and should be 1200')]),
    );
    expect(ofPayout({ failed: { ownerMinor: 1_200 } })).toEqual(
      expect.arrayContaining([expect.stringContaining('ownerMinor is 1200 and should be 0')]),
    );
  });
});

describe('a refund of unapplied money that arrives after a dispute took a part of it', () => {
  it('is in order where the platform bears that part, and gets it back when the dispute is won', () =>
    expect(findingsOfArrived()).toEqual([]));

  it('is found where more of it is the platform’s than the dispute took', () =>
    expect(findingsOfArrived({ unappliedMinor: 1_400, disputedMinor: 600 })).toEqual(
      expect.arrayContaining([expect.stringContaining('disputedMinor is 600 and should be 500')]),
    ));

  it('is found where all of it is taken of what is held', () =>
    expect(findingsOfArrived({ unappliedMinor: undefined, disputedMinor: undefined })).toEqual(
      expect.arrayContaining([expect.stringContaining('disputedMinor is 0 and should be 500')]),
    ));
});

describe('a refund that fails after a dispute took the money', () => {
  it('is in order where the platform gets back what it bore, and the dispute is won after that', () =>
    expect(findings()).toEqual([]));

  it('is found where its recipient gets it, though a dispute took it', () =>
    expect(findings({ recipientMinor: 1_500, disputedMinor: 0 })).toEqual(
      expect.arrayContaining([expect.stringContaining('disputedMinor is 0 and should be 1500')]),
    ));

  it('is in order where unapplied money is not held again that a dispute took', () =>
    expect(findingsOfUnapplied()).toEqual([]));

  it('is found where unapplied money is held again that a dispute took', () =>
    expect(findingsOfUnapplied({ unappliedMinor: 2_000, disputedMinor: 0 })).toEqual(
      expect.arrayContaining([expect.stringContaining('disputedMinor is 0 and should be 2000')]),
    ));
});
