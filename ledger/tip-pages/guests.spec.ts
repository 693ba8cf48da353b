/** Guests: claimed once, forgotten for good, and nothing of them in memory once their money is booked. */
import { describe, expect, it } from '@jest/globals';
import { journalEvents, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { available, platform } from '#contracts/plain/accounts';
import { guestIdOf, isGuest, RECEIPT_TOKEN } from '#contracts/plain/guest';
import { Residency } from '#ledger/journal/residency';
import { decide } from '#ledger/journal/books';
import { Rejected } from '#ledger/rejection';
import { declinesWith } from '#test/support/declines';
import { StreamStory } from '#test/support/stream-spec';
import { guests, type GuestCommand } from './guest.decider.js';

const GUEST = guestIdOf('wren');
const JUNO = 'usr_juno';
/** A hundred thousand in `make prove`. */
const GUESTS = Number(process.env['GUESTS'] ?? 10_000);
const claim = (userId: string) => (): GuestCommand => ({ type: 'ClaimGuestTips', guestId: GUEST, userId });
const forget = (): GuestCommand => ({ type: 'ForgetGuest', guestId: GUEST });

describe('a guest', () => {
  it('is claimed once, by whoever shows the link first', () => {
    new StreamStory(guests)
      .then(claim('usr_wren'), 'GuestTipsClaimed')
      .thenNothing(claim('usr_wren'))
      .thenRejects(claim('usr_thief'), 'ReceiptClaimed');
  });

  it('is forgotten once, also after the receipt was claimed', () => {
    new StreamStory(guests).do(claim('usr_wren')).then(forget, 'GuestForgotten').thenNothing(forget);
  });

  it('has a link of 128 bits and no other', () => {
    for (let n = 0; n < 100; n += 1) {
      const token = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url');
      expect(token).toMatch(RECEIPT_TOKEN);
    }
    expect('AAAAAAAAAAAAAAAAAAAAA').not.toMatch(RECEIPT_TOKEN);
    expect('AAAAAAAAAAAAAAAAAAAAAB').not.toMatch(RECEIPT_TOKEN);
  });
});

/** A journal's entries as they are read from the log, one a millisecond. */
class Entries {
  readonly residency: Residency;
  nowMs = Date.parse('2026-07-01T20:00:00Z');
  #revision = -1;

  constructor() {
    this.residency = new Residency(() => new Date(this.nowMs), { ms: 600_000, entries: 20_000 });
  }

  take(event: JournalEvent, key: string): void {
    // A hundred say whether they are well formed; all of them would take a minute.
    if (this.#revision < 100) journalEvents[event.type].parse(event.data);
    this.nowMs += 1;
    this.#revision += 1;
    const revision = this.#revision;
    const recorded = {
      ...event,
      stream: 'journal',
      revision,
      position: { commit: BigInt(revision), prepare: BigInt(revision) },
      id: `event-${revision}`,
      metadata: { key, recordedAt: new Date(this.nowMs).toISOString() },
    };
    this.residency.take(recorded as unknown as RecordedEvent<JournalEvent>, `hash-${revision}`);
  }
}

describe('the books', () => {
  it('hold nothing of thousands of guests whose money is booked, nor of those who never paid', () => {
    const entries = new Entries();
    entries.take(
      { type: 'AccountOpened', data: { account: available(JUNO), userId: JUNO } },
      `account:${JUNO}`,
    );
    const amountMinor = 500;
    for (let n = 0; n < GUESTS; n += 1) {
      const [paymentId, intentId, payerId] = [`pay_${n}`, `pi_${n}`, guestIdOf(String(n))];
      const parties = { paymentId, payerId, recipientId: JUNO, amountMinor, currency: 'usd' };
      entries.take({ type: 'PaymentOpened', data: { ...parties, method: 'card' } }, `${payerId}:${n}`);
      entries.take({ type: 'PaymentSubmitted', data: { paymentId, intentId } }, `intent:${intentId}`);
      const occurredAt = new Date(entries.nowMs).toISOString();
      // Every tenth goes away, and the payment is canceled at the provider.
      if (n % 10 === 9)
        entries.take(
          { type: 'PaymentCanceled', data: { paymentId, reason: 'abandoned', occurredAt } },
          `cancel:${paymentId}`,
        );
      else {
        const postings = [{ debit: platform('card-clearing'), credit: available(JUNO), amountMinor }];
        const data = { ...parties, intentId, chargeId: `ch_${n}`, occurredAt, postings };
        entries.take({ type: 'PaymentSettled', data }, `settle:ch_${n}`);
      }
    }
    entries.nowMs += 3_600_000;
    entries.residency.evict();
    const { books } = entries.residency;
    expect(books.balanceOf(available(JUNO))).toBe((GUESTS / 10) * 9 * amountMinor);
    expect(entries.residency.count()).toEqual({
      // Juno's and the card provider's.
      accounts: 2,
      openPayments: 0,
      openPayouts: 0,
      closed: 0,
      keys: 0,
    });
    expect([books.intents.size, books.unpaid.size, books.tips.size]).toEqual([0, 0, 0]);
  }, 300_000);

  it('take a guest’s payment, and no transfer out of a balance that guests have not', () => {
    const entries = new Entries();
    entries.take(
      { type: 'AccountOpened', data: { account: available(JUNO), userId: JUNO } },
      `account:${JUNO}`,
    );
    const { books } = entries.residency;
    const terms = { payerId: GUEST, recipientId: JUNO, amountMinor: 500, currency: 'usd' };
    const context = { correlationId: 'c', key: `${GUEST}:k`, fingerprint: 'f' };
    const opened = decide(
      { type: 'OpenPayment', paymentId: 'pay_1', method: 'card', ...terms },
      context,
      books,
      entries.nowMs,
    );
    expect(opened.kind).toBe('entry');
    expect(() =>
      decide({ type: 'PostTransfer', transferId: 'trf_1', ...terms }, context, books, entries.nowMs),
    ).toThrow(Rejected);
    expect(() =>
      decide(
        { type: 'OpenPayment', paymentId: 'pay_2', method: 'card', ...terms, payerId: 'usr_nobody' },
        { ...context, key: 'usr_nobody:k' },
        books,
        entries.nowMs,
      ),
    ).toThrow(Rejected);
  });
});

describe('300 guests behind one address', () => {
  const VENUE = '192.0.2.7';
  it('all pay, some by a second card; a tester of cards there and elsewhere is stopped', async () => {
    let nowMs = 0;
    const declines = declinesWith({}, () => nowMs);
    const tries = async (n: number, network: string, pays: boolean): Promise<string> => {
      const parties = { payerId: guestIdOf(`${network}-${n}-${String(pays)}`), recipientId: JUNO };
      expect(isGuest(parties.payerId)).toBe(true);
      const { kind } = await declines.judge(parties.payerId, JUNO, network);
      if (kind === 'refuse') return kind;
      const paymentId = `pay_${network}_${n}_${String(pays)}`;
      await declines.opened(paymentId, network);
      if (pays) await declines.paid(paymentId, parties);
      else await declines.declined(paymentId, parties, `card_${network}_${n}`);
      return kind;
    };
    for (let n = 0; n < 300; n += 1) {
      nowMs = n * 2_000;
      if (n % 10 === 5) expect(await tries(n, VENUE, false)).toBe('clear');
      expect(await tries(n, VENUE, true)).toBe('clear');
    }
    nowMs += 700_000;
    const told: string[] = [];
    for (let n = 0; n < 300; n += 1) told.push(await tries(n, '198.51.100.7', false));
    expect(told.indexOf('refuse')).toBeGreaterThan(0);
    expect(told.indexOf('refuse')).toBeLessThanOrEqual(40);
    expect(new Set(told.slice(60))).toEqual(new Set(['refuse']));
  });
});
