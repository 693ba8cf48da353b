/** Treasury wallets: opening one, and moving money between it and the available balance. */
import { Body, Controller, Headers, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { CreateWallet, MoveFunds, type TreasuryMovement, type TreasuryWallet } from '#contracts/api/treasury';
import type { Sealed } from '#contracts/events/journal';
import { CURRENCY, decimalFromMinor } from '#contracts/plain/money';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { SignedIn, type Caller } from '#edge/caller';
import { ReadYourWrites } from '../http/read-models.js';
import { read, Validated } from '#edge/validated';
import { idFrom, userKey } from '../journal/keys.js';
import { Vault } from '#log/vault';

/** What opening a wallet reads; filled in processes/ledger.ts. */
export abstract class WalletAnswers {
  /** A wallet as its owner's list shows it; undefined where the list does not have it (yet). */
  abstract of(userId: string, walletId: string): Promise<TreasuryWallet | undefined>;
}

@Controller('api/treasury')
export class TreasuryController {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
    private readonly wallets: WalletAnswers,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

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
    const { displayName: name, description: about = null } = body;
    return (
      (await this.wallets.of(userId, walletId)) ?? {
        id: walletId,
        displayName: name,
        description: about,
        // A list that is still behind cannot tell what has moved in it since: a new wallet is empty.
        balance: decimalFromMinor(0),
        currency: CURRENCY.toUpperCase(),
        status: 'active',
      }
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
