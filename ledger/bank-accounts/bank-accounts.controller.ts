/** A user's own bank accounts, and the way to the provider's verification. */
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Res,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  AddBankAccount,
  masked,
  type AddedBankAccount,
  type BankAccount,
  type Onboarding,
} from '#contracts/api/bank-accounts';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { ShortListQuery } from '#contracts/api/lists';
import { SignedIn, type Caller } from '#edge/caller';
import { answered, pageOfWhole } from '#edge/lists';
import { ReadYourWrites } from '../http/read-models.js';
import { read, Validated } from '#edge/validated';
import { BankAccountFlow } from './bank-accounts.handlers.js';
import { isInOrder } from './bank-accounts.decider.js';

/** A bank account as the read model has it. */
export interface KnownBankAccount {
  readonly id: string;
  readonly accountType: 'checking' | 'savings';
  readonly accountHolderName: string;
  readonly bankName: string;
  readonly accountLast4: string;
  readonly routingLast4: string;
  readonly isPrimary: boolean;
  readonly error: string | undefined;
}

/** What the calls read; implemented over the read model by main.ts. */
export abstract class BankAccountReads {
  abstract of(userId: string): Promise<{
    readonly accounts: readonly KnownBankAccount[];
    readonly payoutsEnabled: boolean;
    readonly disabledCode: string | undefined;
  }>;
}

const ERRORS: Readonly<Record<string, string>> = {
  errored: 'A payout to this account failed. Please check its numbers, or use another account.',
  verification_failed: 'The bank could not confirm whose account this is.',
  missing: 'The payment provider does not know this account any more. Please add it again.',
};
const ERROR = 'Something is wrong with this account. Please use another one.';
const errorOf = (code: string | undefined): string | null =>
  code === undefined ? null : (ERRORS[code] ?? ERROR);

/** Whether the user has something left to do about it. */
const isOnboardingDue = (payoutsEnabled: boolean, disabledCode: string | undefined): boolean =>
  !payoutsEnabled && !/pending_verification|under_review|^rejected/.test(disabledCode ?? '');

@Controller('api')
export class BankAccountsController {
  constructor(
    private readonly flow: BankAccountFlow,
    private readonly reads: BankAccountReads,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Get('bank-accounts')
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(ShortListQuery)) query: ShortListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BankAccount[]> {
    const { accounts, payoutsEnabled, disabledCode } = await this.reads.of(userId);
    const needsOnboarding = isOnboardingDue(payoutsEnabled, disabledCode);
    return answered(reply, pageOfWhole(accounts, query)).map(
      ({ accountLast4, routingLast4, error, ...account }) => ({
        ...account,
        accountNumber: masked(accountLast4),
        routingNumber: masked(routingLast4),
        isVerified: payoutsEnabled && error === undefined,
        needsOnboarding,
        error: errorOf(error),
      }),
    );
  }

  @Post('bank-accounts')
  @HttpCode(200)
  async add(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(AddBankAccount)) body: AddBankAccount,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AddedBankAccount> {
    const key = read(IdempotencyKey.optional(), header);
    const { state, account, details, onboardingUrl, position } = await this.flow.add(
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
      error: errorOf(account.status === 'added' ? account.error : undefined),
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
    const position = await this.flow.choosePrimary(userId, id, { correlationId, actorId: userId });
    await this.readYourWrites.hold(reply, position);
  }

  @Delete('bank-accounts/:id')
  @HttpCode(204)
  async remove(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const position = await this.flow.remove(userId, id, { correlationId, actorId: userId });
    await this.readYourWrites.hold(reply, position);
  }

  @Post('payouts/onboarding')
  @HttpCode(200)
  async onboarding(
    @SignedIn() { userId, correlationId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Onboarding> {
    const { url, position } = await this.flow.onboarding(userId, { correlationId, actorId: userId });
    await this.readYourWrites.hold(reply, position);
    return { onboardingUrl: url };
  }
}
