/** What people are told of something of theirs that stands still because a record of it cannot be read. */

/** The code of an answer that says so. */
export const STREAM_PARKED = 'stands_still';

const TOLD = 'Nothing is lost, and whoever runs this service has been told.';

export const PAYOUT_PARKED = `This payout stands still: a record of it cannot be read. ${TOLD}`;
export const SCHEDULE_PARKED = `This stands still, and nothing is collected: a record of it cannot be read. ${TOLD}`;
export const BANK_ACCOUNTS_PARKED = `Your bank accounts cannot be paid out to at the moment: a record of them cannot be read. ${TOLD}`;
export const SETTINGS_PARKED = `Your settings cannot be changed at the moment, and what they guard stays guarded: a record of them cannot be read. ${TOLD}`;

const PASSKEYS_PARKED = `Your passkeys cannot be asked for at the moment, and what they guard stays guarded: a record of them cannot be read. ${TOLD}`;
const RECOVERY_PARKED = `The recovery of this account stands still, and what it holds back stays held back: a record of it cannot be read. ${TOLD}`;
const CARDS_PARKED = `Your saved cards cannot be used at the moment: a record of them cannot be read. ${TOLD}`;
const USER_PARKED = `This account cannot be used at the moment: a record of it cannot be read. ${TOLD}`;

const THANKS_PARKED = `Thanks for this payment cannot be sent: a record of it cannot be read. ${TOLD}`;

/** By the beginnings of the names of streams. */
const SENTENCES: readonly (readonly [prefix: string, sentence: string])[] = [
  ['payout-', PAYOUT_PARKED],
  ['subscription-', SCHEDULE_PARKED],
  ['scheduled-payment-', SCHEDULE_PARKED],
  ['bank-accounts-', BANK_ACCOUNTS_PARKED],
  ['settings-', SETTINGS_PARKED],
  ['passkeys-', PASSKEYS_PARKED],
  ['cards-', CARDS_PARKED],
  ['account-recovery-', RECOVERY_PARKED],
  ['thanks-', THANKS_PARKED],
];

/** The sentence about a parked stream. */
export const parkedSentence = (stream: string): string =>
  SENTENCES.find(([prefix]) => stream.startsWith(prefix))?.[1] ?? USER_PARKED;
