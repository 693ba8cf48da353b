/** Pays somebody at once by a saved card or out of the balance. */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { CreateTip, TipAnswer } from '#contracts/api/tips';
import type { SavedCard } from '#contracts/events/journal';
import type { Position } from '#contracts/log';
import { CURRENCY } from '#contracts/plain/money';
import { Vault } from '#log/vault';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { FindCard } from '../bus/saved-cards.js';
import { Journal } from '../journal/journal.js';
import { idFrom, userKey } from '../journal/keys.js';
import { Declines, tooManyDeclines } from '../limits/declines.js';
import { SavedCardPayments } from './saved-card-payments.js';
import { assertStays } from './staying-recipient.js';

/** The word for the balance in the body's `from`. */
const BALANCE = 'balance';

interface PaidTip {
  readonly answer: TipAnswer;
  readonly position: Position | undefined;
}

@Injectable()
export class Tips {
  constructor(
    private readonly bus: CommandBus,
    private readonly cards: SavedCardPayments,
    private readonly vault: Vault,
    private readonly declines: Declines,
    private readonly journal: Journal,
  ) {}

  /**
   * Pays a tip once; the same key and body answer how it stands. Throws Rejected, with `ProofNeeded` where it
   * is more than goes without a proof, Refusal, Unavailable and ProviderRefused.
   */
  async pay(
    payerId: string,
    body: CreateTip,
    clientKey: string,
    isProven: boolean,
    { correlationId, network }: { readonly correlationId: string; readonly network: string },
  ): Promise<PaidTip> {
    const key = userKey(payerId, clientKey);
    const { amount: amountMinor, toUserId: recipientId, description, from } = body;
    const [fingerprint, note] = await Promise.all([
      this.vault.fingerprint(payerId, { tip: body }),
      description === undefined ? undefined : this.vault.seal(payerId, description),
      // Nothing is opened before its answer.
      assertStays(recipientId, key, this.bus, this.journal),
    ]);
    const provenance = { correlationId, actorId: payerId };
    const terms = { payerId, recipientId, amountMinor, currency: CURRENCY, note };
    const unproven = isProven ? undefined : (true as const);
    if (from === BALANCE) {
      const transferId = idFrom('trf', key);
      const { position } = await this.bus.execute(
        new ExecuteJournalCommand(
          { type: 'PostTransfer', transferId, ...terms, unproven },
          { ...provenance, key, fingerprint },
        ),
      );
      const answer = {
        id: transferId,
        status: 'completed',
        clientSecret: null,
        failureReason: null,
      } as const;
      return { answer, position };
    }
    const paymentId = idFrom('pay', key);
    // A repeat goes on with what was begun, whatever became of the card, and of others, since: whoever is
    // refused now takes it that nothing was paid.
    const begun = await this.journal.look('payment', paymentId);
    const { savedCard, isChallenged } = begun
      ? { savedCard: begun.savedCard, isChallenged: false }
      : await this.begin(paymentId, payerId, body, network);
    const { position, revision } = await this.bus.execute(
      new ExecuteJournalCommand(
        { type: 'OpenPayment', paymentId, ...terms, method: 'card', savedCard, unproven, isChallenged },
        { ...provenance, key, fingerprint },
      ),
    );
    return { answer: await this.cards.charge(paymentId, revision, correlationId), position };
  }

  /**
   * The card that a new tip is charged to. Throws Refusal after too many declines, and
   * Rejected('CardNotFound').
   */
  private async begin(
    paymentId: string,
    payerId: string,
    { toUserId, from }: CreateTip,
    network: string,
  ): Promise<{ readonly savedCard: SavedCard; readonly isChallenged: boolean }> {
    const judgement = await this.declines.judge(payerId, toUserId, network);
    if (judgement.kind === 'refuse') {
      this.declines.refused(judgement.reached);
      throw tooManyDeclines(judgement.reached);
    }
    await this.declines.started(paymentId, network);
    const savedCard = await this.bus.execute(new FindCard(payerId, from));
    // No bank is asked before a saved card is charged: the payer is, by a sign-in or a passkey.
    return { savedCard, isChallenged: judgement.kind === 'challenge' };
  }
}
