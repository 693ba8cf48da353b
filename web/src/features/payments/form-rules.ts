/**
 * What the forms that pay refuse, in order, and in which words. Pure: who is asked, and when it is, come in.
 */
import { CARD_MAX_MINOR, CARD_MIN_MINOR, decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import { cardAmount } from '#contracts/plain/card-amount';

/** Where the sentence stands, besides the toast. */
export type FieldName = 'recipient' | 'amount' | 'frequency' | 'date';

/** A refusal: a toast, and the same sentence at each field that it is about. */
export interface FormRefusal {
  readonly title: string;
  readonly description: string;
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
}

export const AUTHENTICATION_REQUIRED = {
  title: 'Authentication Required',
  description: 'Please log in to make a payment',
} as const;

const INVALID_AMOUNT = 'Invalid Amount';
const NOT_POSITIVE = 'Please enter a valid amount greater than 0';
const ALL_FIELDS = 'Please fill in all required fields';

type Asked = Readonly<Partial<Record<FieldName, string>>>;
const NEEDED: Readonly<Record<FieldName, string>> = {
  recipient: 'Choose who you want to pay.',
  amount: 'Enter an amount.',
  frequency: 'Choose how often.',
  date: 'Choose a date.',
};

function missing(asked: Asked, title: string, description: string): FormRefusal | undefined {
  const fields: Partial<Record<FieldName, string>> = {};
  for (const name of ['recipient', 'amount', 'frequency', 'date'] as const)
    if (asked[name] !== undefined && asked[name].trim() === '') fields[name] = NEEDED[name];
  return Object.keys(fields).length === 0 ? undefined : { title, description, fields };
}

function invalidAmount(amount: string): FormRefusal | undefined {
  const refused = (sentence: string): FormRefusal => ({
    title: INVALID_AMOUNT,
    description: sentence,
    fields: { amount: sentence },
  });
  const read = minorFromDecimal(amount.trim());
  if ('minor' in read ? read.minor === 0 : read.problem === 'not-a-number') return refused(NOT_POSITIVE);
  // What is left is an amount, but none that can be paid: too small, too large, or of parts of a cent.
  const payable = cardAmount(amount);
  return 'sentence' in payable ? refused(payable.sentence) : undefined;
}

/** Why an instant payment does not go to the checkout. */
export function refuseInstant(form: {
  readonly recipient: string;
  readonly amount: string;
}): FormRefusal | undefined {
  return (
    missing(form, 'Missing Information', 'Please enter an amount and recipient ID') ??
    invalidAmount(form.amount)
  );
}

/** Why a subscription is not sent. Its own page calls what is missing an `Error`. */
export function refuseSubscription(
  form: { readonly recipient: string; readonly amount: string; readonly frequency: string },
  title = 'Missing Information',
): FormRefusal | undefined {
  return missing(form, title, ALL_FIELDS) ?? invalidAmount(form.amount);
}

/** Why a scheduled payment is not sent. Dates are as the field has them: local, `2026-11-22T20:00`. */
export function refuseScheduled(
  form: { readonly recipient: string; readonly amount: string; readonly date: string },
  now: Date,
  title = 'Missing Information',
): FormRefusal | undefined {
  const refused = missing(form, title, ALL_FIELDS) ?? invalidAmount(form.amount);
  if (refused) return refused;
  const sentence = 'Please choose a date from tomorrow on';
  return isLocalTime(form.date) && form.date >= tomorrow(now)
    ? undefined
    : { title: 'Invalid Date', description: sentence, fields: { date: sentence } };
}

const isLocalTime = (text: string): boolean =>
  /^\d{4,6}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));

const two = (value: number): string => String(value).padStart(2, '0');

/**
 * The first moment that can be chosen, as the field's `min`: the beginning of tomorrow, where the person is.
 */
export function tomorrow(now: Date): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}T00:00`;
}

/** A local time of the field as the wire has it: with the offset that holds there on that day. */
export function withOffset(local: string): string {
  const time = new Date(local);
  const minutes = -time.getTimezoneOffset();
  const [sign, size] = minutes < 0 ? ['-', -minutes] : ['+', minutes];
  const date = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${date}T${clock}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** An amount with two decimals, for a button; nothing for what is none. */
export function writtenAmount(amount: string): string | undefined {
  const read = minorFromDecimal(amount.trim());
  return 'minor' in read && read.minor >= CARD_MIN_MINOR && read.minor <= CARD_MAX_MINOR
    ? decimalFromMinor(read.minor)
    : undefined;
}
