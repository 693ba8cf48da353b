/** The provider's test cards, by number and by the ready-made payment methods that stand for them. */

import type { DisputeReason } from './objects.js';

/** Why an issuer says no, with the provider's codes and sentences. */
export interface Decline {
  code: string;
  declineCode: string;
  message: string;
}

export interface TestCard {
  number: string;
  brand: string;
  /** `pm_card_visa` and the like; also usable as ids. */
  tokens: readonly string[];
  funding: 'credit' | 'debit';
  /**
   * When the payer must prove who they are; `if_asked` where the intent requests 3-D Secure; `unless_set_up`
   * spares charges in their absence once the card is set up.
   */
  authenticates: 'never' | 'if_asked' | 'always' | 'unless_set_up';
  charge: Decline | 'approved';
  /** Refused already when it is to be saved. */
  attach: Decline | 'approved';
  refund: 'at_once' | 'succeeds_later' | 'fails_later';
  /** Its funds do not wait, also while those of others do. */
  fundsAtOnce: boolean;
  /** Soon after it was charged its holder says that they should not have been. */
  disputes?: DisputeReason;
}

const declines = {
  generic: { code: 'card_declined', declineCode: 'generic_decline', message: 'Your card was declined.' },
  insufficient: {
    code: 'card_declined',
    declineCode: 'insufficient_funds',
    message: 'Your card has insufficient funds.',
  },
  lost: { code: 'card_declined', declineCode: 'lost_card', message: 'Your card was declined.' },
  stolen: { code: 'card_declined', declineCode: 'stolen_card', message: 'Your card was declined.' },
  expired: { code: 'expired_card', declineCode: 'expired_card', message: 'Your card has expired.' },
  cvc: {
    code: 'incorrect_cvc',
    declineCode: 'incorrect_cvc',
    message: "Your card's security code is incorrect.",
  },
  processing: {
    code: 'processing_error',
    declineCode: 'processing_error',
    message: 'An error occurred while processing your card. Try again in a little bit.',
  },
  notATestCard: {
    code: 'card_declined',
    declineCode: 'test_mode_live_card',
    message: 'Your card was declined. Your request was in test mode, but used a non test card.',
  },
} as const satisfies Record<string, Decline>;

/** The issuer wants the payer to prove who they are, and nobody is there to do it. */
export const AUTHENTICATION_REQUIRED: Decline = {
  code: 'authentication_required',
  declineCode: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

/** Refusals that a suite may have an issuer give to a saved card, whichever test card it is. */
export const DECLINES = {
  generic_decline: declines.generic,
  insufficient_funds: declines.insufficient,
  lost_card: declines.lost,
  stolen_card: declines.stolen,
  expired_card: declines.expired,
  processing_error: declines.processing,
  authentication_required: AUTHENTICATION_REQUIRED,
  // The provider knows without asking the issuer, and so makes no charge of it.
  authentication_required_unsent: AUTHENTICATION_REQUIRED,
} as const satisfies Record<string, Decline>;

export const DECLINE_NAMES = [
  'generic_decline',
  'insufficient_funds',
  'lost_card',
  'stolen_card',
  'expired_card',
  'processing_error',
  'authentication_required',
  'authentication_required_unsent',
] as const satisfies readonly (keyof typeof DECLINES)[];
export type DeclineName = (typeof DECLINE_NAMES)[number];

const approved: Omit<TestCard, 'number' | 'tokens' | 'brand'> = {
  funding: 'credit',
  authenticates: 'never',
  charge: 'approved',
  attach: 'approved',
  refund: 'at_once',
  fundsAtOnce: false,
};

function card(number: string, tokens: readonly string[], differs: Partial<TestCard> = {}): TestCard {
  return { ...approved, number, tokens, brand: brandOf(number), ...differs };
}

function declined(number: string, tokens: readonly string[], decline: Decline): TestCard {
  return card(number, tokens, { charge: decline, attach: decline });
}

const CARDS: readonly TestCard[] = [
  card('4242424242424242', ['pm_card_visa']),
  card('4000056655665556', ['pm_card_visa_debit'], { funding: 'debit' }),
  card('5555555555554444', ['pm_card_mastercard']),
  card('378282246310005', ['pm_card_amex']),
  card('6011111111111117', ['pm_card_discover']),
  card('4000000000000259', ['pm_card_createDispute'], { disputes: 'fraudulent' }),
  card('4000000000002685', ['pm_card_createDisputeProductNotReceived'], { disputes: 'product_not_received' }),
  card('4000000000000077', ['pm_card_bypassPending'], { fundsAtOnce: true }),
  card('4000002500003155', ['pm_card_authenticationRequiredOnSetup'], { authenticates: 'unless_set_up' }),
  card('4000002760003184', ['pm_card_authenticationRequired'], { authenticates: 'always' }),
  // Not a number of the provider's, and no card's: it is often written for the one above, so it behaves the
  // same here.
  card('4000000000003184', [], { authenticates: 'always' }),
  card('4000000000003055', ['pm_card_threeDSecureOptional'], { authenticates: 'if_asked' }),
  card('4000008260003178', ['pm_card_authenticationRequiredChargeDeclinedInsufficientFunds'], {
    authenticates: 'unless_set_up',
    charge: declines.insufficient,
  }),
  card('4000000000003220', ['pm_card_threeDSecure2Required'], { authenticates: 'always' }),
  card('4000008400001629', ['pm_card_threeDSecureRequiredChargeDeclined'], {
    authenticates: 'always',
    charge: declines.generic,
  }),
  declined('4000000000000002', ['pm_card_chargeDeclined', 'pm_card_visa_chargeDeclined'], declines.generic),
  declined(
    '4000000000009995',
    ['pm_card_chargeDeclinedInsufficientFunds', 'pm_card_visa_chargeDeclinedInsufficientFunds'],
    declines.insufficient,
  ),
  declined(
    '4000000000009987',
    ['pm_card_chargeDeclinedLostCard', 'pm_card_visa_chargeDeclinedLostCard'],
    declines.lost,
  ),
  declined(
    '4000000000009979',
    ['pm_card_chargeDeclinedStolenCard', 'pm_card_visa_chargeDeclinedStolenCard'],
    declines.stolen,
  ),
  declined('4000000000000069', ['pm_card_chargeDeclinedExpiredCard'], declines.expired),
  declined('4000000000000127', ['pm_card_chargeDeclinedIncorrectCvc'], declines.cvc),
  declined('4000000000000119', ['pm_card_chargeDeclinedProcessingError'], declines.processing),
  card('4000000000000341', ['pm_card_chargeCustomerFail'], { charge: declines.generic }),
  card('4000000000007726', ['pm_card_pendingRefund'], { refund: 'succeeds_later' }),
  card('4000000000005126', ['pm_card_refundFail'], { refund: 'fails_later' }),
];

/** Stands for any number that is no test card: whatever it is, it is refused, and it is not kept. */
const NOT_A_TEST_CARD: TestCard = { ...declined('', [], declines.notATestCard), brand: 'unknown' };

const BY_NUMBER = new Map(CARDS.map((each) => [each.number, each]));
const BY_TOKEN = new Map(
  CARDS.flatMap((each) => each.tokens.map((token): [string, TestCard] => [token, each])),
);

export function testCardOfToken(token: string): TestCard | undefined {
  return BY_TOKEN.get(token);
}

/** The card of a number; an unknown number is a card that is always declined. */
export function testCardOf(number: string | null): TestCard {
  return (number !== null && BY_NUMBER.get(number)) || NOT_A_TEST_CARD;
}

export function brandOf(number: string): string {
  if (/^4/.test(number)) return 'visa';
  if (/^(5[1-5]|2[2-7])/.test(number)) return 'mastercard';
  if (/^3[47]/.test(number)) return 'amex';
  if (/^6(011|5)/.test(number)) return 'discover';
  return 'unknown';
}

/** Whether a number could be a card's: a test card, or one whose check digit is right. */
export function isCardNumber(number: string): boolean {
  if (BY_NUMBER.has(number)) return true;
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
