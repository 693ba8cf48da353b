/** What a schedule may take: the amount that its payer asked for last, when the attempt began. */
import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts/events/index';
import { subscriptionStream } from '#contracts/events/subscription';
import { JOURNAL } from '#contracts/events/journal';
import { recorded } from '#log/event-log';
import { collect, JUNO, MILO, minor, open, openAccount, settle } from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import { Consent } from './consent.js';
import type { JournalEntry } from './relation.js';

const AT = '2026-03-02T09:00:00.000Z';
const own = { subscriptionId: 'sub_1', payerId: MILO, at: AT };
const due = {
  scheduleKind: 'subscription',
  scheduleId: 'sub_1',
  payerId: MILO,
  occurrenceId: 'occ_1',
  dueAt: AT,
  attempt: 1,
  at: AT,
} as const;
const claimed: DomainEvent = { type: 'OccurrenceClaimed', data: due };
const changed = (amount: string): DomainEvent => ({
  type: 'SubscriptionAmountChanged',
  data: { ...own, amountMinor: minor(amount) },
});

type Step =
  | DomainEvent
  | { readonly collects: string }
  | { readonly event: DomainEvent; readonly by: string };

/**
 * What is found where a subscription of $2.00 goes on by these steps, each by its payer if nobody else is
 * named.
 */
const findings = (...steps: readonly Step[]): readonly string[] => findingsFrom(AT, ...steps);

/** The same where these steps are recorded from a time on. */
function findingsFrom(recordedFrom: string, ...steps: readonly Step[]): readonly string[] {
  const story = new Story();
  story.command(openAccount(JUNO), openAccount(MILO));
  const gift = { paymentId: 'pay_gift', amount: '25.00', from: JUNO, to: MILO };
  story.command(open(gift), settle(gift));
  const stream = subscriptionStream('sub_1');
  const terms = { recipientId: JUNO, amountMinor: minor('2.00'), currency: 'usd', fingerprint: 'f' };
  story.write(
    stream,
    { type: 'SubscriptionCreated', data: { ...own, ...terms, frequency: 'monthly', firstDueAt: AT } },
    { actorId: MILO },
  );
  story.nowMs = Date.parse(recordedFrom);
  for (const step of steps)
    if ('collects' in step) story.command(collect(step.collects, 1, { dueAt: AT }));
    else if ('by' in step) story.write(stream, step.event, { actorId: step.by });
    else story.write(stream, step, { actorId: MILO });
  const consent = new Consent();
  for (const raw of story.log.all) {
    const event = recorded(raw);
    if (raw.stream === JOURNAL) consent.entry(event as JournalEntry);
    else consent.other(event);
  }
  return consent.check().findings;
}

describe('a subscription whose amount was changed', () => {
  it('takes the new amount at an attempt that begins later', () =>
    expect(findings(changed('3.00'), claimed, { collects: '3.00' })).toEqual([]));
  it('takes the amount of before where the attempt had begun', () =>
    expect(findings(claimed, changed('3.00'), { collects: '2.00' })).toEqual([]));
  it('is found where it takes another amount', () =>
    expect(findings(changed('3.00'), claimed, { collects: '2.00' })).toEqual([
      expect.stringContaining('amountMinor'),
    ]));
  it('is found where somebody else changed it, and what is taken by that', () =>
    expect(findings({ event: changed('9.00'), by: JUNO }, claimed, { collects: '9.00' })).toEqual([
      expect.stringContaining(`it is ${MILO}’s to ask for and was asked for by ${JUNO}`),
      expect.stringContaining('amountMinor'),
    ]));
});

describe('an attempt that is recorded', () => {
  const claims = (recordedFrom: string) => findingsFrom(recordedFrom, claimed, { collects: '2.00' });

  it('before it was due is found, whatever time it says itself', () =>
    expect(claims('2026-03-02T08:54:00.000Z')).toEqual([
      expect.stringContaining('it was recorded at 2026-03-02T08:54:01.000Z, before it was due at'),
    ]));

  it('by a clock a few minutes behind the one by which it was due is none', () =>
    expect(claims('2026-03-02T08:56:00.000Z')).toEqual([]));
});

describe('an attempt that its payer asks for', () => {
  const asked: DomainEvent = { type: 'OccurrenceRetried', data: { ...due, attempt: 2, asked: true } };
  it('is theirs alone to ask for', () => {
    expect(findings(claimed, asked)).toEqual([]);
    expect(findings(claimed, { event: asked, by: JUNO })).toHaveLength(1);
  });
  it('may stand at a time before it was due, where the clock was set back after the first one', () => {
    const at = '2026-03-02T08:58:00.000Z';
    const again: DomainEvent = { ...asked, data: { ...asked.data, at } };
    expect(findings(claimed, again)).toEqual([]);
    expect(findings({ type: 'OccurrenceClaimed', data: { ...due, at } })).toEqual([
      expect.stringContaining(`it was begun at ${at}, before it was due at ${AT}`),
    ]);
  });
});
