/** The list of a user's own bank accounts. */
import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { isOnboardingDue, masked, sentenceOfError, BankAccount } from '#contracts/api/bank-accounts';
import { ShortListQuery } from '#contracts/api/lists';
import { z } from 'zod';
import { BANK_ACCOUNTS_PARKED } from '#contracts/plain/parked';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { answered, pageOfWhole } from '#edge/lists';
import { Validated } from '#edge/validated';
import { Queryable } from '../engine/read-model.js';
import { bankAccountsOf, payoutStandingOf } from './queries.js';

@Controller('api/bank-accounts')
export class BankAccountListController {
  constructor(private readonly db: Queryable) {}

  @ApiCall({
    summary: 'The user’s bank accounts, the primary one first. Numbers are masked.',
    answer: z.array(BankAccount),
  })
  @Get()
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(ShortListQuery)) query: ShortListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BankAccount[]> {
    const [accounts, { payoutsEnabled, disabledCode }] = await Promise.all([
      bankAccountsOf(this.db, userId),
      payoutStandingOf(this.db, userId),
    ]);
    const needsOnboarding = isOnboardingDue(payoutsEnabled, disabledCode);
    return answered(reply, pageOfWhole(accounts, query)).map((account) => ({
      id: account.id,
      accountType: account.accountType,
      accountHolderName: account.accountHolderName ?? '',
      bankName: account.bankName ?? '',
      isPrimary: account.isPrimary,
      accountNumber: masked(account.accountLast4 ?? ''),
      routingNumber: masked(account.routingLast4 ?? ''),
      isVerified: payoutsEnabled && account.error === null && !account.isParked,
      needsOnboarding,
      error: account.isParked ? BANK_ACCOUNTS_PARKED : sentenceOfError(account.error),
    }));
  }
}
