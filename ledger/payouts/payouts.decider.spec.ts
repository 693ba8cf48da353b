import { describe, expect, it } from '@jest/globals';
import { payoutSteps, type PayoutStepCommand, type PayoutSteps } from './payouts.decider.js';

const AT = '2026-03-10T12:00:00.000Z';
const of = { payoutId: 'out_a', userId: 'usr_juno' } as const;
type Step = 'transfer' | 'send' | 'reverse';
const begin = (step: Step): PayoutStepCommand => ({
  ...of,
  type: 'BeginStep',
  step,
  connectAccountId: 'acct_a',
  now: AT,
});
const delay = (step: Step, attempt: number): PayoutStepCommand => ({
  ...of,
  type: 'DelayPayout',
  step,
  attempt,
  code: 'balance_insufficient',
  reason: 'Not there yet.',
  now: AT,
});
const abandon = (refusedSend?: number): PayoutStepCommand => ({
  ...of,
  type: 'AbandonPayout',
  code: 'bank_account_removed',
  reason: 'Removed.',
  refusedSend,
});
const after = (...commands: PayoutStepCommand[]): PayoutSteps =>
  commands.reduce(
    (state, command) => payoutSteps.decide(command, state).reduce(payoutSteps.evolve, state),
    payoutSteps.initial,
  );
const given = (...commands: PayoutStepCommand[]) => ({
  when: (command: PayoutStepCommand) => ({
    then: (...types: string[]) =>
      expect(payoutSteps.decide(command, after(...commands)).map(({ type }) => type)).toEqual(types),
  }),
});

describe('the steps of a payout at the provider', () => {
  it('begins a step once, however many look at it', () => {
    given().when(begin('transfer')).then('PayoutStepBegun');
    given(begin('transfer')).when(begin('transfer')).then();
  });

  it('takes another attempt, with a number of its own, only after the provider’s no to the one before', () => {
    given(begin('transfer')).when(delay('transfer', 1)).then('PayoutDelayed');
    expect(after(begin('transfer'), delay('transfer', 1), begin('transfer')).begun.transfer?.attempt).toBe(2);
  });

  it('hears the no to an attempt once, and never one that comes late', () => {
    given(begin('transfer'), delay('transfer', 1)).when(delay('transfer', 1)).then();
    given(begin('transfer'), delay('transfer', 1), begin('transfer')).when(delay('transfer', 1)).then();
  });

  it('is abandoned once, and then goes nowhere but back', () => {
    given(begin('transfer')).when(abandon()).then('PayoutAbandoned');
    given(begin('transfer'), abandon()).when(abandon()).then();
    given(begin('transfer'), abandon()).when(begin('send')).then();
    given(abandon()).when(begin('transfer')).then();
    given(begin('transfer'), abandon()).when(begin('reverse')).then('PayoutStepBegun');
  });

  it('is not abandoned while the money may be on its way to the bank', () => {
    given(begin('transfer'), begin('send')).when(abandon()).then();
    given(begin('transfer'), begin('send'), delay('send', 1)).when(abandon()).then('PayoutAbandoned');
  });

  it('is abandoned when the provider refused that very attempt for good', () => {
    given(begin('transfer'), begin('send')).when(abandon(1)).then('PayoutAbandoned');
    given(begin('transfer'), begin('send'), delay('send', 1), begin('send')).when(abandon(1)).then();
  });

  it('goes back also when it never was abandoned: a bank may return it', () =>
    given(begin('transfer'), begin('send')).when(begin('reverse')).then('PayoutStepBegun'));
});
