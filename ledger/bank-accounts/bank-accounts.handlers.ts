/**
 * The way of a bank account between its owner, the log and the provider. It is meant first, then given to the
 * provider under keys that derive from it; its numbers live for one request and become the provider's token.
 * Every step may be run again.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { AddBankAccount } from '#contracts/api/bank-accounts';
import { BankAccountDetails, type BankAccountEvent } from '#contracts/events/bank-account';
import type { Position } from '#contracts/log';
import type { Provenance } from '#log/record';
import { ConnectHints } from '../bus/connect-hints.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { LOG, PUBLIC_URL } from '../parts.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { latest } from '../http/read-models.js';
import { Refusal } from '#edge/refusal';
import { idFrom, userKey } from '../journal/keys.js';
import { Rejected, Unavailable } from '../rejection.js';
import { PayoutProvider } from '../stripe/payout-provider.js';
import { ProviderFigures } from '../stripe/provider-figures.js';
import {
  NumbersRefused,
  onceNamed,
  PayoutAccountGone,
  type ProviderStanding,
} from '../stripe/provider-payout.js';
import { StreamRunner, type Outcome } from '../streams/runner.js';
import { UNREADABLE_TEXT } from '#contracts/plain/unreadable';
import { Vault } from '#log/vault';
import {
  bankAccounts,
  submittedAs,
  type BankAccount,
  type BankAccounts,
  type BankAccountsCommand,
} from './bank-accounts.decider.js';

interface AddedAccount {
  readonly state: BankAccounts;
  readonly account: BankAccount;
  readonly details: BankAccountDetails;
  readonly onboardingUrl: string | null;
  readonly position: Position | undefined;
}

/**
 * A submission that is older than this and has not got to the provider is given up: no request is still at
 * work on it.
 */
const GIVEN_UP_AFTER_MS = 10 * 60_000;
const NEVER_ARRIVED = 'It did not reach the payment provider.';
/** What no text is left of: its owner was forgotten. */
const NO_DETAILS: BankAccountDetails = {
  accountHolderName: '',
  bankName: '',
  accountLast4: '',
  routingLast4: '',
};
const UNREADABLE_DETAILS: BankAccountDetails = {
  ...NO_DETAILS,
  accountHolderName: UNREADABLE_TEXT,
  bankName: UNREADABLE_TEXT,
};

/** What the handlers read; filled in processes/ledger/reads.ts. */
export abstract class PayoutAccountOwners {
  /** Whose an account at the payout provider is, by the read model; undefined where it is nobody's. */
  abstract of(connectAccountId: string): Promise<string | undefined>;
}

@Injectable()
export class BankAccountHandlers {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly provider: PayoutProvider,
    private readonly vault: Vault,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
    private readonly figures: ProviderFigures,
    private readonly owners: PayoutAccountOwners,
    commands: InternalCommands,
    hints: ConnectHints,
    @Inject(LOG) private readonly log: Logger,
  ) {
    commands.on('CareForBankAccounts', ({ userId }, provenance) =>
      this.finishSubmissions(userId, provenance),
    );
    hints.on('account', ({ connectAccountId, userId }, provenance) =>
      this.followAccount(connectAccountId, userId, provenance),
    );
  }

  /**
   * Adds a bank account. The same key and body give the same one. Throws Rejected, Unavailable,
   * ProviderRefused, and a Refusal where the provider does not take the numbers.
   */
  async add(
    userId: string,
    body: AddBankAccount,
    clientKey: string,
    correlationId: string,
  ): Promise<AddedAccount> {
    const { accountHolderName, bankName, accountNumber, routingNumber, accountType } = body;
    const bankAccountId = idFrom('bnk', userKey(userId, clientKey));
    const shown: BankAccountDetails = {
      accountHolderName,
      bankName,
      accountLast4: accountNumber.slice(-4),
      routingLast4: routingNumber.slice(-4),
    };
    const [numberFingerprint, requestFingerprint, details] = await Promise.all([
      this.vault.fingerprint(userId, { accountNumber, routingNumber }),
      this.vault.fingerprint(userId, body),
      this.vault.seal(userId, JSON.stringify(shown)),
    ]);
    const provenance = { correlationId, actorId: userId };
    const submission = { bankAccountId, accountType, details, numberFingerprint, requestFingerprint };
    const submittedAt = new Date().toISOString();
    const submitted = await this.ask(
      { type: 'SubmitBankAccount', userId, ...submission, submittedAt },
      provenance,
    );
    const meant = submittedAs(submitted.state, submission);
    if (!meant) throw new Error(`Bank account ${bankAccountId} was submitted and is not there.`);
    const delivered =
      meant.status === 'submitted'
        ? await this.deliver(userId, meant, body, submitted.state, provenance)
        : undefined;
    const followed = await this.followIfPossible(userId, provenance);
    const { state } = followed ?? delivered ?? submitted;
    const account = state.accounts.get(meant.bankAccountId) ?? meant;
    const plain = await this.vault.unsealOr(account.details, null);
    return {
      state,
      account,
      details:
        plain === null
          ? UNREADABLE_DETAILS
          : plain === undefined
            ? NO_DETAILS
            : BankAccountDetails.parse(JSON.parse(plain)),
      onboardingUrl: followed ? await this.urlIfPossible(followed.standing, provenance) : null,
      position: latest([submitted.position, delivered?.position, followed?.position]),
    };
  }

  /** Throws Rejected and Unavailable. */
  async choosePrimary(
    userId: string,
    bankAccountId: string,
    provenance: Provenance,
  ): Promise<Position | undefined> {
    return this.change({ type: 'ChoosePrimary', userId, bankAccountId }, provenance);
  }

  /** Throws Rejected and Unavailable. */
  async remove(userId: string, bankAccountId: string, provenance: Provenance): Promise<Position | undefined> {
    return this.change({ type: 'RemoveBankAccount', userId, bankAccountId }, provenance);
  }

  /**
   * A fresh page for verification; null when the provider waits for nothing. Throws Rejected, Unavailable and
   * ProviderRefused.
   */
  async onboarding(
    userId: string,
    provenance: Provenance,
  ): Promise<{ url: string | null; position: Position | undefined }> {
    const followed = await this.follow(userId, provenance);
    if (!followed) throw new Rejected('BankAccountNeeded', { userId });
    const { standing, position } = followed;
    return { url: await this.onboardingUrl(standing), position };
  }

  /**
   * Looks into an account of the provider's that something happened to. One that is none of ours is passed
   * over.
   */
  private async followAccount(
    connectAccountId: string,
    knownOwner: string | undefined,
    provenance: Provenance,
  ): Promise<void> {
    const inRows = knownOwner ?? (await this.owners.of(connectAccountId));
    if (inRows === undefined && !(await this.namesAUser(connectAccountId)))
      return this.figures.foreign('account');
    const standing = await this.standingOf(connectAccountId);
    if (standing === 'gone') {
      if (inRows === undefined) return this.figures.foreign('account');
      await this.noteClosed(inRows, connectAccountId, provenance);
      return;
    }
    const owner = await this.ownerOf(standing, knownOwner);
    if (owner === undefined) return this.figures.foreign('account');
    await this.follow(owner, provenance);
  }

  /** The user for whom the log opened the account: metadata say it sooner than rows, and people edit them. */
  private async ownerOf(
    { connectAccountId, userId: named }: ProviderStanding,
    known: string | undefined,
  ): Promise<string | undefined> {
    const isTheirs = async (userId: string | undefined): Promise<boolean> =>
      userId !== undefined && (await this.stateOf(userId)).connectAccountId === connectAccountId;
    for (const userId of [known, named]) if (await isTheirs(userId)) return userId;
    const inRows = await this.owners.of(connectAccountId);
    return (await isTheirs(inRows)) ? inRows : undefined;
  }

  /**
   * Finishes what a lost request began: what got to the provider is noted, what did not is given up after a
   * time.
   */
  private async finishSubmissions(userId: string, provenance: Provenance): Promise<void> {
    const followed = await this.follow(userId, provenance);
    const state = followed?.state ?? (await this.stateOf(userId));
    const giveUp = Date.now() - GIVEN_UP_AFTER_MS;
    for (const { status, bankAccountId, submittedAt } of state.accounts.values())
      if (status === 'submitted' && Date.parse(submittedAt) < giveUp)
        await this.ask(
          { type: 'RefuseBankAccount', userId, bankAccountId, reason: NEVER_ARRIVED },
          provenance,
        );
  }

  /**
   * Reads the provider and brings both sides together: notes what it shows, and makes it have what the log
   * says. Undefined where the user has no account there. Throws Unavailable and ProviderRefused.
   */
  async follow(
    userId: string,
    provenance: Provenance,
  ): Promise<
    { state: BankAccounts; standing: ProviderStanding; position: Position | undefined } | undefined
  > {
    const before = await this.stateOf(userId);
    if (before.connectAccountId === undefined) return undefined;
    const standing = await this.standingOf(before.connectAccountId);
    if (standing === 'gone') {
      await this.noteClosed(userId, before.connectAccountId, provenance);
      return undefined;
    }
    const positions: Position[] = [];
    for (const { externalAccountId, bankAccountId } of onceNamed(standing.bankAccounts))
      if (bankAccountId !== undefined && before.accounts.get(bankAccountId)?.status === 'submitted')
        positions.push(
          (await this.ask({ type: 'AddBankAccount', userId, bankAccountId, externalAccountId }, provenance))
            .position,
        );
    const { payoutsEnabled, disabledCode, bankAccounts: shown } = standing;
    const noted = await this.ask(
      { type: 'NoteStanding', userId, payoutsEnabled, disabledCode, shown },
      provenance,
    );
    await this.align(noted.state, standing);
    return { state: noted.state, standing, position: latest([...positions, noted.position]) };
  }

  /** Whether it may be a user's that no row shows yet. One that is gone, and in no row, is nobody's. */
  private async namesAUser(connectAccountId: string): Promise<boolean> {
    try {
      return (await this.provider.userNamed(connectAccountId)) !== undefined;
    } catch (error) {
      if (error instanceof PayoutAccountGone) return false;
      throw error;
    }
  }

  private async standingOf(connectAccountId: string): Promise<ProviderStanding | 'gone'> {
    try {
      return await this.provider.standing(connectAccountId);
    } catch (error) {
      if (error instanceof PayoutAccountGone) return 'gone';
      throw error;
    }
  }

  /** The user is no longer verified, and whatever waits for the account is given back to them. */
  private async noteClosed(
    userId: string,
    connectAccountId: string,
    provenance: Provenance,
  ): Promise<Outcome<BankAccounts, BankAccountEvent>> {
    this.log.warn(
      { correlationId: provenance.correlationId, userId, connectAccountId },
      'the account of a user at the payout provider is gone',
    );
    return this.ask({ type: 'ClosePayoutAccount', userId, connectAccountId }, provenance);
  }

  /** Gives a submitted account to the provider. */
  private async deliver(
    userId: string,
    { bankAccountId }: BankAccount,
    numbers: AddBankAccount,
    state: BankAccounts,
    provenance: Provenance,
  ): Promise<Outcome<BankAccounts, BankAccountEvent>> {
    try {
      const token = await this.provider.bankToken(numbers);
      const add = async (there: BankAccounts): Promise<string> => {
        const connectAccountId =
          there.connectAccountId ?? (await this.openAccount(userId, there, provenance));
        return this.provider.addBankAccount(connectAccountId, bankAccountId, token);
      };
      const externalAccountId = await add(state).catch(async (error: unknown) => {
        if (!(error instanceof PayoutAccountGone)) throw error;
        // Gone without a word: the account goes to another one, made now.
        return add((await this.noteClosed(userId, error.connectAccountId, provenance)).state);
      });
      return await this.ask({ type: 'AddBankAccount', userId, bankAccountId, externalAccountId }, provenance);
    } catch (error) {
      if (!(error instanceof NumbersRefused)) throw error;
      await this.ask({ type: 'RefuseBankAccount', userId, bankAccountId, reason: error.message }, provenance);
      throw new Refusal(422, error.message);
    }
  }

  private async openAccount(
    userId: string,
    { accounts, closedConnectAccountIds }: BankAccounts,
    provenance: Provenance,
  ): Promise<string> {
    const first = Math.min(...[...accounts.values()].map(({ submittedAt }) => Date.parse(submittedAt)));
    const made = await this.provider.accountFor(userId, new Date(first), closedConnectAccountIds);
    const { state } = await this.ask(
      { type: 'OpenPayoutAccount', userId, connectAccountId: made },
      provenance,
    );
    return state.connectAccountId ?? made;
  }

  /** The provider's own default is the primary account, and what was removed here is removed there. */
  private async align(
    state: BankAccounts,
    { connectAccountId, bankAccounts: there }: ProviderStanding,
  ): Promise<void> {
    const primary = state.primaryId === undefined ? undefined : state.accounts.get(state.primaryId);
    if (primary?.status === 'added')
      if (
        there.some(
          ({ externalAccountId, isDefault }) => externalAccountId === primary.externalAccountId && !isDefault,
        )
      )
        await this.provider.makeDefault(connectAccountId, primary.externalAccountId);
    for (const { bankAccountId, externalAccountId } of there) {
      const account = bankAccountId === undefined ? undefined : state.accounts.get(bankAccountId);
      const isLeft =
        account?.status === 'removed' ||
        account?.status === 'refused' ||
        (account?.status === 'added' && account.externalAccountId !== externalAccountId);
      if (isLeft) await this.provider.removeBankAccount(connectAccountId, externalAccountId);
    }
  }

  private async change(command: BankAccountsCommand, provenance: Provenance): Promise<Position | undefined> {
    const changed = await this.ask(command, provenance);
    const followed = await this.followIfPossible(command.userId, provenance);
    return latest([changed.position, followed?.position]);
  }

  /** What is decided is decided: the provider hears of it now, or when it answers again. */
  private async followIfPossible(userId: string, provenance: Provenance) {
    try {
      return await this.follow(userId, provenance);
    } catch (error) {
      if (error instanceof Rejected) throw error;
      this.log.warn(
        { correlationId: provenance.correlationId, err: error },
        'the payout provider could not be followed now',
      );
      return undefined;
    }
  }

  /** The provider's page for verification; it sends a user back to ours. */
  private async onboardingUrl({
    isOnboardingDue,
    connectAccountId,
  }: ProviderStanding): Promise<string | null> {
    if (!isOnboardingDue) return null;
    const done = `${this.publicUrl}/bank-accounts`;
    const expired = `${done}?verification=expired`;
    return this.provider.onboardingUrl(connectAccountId, { done, expired });
  }

  private async urlIfPossible(standing: ProviderStanding, provenance: Provenance): Promise<string | null> {
    try {
      return await this.onboardingUrl(standing);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.log.warn(
        { correlationId: provenance.correlationId, err: error },
        'no page for verification could be had now',
      );
      return null;
    }
  }

  private ask(
    command: BankAccountsCommand,
    provenance: Provenance,
  ): Promise<Outcome<BankAccounts, BankAccountEvent>> {
    return this.bus.execute(new ExecuteStreamCommand(bankAccounts, command.userId, command, provenance));
  }

  private stateOf(userId: string): Promise<BankAccounts> {
    return this.streams.read(bankAccounts, userId);
  }
}
