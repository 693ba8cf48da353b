/**
 * A long and ordinary history, made as it is read: people tip by card and from their balance, some payments
 * are given back, some money goes to a bank. The ledger's own rules decide it, so it is right in every
 * respect.
 */
import { bankAccountsStream } from '#contracts/events/bank-account';
import type { DomainEvent } from '#contracts/events/index';
import { JOURNAL } from '#contracts/events/journal';
import { payoutStream } from '#contracts/events/payout-process';
import { userStream } from '#contracts/events/user';
import { decide, evolve } from '#ledger/journal/books';
import type { JournalCommand } from '#ledger/journal/commands';
import { Books } from '#ledger/journal/state';
import { GENESIS } from '#log/chain';
import type { LogSource, RawEvent } from '#log/event-log';
import { record, type KeyedProvenance, type Tip } from '#log/record';
import { StoredContent } from '#log/stored-content';
import { profileOf, sealedFor } from '#test/support/plain-vault';

const USERS = 2_000;
const FIRST_MS = Date.parse('2026-01-01T00:00:00.000Z');
const occurredAt = '2026-01-01T00:00:00.000Z';
const currency = 'usd';

const userOf = (n: number): string => `usr_${String(n % USERS).padStart(6, '0')}`;
const bankAccountOf = (userId: string): string => `ba_${userId}`;
const connectAccountOf = (userId: string): string => `acct_${userId}`;

/** A history of at least so many journal entries, as a log that is read once, from its beginning. */
export function longHistory(entries: number): LogSource {
  return {
    readAll: () => eventsOf(entries),
    async *readStream() {
      // Nobody took an event out.
    },
    lastOf: () => Promise.resolve(undefined),
  };
}

async function* eventsOf(entries: number): AsyncGenerator<RawEvent> {
  const history = new History();
  history.command({ type: 'FoundLedger', providerAccountId: 'acct_platform', mode: 'test' });
  for (let n = 0; n < USERS; n += 1) {
    history.join(userOf(n), n);
    yield* history.written.splice(0);
  }
  for (let n = 0; history.entries < entries; n += 1) {
    // Seven is prime to the number of people: everybody pays and is paid.
    const [payerId, payeeId] = [userOf(n * 7), userOf(n * 7 + 1 + (n % 97))];
    history.tip(n, payerId, payeeId);
    if (n % 20 === 0) history.payOut(`out_${n}`, payeeId);
    yield* history.written.splice(0);
  }
}

class History {
  entries = 0;
  /** What was written and not yet handed on. */
  readonly written: RawEvent[] = [];
  readonly #books = new Books();
  readonly #tips = new Map<string, Tip>();
  #nowMs = FIRST_MS;
  #commit = 0n;

  command(command: JournalCommand, provenance: Partial<KeyedProvenance> = {}): void {
    const context = { correlationId: 'bench', ...provenance };
    const decision = decide(command, context, this.#books, this.#nowMs);
    if (decision.kind !== 'entry') throw new Error(`${command.type} was not taken: ${decision.kind}`);
    const { event, key } = decision;
    const { revision, position } = this.write(JOURNAL, event, { ...context, key });
    evolve(
      event,
      { revision, key, fingerprint: undefined, recordedAtMs: this.#nowMs, landing: { position } },
      this.#books,
    );
    this.entries += 1;
  }

  join(userId: string, n: number): void {
    const profile = sealedFor(userId, JSON.stringify(profileOf(`name${n}`)));
    this.write(userStream(userId), {
      type: 'UserRegistered',
      data: { userId, issuer: 'bench', subject: userId, profile },
    });
    this.command({ type: 'OpenAccount', userId }, { actorId: userId });
    const stream = bankAccountsStream(userId);
    const own = { userId, bankAccountId: bankAccountOf(userId) };
    const submitted: DomainEvent = {
      type: 'BankAccountSubmitted',
      data: {
        ...own,
        accountType: 'checking',
        details: sealedFor(userId, 'Ferry Bank'),
        numberFingerprint: 'n',
        requestFingerprint: 'r',
        submittedAt: occurredAt,
      },
    };
    this.write(stream, submitted, { actorId: userId });
    const connectAccountId = connectAccountOf(userId);
    this.write(stream, { type: 'PayoutAccountOpened', data: { userId, connectAccountId } });
    this.write(stream, { type: 'BankAccountAdded', data: { ...own, externalAccountId: `ext_${userId}` } });
    this.write(stream, { type: 'PrimaryBankAccountChosen', data: own });
  }

  /**
   * A tip by card with its fee, sometimes given back in part, and one from the balance: five entries or six.
   */
  tip(n: number, payerId: string, recipientId: string): void {
    const paymentId = `pay_${n}`;
    const [intentId, chargeId] = [`pi_${n}`, `ch_${n}`];
    const amountMinor = 2_000;
    this.command(
      { type: 'OpenPayment', paymentId, payerId, recipientId, amountMinor, currency, method: 'card' },
      { actorId: payerId, key: `${payerId}:${paymentId}` },
    );
    this.command({ type: 'SubmitPayment', paymentId, intentId });
    this.command({ type: 'SettlePayment', paymentId, intentId, chargeId, amountMinor, currency, occurredAt });
    this.command({
      type: 'BookProviderFee',
      paymentId,
      chargeId,
      balanceTransactionId: `txn_${n}`,
      amountMinor: 88,
      currency,
      netMinor: amountMinor - 88,
      availableOn: occurredAt,
      occurredAt,
    });
    if (n % 10 === 0)
      this.command({ type: 'RefundPayment', paymentId, refundId: `re_${n}`, amountMinor: 500, occurredAt });
    this.command(
      {
        type: 'PostTransfer',
        transferId: `trf_${n}`,
        payerId: recipientId,
        recipientId: payerId,
        amountMinor: 300,
        currency,
      },
      { actorId: recipientId, key: `${recipientId}:trf_${n}` },
    );
  }

  /** A payout from its request to the bank: four entries, and its steps in its own stream. */
  payOut(payoutId: string, userId: string): void {
    const connectAccountId = connectAccountOf(userId);
    const begin = (step: 'transfer' | 'send'): void =>
      void this.write(payoutStream(payoutId), {
        type: 'PayoutStepBegun',
        data: { payoutId, userId, step, attempt: 1, connectAccountId, begunAt: occurredAt },
      });
    const bankAccountId = bankAccountOf(userId);
    this.command(
      { type: 'RequestPayout', payoutId, userId, bankAccountId, amountMinor: 1_000, currency },
      { actorId: userId, key: `${userId}:${payoutId}` },
    );
    begin('transfer');
    const providerTransferId = `tr_${payoutId}`;
    this.command({
      type: 'RecordPayoutTransferred',
      payoutId,
      providerTransferId,
      connectAccountId,
      occurredAt,
    });
    begin('send');
    const providerPayoutId = `po_${payoutId}`;
    this.command({ type: 'SubmitPayout', payoutId, providerPayoutId, occurredAt });
    this.command({ type: 'CompletePayout', payoutId, providerPayoutId, occurredAt });
  }

  write(stream: string, event: DomainEvent, provenance: Partial<KeyedProvenance> = {}): RawEvent {
    this.#nowMs += 60_000;
    this.#commit += 64n;
    const tip = this.#tips.get(stream) ?? { revision: -1, hash: GENESIS, recordedAtMs: 0 };
    const recording = record(stream, event, { correlationId: 'bench', ...provenance }, tip, this.#nowMs);
    this.#tips.set(stream, recording.tip);
    const { id, type, data, metadata } = recording.event;
    const raw: RawEvent = {
      id,
      stream,
      revision: recording.tip.revision,
      position: { commit: this.#commit, prepare: this.#commit },
      type,
      data: StoredContent.of(data),
      metadata: StoredContent.of(metadata),
      createdAt: new Date(this.#nowMs),
    };
    this.written.push(raw);
    return raw;
  }
}
