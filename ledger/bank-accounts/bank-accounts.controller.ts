/** Adding, choosing and removing one's own bank accounts, and the way to the provider's verification. */
import { Body, Controller, Delete, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  AddBankAccount,
  isOnboardingDue,
  masked,
  sentenceOfError,
  AddedBankAccount,
  Onboarding,
} from '#contracts/api/bank-accounts';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded } from '#edge/proof';
import { ReadYourWrites } from '../http/read-models.js';
import { Validated } from '#edge/validated';
import { BankAccountHandlers } from './bank-accounts.handlers.js';
import { isInOrder } from './bank-accounts.decider.js';

@Controller('api')
export class BankAccountsController {
  constructor(
    private readonly handlers: BankAccountHandlers,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary:
      'Adds a bank account. Its numbers become the provider’s token and are not kept. The first one is primary.',
    answer: AddedBankAccount,
    proof: guarded<AddBankAccount>('destination', ({ body }) => {
      const to = `${body.bankName} ••${body.accountNumber.slice(-4)}`;
      return { words: `Add the bank account ${to} for payouts`, to };
    }),
    otherwise: {
      400: 'What is missing or wrong, by field',
      422: 'Added already, too many, not accepted by the provider; or the key was used with another body',
    },
  })
  @Post('bank-accounts')
  @HttpCode(200)
  async add(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(AddBankAccount)) body: AddBankAccount,
    @ClientKey() key: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AddedBankAccount> {
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

  @ApiCall({
    summary: 'Makes a bank account the primary one.',
    proof: guarded('destination', async ({ userId, params }, facts) => {
      const to = (await facts.bankAccount(userId, params['id'] ?? '')) ?? 'another bank account';
      return { words: `Make ${to} the primary bank account`, to };
    }),
    otherwise: { 404: 'Bank account not found', 409: 'It is still being added' },
  })
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

  @ApiCall({
    summary: 'Removes a bank account; another one becomes primary if it was that.',
    proof: guarded('destination', async ({ userId, params }, facts) => {
      const from = (await facts.bankAccount(userId, params['id'] ?? '')) ?? 'a bank account';
      return { words: `Remove ${from} from the bank accounts`, from };
    }),
    otherwise: { 404: 'Bank account not found' },
  })
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

  @ApiCall({
    summary:
      'A fresh page of the provider’s where the user verifies themselves; it leads back to /bank-accounts.',
    answer: Onboarding,
    proof: guarded('destination', () => ({
      words: 'Open the payment provider’s page where I verify myself for payouts',
    })),
    otherwise: { 422: 'There is no bank account yet', 502: 'The provider refused' },
  })
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
