/**
 * The way of a payout: held in the journal, transferred to the user's account at the provider, sent on to the
 * bank; or all the way back. Each step is begun in the payout's course before the provider is asked, and
 * booked once the provider has proven it. `advance` goes as far as it can now, and may be run again at any
 * time, by anyone, after any crash: it does nothing twice.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { RequestPayout } from '#contracts/api/payouts';
import type { PayoutStep } from '#contracts/events/payout-course';
import type { Position } from '#contracts/log';
import { CURRENCY } from '#contracts/plain/money';
import type { Provenance } from '#log/record';
import { LOG } from '../parts.js';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import type { JournalCommand } from '../journal/commands.js';
import type { Receipt } from '../journal/receipt.js';
import { idFrom, userKey } from '../journal/keys.js';
import { Rejected } from '../rejection.js';
import { PayoutProvider } from '../stripe/payout-provider.js';
import type { Tried } from '../stripe/provider-payout.js';
import { StreamRunner } from '../streams/runner.js';
import { Vault } from '#log/vault';
import { payoutCourse, type Begun, type PayoutCourse, type PayoutCourseCommand } from './payout-course.js';
import { PayoutDestinations, PayoutEntries } from './payout-reads.js';
import { payoutRecord, type PayoutRecord, type Why } from './payout-record.js';

const REMOVED: Why = {
  code: 'bank_account_removed',
  reason: 'The bank account was removed before the payout was sent.',
};

@Injectable()
export class PayoutFlow {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly provider: PayoutProvider,
    private readonly vault: Vault,
    private readonly entries: PayoutEntries,
    private readonly destinations: PayoutDestinations,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Takes money out of the available balance for a bank account of the user's. The same key and body give the
   * same payout. Throws Rejected and Unavailable.
   */
  async request(
    userId: string,
    body: RequestPayout,
    clientKey: string | undefined,
    correlationId: string,
  ): Promise<{ payoutId: string; position: Position }> {
    const { amount: amountMinor, bankAccountId } = body;
    const key = userKey(userId, clientKey ?? uuidv7());
    const payoutId = idFrom('out', key);
    const destination = await this.destinations.of(userId, bankAccountId);
    // A repeat of what was asked before the account was removed is a repeat still.
    const isGone = destination.kind === 'removed' && (await this.entries.about(payoutId)).length === 0;
    if (isGone || destination.kind === 'unknown')
      throw new Rejected('BankAccountNotFound', { bankAccountId });
    const fingerprint = await this.vault.fingerprint(userId, body);
    const { position } = await this.bus.execute(
      new ExecuteJournalCommand(
        { type: 'RequestPayout', payoutId, userId, bankAccountId, amountMinor, currency: CURRENCY },
        { correlationId, actorId: userId, key, fingerprint },
      ),
    );
    return { payoutId, position };
  }

  /**
   * Takes a payout as far as it can go now. Throws Rejected('PayoutNotFound'), Unavailable and
   * ProviderRefused.
   */
  async advance(payoutId: string, cause: Provenance): Promise<void> {
    const record = payoutRecord(await this.entries.about(payoutId));
    if (!record) throw new Rejected('PayoutNotFound', { payoutId });
    switch (record.status) {
      case 'requested':
      case 'transferred':
        return this.forward(record, cause);
      case 'submitted':
      case 'completed':
        return this.sync(record, cause);
      case 'returned':
        return this.giveBack(record, record.returned ?? REMOVED, cause);
      case 'failed':
        return;
    }
  }

  /**
   * Looks into a payout of the provider's that something happened to. One that is none of ours is passed
   * over.
   */
  async advanceProviderPayout(
    connectAccountId: string,
    providerPayoutId: string,
    cause: Provenance,
  ): Promise<void> {
    const { payoutId } = await this.provider.payout(connectAccountId, providerPayoutId);
    if (payoutId === undefined) return;
    if ((await this.entries.about(payoutId)).length > 0) await this.advance(payoutId, cause);
    else
      this.log.warn(
        { correlationId: cause.correlationId, payoutId, providerPayoutId },
        'a payout that the journal lacks',
      );
  }

  /** To the user's account at the provider, and on to the bank. */
  private async forward(record: PayoutRecord, cause: Provenance): Promise<void> {
    const { payoutId, userId, bankAccountId } = record;
    const destination = await this.destinations.of(userId, bankAccountId);
    const isGone = destination.kind === 'removed' || destination.kind === 'unknown';
    let course = isGone ? await this.abandon(record, REMOVED, cause) : await this.course(payoutId);
    if (course.abandoned) return this.giveBack(record, course.abandoned, cause);

    let there = record;
    if (there.providerTransferId === undefined) {
      if (!course.begun.transfer) {
        if (destination.kind !== 'ready') return;
        course = await this.begin(
          record,
          'transfer',
          { connectAccountId: destination.connectAccountId },
          cause,
        );
        if (course.abandoned) return this.giveBack(record, course.abandoned, cause);
      }
      const moved = await this.transfer(record, course.begun.transfer, cause);
      if (moved.kind === 'not-now') return;
      if (moved.kind === 'never') {
        const { abandoned } = await this.abandon(record, moved, cause);
        return abandoned && this.giveBack(record, abandoned, cause);
      }
      there = moved.record;
    }

    const { connectAccountId } = there;
    if (connectAccountId === undefined) throw new Error(`Payout ${payoutId} was transferred to nowhere.`);
    if (!course.begun.send) {
      if (destination.kind !== 'ready') return;
      const { externalAccountId } = destination;
      course = await this.begin(record, 'send', { connectAccountId, externalAccountId }, cause);
      if (course.abandoned) return this.giveBack(there, course.abandoned, cause);
    }
    const begun = course.begun.send;
    if (begun?.externalAccountId === undefined) return;
    const sent = await this.provider.send({
      ...attemptOf(there, begun),
      externalAccountId: begun.externalAccountId,
    });
    if (sent.kind === 'not-now') return this.delay(record, 'send', begun, sent, cause);
    if (sent.kind === 'never') {
      const { abandoned } = await this.abandon(record, { ...sent, refusedSend: begun.attempt }, cause);
      return abandoned && this.giveBack(there, abandoned, cause);
    }
    const { providerPayoutId, occurredAt } = sent;
    await this.tell({ type: 'SubmitPayout', payoutId, providerPayoutId, occurredAt }, cause);
    return this.sync({ ...there, status: 'submitted', providerPayoutId }, cause);
  }

  /** Books what the provider says of a payout that was sent. */
  private async sync(record: PayoutRecord, cause: Provenance): Promise<void> {
    const { payoutId, connectAccountId, providerPayoutId } = record;
    if (connectAccountId === undefined || providerPayoutId === undefined)
      throw new Error(`Payout ${payoutId} was sent and names no payout of the provider's.`);
    const { status, failure } = await this.provider.payout(connectAccountId, providerPayoutId);
    // The provider does not say when; this is when we learnt it.
    const occurredAt = new Date().toISOString();
    if (status === 'paid' && record.status !== 'completed')
      await this.tell({ type: 'CompletePayout', payoutId, providerPayoutId, occurredAt }, cause);
    if (status !== 'failed' || !failure) return;
    const { code, reason } = failure;
    await this.tell({ type: 'ReturnPayout', payoutId, providerPayoutId, code, reason, occurredAt }, cause);
    await this.giveBack(record, failure, cause);
  }

  /** Takes back what was transferred, and only when that is proven gives the user the money back. */
  private async giveBack(record: PayoutRecord, { code, reason }: Why, cause: Provenance): Promise<void> {
    const { payoutId } = record;
    const course = await this.course(payoutId);
    let there = record;
    // A transfer that was begun may have been made: its outcome must be known before anything is given back.
    if (there.providerTransferId === undefined && course.begun.transfer) {
      const moved = await this.transfer(record, course.begun.transfer, cause);
      if (moved.kind === 'done') there = moved.record;
    }
    const { providerTransferId, connectAccountId } = there;
    let reversalId: string | undefined;
    if (providerTransferId !== undefined && connectAccountId !== undefined) {
      const { begun } = await this.begin(record, 'reverse', { connectAccountId }, cause);
      if (!begun.reverse) return;
      const { attempt } = begun.reverse;
      const reversed = await this.provider.reverse(providerTransferId, { payoutId, attempt });
      if (reversed.kind !== 'done') return this.delay(record, 'reverse', begun.reverse, reversed, cause);
      ({ reversalId } = reversed);
    }
    const occurredAt = new Date().toISOString();
    await this.tell({ type: 'FailPayout', payoutId, reversalId, code, reason, occurredAt }, cause);
  }

  /** One attempt at the transfer, and its entry. */
  private async transfer(
    record: PayoutRecord,
    begun: Begun | undefined,
    cause: Provenance,
  ): Promise<Tried<{ readonly record: PayoutRecord }>> {
    const { payoutId } = record;
    if (!begun) throw new Error(`No transfer of payout ${payoutId} was begun.`);
    const moved = await this.provider.transfer(attemptOf(record, begun));
    if (moved.kind === 'not-now') await this.delay(record, 'transfer', begun, moved, cause);
    if (moved.kind !== 'done') return moved;
    const { providerTransferId, occurredAt } = moved;
    const { connectAccountId } = begun;
    await this.tell(
      { type: 'RecordPayoutTransferred', payoutId, providerTransferId, connectAccountId, occurredAt },
      cause,
    );
    return {
      kind: 'done',
      record: { ...record, status: 'transferred', providerTransferId, connectAccountId },
    };
  }

  private async begin(
    { payoutId, userId }: PayoutRecord,
    step: PayoutStep,
    where: { connectAccountId: string; externalAccountId?: string },
    cause: Provenance,
  ): Promise<PayoutCourse> {
    const now = new Date().toISOString();
    return this.ask({ type: 'BeginStep', payoutId, userId, step, ...where, now }, cause);
  }

  private async delay(
    { payoutId, userId }: PayoutRecord,
    step: PayoutStep,
    { attempt }: Begun,
    { code, reason }: Why,
    cause: Provenance,
  ): Promise<void> {
    const now = new Date().toISOString();
    await this.ask({ type: 'DelayPayout', payoutId, userId, step, attempt, code, reason, now }, cause);
  }

  private abandon(
    { payoutId, userId }: PayoutRecord,
    { code, reason, refusedSend }: Why & { readonly refusedSend?: number },
    cause: Provenance,
  ): Promise<PayoutCourse> {
    return this.ask({ type: 'AbandonPayout', payoutId, userId, code, reason, refusedSend }, cause);
  }

  private course(payoutId: string): Promise<PayoutCourse> {
    return this.streams.read(payoutCourse, payoutId);
  }

  private async ask(command: PayoutCourseCommand, cause: Provenance): Promise<PayoutCourse> {
    const { payoutId } = command;
    return (await this.bus.execute(new ExecuteStreamCommand(payoutCourse, payoutId, command, cause))).state;
  }

  private tell(command: JournalCommand, cause: Provenance): Promise<Receipt> {
    return this.bus.execute(new ExecuteJournalCommand(command, cause));
  }
}

const attemptOf = (
  { payoutId, amountMinor }: PayoutRecord,
  { attempt, begunAt, connectAccountId }: Begun,
) => ({
  payoutId,
  amountMinor,
  attempt,
  connectAccountId,
  begunAt: new Date(begunAt),
});
