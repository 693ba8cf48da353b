/** Adding, choosing and removing one's own bank accounts, and the way to the provider's verification. */
import { Body, Controller, Delete, Headers, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  AddBankAccount,
  isOnboardingDue,
  masked,
  sentenceOfError,
  type AddedBankAccount,
  type Onboarding,
} from '#contracts/api/bank-accounts';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { SignedIn, type Caller } from '#edge/caller';
import { ReadYourWrites } from '../http/read-models.js';
import { read, Validated } from '#edge/validated';
import { BankAccountHandlers } from './bank-accounts.handlers.js';
import { isInOrder } from './bank-accounts.decider.js';

@Controller('api')
export class BankAccountsController {
  constructor(
    private readonly handlers: BankAccountHandlers,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Post('bank-accounts')
  @HttpCode(200)
  async add(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(AddBankAccount)) body: AddBankAccount,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AddedBankAccount> {
    const key = read(IdempotencyKey.optional(), header);
    const { state, account, details, onboardingUrl, position } = await this.handlers.add(
      userId,
      body,
      key,
      correlationId,
    );
    await this.readYourWrites.hold(reply, position);
    return {
      id: account.bankAccountId,
      accountType: account.accountType,
      accountHolderName: details.accountHolderName,
      bankName: details.bankName,
      accountNumber: masked(details.accountLast4),
      routingNumber: masked(details.routingLast4),
      isPrimary: state.primaryId === account.bankAccountId,
      isVerified: isInOrder(state, account),
      needsOnboarding: isOnboardingDue(state.payoutsEnabled, state.disabledCode),
      error: sentenceOfError(account.status === 'added' ? account.error : undefined),
      onboardingUrl,
    };
  }

  @Put('bank-accounts/:id/primary')
  @HttpCode(204)
  async choosePrimary(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const position = await this.handlers.choosePrimary(userId, id, { correlationId, actorId: userId });
    await this.readYourWrites.hold(reply, position);
  }

  @Delete('bank-accounts/:id')
  @HttpCode(204)
  async remove(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const position = await this.handlers.remove(userId, id, { correlationId, actorId: userId });
    await this.readYourWrites.hold(reply, position);
  }

  @Post('payouts/onboarding')
  @HttpCode(200)
  async onboarding(
    @SignedIn() { userId, correlationId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Onboarding> {
    const { url, position } = await this.handlers.onboarding(userId, { correlationId, actorId: userId });
    await this.readYourWrites.hold(reply, position);
    return { onboardingUrl: url };
  }
}
