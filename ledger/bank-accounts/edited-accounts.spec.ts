/**
 * Accounts for payouts, and bank accounts in them, whose metadata somebody at the provider has edited or
 * copied.
 */
import { expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { ConnectHints } from '#ledger/bus/connect-hints';
import type { ExecuteStreamCommand } from '#ledger/bus/execute-stream-command';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { StreamRunner } from '#ledger/streams/runner';
import type { PayoutProvider } from '#ledger/stripe/payout-provider';
import { ProviderRefused } from '#ledger/stripe/provider-payment';
import type { ProviderBankAccount, ProviderStanding } from '#ledger/stripe/provider-payout';
import { MemoryLog } from '#test/support/memory-log';
import { sealedFor } from '#test/support/plain-vault';
import { CountedFigures } from '#test/support/provider-figures';
import { bankAccounts, type BankAccountsCommand } from './bank-accounts.decider.js';
import { BankAccountHandlers } from './bank-accounts.handlers.js';

const UNUSED = {} as never;
const JUNO = 'usr_juno';
const BY = { correlationId: 'spec' };
const ACCOUNT = 'acct_juno';
/** Of somebody else's program in the same account. */
const OTHERS = 'acct_others';

const there = (externalAccountId: string, bankAccountId = 'bnk_1'): ProviderBankAccount => ({
  externalAccountId,
  bankAccountId,
  isDefault: true,
  error: undefined,
});

/** Juno has submitted a bank account and has an account at the provider, which shows it as given. */
async function world(shown: Partial<ProviderStanding>) {
  const streams = new StreamRunner(new MemoryLog());
  const removed: string[] = [];
  const userNamed = async (connectAccountId: string): Promise<string | undefined> =>
    (await standingOf(connectAccountId)).userId;
  const standingOf = (connectAccountId: string): Promise<ProviderStanding> =>
    Promise.resolve({
      connectAccountId,
      userId: JUNO,
      payoutsEnabled: true,
      disabledCode: undefined,
      isOnboardingDue: false,
      bankAccounts: [],
      ...shown,
    });
  const provider = {
    userNamed: (id: string) => (id === OTHERS ? Promise.resolve(undefined) : userNamed(id)),
    // What banks another platform's kind of account has, its owner alone is shown.
    standing: (id: string) =>
      id === OTHERS ? Promise.reject(new ProviderRefused('Refused.')) : standingOf(id),
    removeBankAccount: (_: string, id: string) => Promise.resolve(removed.push(id) > 0),
  } as unknown as PayoutProvider;
  const bus = {
    execute: ({ decider, id, command, provenance }: ExecuteStreamCommand<never, never, never>) =>
      streams.execute(decider, id, command, provenance),
  } as unknown as CommandBus;
  const figures = new CountedFigures();
  const hints = new ConnectHints();
  const owners = { of: (id: string) => Promise.resolve(id === ACCOUNT ? JUNO : undefined) };
  const handlers = new BankAccountHandlers(
    bus,
    streams,
    provider,
    UNUSED,
    UNUSED,
    figures,
    owners,
    new InternalCommands(),
    hints,
    pino({ level: 'silent' }),
  );
  const ask = (command: BankAccountsCommand) => streams.execute(bankAccounts, JUNO, command, BY);
  await ask({
    type: 'SubmitBankAccount',
    userId: JUNO,
    bankAccountId: 'bnk_1',
    accountType: 'checking',
    details: sealedFor(JUNO, 'numbers'),
    numberFingerprint: 'n',
    requestFingerprint: 'r',
    submittedAt: new Date().toISOString(),
  });
  await ask({ type: 'OpenPayoutAccount', userId: JUNO, connectAccountId: ACCOUNT });
  const tell = (connectAccountId = ACCOUNT) => hints.tell({ about: 'account', connectAccountId }, BY);
  return { handlers, figures, removed, tell, state: () => streams.read(bankAccounts, JUNO) };
}

it.each([
  ['somebody else', 'usr_rex'],
  ['nobody', undefined],
])('follows the account that the log opened, though its metadata name %s', async (_, userId) => {
  const { tell, state, figures } = await world({ userId });
  await tell();
  expect((await state()).payoutsEnabled).toBe(true);
  expect(figures.seen).toEqual([]);
});

it('is not told by another account that names the user', async () => {
  const { tell, state, figures } = await world({});
  await tell('acct_copy');
  expect((await state()).payoutsEnabled).toBe(false);
  expect(figures.seen).toEqual(['foreign account']);
});

it('passes over an account of somebody else’s, whose bank accounts it is not shown', async () => {
  const { tell, figures } = await world({});
  await tell(OTHERS);
  expect(figures.seen).toEqual(['foreign account']);
});

it('takes the bank account whose answer was lost, and none where two name it', async () => {
  const sound = await world({ bankAccounts: [there('ba_ours'), there('ba_other', 'bnk_2')] });
  await sound.handlers.follow(JUNO, BY);
  expect((await sound.state()).accounts.get('bnk_1')).toMatchObject({
    status: 'added',
    externalAccountId: 'ba_ours',
  });
  const copied = await world({ bankAccounts: [there('ba_copy'), there('ba_ours')] });
  await copied.handlers.follow(JUNO, BY);
  expect((await copied.state()).accounts.get('bnk_1')).toMatchObject({ status: 'submitted' });
});
