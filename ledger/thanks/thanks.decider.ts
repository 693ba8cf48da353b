/** Thanking for a payment: once, and the same again is quiet. Pure. */
import { thanksStream, type ThanksEvent } from '#contracts/events/thanks';
import type { Thanks } from '#contracts/plain/thanks';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

export interface ThankPayer {
  readonly type: 'ThankPayer';
  readonly paymentId: string;
  readonly payerId: string;
  readonly recipientId: string;
  readonly thanks: Thanks;
}

type ThanksState = { readonly status: 'none' } | { readonly status: 'sent'; readonly thanks: Thanks };

export const thanksRules: Decider<ThanksState, ThankPayer, ThanksEvent> = {
  streamOf: thanksStream,
  initial: { status: 'none' },

  decide({ type: _, ...said }, state) {
    if (state.status === 'none') return [{ type: 'PayerThanked', data: said }];
    if (state.thanks === said.thanks) return [];
    throw new Rejected('AlreadyThanked', { paymentId: said.paymentId });
  },

  evolve: (_, { data: { thanks } }) => ({ status: 'sent', thanks }),
};
