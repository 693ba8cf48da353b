/**
 * One amount in every place that reads one: an address, a scanned code, the form, and each call that carries
 * it. What a page shows is what the server books, or both refuse it.
 */
import { describe, expect, it } from '@jest/globals';
import { GuestPaymentBody } from '#contracts/api/guest-tips';
import { GeneratePass, GenerateQrPass } from '#contracts/api/passes';
import { CreatePaymentIntent } from '#contracts/api/payments';
import { RequestPayout } from '#contracts/api/payouts';
import { ChangeScheduledPayment, CreateScheduledPayment } from '#contracts/api/scheduled-payments';
import { ChangeSubscription, CreateSubscription } from '#contracts/api/subscriptions';
import { CreateTip } from '#contracts/api/tips';
import { MoveFunds } from '#contracts/api/treasury';
import { cardAmount } from '#contracts/plain/card-amount';
import { decimalFromMinor } from '#contracts/plain/money';
import { money } from '../../shared/wording/money.js';
import { requestedPayment } from '../checkout/payment-query.js';
import { recipientFromCode } from '../scanner/scanned-recipient.js';
import { EMPTY_FIELDS, refusalOf, tomorrow, writtenAmount } from './form-rules.js';

const NOW = new Date(2026, 10, 21, 23, 30);
const [CARD_MIN, CARD_MAX] = [50n, 99_999_999n];

/** The grammar once more, character by character and in BigInt: it shares nothing with what is tested. */
function centsOf(written: string): bigint | undefined {
  // Spaces around it are nobody's meaning.
  const text = written.trim();
  let point = text.lastIndexOf('.');
  if (point === -1) point = text.lastIndexOf(',');
  const decimals = point === -1 ? '' : text.slice(point + 1);
  let whole = point === -1 ? text : text.slice(0, point);
  if (point !== -1 && decimals.length !== 1 && decimals.length !== 2) return undefined;
  if (whole.includes(',')) {
    if (text[point] !== '.') return undefined;
    const groups = whole.split(',');
    const [first = '', ...rest] = groups;
    if (first.length < 1 || first.length > 3 || rest.some((group) => group.length !== 3)) return undefined;
    whole = groups.join('');
  }
  const digits = whole + decimals;
  if (digits === '' || [...digits].some((character) => !'0123456789'.includes(character))) return undefined;
  return BigInt(whole || '0') * 100n + BigInt(decimals.padEnd(2, '0') || '0');
}

/** A seeded series of texts: amounts as people write them, amounts gone wrong, and noise. */
function* texts(seed: number, count: number): Generator<string> {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const digits = (length: number): string => Array.from({ length }, () => String(below(10))).join('');
  const noise = '0123456789.,,..eExX+-$ _٣';
  for (let made = 0; made < count; made += 1) {
    const whole = digits(below(9));
    const separated = whole.replace(/\B(?=(\d{3})+$)/g, below(4) === 0 ? '.' : ',');
    const decimals = `${below(3) === 0 ? ',' : '.'}${digits(below(4))}`;
    const shapes = [
      whole,
      whole + decimals,
      separated,
      separated + decimals,
      `${whole}e${below(4)}`,
      Array.from({ length: 1 + below(7) }, () => noise[below(noise.length)]).join(''),
    ];
    yield shapes[below(shapes.length)] ?? '';
  }
}

const FIXED = [
  '1e3',
  '0x10',
  '12,50',
  '1,250',
  '1,250.00',
  '1.250,00',
  '.5',
  ',5',
  '5.',
  '-5',
  '+5',
  '0',
  '0.49',
];
const FIXED_LARGE = ['999999.99', '1000000', '999,999.99', '9'.repeat(40), '1e-7', '1e21', 'NaN', 'Infinity'];

/** How the public tip page and the change of a subscription or scheduled payment show what is typed there. */
const readAsCard = (text: string): string | undefined => {
  const read = cardAmount(text);
  return 'minor' in read ? decimalFromMinor(read.minor) : undefined;
};

/** What the payment screens read, as the cents of what they would show. */
const SCREENS: Readonly<Record<string, (text: string) => string | undefined>> = {
  'the address of a tip link and of the checkout': (text) =>
    requestedPayment('usr_a', new URLSearchParams({ amount: text }))?.amount,
  'the form of a payment': (text) => writtenAmount(text),
  'the public tip page, and the change of a subscription or scheduled payment': readAsCard,
  'a scanned tip link': (text) =>
    recipientFromCode(`https://encore.example/tip/usr_a?amount=${encodeURIComponent(text)}`)?.amount,
};

interface Reading {
  readonly success: boolean;
  readonly data?: { readonly amount?: number | undefined } | undefined;
}
const scheduledDate = new Date(Date.now() + 3 * 86_400_000).toISOString();
/** What the server books of a call with this amount. */
const CARD_CALLS: Readonly<Record<string, (amount: unknown) => Reading>> = {
  'a payment': (amount) => CreatePaymentIntent.safeParse({ amount, toUserId: 'usr_a' }),
  'a tip with what is saved': (amount) => CreateTip.safeParse({ amount, toUserId: 'usr_a', from: 'balance' }),
  'a subscription': (amount) =>
    CreateSubscription.safeParse({ amount, toUserId: 'usr_a', frequency: 'weekly', description: null }),
  'a scheduled payment': (amount) =>
    CreateScheduledPayment.safeParse({ amount, toUserId: 'usr_a', scheduledDate, description: null }),
  'a guest’s tip': (amount) => GuestPaymentBody.safeParse({ amount, method: 'card', token: 'A'.repeat(22) }),
  'a change of a subscription': (amount) => ChangeSubscription.safeParse({ amount }),
  'a change of a scheduled payment': (amount) => ChangeScheduledPayment.safeParse({ amount }),
};
const OTHER_CALLS: Readonly<Record<string, (amount: unknown) => Reading>> = {
  'a payout': (amount) => RequestPayout.safeParse({ amount, bankAccountId: 'ba_1' }),
  'a wallet': (amount) => MoveFunds.safeParse({ amount, walletId: 'wal_1', description: null }),
};
const PASSES: Readonly<Record<string, (amount: unknown) => Reading>> = {
  'a pass to pay somebody': (amount) => GeneratePass.safeParse({ userId: 'usr_a', amount }),
  'a pass with the own code': (amount) => GenerateQrPass.safeParse({ amount }),
};
const bookedBy = (call: (amount: unknown) => Reading, amount: unknown): number | undefined => {
  const read = call(amount);
  return read.success ? read.data?.amount : undefined;
};

const SEED = 20_261_121;
const ALL = [...FIXED, ...FIXED_LARGE, ...texts(SEED, 4000)];

describe(`an amount (seed ${SEED})`, () => {
  const payable = (text: string): number | undefined => {
    const cents = centsOf(text);
    return cents === undefined || cents < CARD_MIN || cents > CARD_MAX ? undefined : Number(cents);
  };
  const decimalOf = (minor: number | undefined): string | undefined =>
    minor === undefined ? undefined : `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;

  it('is among many that are paid and many that are refused', () => {
    const paid = ALL.filter((text) => payable(text) !== undefined);
    expect(paid.length).toBeGreaterThan(500);
    expect(ALL.length - paid.length).toBeGreaterThan(500);
  });

  it.each(Object.entries(SCREENS))('in %s is shown as it is written, or not at all', (_place, shownBy) => {
    expect(ALL.filter((text) => shownBy(text) !== decimalOf(payable(text)))).toEqual([]);
  });

  it('is refused by the form exactly where no other place takes it', () => {
    const date = tomorrow(NOW);
    for (const kind of ['now', 'recurring', 'later'] as const) {
      const isTaken = (amount: string): boolean =>
        refusalOf(kind, { ...EMPTY_FIELDS, recipientId: 'usr_a', amount, date }, NOW) === undefined;
      expect(ALL.filter((text) => isTaken(text) !== (payable(text) !== undefined))).toEqual([]);
    }
  });

  it.each(Object.entries({ ...CARD_CALLS }))(
    'of %s is booked as it is written, or refused',
    (_call, call) => {
      expect(ALL.filter((text) => bookedBy(call, text) !== payable(text))).toEqual([]);
    },
  );

  it.each(Object.entries(CARD_CALLS))('of %s that a page shows is what the page sends', (_call, call) => {
    for (const text of ALL) {
      const shown = writtenAmount(text);
      if (shown === undefined) continue;
      // The form on home and the checkout send a number (spec.md §7), the page of subscriptions the text.
      for (const sent of [Number(shown), shown])
        expect([text, bookedBy(call, sent)]).toEqual([text, payable(text)]);
      expect(money(shown).replace(/[$,]/g, '')).toBe(shown.replace(/^0+(?=\d)/, ''));
    }
  });

  it.each(Object.entries(OTHER_CALLS))('of %s is booked as it is written, or refused', (place, call) => {
    for (const text of ALL) {
      const cents = centsOf(text);
      // A wallet has no largest amount of its own; more than 13 digits are none of ours.
      const most = place === 'a payout' ? CARD_MAX : 10n ** 15n - 1n;
      const expected = cents === undefined || cents === 0n || cents > most ? undefined : Number(cents);
      expect([text, bookedBy(call, text)]).toEqual([text, expected]);
    }
  });

  it.each(Object.entries(PASSES))('on %s is the one that is written; none means any', (_place, call) => {
    for (const text of ALL) {
      const isAny = text.trim() === '' || centsOf(text) === 0n;
      const read = call(text);
      expect([text, read.success]).toEqual([text, isAny || payable(text) !== undefined]);
      expect([text, bookedBy(call, text)]).toEqual([text, payable(text)]);
    }
  });

  it('that is a JSON number counts by its value, however it was written', () => {
    for (const [json, minor] of [
      ['1e3', 100_000],
      ['1.250e1', 1250],
      ['20', 2000],
      ['0.5', 50],
      ['12.500', 1250],
      ['0.1e-6', undefined],
      ['1e300', undefined],
      ['12.345', undefined],
      ['-5', undefined],
    ] as const)
      for (const call of Object.values({ ...CARD_CALLS, ...OTHER_CALLS }))
        expect([json, bookedBy(call, JSON.parse(json))]).toEqual([json, minor]);
  });
});
