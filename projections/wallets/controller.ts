/** The lists of treasury wallets and of what moved in and out of them. */
import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { listRequestOf, ShortListQuery } from '#contracts/api/lists';
import { TreasuryTransactionsQuery, TreasuryTransaction, TreasuryWallet } from '#contracts/api/treasury';
import { decimalFromMinor } from '#contracts/plain/money';
import { z } from 'zod';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { answered, pageOfWhole } from '#edge/lists';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { Queryable } from '../engine/read-model.js';
import { walletsOf, walletTransactionsOf, type WalletTransactionView, type WalletView } from './queries.js';

@Controller('api/treasury')
export class WalletsController {
  constructor(private readonly db: Queryable) {}

  @ApiCall({ summary: 'The user’s treasury wallets, oldest first.', answer: z.array(TreasuryWallet) })
  @Get('wallets')
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(ShortListQuery)) query: ShortListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryWallet[]> {
    return answered(reply, pageOfWhole(await walletsOf(this.db, userId), query)).map(walletAnswer);
  }

  @ApiCall({
    summary: `What moved in and out of the user’s wallets, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    answer: z.array(TreasuryTransaction),
    otherwise: { 404: 'The wallet that was asked for is none of theirs' },
  })
  @Get('transactions')
  async movements(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(TreasuryTransactionsQuery)) query: TreasuryTransactionsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryTransaction[]> {
    const { walletId } = query;
    if (walletId !== undefined && !(await walletsOf(this.db, userId)).some(({ id }) => id === walletId))
      throw new Refusal(404, 'Wallet not found');
    const page = await walletTransactionsOf(this.db, userId, listRequestOf(query));
    return answered(reply, page).map(movementAnswer);
  }
}

/** A move in or out of a wallet as its owner's list shows it. */
export const movementAnswer = (line: WalletTransactionView): TreasuryTransaction => ({
  id: line.id,
  walletId: line.walletId,
  type: line.type,
  amount: decimalFromMinor(line.amountMinor),
  status: 'completed',
  description: line.description,
  createdAt: line.movedAt.toISOString(),
  walletName: line.walletName ?? '',
});

/** A wallet as its owner's list shows it. */
export const walletAnswer = (wallet: WalletView): TreasuryWallet => ({
  id: wallet.id,
  displayName: wallet.displayName ?? '',
  description: wallet.description,
  balance: decimalFromMinor(wallet.balanceMinor),
  currency: wallet.currency.toUpperCase(),
  status: 'active',
});

/** One wallet as its owner's list shows it; undefined where the list does not have it (yet). */
export async function walletOf(
  db: Queryable,
  userId: string,
  walletId: string,
): Promise<TreasuryWallet | undefined> {
  const wallet = (await walletsOf(db, userId)).find(({ id }) => id === walletId);
  return wallet && walletAnswer(wallet);
}
