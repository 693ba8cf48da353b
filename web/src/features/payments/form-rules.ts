/**
 * The fields of the payment form, and what it refuses, in which order and words. Pure: the time is an
 * argument.
 */
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import { cardAmount } from '#contracts/plain/card-amount';
import type { Method } from './MethodChoice.js';
import type { Frequency } from './new-schedules.js';
import { USUAL_SOURCE, type SourceField } from './source.js';

/** Paid at once in the checkout, at an interval, or once on a later day. */
export type PaymentKind = 'now' | 'recurring' | 'later';

/** The fields as they are typed. The last four belong to some kinds only. */
export interface PaymentFields {
  readonly recipientId: string;
  readonly amount: string;
  readonly description: string;
  /** Kind `now`. */
  readonly method: Method;
  /** Kind `recurring`. */
  readonly frequency: Frequency | '';
  /** Kinds `recurring` and `later`: what pays. */
  readonly source: SourceField;
  /** Kind `later`: local time of the field, `2026-11-22T20:00`. */
  readonly date: string;
}

export const EMPTY_FIELDS: PaymentFields = {
  recipientId: '',
  amount: '',
  description: '',
  method: 'card',
  frequency: 'monthly',
  source: USUAL_SOURCE,
  date: '',
};

/** A refusal: a toast, and the same sentence at each field that it is about. */
interface FormRefusal {
  readonly title: string;
  readonly description: string;
  readonly fields: Readonly<Partial<Record<keyof PaymentFields, string>>>;
}

export const AUTHENTICATION_REQUIRED = {
  title: 'Authentication Required',
  description: 'Please log in to make a payment',
} as const;

const NOT_POSITIVE = 'Please enter a valid amount greater than 0';
const TOO_EARLY = 'Please choose a date from tomorrow on';
const ALL_FIELDS = 'Please fill in all required fields';

const REQUIRED = {
  now: { names: ['recipientId', 'amount'], sentence: 'Please enter an amount and recipient ID' },
  recurring: { names: ['recipientId', 'amount', 'frequency'], sentence: ALL_FIELDS },
  later: { names: ['recipientId', 'amount', 'date'], sentence: ALL_FIELDS },
} as const;
const AT_EMPTY_FIELD = {
  recipientId: 'Choose who you want to pay.',
  amount: 'Enter an amount.',
  frequency: 'Choose how often.',
  date: 'Choose a date.',
} as const;

function missing(kind: PaymentKind, fields: PaymentFields, title: string): FormRefusal | undefined {
  const { names, sentence } = REQUIRED[kind];
  const empty = names.filter((name) => fields[name].trim() === '');
  if (empty.length === 0) return undefined;
  const atFields = Object.fromEntries(empty.map((name) => [name, AT_EMPTY_FIELD[name]]));
  return { title, description: sentence, fields: atFields };
}

/** Why an amount as it is written cannot be paid, in the form's words; undefined where it can. */
export function amountProblem(amount: string): string | undefined {
  const read = minorFromDecimal(amount.trim());
  const isNone = 'minor' in read ? read.minor === 0 : ['missing', 'not-a-number'].includes(read.problem);
  if (isNone) return NOT_POSITIVE;
  // What remains is an amount that cannot be paid: too small, too large, or with fractions of a cent.
  const payable = cardAmount(amount);
  return 'sentence' in payable ? payable.sentence : undefined;
}

/** Why a payment is refused, or undefined. `missingTitle` is the title of the toast about empty fields. */
export function refusalOf(
  kind: PaymentKind,
  fields: PaymentFields,
  now: Date,
  missingTitle = 'Missing Information',
): FormRefusal | undefined {
  const empty = missing(kind, fields, missingTitle);
  if (empty) return empty;
  const problem = amountProblem(fields.amount);
  if (problem !== undefined)
    return { title: 'Invalid Amount', description: problem, fields: { amount: problem } };
  if (kind !== 'later' || (isLocalTime(fields.date) && fields.date >= tomorrow(now))) return undefined;
  return { title: 'Invalid Date', description: TOO_EARLY, fields: { date: TOO_EARLY } };
}

const isLocalTime = (text: string): boolean =>
  /^\d{4,6}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));

const two = (value: number): string => String(value).padStart(2, '0');

/** The field's `min`: the start of tomorrow in the local time zone. */
export function tomorrow(now: Date): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}T00:00`;
}

/** The field's local time as ISO 8601, with the offset of that day. */
export function withOffset(local: string): string {
  const time = new Date(local);
  const minutes = -time.getTimezoneOffset();
  const [sign, size] = minutes < 0 ? ['-', -minutes] : ['+', minutes];
  const date = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${date}T${clock}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The amount as it was typed where it is a decimal, else with two decimals. */
export const typedAmount = (amount: string): string =>
  /^\d+(\.\d{1,2})?$/.test(amount.trim()) ? amount.trim() : (writtenAmount(amount) ?? amount);

/** The amount with two decimals; undefined if it is none that can be paid. */
export function writtenAmount(amount: string): string | undefined {
  const payable = cardAmount(amount);
  return 'minor' in payable ? decimalFromMinor(payable.minor) : undefined;
}
