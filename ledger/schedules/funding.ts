/**
 * Whether a payer can pay at all, asked before something is to be due: a balance that covers it now, or a
 * saved card.
 */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { available } from '#contracts/plain/accounts';
import { BALANCE_THEN_CARD, type PaymentSource } from '#contracts/events/payment-source';
import { RequireStaying } from '../bus/known-user.js';
import { FindDefaultCard } from '../bus/saved-cards.js';
import { Journal } from '../journal/journal.js';
import { Rejected } from '../rejection.js';

@Injectable()
export class Funding {
  constructor(
    private readonly journal: Journal,
    private readonly bus: CommandBus,
  ) {}

  /**
   * Throws Rejected('RecipientNotFound'), Rejected('RecipientLeaves'), Rejected('CardRequired') and, where
   * only the balance is to pay, Rejected('InsufficientFunds'); StoreAway where the log cannot be asked.
   */
  async assertPossible(
    payerId: string,
    recipientId: string,
    amountMinor: number,
    { from }: PaymentSource = BALANCE_THEN_CARD,
  ): Promise<void> {
    const balance = (): number => this.journal.balanceOf(available(payerId)) ?? 0;
    // A card that was chosen is known to be saved, and the balance is left alone.
    const covers = (): boolean => from === 'card' || balance() >= amountMinor;
    // Another ledger may have opened the account a moment ago, or moved money: nobody is refused by old
    // books.
    if (!this.journal.isOpen(recipientId) || !covers()) await this.journal.readToEnd();
    if (!this.journal.isOpen(recipientId)) throw new Rejected('RecipientNotFound', { recipientId });
    await this.bus.execute(new RequireStaying(recipientId));
    if (covers()) return;
    if (from === 'balance')
      throw new Rejected('InsufficientFunds', { available: balance(), asked: amountMinor });
    if ((await this.bus.execute(new FindDefaultCard(payerId))) === undefined)
      throw new Rejected('CardRequired', { payerId, asked: amountMinor });
  }
}
