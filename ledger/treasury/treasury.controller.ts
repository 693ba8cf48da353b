/** Treasury wallets: opening one, and moving money between it and the available balance. */
import { Body, Controller, Delete, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import {
  CreateWallet,
  MoveFunds,
  RenameWallet,
  TreasuryMovement,
  TreasuryWallet,
} from '#contracts/api/treasury';
import type { Sealed } from '#contracts/events/journal';
import { CURRENCY, decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { ApiCall, ClientKey } from '#edge/api-call';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, unguarded } from '#edge/proof';
import { ReadYourWrites } from '../http/read-models.js';
import { Validated } from '#edge/validated';
import { idFrom, isIdOf, userKey } from '../journal/keys.js';
import { Rejected } from '../rejection.js';
import { Vault } from '#log/vault';

/** What opening a wallet reads; filled in processes/ledger/reads.ts. */
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

  @ApiCall({
    summary: 'Opens a wallet. The same Idempotency-Key and body give the same wallet.',
    answer: TreasuryWallet,
    proof: unguarded('A new wallet is empty.'),
    otherwise: {
      400: 'What is wrong with the name or the description',
      422: 'The key was used with another body; or there are as many wallets as one may have',
      429: 'As many were opened today as one may open in a day',
    },
  })
  @Post('wallets')
  @HttpCode(200)
  async open(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(CreateWallet)) body: CreateWallet,
    @ClientKey() clientKey: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryWallet> {
    const key = userKey(userId, clientKey);
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

  @ApiCall({
    summary: 'Gives a wallet another name and description. The same Idempotency-Key and body do it once.',
    answer: TreasuryWallet,
    proof: unguarded('It moves no money.'),
    otherwise: {
      400: 'What is wrong with the name or the description',
      404: 'Wallet not found',
      422: 'The key was used with another body',
    },
  })
  @Patch('wallets/:id')
  async rename(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') walletId: string,
    @Body(new Validated(RenameWallet)) body: RenameWallet,
    @ClientKey() clientKey: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryWallet> {
    if (!isIdOf('wal', walletId)) throw new Rejected('WalletNotFound', { walletId });
    const key = userKey(userId, clientKey);
    const fingerprint = await this.vault.fingerprint(userId, { renameWallet: walletId, body });
    const displayName = await this.vault.seal(userId, body.displayName);
    const description = await this.sealed(userId, body.description);
    const renamed = await this.bus.execute(
      new ExecuteJournalCommand(
        { type: 'RenameWallet', walletId, userId, displayName, description },
        { correlationId, actorId: userId, key, fingerprint },
      ),
    );
    await this.readYourWrites.hold(reply, renamed.position);
    const shown = await this.wallets.of(userId, walletId);
    // A repeat may find that the wallet was closed meanwhile.
    if (shown === undefined) throw new Rejected('WalletNotFound', { walletId });
    return { ...shown, displayName: body.displayName, description: body.description ?? null };
  }

  @ApiCall({
    summary:
      'Closes a wallet, and moves what is left in it back to the available balance. The same Idempotency-Key does it once.',
    proof: guarded('money', async ({ userId, params }, facts) => {
      const wallet = await facts.wallet(userId, params['id'] ?? '');
      const from = wallet === undefined ? 'a wallet' : `the wallet “${wallet}”`;
      return {
        words: `Close ${from} and move what is in it to the available balance`,
        from: wallet ?? 'Wallet',
        to: 'Available balance',
      };
    }),
    otherwise: { 404: 'Wallet not found, or closed already', 422: 'The key was used with another body' },
  })
  @Delete('wallets/:id')
  @HttpCode(204)
  async close(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') walletId: string,
    @ClientKey() clientKey: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    if (!isIdOf('wal', walletId)) throw new Rejected('WalletNotFound', { walletId });
    const key = userKey(userId, clientKey);
    const movementId = idFrom('wtx', key);
    const fingerprint = await this.vault.fingerprint(userId, { closeWallet: walletId });
    const closed = await this.bus.execute(
      new ExecuteJournalCommand(
        { type: 'CloseWallet', movementId, walletId, userId, currency: CURRENCY },
        { correlationId, actorId: userId, key, fingerprint },
      ),
    );
    await this.readYourWrites.hold(reply, closed.position);
  }

  @ApiCall({
    summary:
      'Adds funds: from the available balance into a wallet. The same Idempotency-Key and body move it once.',
    answer: TreasuryMovement,
    proof: unguarded(
      'Money goes from the caller’s balance to the caller’s own wallet; the way out is guarded.',
    ),
    otherwise: {
      400: 'What is wrong with the amount or the description',
      404: 'Wallet not found',
      422: 'The available balance does not cover it, said with both amounts; or the key was used with another body',
    },
  })
  @Post('transfer')
  @HttpCode(200)
  fund(
    @SignedIn() caller: Caller,
    @Body(new Validated(MoveFunds)) body: MoveFunds,
    @ClientKey() clientKey: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryMovement> {
    return this.move('FundWallet', caller, body, clientKey, reply);
  }

  @ApiCall({
    summary:
      'Takes money out of a wallet, back to the available balance. The same Idempotency-Key and body move it once.',
    answer: TreasuryMovement,
    proof: guarded<MoveFunds>('money', async ({ userId, body }, facts) => {
      const wallet = await facts.wallet(userId, body.walletId);
      const from = wallet === undefined ? 'a wallet' : `the wallet “${wallet}”`;
      return {
        words: `Move ${dollarsFromMinor(body.amount)} from ${from} to the available balance`,
        amount: decimalFromMinor(body.amount),
        from: wallet ?? 'Wallet',
        to: 'Available balance',
      };
    }),
    otherwise: {
      400: 'What is wrong with the amount or the description',
      404: 'Wallet not found',
      422: 'The wallet does not hold so much, said with both amounts; or the key was used with another body',
    },
  })
  @Post('withdraw')
  @HttpCode(200)
  withdraw(
    @SignedIn() caller: Caller,
    @Body(new Validated(MoveFunds)) body: MoveFunds,
    @ClientKey() clientKey: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreasuryMovement> {
    return this.move('WithdrawWallet', caller, body, clientKey, reply);
  }

  private async move(
    type: 'FundWallet' | 'WithdrawWallet',
    { userId, correlationId }: Caller,
    body: MoveFunds,
    clientKey: string,
    reply: FastifyReply,
  ): Promise<TreasuryMovement> {
    const key = userKey(userId, clientKey);
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
