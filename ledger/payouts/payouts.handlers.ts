/**
 * The way of a payout: held in the journal, transferred to the user's account at the provider, sent on to the
 * bank; or all the way back. Each step is recorded in the payout's own stream before the provider is asked,
 * and booked once the provider has proven it. `advance` goes as far as it can now, and may be run again at
 * any time, by anyone, after any crash: it does nothing twice.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { RequestPayout } from '#contracts/api/payouts';
import type { PayoutStep } from '#contracts/events/payout-process';
import type { Position } from '#contracts/log';
import { CURRENCY } from '#contracts/plain/money';
import type { Provenance } from '#log/record';
import { LOG } from '../parts.js';
import { ConnectHints } from '../bus/connect-hints.js';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { InternalCommands } from '../bus/internal-commands.js';
import type { JournalCommand } from '../journal/commands.js';
import { Journal } from '../journal/journal.js';
import type { Receipt } from '../journal/receipt.js';
import type { FailureReason, Payout } from '../journal/state.js';
import { idFrom, userKey } from '../journal/keys.js';
import { Rejected } from '../rejection.js';
import { PayoutProvider } from '../stripe/payout-provider.js';
import { PayoutAccountGone, type ProviderPayout } from '../stripe/provider-payout.js';
import { LostEntries } from '../start-gate/lost-entries.js';
import { ProviderFigures } from '../stripe/provider-figures.js';
import type { AttemptOutcome, RefusedForGood } from '../stripe/provider-payment.js';
import { StreamRunner } from '../streams/runner.js';
import { Vault } from '#log/vault';
import {
  payoutSteps,
  type PayoutStepCommand,
  type PayoutSteps,
  type StepAttempt,
} from './payouts.decider.js';
import { PayoutDestinations, type Destination } from './payout-answers.js';
import { PayoutTurns } from './payout-turns.js';

const CLOSED: FailureReason = {
  code: 'account_closed',
  reason:
    'Your account at the payment provider was closed. Please add your bank account again to be paid out.',
};
const REMOVED: FailureReason = {
  code: 'bank_account_removed',
  reason: 'The bank account was removed before the payout was sent.',
};

const TAKEN_BACK: FailureReason = {
  code: 'transfer_reversed',
  reason: 'The payment provider took the money of this payout back before it was sent to the bank.',
};

@Injectable()
export class PayoutProcess {
  constructor(
    private readonly bus: CommandBus,
    private readonly journal: Journal,
    private readonly streams: StreamRunner,
    private readonly provider: PayoutProvider,
    private readonly vault: Vault,
    private readonly destinations: PayoutDestinations,
    private readonly turns: PayoutTurns,
    private readonly figures: ProviderFigures,
    commands: InternalCommands,
    private readonly hints: ConnectHints,
    @Inject(LOG) private readonly log: Logger,
    private readonly lost: LostEntries,
  ) {
    commands.on('AdvancePayout', ({ payoutId }, provenance) => this.advance(payoutId, provenance));
    hints
      .on('payout', ({ payoutId, sealedTransferId }, provenance) =>
        this.advanceNamed(payoutId, sealedTransferId, provenance),
      )
      .on('provider-payout', ({ connectAccountId, providerPayoutId }, provenance) =>
        this.advanceProviderPayout(connectAccountId, providerPayoutId, provenance),
      );
  }

  /**
   * Takes money out of the available balance for a bank account of the user's. The same key and body give the
   * same payout. Throws Rejected and Unavailable.
   */
  async request(
    userId: string,
    body: RequestPayout,
    clientKey: string,
    correlationId: string,
  ): Promise<{ payoutId: string; position: Position }> {
    const { amount: amountMinor, bankAccountId } = body;
    const key = userKey(userId, clientKey);
    const payoutId = idFrom('out', key);
    const destination = await this.destinations.of(userId, bankAccountId);
    // A repeat of what was asked before the account was removed is a repeat still.
    const isGone =
      (destination.kind === 'removed' || destination.kind === 'closed') &&
      (await this.journal.look('payout', payoutId)) === undefined;
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
  async advance(payoutId: string, provenance: Provenance): Promise<void> {
    const payout = await this.journal.look('payout', payoutId);
    if (!payout) throw new Rejected('PayoutNotFound', { payoutId });
    switch (payout.status) {
      case 'requested':
      case 'transferred':
        return this.forward(payout, provenance);
      case 'submitted':
      case 'completed':
        return this.sync(payout, provenance);
      case 'returned':
        return this.giveBack(payout, payout.returned ?? REMOVED, provenance);
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
    provenance: Provenance,
  ): Promise<void> {
    const shown = await this.shown({ connectAccountId, providerPayoutId }, provenance);
    if (!shown) return;
    const { payoutId, isSealed } = shown;
    if (payoutId !== undefined && (await this.journal.look('payout', payoutId)))
      return this.advance(payoutId, provenance);
    await this.noteLacked('payout', payoutId, isSealed ? providerPayoutId : undefined, provenance);
  }

  /** Looks into a payout that a transfer at the provider names. One that the journal lacks is passed over. */
  private async advanceNamed(
    payoutId: string,
    sealedTransferId: string | undefined,
    provenance: Provenance,
  ): Promise<void> {
    if (await this.journal.look('payout', payoutId)) return this.advance(payoutId, provenance);
    await this.noteLacked('transfer', payoutId, sealedTransferId, provenance);
  }

  /** Somebody else's object is counted. One that carries our seal says that the log has lost something. */
  private async noteLacked(
    kind: 'payout' | 'transfer',
    payoutId: string | undefined,
    sealedId: string | undefined,
    { correlationId }: Provenance,
  ): Promise<void> {
    if (sealedId === undefined) {
      this.figures.foreign(kind);
      this.log.warn({ correlationId, payoutId }, `a ${kind} that the journal lacks`);
      return;
    }
    this.figures.unknownToLog(kind, sealedId);
    this.log.error(
      { correlationId, payoutId, sealedId },
      `the provider has a ${kind} of this ledger that the log does not know`,
    );
    await this.lost.found(kind, sealedId, undefined);
  }

  /** To the user's account at the provider, and on to the bank. */
  private async forward(payout: Payout, provenance: Provenance): Promise<void> {
    const { payoutId, userId, bankAccountId } = payout;
    const destination = await this.destinations.of(userId, bankAccountId);
    const gone = goneReason(destination);
    let steps = gone ? await this.abandon(payout, gone, provenance) : await this.steps(payoutId);
    if (steps.abandoned) return this.giveBack(payout, steps.abandoned, provenance);

    let there = payout;
    if (there.providerTransferId === undefined) {
      let isFresh = false;
      if (!steps.begun.transfer) {
        if (destination.kind !== 'ready' || !(await this.turns.isReached(payoutId))) return;
        const { connectAccountId } = destination;
        ({ steps, isFresh } = await this.begin(payout, 'transfer', { connectAccountId }, provenance));
        if (steps.abandoned) return this.giveBack(payout, steps.abandoned, provenance);
      }
      const moved = await this.transfer(payout, steps.begun.transfer, isFresh, provenance);
      if (moved.kind === 'not-now') return;
      if (moved.kind === 'never') {
        await this.noteRefusal(moved, payout, steps.begun.transfer?.connectAccountId, provenance);
        const { abandoned } = await this.abandon(payout, moved, provenance);
        return abandoned && this.giveBack(payout, abandoned, provenance);
      }
      there = moved.payout;
    }

    const { connectAccountId } = there;
    if (connectAccountId === undefined) throw new Error(`Payout ${payoutId} was transferred to nowhere.`);
    let isFresh = false;
    if (!steps.begun.send) {
      if (destination.kind !== 'ready') return;
      const where = { connectAccountId, externalAccountId: destination.externalAccountId };
      ({ steps, isFresh } = await this.begin(payout, 'send', where, provenance));
      if (steps.abandoned) return this.giveBack(there, steps.abandoned, provenance);
    }
    const begun = steps.begun.send;
    if (begun?.externalAccountId === undefined) return;
    const sent = await this.provider.send({
      ...attemptOf(there, begun),
      isFresh,
      externalAccountId: begun.externalAccountId,
    });
    if (sent.kind !== 'done') {
      const why = sent.kind === 'never' ? sent : await this.takenBack(sent, there);
      if (why === undefined) return this.delay(payout, 'send', begun, sent, provenance);
      if (sent.kind === 'never') await this.noteRefusal(sent, payout, connectAccountId, provenance);
      const { abandoned } = await this.abandon(payout, { ...why, refusedSend: begun.attempt }, provenance);
      return abandoned && this.giveBack(there, abandoned, provenance);
    }
    const { providerPayoutId, arrivesOn, occurredAt } = sent;
    await this.tell({ type: 'SubmitPayout', payoutId, providerPayoutId, arrivesOn, occurredAt }, provenance);
    return this.sync({ ...there, status: 'submitted', providerPayoutId }, provenance);
  }

  /**
   * Why money that is not in its owner's account comes there no more: somebody reversed its transfer by hand.
   */
  private async takenBack(
    { code }: FailureReason,
    { providerTransferId }: Payout,
  ): Promise<FailureReason | undefined> {
    if (code !== 'balance_insufficient' || providerTransferId === undefined) return undefined;
    return (await this.provider.isTakenBack(providerTransferId)) ? TAKEN_BACK : undefined;
  }

  /** What refuses a payout because its owner's account is gone tells that of the account, too. */
  private async noteRefusal(
    { about }: RefusedForGood,
    { userId }: Payout,
    connectAccountId: string | undefined,
    provenance: Provenance,
  ): Promise<void> {
    if (about === 'account' && connectAccountId !== undefined)
      await this.hints.tell({ about: 'account', connectAccountId, userId }, provenance);
  }

  /**
   * A payout as the provider shows it; undefined where its account is gone, and with it every word of what
   * became of the payout. No repeat can mend that: the account is closed, and the payout waits for an
   * operator.
   */
  private async shown(
    of: {
      readonly connectAccountId: string;
      readonly providerPayoutId: string;
      readonly userId?: string;
      readonly payoutId?: string;
    },
    provenance: Provenance,
  ): Promise<ProviderPayout | undefined> {
    const { connectAccountId, providerPayoutId, userId } = of;
    try {
      return await this.provider.payout(connectAccountId, providerPayoutId);
    } catch (error) {
      if (!(error instanceof PayoutAccountGone)) throw error;
      this.log.warn(
        { correlationId: provenance.correlationId, ...of },
        'a payout was sent to an account that is gone: ask the provider what became of it',
      );
      await this.hints.tell(
        { about: 'account', connectAccountId, ...(userId !== undefined && { userId }) },
        provenance,
      );
      return undefined;
    }
  }

  /** Books what the provider says of a payout that was sent. */
  private async sync(payout: Payout, provenance: Provenance): Promise<void> {
    const { payoutId, userId, connectAccountId, providerPayoutId } = payout;
    if (connectAccountId === undefined || providerPayoutId === undefined)
      throw new Error(`Payout ${payoutId} was sent and names no payout of the provider's.`);
    const shown = await this.shown({ connectAccountId, providerPayoutId, userId, payoutId }, provenance);
    if (!shown) return;
    const { status, failure } = shown;
    // The provider does not say when; this is when we learnt it.
    const occurredAt = new Date().toISOString();
    if (status === 'paid' && payout.status !== 'completed')
      await this.tell({ type: 'CompletePayout', payoutId, providerPayoutId, occurredAt }, provenance);
    if (status !== 'failed' || !failure) return;
    const { code, reason } = failure;
    await this.tell(
      { type: 'ReturnPayout', payoutId, providerPayoutId, code, reason, occurredAt },
      provenance,
    );
    await this.giveBack(payout, failure, provenance);
  }

  /** Takes back what was transferred, and only when that is proven gives the user the money back. */
  private async giveBack(
    payout: Payout,
    { code, reason }: FailureReason,
    provenance: Provenance,
  ): Promise<void> {
    const { payoutId } = payout;
    const steps = await this.steps(payoutId);
    let there = payout;
    // A transfer that was begun may have been made: its outcome must be known before anything is given back.
    if (there.providerTransferId === undefined && steps.begun.transfer) {
      const moved = await this.transfer(payout, steps.begun.transfer, false, provenance);
      if (moved.kind === 'done') there = moved.payout;
    }
    const { providerTransferId, connectAccountId } = there;
    let reversalId: string | undefined;
    if (providerTransferId !== undefined && connectAccountId !== undefined) {
      const { steps: now } = await this.begin(payout, 'reverse', { connectAccountId }, provenance);
      const { begun } = now;
      if (!begun.reverse) return;
      const { attempt } = begun.reverse;
      const reversed = await this.provider.reverse(providerTransferId, { payoutId, attempt });
      if (reversed.kind !== 'done') return this.delay(payout, 'reverse', begun.reverse, reversed, provenance);
      ({ reversalId } = reversed);
    }
    const occurredAt = new Date().toISOString();
    await this.tell({ type: 'FailPayout', payoutId, reversalId, code, reason, occurredAt }, provenance);
  }

  /** One attempt at the transfer, and its entry. `isFresh`: it was begun just now, by the caller. */
  private async transfer(
    payout: Payout,
    begun: StepAttempt | undefined,
    isFresh: boolean,
    provenance: Provenance,
  ): Promise<AttemptOutcome<{ readonly payout: Payout }>> {
    const { payoutId } = payout;
    if (!begun) throw new Error(`No transfer of payout ${payoutId} was begun.`);
    const moved = await this.provider.transfer({ ...attemptOf(payout, begun), isFresh });
    if (moved.kind === 'not-now') await this.delay(payout, 'transfer', begun, moved, provenance);
    if (moved.kind !== 'done') return moved;
    const { providerTransferId, occurredAt } = moved;
    const { connectAccountId } = begun;
    await this.tell(
      { type: 'RecordPayoutTransferred', payoutId, providerTransferId, connectAccountId, occurredAt },
      provenance,
    );
    return {
      kind: 'done',
      payout: { ...payout, status: 'transferred', providerTransferId, connectAccountId },
    };
  }

  /** `isFresh`: it was begun here and now, and not by somebody else before. */
  private async begin(
    { payoutId, userId }: Payout,
    step: PayoutStep,
    where: { connectAccountId: string; externalAccountId?: string },
    provenance: Provenance,
  ): Promise<{ readonly steps: PayoutSteps; readonly isFresh: boolean }> {
    const now = new Date().toISOString();
    const command = { type: 'BeginStep', payoutId, userId, step, ...where, now } as const;
    const { state, events } = await this.bus.execute(
      new ExecuteStreamCommand(payoutSteps, payoutId, command, provenance),
    );
    return { steps: state, isFresh: events.length > 0 };
  }

  private async delay(
    { payoutId, userId }: Payout,
    step: PayoutStep,
    { attempt }: StepAttempt,
    { code, reason }: FailureReason,
    provenance: Provenance,
  ): Promise<void> {
    const now = new Date().toISOString();
    await this.ask({ type: 'DelayPayout', payoutId, userId, step, attempt, code, reason, now }, provenance);
  }

  private abandon(
    { payoutId, userId }: Payout,
    { code, reason, refusedSend }: FailureReason & { readonly refusedSend?: number },
    provenance: Provenance,
  ): Promise<PayoutSteps> {
    return this.ask({ type: 'AbandonPayout', payoutId, userId, code, reason, refusedSend }, provenance);
  }

  private steps(payoutId: string): Promise<PayoutSteps> {
    return this.streams.read(payoutSteps, payoutId);
  }

  private async ask(command: PayoutStepCommand, provenance: Provenance): Promise<PayoutSteps> {
    const { payoutId } = command;
    return (await this.bus.execute(new ExecuteStreamCommand(payoutSteps, payoutId, command, provenance)))
      .state;
  }

  private tell(command: JournalCommand, provenance: Provenance): Promise<Receipt> {
    return this.bus.execute(new ExecuteJournalCommand(command, provenance));
  }
}

/** Why nothing can go there any more; undefined where it can, or may be able to later. */
function goneReason({ kind }: Destination): FailureReason | undefined {
  if (kind === 'closed') return CLOSED;
  return kind === 'removed' || kind === 'unknown' ? REMOVED : undefined;
}

const attemptOf = (
  { payoutId, amountMinor, key, userId, bankAccountId }: Payout,
  { attempt, begunAt, connectAccountId }: StepAttempt,
) => ({
  payoutId,
  key,
  userId,
  bankAccountId,
  amountMinor,
  attempt,
  connectAccountId,
  begunAt: new Date(begunAt),
});
