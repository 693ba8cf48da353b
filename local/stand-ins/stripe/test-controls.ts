/**
 * What only a payer, a bank or an accident could do, for suites: `/test/…`, with the secret key, bodies in
 * JSON. None of it exists at the provider.
 */
import { z } from 'zod';
import { ApiError, noSuch } from './errors.js';
import { DISPUTE_REASONS, type PaymentIntent } from './objects.js';
import { accountOf, bankOf, deauthorize, finishOnboarding, restrict } from './resources/accounts.js';
import { bookEntry, releaseFunds, reserveFunds } from './resources/balance.js';
import { chargeFee, closeDispute, disputeOf, openDispute, winAppeal } from './resources/disputes.js';
import { setBankStatus } from './resources/external-accounts.js';
import { finishAction, intentOf, openIntent, succeed } from './resources/payment-intents.js';
import { declineNext, methodOf } from './resources/payment-methods.js';
import { failPayout, payOutPlatform, payoutOf, payPayout, sendPayout } from './resources/payouts.js';
import { refundFails } from './resources/refunds.js';
import { finishSetupAction, setupOf } from './resources/setup-intents.js';
import { reverseTopUp, topUp } from './resources/topups.js';
import type { Transaction } from './store.js';
import { switchesSchema } from './switches.js';
import { PAYOUT_FAILURE_CODES } from './test-banks.js';
import { DECLINE_NAMES } from './test-cards.js';

export interface Control {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly run: (transaction: Transaction, path: Readonly<Record<string, string>>, body: unknown) => object;
}

const amount = z.number().int().positive();
const currency = z.string().regex(/^[a-z]{3}$/);
const outcome = z.strictObject({ outcome: z.enum(['succeed', 'fail']) });
const restriction = z.strictObject({ restricted: z.boolean() });
const nextDecline = z.strictObject({
  decline: z.enum(DECLINE_NAMES).default('generic_decline'),
  times: z.number().int().min(1).max(100).default(1),
});
const toppedUp = z.strictObject({ amount, currency: currency.default('usd') });
const paidOut = z.strictObject({ amount });
const adjusted = z.strictObject({
  amount: z.number().int(),
  currency: currency.default('usd'),
  type: z.enum(['stripe_fee', 'adjustment']).default('stripe_fee'),
  description: z.string().default('Charged by the provider'),
});
const reserved = z.strictObject({ amount: z.number().int() });
const whose = z.strictObject({ account: z.string().optional() });
const payoutEnd = z.strictObject({
  outcome: z.enum(['in_transit', 'paid', 'failed']),
  failure_code: z.enum(PAYOUT_FAILURE_CODES).default('could_not_process'),
});
const dispute = z.strictObject({
  reason: z.enum(DISPUTE_REASONS).default('fraudulent'),
  amount: amount.optional(),
  currency: currency.optional(),
  inquiry: z.boolean().default(false),
});
const disputeEnd = z.strictObject({
  outcome: z.enum(['won', 'lost', 'warning_closed', 'prevented']),
  fee_returned: z.boolean().default(false),
});
const appeal = z.strictObject({ fee_returned: z.boolean().default(false) });
const disputeFee = z.strictObject({ fee: z.number().int() });
const bankStatus = z.strictObject({ status: z.enum(['new', 'errored', 'verification_failed']) });
const payment = z.strictObject({
  amount: amount.optional(),
  currency: currency.optional(),
  payment_method: z.string().default('pm_card_visa'),
});
const chargedAt = z.strictObject({ at: z.number().int().positive() });
const stray = payment.extend({
  amount,
  currency: currency.default('usd'),
  metadata: z.record(z.string(), z.string()).default({}),
});

function read<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const result = schema.safeParse(body ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new ApiError(400, {
    type: 'invalid_request_error',
    message: `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'not understood'}`,
  });
}

/**
 * A charge that succeeds on an intent whatever its state is: late, for the second time, or of another amount.
 */
function chargeAnyway(transaction: Transaction, id: string, body: unknown): PaymentIntent {
  const record = intentOf(transaction, id);
  const how = read(payment, body);
  succeed(transaction, record, methodOf(transaction, how.payment_method), { authenticated: false, ...how });
  Object.assign(record.api, { canceled_at: null, cancellation_reason: null });
  return record.api;
}

export const CONTROLS: readonly Control[] = [
  { method: 'GET', path: '/test/switches', run: (transaction) => transaction.switches },
  {
    method: 'POST',
    path: '/test/switches',
    run: (transaction, _path, body) => {
      transaction.setSwitches(read(switchesSchema, body));
      return transaction.switches;
    },
  },
  {
    method: 'DELETE',
    path: '/test/switches',
    run: (transaction) => {
      transaction.setSwitches(transaction.usualSwitches);
      return transaction.switches;
    },
  },
  {
    // The payer finishes, or refuses, what next_action asks: the bank's challenge or Cash App.
    method: 'POST',
    path: '/test/payment_intents/:id/action',
    run: (transaction, { id = '' }, body) => {
      const record = intentOf(transaction, id);
      finishAction(transaction, record, read(outcome, body).outcome);
      return record.api;
    },
  },
  {
    method: 'POST',
    path: '/test/setup_intents/:id/action',
    run: (transaction, { id = '' }, body) => {
      const record = setupOf(transaction, id);
      finishSetupAction(transaction, record, read(outcome, body).outcome);
      return record.api;
    },
  },
  {
    method: 'POST',
    path: '/test/payment_intents/:id/late_success',
    run: (transaction, { id = '' }, body) => {
      if (intentOf(transaction, id).api.status === 'succeeded')
        throw new ApiError(400, {
          type: 'invalid_request_error',
          message: `${id} has succeeded already; use second_charge.`,
        });
      return chargeAnyway(transaction, id, body);
    },
  },
  {
    method: 'POST',
    path: '/test/payment_intents/:id/second_charge',
    run: (transaction, { id = '' }, body) => {
      if (intentOf(transaction, id).api.status !== 'succeeded')
        throw new ApiError(400, {
          type: 'invalid_request_error',
          message: `${id} has not succeeded yet; use late_success.`,
        });
      return chargeAnyway(transaction, id, body);
    },
  },
  {
    // Its charges, and what they put on the balance, say from now on that they were made at this second, and
    // so is their money available: for a history that begins before today. Events keep the real time.
    method: 'POST',
    path: '/test/payment_intents/:id/charged_at',
    run: (transaction, { id = '' }, body) => {
      const record = intentOf(transaction, id);
      const { at } = read(chargedAt, body);
      if (at > transaction.now)
        throw new ApiError(400, {
          type: 'invalid_request_error',
          message: 'at: a charge cannot have been made in the future.',
        });
      record.secret.chargedAt = at;
      transaction.changed('payment_intents', record);
      return record.api;
    },
  },
  {
    // A payment that nobody here opened: by default it names nothing.
    method: 'POST',
    path: '/test/payments',
    run: (transaction, _path, body) => {
      const how = read(stray, body);
      const record = openIntent(transaction, {
        amount: how.amount,
        currency: how.currency,
        metadata: how.metadata,
      });
      succeed(transaction, record, methodOf(transaction, how.payment_method), { authenticated: false });
      return record.api;
    },
  },
  {
    // The issuer refuses the next charges of a saved card, whichever test card it is.
    method: 'POST',
    path: '/test/payment_methods/:id/decline_next',
    run: (transaction, { id = '' }, body) => {
      const how = read(nextDecline, body);
      const record = methodOf(transaction, id, 'id');
      declineNext(transaction, record, how.decline, how.times);
      return { id, waiting: record.secret.nextDeclines ?? [] };
    },
  },
  {
    method: 'POST',
    path: '/test/refunds/:id/fail',
    run: (transaction, { id = '' }) => {
      refundFails(transaction, id);
      const record = transaction.get('refunds', id);
      if (!record) throw noSuch('refund', id);
      return record.api;
    },
  },
  {
    // The holder of a connected account tells what is asked, without the hosted page.
    method: 'POST',
    path: '/test/accounts/:id/onboard',
    run: (transaction, { id = '' }) => {
      const record = accountOf(transaction, id);
      finishOnboarding(transaction, record, '127.0.0.1');
      return record.api;
    },
  },
  {
    // The provider holds an account back, or lets it go on: it may then neither be transferred to nor paid
    // out.
    method: 'POST',
    path: '/test/accounts/:id/restrict',
    run: (transaction, { id = '' }, body) => {
      const record = accountOf(transaction, id);
      restrict(transaction, record, read(restriction, body).restricted);
      return record.api;
    },
  },
  {
    // The account is gone for the platform, with what it holds.
    method: 'POST',
    path: '/test/accounts/:id/deauthorize',
    run: (transaction, { id = '' }) => {
      const record = accountOf(transaction, id);
      deauthorize(transaction, record);
      return { id, deleted: true };
    },
  },
  {
    // What the provider finds out about a bank account by itself.
    method: 'POST',
    path: '/test/accounts/:id/external_accounts/:bank/status',
    run: (transaction, { id = '', bank = '' }, body) => {
      const { status } = read(bankStatus, body);
      const account = accountOf(transaction, id).api.id;
      return transaction.within(account, () => {
        const record = bankOf(transaction, bank);
        setBankStatus(transaction, record, status);
        return record.api;
      });
    },
  },
  {
    // Money that the platform brings along, without a payer.
    method: 'POST',
    path: '/test/balance/top_up',
    run: (transaction, _path, body) => {
      const how = read(toppedUp, body);
      return topUp(transaction, how);
    },
  },
  {
    // The bank takes a top-up back.
    method: 'POST',
    path: '/test/topups/:id/reverse',
    run: (transaction, { id = '' }) => reverseTopUp(transaction, id),
  },
  {
    // The provider pays some of the platform's balance to the platform's own bank, as its schedule has it.
    method: 'POST',
    path: '/test/balance/pay_out',
    run: (transaction, _path, body) => payOutPlatform(transaction, read(paidOut, body).amount),
  },
  {
    // The provider takes money by itself, or gives some: `amount` below zero is taken.
    method: 'POST',
    path: '/test/balance/adjust',
    run: (transaction, _path, body) =>
      bookEntry(transaction, { ...read(adjusted, body), fee: 0, source: null }),
  },
  {
    // The provider holds so much of the balance in reserve, or lets it go: `amount` below zero.
    method: 'POST',
    path: '/test/balance/reserve',
    run: (transaction, _path, body) => {
      reserveFunds(transaction, read(reserved, body).amount);
      return {};
    },
  },
  {
    // What is pending on the balance, or on a connected account's, can be used now.
    method: 'POST',
    path: '/test/balance/release',
    run: (transaction, _path, body) => {
      const { account } = read(whose, body);
      if (account !== undefined) accountOf(transaction, account);
      return { released: transaction.within(account ?? null, () => releaseFunds(transaction)) };
    },
  },
  {
    // A payout's next word, now: also `failed` for one that is paid, as when a bank returns it.
    method: 'POST',
    path: '/test/payouts/:id/settle',
    run: (transaction, { id = '' }, body) => {
      const how = read(payoutEnd, body);
      const found = transaction.anywhere('payouts', id);
      if (!found) throw noSuch('payout', id);
      return transaction.within(found.account ?? null, () => {
        const record = payoutOf(transaction, id);
        const { status } = record.api;
        const allowed =
          how.outcome === 'failed'
            ? ['pending', 'in_transit', 'paid']
            : how.outcome === 'paid'
              ? ['pending', 'in_transit']
              : ['pending'];
        if (!allowed.includes(status))
          throw new ApiError(400, {
            type: 'invalid_request_error',
            message: `${id} is ${status}: it cannot become ${how.outcome}.`,
          });
        if (how.outcome === 'in_transit') sendPayout(transaction, record);
        else if (how.outcome === 'paid') payPayout(transaction, record);
        else failPayout(transaction, record, how.failure_code);
        return record.api;
      });
    },
  },
  {
    method: 'POST',
    path: '/test/charges/:id/dispute',
    run: (transaction, { id = '' }, body) => {
      const record = transaction.get('charges', id);
      if (!record) throw noSuch('charge', id);
      return openDispute(transaction, record, read(dispute, body));
    },
  },
  {
    method: 'POST',
    path: '/test/disputes/:id/close',
    run: (transaction, { id = '' }, body) => {
      const how = read(disputeEnd, body);
      const record = disputeOf(transaction, id);
      closeDispute(transaction, record, how.outcome, how.fee_returned);
      return record.api;
    },
  },
  {
    // The bank hears the case again, and decides for us.
    method: 'POST',
    path: '/test/disputes/:id/appeal',
    run: (transaction, { id = '' }, body) => {
      const { fee_returned } = read(appeal, body);
      const record = disputeOf(transaction, id);
      winAppeal(transaction, record, fee_returned);
      return record.api;
    },
  },
  {
    // A balance transaction of no amount, which has a fee.
    method: 'POST',
    path: '/test/disputes/:id/fee',
    run: (transaction, { id = '' }, body) => {
      const record = disputeOf(transaction, id);
      chargeFee(transaction, record, read(disputeFee, body).fee);
      return record.api;
    },
  },
  {
    // The same event once more, however old it is.
    method: 'POST',
    path: '/test/events/:id/resend',
    run: (transaction, { id = '' }) => {
      const record = transaction.anywhere('events', id);
      if (!record) throw noSuch('event', id);
      transaction.oweWebhook(id);
      return record.api;
    },
  },
  {
    // How many webhooks are owed: a suite waits for none.
    method: 'GET',
    path: '/test/webhooks',
    run: (transaction) => ({ owed: transaction.owedWebhooks() }),
  },
  {
    // What waits for its next attempt is sent now.
    method: 'POST',
    path: '/test/webhooks/send_now',
    run: (transaction) => ({ moved: transaction.hurryDeliveries() }),
  },
];
