import { describe, expect, it } from '@jest/globals';
import type { BankAccountEvent } from '#contracts/events/bank-account';
import { Rejected, type RejectionReason } from '../rejection.js';
import {
  bankAccounts,
  destinationOf,
  isInOrder,
  MOST_BANK_ACCOUNTS,
  submittedAs,
  type BankAccounts,
  type BankAccountsCommand,
  type ShownBankAccount,
} from './bank-accounts.decider.js';

const userId = 'usr_juno';
const AT = '2026-03-10T12:00:00.000Z';
type Submit = Extract<BankAccountsCommand, { type: 'SubmitBankAccount' }>;
const submit = (bankAccountId: string, over: Partial<Submit> = {}): BankAccountsCommand => ({
  type: 'SubmitBankAccount',
  userId,
  bankAccountId,
  accountType: 'checking',
  details: `sealed:${userId}:${bankAccountId}`,
  numberFingerprint: `number-of-${bankAccountId}`,
  requestFingerprint: `request-of-${bankAccountId}`,
  submittedAt: AT,
  ...over,
});
const add = (bankAccountId: string): BankAccountsCommand => ({
  type: 'AddBankAccount',
  userId,
  bankAccountId,
  externalAccountId: `ba_${bankAccountId}`,
});
const refuse = (bankAccountId: string): BankAccountsCommand => ({
  type: 'RefuseBankAccount',
  userId,
  bankAccountId,
  reason: 'It never got there.',
});
const choose = (bankAccountId: string): BankAccountsCommand => ({
  type: 'ChoosePrimary',
  userId,
  bankAccountId,
});
const remove = (bankAccountId: string): BankAccountsCommand => ({
  type: 'RemoveBankAccount',
  userId,
  bankAccountId,
});
const open = (connectAccountId: string): BankAccountsCommand => ({
  type: 'OpenPayoutAccount',
  userId,
  connectAccountId,
});
const standing = (
  payoutsEnabled: boolean,
  shown: readonly ShownBankAccount[],
  disabledCode?: string,
): BankAccountsCommand => ({
  type: 'NoteStanding',
  userId,
  payoutsEnabled,
  disabledCode,
  shown,
});
const fine = (...ids: string[]): ShownBankAccount[] =>
  ids.map((id) => ({ externalAccountId: `ba_${id}`, error: undefined }));

const close = (connectAccountId: string): BankAccountsCommand => ({
  type: 'ClosePayoutAccount',
  userId,
  connectAccountId,
});

const after = (...commands: BankAccountsCommand[]): BankAccounts =>
  commands.reduce(
    (state, command) => bankAccounts.decide(command, state).reduce(bankAccounts.evolve, state),
    bankAccounts.initial,
  );
const given = (...commands: BankAccountsCommand[]) => ({
  when: (command: BankAccountsCommand) => {
    const decided = () => bankAccounts.decide(command, after(...commands));
    return {
      then: (...types: BankAccountEvent['type'][]) =>
        expect(decided().map(({ type }) => type)).toEqual(types),
      thenRejects: (reason: RejectionReason) => expect(decided).toThrow(new Rejected(reason)),
    };
  },
});
const added = (...ids: string[]) => ids.flatMap((id) => [submit(id), add(id)]);
const stateOf = (state: BankAccounts) =>
  [...state.accounts.values()].map(({ bankAccountId, status }) => [bankAccountId, status]);

describe('adding a bank account', () => {
  it('is meant first, and one of the user’s once the provider has it', () => {
    given().when(submit('a')).then('BankAccountSubmitted');
    given(submit('a')).when(add('a')).then('BankAccountAdded', 'PrimaryBankAccountChosen');
  });
  it('asked for again under its key is nothing more', () => {
    given(submit('a')).when(submit('a')).then();
    given(...added('a'))
      .when(submit('a'))
      .then();
    given(...added('a'))
      .when(add('a'))
      .then();
  });
  it('under a used key with other details is refused', () =>
    given(submit('a'))
      .when(submit('a', { requestFingerprint: 'other' }))
      .thenRejects('KeyReused'));
  it('twice is refused, but a removed one may come back', () => {
    const again = submit('b', { numberFingerprint: 'number-of-a' });
    given(...added('a'))
      .when(again)
      .thenRejects('BankAccountTwice');
    given(...added('a'), remove('a'))
      .when(again)
      .then('BankAccountSubmitted');
  });
  it('again is possible where the provider does not know it any more, as its owner is told to', () => {
    const again = submit('b', { numberFingerprint: 'number-of-a' });
    const missing = [...added('a'), standing(true, [])];
    given(...missing)
      .when(again)
      .then('BankAccountSubmitted');
    // The one that is gone pays nobody: the other takes its place.
    expect(after(...missing, again, add('b')).primaryId).toBe('b');
    expect(after(...added('a', 'c', 'd'), standing(true, fine('d')), remove('a')).primaryId).toBe('d');
    // It may be there again after all.
    given(...missing)
      .when(standing(true, fine('a')))
      .then('BankAccountMended', 'UserVerified');
  });
  it('goes on with the one of the same number that never got to the provider', () => {
    const again = { bankAccountId: 'b', numberFingerprint: 'number-of-a' };
    given(submit('a')).when(submit('b', again)).then();
    expect(submittedAs(after(submit('a'), submit('b', again)), again)?.bankAccountId).toBe('a');
  });
  it('ends where the provider does not take it, and its key with it', () => {
    given(submit('a')).when(refuse('a')).then('BankAccountRefused');
    given(submit('a'), refuse('a')).when(refuse('a')).then();
    given(submit('a'), refuse('a')).when(add('a')).then();
    given(submit('a'), refuse('a')).when(submit('a')).thenRejects('BankAccountRefused');
    given(submit('a'), refuse('a'))
      .when(submit('b', { numberFingerprint: 'number-of-a' }))
      .then('BankAccountSubmitted');
  });
  it('twice is refused also where the number was known under a key of before', () =>
    given(...added('a'))
      .when(submit('b', { numberFingerprint: 'f2.new number-of-a' }))
      .thenRejects('BankAccountTwice'));
  it('is not given up once the provider has it', () =>
    given(...added('a'))
      .when(refuse('a'))
      .then());
  it('stops at the limit, and goes on when one is removed', () => {
    const all = Array.from({ length: MOST_BANK_ACCOUNTS }, (_, n) => `n${n}`);
    given(...added(...all))
      .when(submit('more'))
      .thenRejects('TooManyBankAccounts');
    given(...added(...all), remove('n3'))
      .when(submit('more'))
      .then('BankAccountSubmitted');
  });
  it('opens one account at the provider, and never another', () => {
    given(submit('a')).when(open('acct_a')).then('PayoutAccountOpened');
    given(submit('a'), open('acct_a')).when(open('acct_b')).then();
  });
});

describe('the primary bank account', () => {
  it('is the first that the provider took', () => {
    expect(after(submit('a'), submit('b'), add('b'), add('a')).primaryId).toBe('b');
    given(...added('a'), submit('b'))
      .when(add('b'))
      .then('BankAccountAdded');
  });
  it('is another when its owner says so, once', () => {
    given(...added('a', 'b'))
      .when(choose('b'))
      .then('PrimaryBankAccountChosen');
    given(...added('a', 'b'), choose('b'))
      .when(choose('b'))
      .then();
  });
  it('is never one that is unknown, unfinished or gone', () => {
    given(...added('a'))
      .when(choose('x'))
      .thenRejects('BankAccountNotFound');
    given(...added('a'), submit('b'))
      .when(choose('b'))
      .thenRejects('BankAccountNotReady');
    given(...added('a', 'b'), remove('b'))
      .when(choose('b'))
      .thenRejects('BankAccountNotFound');
    given(...added('a'), submit('b'), refuse('b'))
      .when(choose('b'))
      .thenRejects('BankAccountNotFound');
  });
  it('is followed by the oldest of the others when it is removed, or by none', () => {
    given(...added('a', 'b', 'c'))
      .when(remove('a'))
      .then('BankAccountRemoved', 'PrimaryBankAccountChosen');
    expect(after(...added('a', 'b', 'c'), remove('a')).primaryId).toBe('b');
    given(...added('a'), submit('b'))
      .when(remove('a'))
      .then('BankAccountRemoved');
    expect(after(...added('a'), submit('b'), remove('a')).primaryId).toBeUndefined();
    expect(after(...added('a'), submit('b'), remove('a'), add('b')).primaryId).toBe('b');
  });
  it('stays when another is removed', () =>
    given(...added('a', 'b'))
      .when(remove('b'))
      .then('BankAccountRemoved'));
});

describe('removing a bank account', () => {
  it('again is nothing more', () =>
    given(...added('a'), remove('a'))
      .when(remove('a'))
      .then());
  it('of nobody’s is refused', () =>
    given(...added('a'))
      .when(remove('x'))
      .thenRejects('BankAccountNotFound'));
  it('before the provider has it is possible, and it stays removed', () => {
    given(submit('a')).when(remove('a')).then('BankAccountRemoved');
    expect(stateOf(after(submit('a'), remove('a'), add('a')))).toEqual([['a', 'removed']]);
  });
});

describe('verification', () => {
  const verified = [...added('a'), standing(true, fine('a'))];
  it('is there when the provider pays out and a bank account is in order', () => {
    given(...added('a'))
      .when(standing(true, fine('a')))
      .then('PayoutsEnabled', 'UserVerified');
    given(...verified)
      .when(standing(true, fine('a')))
      .then();
    expect(isInOrder(after(...verified), after(...verified).accounts.get('a')!)).toBe(true);
  });
  it('comes with the account where the provider pays out already', () =>
    given(...verified, remove('a'), submit('b'))
      .when(add('b'))
      .then('BankAccountAdded', 'PrimaryBankAccountChosen', 'UserVerified'));
  it('goes when the provider no longer pays out, and says why', () => {
    given(...verified)
      .when(standing(false, fine('a'), 'requirements.past_due'))
      .then('PayoutsDisabled', 'UserUnverified');
    expect(after(...verified, standing(false, fine('a'), 'requirements.past_due')).disabledCode).toBe(
      'requirements.past_due',
    );
  });
  it('goes when the only account is removed or in error, and comes back when that is mended', () => {
    const errored = [{ externalAccountId: 'ba_a', error: 'errored' }];
    given(...verified)
      .when(remove('a'))
      .then('BankAccountRemoved', 'UserUnverified');
    given(...verified)
      .when(standing(true, errored))
      .then('BankAccountErrored', 'UserUnverified');
    given(...verified, standing(true, errored))
      .when(standing(true, errored))
      .then();
    given(...verified, standing(true, errored))
      .when(standing(true, fine('a')))
      .then('BankAccountMended', 'UserVerified');
  });
  it('is not lost for one account in error while another is in order', () =>
    given(...added('a', 'b'), standing(true, fine('a', 'b')))
      .when(standing(true, [{ externalAccountId: 'ba_a', error: 'errored' }, ...fine('b')]))
      .then('BankAccountErrored'));
  it('takes an account that the provider has no longer for one in error', () =>
    given(...verified)
      .when(standing(true, []))
      .then('BankAccountErrored', 'UserUnverified'));
  it('says once why it is not there yet', () => {
    const due = standing(false, fine('a'), 'requirements.past_due');
    given(...added('a'))
      .when(due)
      .then('PayoutsDisabled');
    given(...added('a'), due)
      .when(due)
      .then();
    given(...added('a'), due)
      .when(standing(false, fine('a'), 'requirements.pending_verification'))
      .then('PayoutsDisabled');
  });
});

describe('an account at the provider that is gone', () => {
  const paid = [open('acct_1'), submit('a'), add('a'), standing(true, fine('a'))];
  const closed = [...paid, close('acct_1')];

  it('makes its bank accounts useless and its owner unverified, once', () => {
    given(...paid)
      .when(close('acct_1'))
      .then('PayoutAccountClosed', 'BankAccountErrored', 'UserUnverified');
    given(...closed)
      .when(close('acct_1'))
      .then();
    given(...paid)
      .when(close('acct_other'))
      .then();
    expect(after(...closed)).toMatchObject({ connectAccountId: undefined, payoutsEnabled: false });
    expect(destinationOf(after(...closed), 'a')).toEqual({ kind: 'closed' });
  });

  it('makes way for another one, to which the same number is added, and which is primary then', () => {
    const again = submit('b', { numberFingerprint: 'number-of-a' });
    given(...closed, again, open('acct_2'))
      .when(add('b'))
      .then('BankAccountAdded', 'PrimaryBankAccountChosen');
    const state = after(...closed, again, open('acct_2'), add('b'), standing(true, fine('b')));
    expect(destinationOf(state, 'b')).toMatchObject({ kind: 'ready', connectAccountId: 'acct_2' });
    // Nothing mends the old one.
    expect(destinationOf(state, 'a')).toEqual({ kind: 'closed' });
    expect(isInOrder(state, state.accounts.get('a')!)).toBe(false);
  });

  it('is not taken for a new one, though the provider should name it again', () =>
    given(...closed)
      .when(open('acct_1'))
      .then());
});
