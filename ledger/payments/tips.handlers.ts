/** Pays somebody at once by a saved card or out of the balance. */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { CreateTip, TipAnswer } from '#contracts/api/tips';
import type { Position } from '#contracts/log';
import { CURRENCY } from '#contracts/plain/money';
import { Vault } from '#log/vault';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { FindCard } from '../bus/saved-cards.js';
import { idFrom, userKey } from '../journal/keys.js';
import { Declines, tooManyDeclines } from '../limits/declines.js';
import { SavedCardPayments } from './saved-card-payments.js';

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
  ) {}

  /**
   * Pays a tip once; the same key and body answer how it stands. Throws Rejected, with `ProofNeeded` where it is
   * more than goes without a proof, Refusal, Unavailable and ProviderRefused.
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
    const judgement = await this.declines.judge(payerId, recipientId, network);
    if (judgement.kind === 'refuse') {
      this.declines.refused(judgement.reached);
      throw tooManyDeclines(judgement.reached);
    }
    // No bank is asked before a saved card is charged: the payer is, by a sign-in or a passkey.
    const isChallenged = judgement.kind === 'challenge';
    await this.declines.started(paymentId, network);
    const savedCard = await this.bus.execute(new FindCard(payerId, from));
    const { position, revision } = await this.bus.execute(
      new ExecuteJournalCommand(
        { type: 'OpenPayment', paymentId, ...terms, method: 'card', savedCard, unproven, isChallenged },
        { ...provenance, key, fingerprint },
      ),
    );
    return { answer: await this.cards.charge(paymentId, revision, correlationId), position };
  }
}
