/** Reads payments at the provider, and books what the log lacks. Any of it may be run again at any time. */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { Provenance } from '#log/record';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { LOG } from '../parts.js';
import type { JournalCommand } from '../journal/commands.js';
import type { Receipt } from '../journal/receipt.js';
import { Rejected } from '../rejection.js';
import { CardProvider } from '../stripe/card-provider.js';
import { LostEntries } from '../start-gate/lost-entries.js';
import { ProviderFigures } from '../stripe/provider-figures.js';
import { attemptsToBook, endingsToBook } from '../stripe/bookings.js';
import type { ProviderPayment, ReadingDepth } from '../stripe/provider-payment.js';
import type { PaymentHint } from '../stripe/webhook-hints.js';
import { BookedHints } from './booked-hints.js';
import { DeclinedPayments } from './declined-payments.js';
import { PaymentOwnership } from './payment-ownership.js';
import { PaymentReads } from './payment-reads.js';

/** Payments read at the provider at a time, when many are. */
const AT_A_TIME = 4;
/** One command looks at what changed for so long; whoever asks goes on from there. */
const LOOKED_FOR_MS = 4_000;
/** So much is listed in one piece of a time, and no piece is longer than this. */
const MOST_IN_A_PIECE = 400;
const LONGEST_PIECE_MS = 24 * 3_600_000;

/** What the provider says when money has moved there: where the journal declines it, somebody must look. */
const MONEY_MOVED: ReadonlySet<JournalCommand['type']> = new Set([
  'SettlePayment',
  'RefundPayment',
  'FailRefund',
  'RefundUnapplied',
  'FailUnappliedRefund',
  'WithdrawDisputed',
  'ReinstateDisputed',
  'BookProviderFee',
  'BookPlatformMoney',
]);
/** Why a payment ended whose recipient had left: a reason of ours, in the log. */
const ACCOUNT_CLOSED = 'the recipient’s account is closed';
/** A refund that was never seen as given has nothing to take back. */
const NOTHING_MOVED: ReadonlySet<string> = new Set(['RefundNotFound']);

/**
 * How long an event waits for the log to show what it tells of, where another event of the provider's is
 * about the same: another ledger may be reading it right now.
 */
const TWIN_WAITS_MS = [25, 50, 100, 200, 400, 800];

const cardOf = ({ charges }: ProviderPayment, chargeId: string): string | undefined =>
  charges.find((charge) => charge.chargeId === chargeId)?.card;

@Injectable()
export class PaymentSync {
  readonly #reads = new PaymentReads();
  #pieceMs = 3_600_000;

  constructor(
    private readonly bus: CommandBus,
    private readonly ownership: PaymentOwnership,
    private readonly booked: BookedHints,
    private readonly figures: ProviderFigures,
    private readonly provider: CardProvider,
    commands: InternalCommands,
    @Inject(LOG) private readonly log: Logger,
    private readonly lost: LostEntries,
    private readonly declined: DeclinedPayments,
  ) {
    commands
      .on('SyncPayment', async ({ intentId }, provenance) => {
        await this.payment(intentId, provenance);
      })
      .on('ReconcileSince', ({ since, until }, provenance) =>
        this.changedBetween(new Date(since), until === undefined ? new Date() : new Date(until), provenance),
      );
  }

  /**
   * Looks into what an event of the provider's tells of; resolves once it is in the log. What the log shows
   * as booked already is not read again. Throws Unavailable.
   */
  async follow(hint: PaymentHint, provenance: Provenance): Promise<void> {
    const { intentId, chargeId } = hint;
    if (await this.booked.isForeign(hint)) return this.figures.foreign('payment');
    const isBooked = (): Promise<boolean> => this.booked.holds(hint);
    // Whoever booked a decline may have died before it stopped the payment.
    if (await isBooked())
      return hint.tells === 'declined' ? this.stopIfDeclined(intentId, provenance) : undefined;
    for (const ms of hint.isTwin ? TWIN_WAITS_MS : []) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (await isBooked()) return;
    }
    const read = (): Promise<number> => this.read(intentId, 'latest-charge', provenance, chargeId);
    await this.#reads.once(chargeId ?? intentId, read, isBooked);
  }

  /**
   * Reads a payment at the provider, with all its charges, and books, in order, what the log lacks. Answers
   * the last revision of the journal that says so. Throws Unavailable: look again later.
   */
  async payment(intentId: string, provenance: Provenance): Promise<number> {
    const read = (): Promise<number> => this.read(intentId, 'all-charges', provenance);
    return (await this.#reads.once(intentId, read)) ?? -1;
  }

  /**
   * A no of the journal to one entry does not keep the others out. Where `chargeId` is not the latest, all
   * charges are read. `mayStop`: a payment that was declined too often is canceled, and read once more for
   * that. One that is past canceling stays as it is.
   */
  private async read(
    intentId: string,
    depth: ReadingDepth,
    provenance: Provenance,
    chargeId?: string,
    mayStop = true,
  ): Promise<number> {
    let shown = await this.provider.payment(intentId, depth);
    const isShown = chargeId === undefined || shown.charges.some((charge) => charge.chargeId === chargeId);
    if (!isShown) shown = await this.provider.payment(intentId, 'all-charges');
    const owner = await this.ownership.of(shown);
    if (owner.kind === 'foreign') {
      this.figures.foreign('payment');
      return -1;
    }
    if (owner.kind === 'unknown-to-log') {
      this.figures.unknownToLog('payment', intentId);
      this.log.error(
        { correlationId: provenance.correlationId, intentId, paymentId: shown.paymentId },
        'the provider has a payment of this ledger that the log does not know',
      );
      if (!owner.isPaymentKnown)
        await this.lost.found('payment', intentId, shown.charges.map(({ createdAt }) => createdAt).sort()[0]);
      return -1;
    }
    const seen = { ...shown, paymentId: owner.paymentId };
    const owners = new Map<string, { readonly paymentId: string } | 'unapplied'>();
    let last = -1;
    const book = async (command: JournalCommand): Promise<Receipt | undefined> => {
      const receipt = await this.book(command, provenance);
      last = Math.max(last, receipt?.revision ?? -1);
      return receipt;
    };
    for (const command of attemptsToBook(seen)) {
      const receipt = await book(command);
      const isNew = receipt !== undefined && !receipt.repeated;
      if (command.type === 'RecordFailedAttempt' && isNew)
        await this.declined.declined(command.paymentId, cardOf(shown, command.attemptId));
      // The entry's key says how the journal took the money: for the payment, or as money that no payment
      // explains.
      if (command.type !== 'SettlePayment' || receipt === undefined) continue;
      const paymentId = receipt.subject ?? command.paymentId;
      if (receipt.key.startsWith('unapplied:')) owners.set(command.chargeId, 'unapplied');
      else if (paymentId !== undefined) {
        owners.set(command.chargeId, { paymentId });
        if (isNew) await this.declined.paid(paymentId);
      }
    }
    for (const command of endingsToBook(seen, owners)) await book(command);
    const failed = shown.charges.findLast(({ failure }) => failure !== undefined);
    if (mayStop && failed && owner.paymentId !== undefined && shown.canceled === undefined)
      if (await this.declined.stop(owner.paymentId, failed.card, provenance))
        return this.read(intentId, 'all-charges', provenance, undefined, false);
    // Its money goes back, and nobody waits for it any more.
    const { paymentId } = owner;
    const isUnapplied = [...owners.values()].includes('unapplied');
    if (isUnapplied && paymentId !== undefined && (await this.ownership.isInVain(paymentId))) {
      const occurredAt = new Date().toISOString();
      await book({ type: 'CancelPayment', paymentId, intentId, reason: ACCOUNT_CLOSED, occurredAt });
    }
    return last;
  }

  private async stopIfDeclined(intentId: string, provenance: Provenance): Promise<void> {
    const paymentId = await this.ownership.recorded(intentId);
    if (paymentId !== undefined && (await this.declined.stop(paymentId, undefined, provenance)))
      await this.payment(intentId, provenance);
  }

  /**
   * Syncs everything that changed at the provider in a time, for as long as {@link LOOKED_FOR_MS}. Answers
   * how many were looked at, which must be again, and how far it came. What the log shows as booked is not
   * read.
   */
  async changedBetween(
    since: Date,
    until: Date,
    provenance: Provenance,
  ): Promise<{ looked: number; failed: string[]; through: string }> {
    const endMs = performance.now() + LOOKED_FOR_MS;
    const failed: string[] = [];
    let looked = 0;
    let from = since;
    while (from < until && (from === since || performance.now() < endMs)) {
      const to = new Date(Math.min(from.getTime() + this.#pieceMs, until.getTime()));
      const hints = await this.provider.changedBetween(from, to, MOST_IN_A_PIECE);
      // A busy time is looked at in shorter pieces, a quiet one in longer ones.
      if (hints === undefined) this.#pieceMs = Math.max(1_000, Math.min(this.#pieceMs, +to - +from) / 2);
      else {
        looked += await this.lookInto(hints, failed, provenance);
        if (hints.length < MOST_IN_A_PIECE / 4) this.#pieceMs = Math.min(this.#pieceMs * 2, LONGEST_PIECE_MS);
        from = to;
      }
    }
    return { looked, failed, through: from.toISOString() };
  }

  private async lookInto(
    hints: readonly PaymentHint[],
    failed: string[],
    provenance: Provenance,
  ): Promise<number> {
    const byIntent = new Map<string, PaymentHint[]>();
    for (const hint of hints) byIntent.set(hint.intentId, [...(byIntent.get(hint.intentId) ?? []), hint]);
    const waiting = byIntent.entries();
    const isBooked = async (hint: PaymentHint): Promise<boolean> => {
      if (await this.booked.holds(hint)) return true;
      const isForeign = await this.booked.isForeign(hint);
      if (isForeign) this.figures.foreign('payment');
      return isForeign;
    };
    const work = async (): Promise<void> => {
      for (const [intentId, told] of waiting) {
        try {
          for (const hint of told)
            if (!(await isBooked(hint))) {
              await this.payment(intentId, provenance);
              break;
            }
        } catch (error) {
          failed.push(intentId);
          this.log.warn(
            { correlationId: provenance.correlationId, intentId, err: error },
            'a payment could not be booked now',
          );
        }
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return byIntent.size;
  }

  /** Books what the provider shows. The journal's no is final, noted, and no reason to stop. */
  async book(command: JournalCommand, provenance: Provenance): Promise<Receipt | undefined> {
    try {
      return await this.bus.execute(new ExecuteJournalCommand(command, provenance));
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const { reason, details } = error;
      const isMoney = MONEY_MOVED.has(command.type) && !NOTHING_MOVED.has(reason);
      this.figures.declined(command.type, reason, isMoney);
      this.log[isMoney ? 'error' : 'warn'](
        { correlationId: provenance.correlationId, command: command.type, reason, details },
        'the journal declined it',
      );
      return undefined;
    }
  }
}
