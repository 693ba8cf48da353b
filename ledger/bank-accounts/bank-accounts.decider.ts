/**
 * A user's bank accounts: the first is primary, exactly one is as long as there is any, and a removed primary
 * is followed by the oldest of the others. Pure; details arrive sealed, numbers not at all.
 */
import { recordedFingerprint, sameFingerprint } from '#contracts/plain/fingerprint';
import {
  ACCOUNT_CLOSED,
  type BankAccountEvent,
  type BankAccountType,
  bankAccountsStream,
} from '#contracts/events/bank-account';
import type { Sealed } from '#contracts/events/journal';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

/** Accounts a user may have at a time, those on their way included. */
export const MOST_BANK_ACCOUNTS = 10;

interface Submission {
  readonly bankAccountId: string;
  readonly accountType: BankAccountType;
  readonly details: Sealed;
  readonly numberFingerprint: string;
  readonly requestFingerprint: string;
  readonly submittedAt: string;
}

export type BankAccount =
  | (Submission & { readonly status: 'submitted' })
  | (Submission & {
      readonly status: 'added';
      readonly externalAccountId: string;
      readonly error: string | undefined;
    })
  | (Submission & { readonly status: 'refused'; readonly reason: string })
  | (Submission & { readonly status: 'removed'; readonly externalAccountId: string | undefined });

export interface BankAccounts {
  /** The user's account at the payout provider. */
  readonly connectAccountId: string | undefined;
  /** Accounts of theirs that are gone there. */
  readonly closedConnectAccountIds: readonly string[];
  readonly payoutsEnabled: boolean;
  /** Why not, in the provider's code. */
  readonly disabledCode: string | undefined;
  /** By id, in the order in which they were submitted. */
  readonly accounts: ReadonlyMap<string, BankAccount>;
  readonly primaryId: string | undefined;
  readonly isVerified: boolean;
}

/** What the provider shows of an account that it has. */
export interface ShownBankAccount {
  readonly externalAccountId: string;
  /** What is wrong with it. */
  readonly error: string | undefined;
}

export type BankAccountsCommand = { readonly userId: string } & (
  | ({ readonly type: 'SubmitBankAccount' } & Submission)
  /** The provider's account of the user; the first one stays. */
  | { readonly type: 'OpenPayoutAccount'; readonly connectAccountId: string }
  /** The provider shows that this account is gone. */
  | { readonly type: 'ClosePayoutAccount'; readonly connectAccountId: string }
  | { readonly type: 'AddBankAccount'; readonly bankAccountId: string; readonly externalAccountId: string }
  | { readonly type: 'RefuseBankAccount'; readonly bankAccountId: string; readonly reason: string }
  | { readonly type: 'ChoosePrimary'; readonly bankAccountId: string }
  | { readonly type: 'RemoveBankAccount'; readonly bankAccountId: string }
  /** What the provider shows now: whether it pays out, and how each bank account is. */
  | {
      readonly type: 'NoteStanding';
      readonly payoutsEnabled: boolean;
      readonly disabledCode: string | undefined;
      readonly shown: readonly ShownBankAccount[];
    }
);

type Command<T extends BankAccountsCommand['type']> = Extract<BankAccountsCommand, { type: T }>;

/** Whether it was at an account of the provider's that is gone: nothing mends it. */
const isStranded = (account: BankAccount): boolean =>
  account.status === 'added' && account.error === ACCOUNT_CLOSED;

/** What the provider does not show though it had it, in place of a code of its own. */
const MISSING = 'missing';

/** Whether the provider has it no longer. Its owner is told to add it again. */
const isGone = (account: BankAccount): boolean =>
  isStranded(account) || (account.status === 'added' && account.error === MISSING);

const isLive = (account: BankAccount): boolean =>
  account.status === 'submitted' || (account.status === 'added' && !isGone(account));

/**
 * The account that a submission means: its own, or one with the same number that never got to the provider.
 */
export function submittedAs(
  { accounts }: BankAccounts,
  { bankAccountId, numberFingerprint }: Pick<Submission, 'bankAccountId' | 'numberFingerprint'>,
): BankAccount | undefined {
  return (
    accounts.get(bankAccountId) ??
    [...accounts.values()].find(
      (known) => known.status === 'submitted' && sameFingerprint(known.numberFingerprint, numberFingerprint),
    )
  );
}

/** Whether payouts reach this account. */
export const isInOrder = (state: BankAccounts, account: BankAccount): boolean =>
  state.payoutsEnabled && account.status === 'added' && account.error === undefined;

/**
 * Where a payout to this account would go: nowhere, to a place that is not open yet, or to an account at the
 * provider.
 */
export function destinationOf(
  { accounts, connectAccountId, payoutsEnabled }: BankAccounts,
  bankAccountId: string,
) {
  const account = accounts.get(bankAccountId);
  if (account === undefined || account.status === 'refused') return { kind: 'unknown' } as const;
  if (account.status === 'removed') return { kind: 'removed' } as const;
  if (isStranded(account)) return { kind: 'closed' } as const;
  if (account.status === 'submitted' || connectAccountId === undefined || !payoutsEnabled)
    return { kind: 'waits' } as const;
  return { kind: 'ready', connectAccountId, externalAccountId: account.externalAccountId } as const;
}

export const bankAccounts: Decider<BankAccounts, BankAccountsCommand, BankAccountEvent> = {
  streamOf: bankAccountsStream,
  initial: {
    connectAccountId: undefined,
    closedConnectAccountIds: [],
    payoutsEnabled: false,
    disabledCode: undefined,
    accounts: new Map(),
    primaryId: undefined,
    isVerified: false,
  },

  decide(command, state) {
    const events = decided(command, state);
    const after = events.reduce(evolve, state);
    const isVerified = [...after.accounts.values()].some((account) => isInOrder(after, account));
    if (isVerified === after.isVerified) return events;
    return [
      ...events,
      { type: isVerified ? 'UserVerified' : 'UserUnverified', data: { userId: command.userId } },
    ];
  },

  evolve,
};

function decided(command: BankAccountsCommand, state: BankAccounts): BankAccountEvent[] {
  const { userId } = command;
  switch (command.type) {
    case 'SubmitBankAccount':
      return submit(command, state);
    case 'OpenPayoutAccount': {
      if (state.connectAccountId !== undefined) return [];
      if (state.closedConnectAccountIds.includes(command.connectAccountId)) return [];
      return [{ type: 'PayoutAccountOpened', data: { userId, connectAccountId: command.connectAccountId } }];
    }
    case 'ClosePayoutAccount': {
      const { connectAccountId } = command;
      if (state.connectAccountId !== connectAccountId) return [];
      const stranded = [...state.accounts.values()].filter(
        (account) => account.status === 'added' && !isStranded(account),
      );
      return [
        { type: 'PayoutAccountClosed', data: { userId, connectAccountId } },
        ...stranded.map(({ bankAccountId }): BankAccountEvent => ({
          type: 'BankAccountErrored',
          data: { userId, bankAccountId, code: ACCOUNT_CLOSED },
        })),
      ];
    }
    case 'AddBankAccount': {
      const { bankAccountId, externalAccountId } = command;
      // What was removed or given up meanwhile stays so: whoever added it takes it away again.
      if (known(bankAccountId, state).status !== 'submitted') return [];
      const added: BankAccountEvent = {
        type: 'BankAccountAdded',
        data: { userId, bankAccountId, externalAccountId },
      };
      const before = state.primaryId === undefined ? undefined : state.accounts.get(state.primaryId);
      return before === undefined || isGone(before) ? [added, primary(userId, bankAccountId)] : [added];
    }
    case 'RefuseBankAccount': {
      const { bankAccountId, reason } = command;
      if (known(bankAccountId, state).status !== 'submitted') return [];
      return [{ type: 'BankAccountRefused', data: { userId, bankAccountId, reason } }];
    }
    case 'ChoosePrimary': {
      const { bankAccountId } = command;
      const account = owned(bankAccountId, state);
      if (account.status === 'submitted') throw new Rejected('BankAccountNotReady', { bankAccountId });
      if (account.status === 'removed') throw new Rejected('BankAccountNotFound', { bankAccountId });
      return state.primaryId === bankAccountId ? [] : [primary(userId, bankAccountId)];
    }
    case 'RemoveBankAccount':
      return remove(command, state);
    case 'NoteStanding':
      return noteStanding(command, state);
  }
}

function submit(command: Command<'SubmitBankAccount'>, state: BankAccounts): BankAccountEvent[] {
  const { userId, bankAccountId, numberFingerprint, requestFingerprint } = command;
  const before = state.accounts.get(bankAccountId);
  if (before) {
    if (!sameFingerprint(before.requestFingerprint, requestFingerprint))
      throw new Rejected('KeyReused', { bankAccountId });
    if (before.status === 'refused')
      throw new Rejected('BankAccountRefused', { bankAccountId, reason: before.reason });
    return [];
  }
  // The same number that never got there: that one is gone on with.
  if (submittedAs(state, command)) return [];
  const live = [...state.accounts.values()].filter(isLive);
  if (live.some((account) => sameFingerprint(account.numberFingerprint, numberFingerprint)))
    throw new Rejected('BankAccountTwice', { bankAccountId });
  if (live.length >= MOST_BANK_ACCOUNTS)
    throw new Rejected('TooManyBankAccounts', { most: MOST_BANK_ACCOUNTS });
  const { accountType, details, submittedAt } = command;
  const data = {
    userId,
    bankAccountId,
    accountType,
    details,
    numberFingerprint: recordedFingerprint(numberFingerprint),
    requestFingerprint: recordedFingerprint(requestFingerprint),
    submittedAt,
  };
  return [{ type: 'BankAccountSubmitted', data }];
}

function remove(
  { userId, bankAccountId }: Command<'RemoveBankAccount'>,
  state: BankAccounts,
): BankAccountEvent[] {
  if (owned(bankAccountId, state).status === 'removed') return [];
  const removed: BankAccountEvent = { type: 'BankAccountRemoved', data: { userId, bankAccountId } };
  if (state.primaryId !== bankAccountId) return [removed];
  const next = [...state.accounts.values()].find(
    (account) => account.status === 'added' && account.bankAccountId !== bankAccountId && !isGone(account),
  );
  return next ? [removed, primary(userId, next.bankAccountId)] : [removed];
}

function noteStanding(command: Command<'NoteStanding'>, state: BankAccounts): BankAccountEvent[] {
  const { userId, payoutsEnabled, shown } = command;
  const events: BankAccountEvent[] = [];
  const code = command.disabledCode ?? 'not_enabled';
  if (payoutsEnabled && !state.payoutsEnabled) events.push({ type: 'PayoutsEnabled', data: { userId } });
  else if (!payoutsEnabled && state.disabledCode !== code)
    events.push({ type: 'PayoutsDisabled', data: { userId, code } });
  for (const account of state.accounts.values()) {
    if (account.status !== 'added' || isStranded(account)) continue;
    const { bankAccountId } = account;
    const there = shown.find(({ externalAccountId }) => externalAccountId === account.externalAccountId);
    const error = there ? there.error : MISSING;
    if (error === account.error) continue;
    if (error === undefined) events.push({ type: 'BankAccountMended', data: { userId, bankAccountId } });
    else events.push({ type: 'BankAccountErrored', data: { userId, bankAccountId, code: error } });
  }
  return events;
}

const primary = (userId: string, bankAccountId: string): BankAccountEvent => ({
  type: 'PrimaryBankAccountChosen',
  data: { userId, bankAccountId },
});

function known(bankAccountId: string, { accounts }: BankAccounts): BankAccount {
  const account = accounts.get(bankAccountId);
  if (!account) throw new Rejected('BankAccountNotFound', { bankAccountId });
  return account;
}

/** One that its owner has seen: a refused one never was theirs. */
function owned(bankAccountId: string, state: BankAccounts): BankAccount {
  const account = known(bankAccountId, state);
  if (account.status === 'refused') throw new Rejected('BankAccountNotFound', { bankAccountId });
  return account;
}

function evolve(state: BankAccounts, event: BankAccountEvent): BankAccounts {
  switch (event.type) {
    case 'BankAccountSubmitted': {
      const { userId: _, ...submission } = event.data;
      return withAccount(state, { ...submission, status: 'submitted' });
    }
    case 'PayoutAccountOpened':
      return { ...state, connectAccountId: event.data.connectAccountId };
    case 'PayoutAccountClosed': {
      const { connectAccountId } = event.data;
      const closedConnectAccountIds = [...state.closedConnectAccountIds, connectAccountId];
      const closed = { connectAccountId: undefined, payoutsEnabled: false, disabledCode: ACCOUNT_CLOSED };
      return { ...state, ...closed, closedConnectAccountIds };
    }
    case 'BankAccountAdded': {
      const { bankAccountId, externalAccountId } = event.data;
      return changed(state, bankAccountId, (account) => ({
        ...account,
        status: 'added',
        externalAccountId,
        error: undefined,
      }));
    }
    case 'BankAccountRefused': {
      const { bankAccountId, reason } = event.data;
      return changed(state, bankAccountId, (account) => ({ ...account, status: 'refused', reason }));
    }
    case 'PrimaryBankAccountChosen':
      return { ...state, primaryId: event.data.bankAccountId };
    case 'BankAccountErrored': {
      const { bankAccountId, code } = event.data;
      return changed(state, bankAccountId, (account) =>
        account.status === 'added' ? { ...account, error: code } : account,
      );
    }
    case 'BankAccountMended':
      return changed(state, event.data.bankAccountId, (account) =>
        account.status === 'added' ? { ...account, error: undefined } : account,
      );
    case 'BankAccountRemoved': {
      const { bankAccountId } = event.data;
      const left = changed(state, bankAccountId, (account) => ({
        ...account,
        status: 'removed',
        externalAccountId: account.status === 'added' ? account.externalAccountId : undefined,
      }));
      return state.primaryId === bankAccountId ? { ...left, primaryId: undefined } : left;
    }
    case 'PayoutsEnabled':
      return { ...state, payoutsEnabled: true, disabledCode: undefined };
    case 'PayoutsDisabled':
      return { ...state, payoutsEnabled: false, disabledCode: event.data.code };
    case 'UserVerified':
      return { ...state, isVerified: true };
    case 'UserUnverified':
      return { ...state, isVerified: false };
  }
}

const withAccount = (state: BankAccounts, account: BankAccount): BankAccounts => ({
  ...state,
  accounts: new Map(state.accounts).set(account.bankAccountId, account),
});

function changed(
  state: BankAccounts,
  bankAccountId: string,
  change: (account: BankAccount) => BankAccount,
): BankAccounts {
  const account = state.accounts.get(bankAccountId);
  return account ? withAccount(state, change(account)) : state;
}
