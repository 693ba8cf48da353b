/** Treasury wallets: opening one, moving money between it and the available balance, and the lists. */
import { Body, Controller, Get, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { asked, ShortListQuery } from '#contracts/api/lists';
import {
  CreateWallet,
  MoveFunds,
  TreasuryTransactionsQuery,
  type TreasuryMovement,
  type TreasuryTransaction,
  type TreasuryWallet,
} from '#contracts/api/treasury';
import type { Sealed } from '#contracts/events/journal';
import { CURRENCY, decimalFromMinor } from '#contracts/plain/money';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { SignedIn, type Caller } from '#edge/caller';
import { answered, pageOfWhole } from '#edge/lists';
import { ReadYourWrites } from '../http/read-models.js';
import { read, Validated } from '#edge/validated';
import { idFrom, userKey } from '../journal/keys.js';
import { Rejected } from '../rejection.js';
import { Vault } from '#log/vault';
import { Wallets, type KnownWallet } from './treasury-reads.js';

@Controller('api/treasury')
export class TreasuryController {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
    private readonly wallets: Wallets,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Get('wallets')
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(ShortListQuery)) query: ShortListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryWallet[]> {
    return answered(reply, pageOfWhole(await this.wallets.of(userId), query)).map(walletOf);
  }

  @Post('wallets')
  @HttpCode(200)
  async open(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(CreateWallet)) body: CreateWallet,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryWallet> {
    const key = keyOf(userId, header);
    const walletId = idFrom('wal', key);
    // One after the other: whoever seals first makes the user's data key.
    const fingerprint = await this.vault.fingerprint(userId, { wallet: body });
    const [displayName, description] = await Promise.all([
      this.vault.seal(userId, body.displayName),
      this.sealed(userId, body.description),
    ]);
    const opened = await this.bus.execute(
      new ExecuteJournalCommand(
        { type: 'OpenWallet', walletId, userId, displayName, description, currency: CURRENCY },
        { correlationId, actorId: userId, key, fingerprint },
      ),
    );
    await this.readYourWrites.hold(reply, opened.position);
    const known = (await this.wallets.of(userId)).find(({ id }) => id === walletId);
    // A list that is still behind cannot tell what has moved in it since: a new wallet is empty.
    const { displayName: name, description: about = null } = body;
    return walletOf(
      known ?? { id: walletId, displayName: name, description: about, balanceMinor: 0, currency: CURRENCY },
    );
  }

  @Post('transfer')
  @HttpCode(200)
  fund(
    @SignedIn() caller: Caller,
    @Body(new Validated(MoveFunds)) body: MoveFunds,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryMovement> {
    return this.move('FundWallet', caller, body, header, reply);
  }

  @Post('withdraw')
  @HttpCode(200)
  withdraw(
    @SignedIn() caller: Caller,
    @Body(new Validated(MoveFunds)) body: MoveFunds,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryMovement> {
    return this.move('WithdrawWallet', caller, body, header, reply);
  }

  @Get('transactions')
  async movements(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(TreasuryTransactionsQuery)) query: TreasuryTransactionsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryTransaction[]> {
    const { walletId } = query;
    if (walletId !== undefined && !(await this.wallets.of(userId)).some(({ id }) => id === walletId))
      throw new Rejected('WalletNotFound', { walletId });
    const page = await this.wallets.movementsOf(userId, asked(query));
    return answered(reply, page).map(({ amountMinor, createdAt, walletName, ...line }) => ({
      id: line.id,
      walletId: line.walletId,
      type: line.type,
      amount: decimalFromMinor(amountMinor),
      status: 'completed',
      description: line.description,
      createdAt: createdAt.toISOString(),
      walletName: walletName ?? '',
    }));
  }

  private async move(
    type: 'FundWallet' | 'WithdrawWallet',
    { userId, correlationId }: Caller,
    body: MoveFunds,
    header: unknown,
    reply: FastifyReply,
  ): Promise<TreasuryMovement> {
    const key = keyOf(userId, header);
    const movementId = idFrom('wtx', key);
    const { walletId, amount: amountMinor } = body;
    // Which way it goes is part of the request: one key cannot first fund and then withdraw.
    const fingerprint = await this.vault.fingerprint(userId, { [type]: body });
    const description = await this.sealed(userId, body.description);
    const moved = await this.bus.execute(
      new ExecuteJournalCommand(
        { type, movementId, walletId, userId, amountMinor, currency: CURRENCY, description },
        { correlationId, actorId: userId, key, fingerprint },
      ),
    );
    await this.readYourWrites.hold(reply, moved.position);
    const direction = type === 'FundWallet' ? 'credit' : 'debit';
    return {
      id: movementId,
      walletId,
      type: direction,
      amount: decimalFromMinor(amountMinor),
      status: 'completed',
    };
  }

  private async sealed(userId: string, text: string | undefined): Promise<Sealed | undefined> {
    return text === undefined ? undefined : this.vault.seal(userId, text);
  }
}

/** The journal's key of a request: the client's, or one of its own for a client that sends none. */
const keyOf = (userId: string, header: unknown): string =>
  userKey(userId, read(IdempotencyKey.optional(), header) ?? uuidv7());

const walletOf = ({ id, displayName, description, balanceMinor, currency }: KnownWallet): TreasuryWallet => ({
  id,
  displayName: displayName ?? '',
  description,
  balance: decimalFromMinor(balanceMinor),
  currency: currency.toUpperCase(),
  status: 'active',
});
