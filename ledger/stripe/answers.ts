/**
 * What is read of the provider's objects, checked before anything is made of it. Required is what the
 * published description requires (https://github.com/stripe/openapi); the rest may be missing or null, though
 * the SDK's types say otherwise. An answer that cannot be read concerns its one object: nothing has changed,
 * and it is read again later.
 */
import { z } from 'zod';
import { Unavailable } from '../rejection.js';

const MOST_CHARACTERS_OF_AN_ID = 100;

/** The provider answered, and not with what its description says. Nothing is booked of that object. */
export class UnreadableAnswer extends Unavailable {
  override readonly name = 'UnreadableAnswer';

  /** `field`: the first place that is missing, or of another kind. */
  constructor(
    readonly object: string,
    readonly field: string,
    id: unknown,
    options?: ErrorOptions,
  ) {
    super(
      'The card provider sent an answer that cannot be read. Nothing has changed: please try again later.',
      {
        cause: new Error(`The provider's ${object} ${String(id)} has no readable ${field}.`, options),
      },
    );
    this.id = typeof id === 'string' ? id.slice(0, MOST_CHARACTERS_OF_AN_ID) : undefined;
  }

  /** The object's id, where it has one. */
  readonly id: string | undefined;
}

/** An id, a state or a currency: what entries, keys and tables hold as it comes. */
const text = z
  .string()
  .max(255)
  .regex(/^[^\0\p{Surrogate}]*$/u);
/** Words for people, which are cut and cleaned where they are taken over: see `wordsOf`. */
const words = z.string();
const whole = z.number().int();
const amount = whole.min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
/** The year 9999 in seconds: no time beyond it is a time that a table holds. */
const time = whole.min(0).max(253_370_764_800);
const named = z.union([text, z.looseObject({ id: text })]);
const metadata = z.record(z.string(), z.string()).nullish();
const list = z.array(text).nullish();

const sum = z.looseObject({ amount, currency: text });
const movement = z.looseObject({
  id: text,
  amount,
  currency: text,
  created: time,
  fee: amount,
  type: text,
});

/** By the `object` that each of the provider's objects says it is. */
const READ = {
  payment_intent: z.looseObject({
    id: text,
    amount,
    created: time,
    currency: text,
    status: text,
    metadata,
    client_secret: words.nullish(),
    payment_method_types: list,
    canceled_at: time.nullish(),
    cancellation_reason: words.nullish(),
    last_payment_error: z
      .looseObject({
        code: words.nullish(),
        decline_code: words.nullish(),
        message: words.nullish(),
        charge: named.nullish(),
      })
      .nullish(),
  }),
  charge: z.looseObject({
    id: text,
    amount,
    amount_captured: amount,
    amount_refunded: amount,
    created: time,
    currency: text,
    status: text,
    outcome: z.looseObject({ reason: words.nullish() }).nullish(),
    failure_code: words.nullish(),
    failure_message: words.nullish(),
    payment_intent: named.nullish(),
    metadata,
    balance_transaction: z
      .union([text, z.looseObject({ id: text, fee: amount, currency: text, created: time })])
      .nullish(),
  }),
  refund: z.looseObject({
    id: text,
    amount,
    created: time,
    currency: text,
    charge: named.nullish(),
    payment_intent: named.nullish(),
    status: text.nullish(),
    failure_reason: words.nullish(),
    metadata,
  }),
  dispute: z.looseObject({
    id: text,
    amount,
    charge: named,
    payment_intent: named.nullish(),
    created: time,
    currency: text,
    reason: words,
    status: text,
    balance_transactions: z.array(movement),
  }),
  transfer: z.looseObject({
    id: text,
    amount,
    amount_reversed: amount,
    created: time,
    reversed: z.boolean(),
    transfer_group: text.nullish(),
    metadata,
  }),
  transfer_reversal: z.looseObject({ id: text, amount, created: time, transfer: named.nullish(), metadata }),
  balance_transaction: movement.extend({ net: amount, balance_type: text.nullish() }),
  balance: z.looseObject({ available: z.array(sum), pending: z.array(sum) }),
  payout: z.looseObject({
    id: text,
    created: time,
    status: text,
    arrival_date: time.nullish(),
    failure_code: words.nullish(),
    metadata,
  }),
  account: z.looseObject({
    id: text,
    // Not required, and yet nothing can be said of a user without it: neither yes nor no is assumed.
    payouts_enabled: z.boolean(),
    details_submitted: z.boolean().nullish(),
    requirements: z
      .looseObject({ currently_due: list, past_due: list, disabled_reason: words.nullish() })
      .nullish(),
    metadata,
  }),
  bank_account: z.looseObject({
    id: text,
    status: text,
    default_for_currency: z.boolean().nullish(),
    metadata,
  }),
  /** One that was just made: of that, its id is all that is read. */
  made: z.looseObject({ id: text }),
  /** One of a list from which only whose it is is read. */
  listed: z.looseObject({ id: text, created: time.nullish(), metadata }),
  /** What it tells of is read by itself. */
  event: z.looseObject({
    type: text,
    created: time,
    data: z.looseObject({ object: z.looseObject({ id: text.optional() }) }),
  }),
  customer: z.looseObject({
    id: text,
    invoice_settings: z.looseObject({ default_payment_method: named.nullish() }).nullish(),
    metadata,
  }),
  payment_method: z.looseObject({
    id: text,
    created: time,
    customer: named.nullish(),
    card: z.looseObject({ brand: text, last4: text, exp_month: whole, exp_year: whole }).nullish(),
  }),
} as const;

export type ReadableKind = keyof typeof READ;

/**
 * The id that an object's metadata name; undefined for what can be none, since people write anything there.
 */
export function idIn(
  metadata: Readonly<Record<string, string>> | null | undefined,
  name: 'paymentId' | 'payoutId' | 'userId' | 'bankAccountId',
): string | undefined {
  const named = metadata?.[name];
  return named && text.safeParse(named).success ? named : undefined;
}

/** The object as it came, once all that is read of it is there. Throws {@link UnreadableAnswer}. */
export function readable<T>(object: ReadableKind, answer: T): T {
  const { error } = READ[object].safeParse(answer);
  if (!error) return answer;
  const id = typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : undefined;
  throw new UnreadableAnswer(object, error.issues[0]?.path.join('.') || 'body', id);
}
