/**
 * What messages say, in the app and in the mail: made from a kind and its facts, whenever somebody reads.
 * Pure. Who a payment went to is called as the app calls them, privacy mode included.
 */
import type { ContentOf, Message, MessageContent, MessageKind } from '#contracts/api/messages';
import type { ScheduleKind } from '#contracts/events/occurrence';
import { withinSentence } from '#contracts/plain/guest';
import { THANKS_WORDS } from '#contracts/plain/thanks';
import { dollarsFromMinor } from '#contracts/plain/money';
import { utcTime } from '#contracts/plain/utc-time';
import { UNKNOWN_DEVICE } from '#edge/seen-from';

/** How people, bank accounts and saved cards are called, by id. */
export interface Names {
  readonly people: ReadonlyMap<string, string>;
  readonly bankAccounts: ReadonlyMap<string, string>;
  readonly cards: ReadonlyMap<string, string>;
}

export interface MessageText {
  readonly title: string;
  readonly text: string;
  readonly actions: Message['actions'];
}

/**
 * What `transactionAlertsEnabled` governs: messages about payments, never what an owner must hear of a thief.
 */
export const ALERTS: ReadonlySet<MessageKind> = new Set<MessageKind>([
  'receipt',
  'tip_received',
  'thanks',
  'payment_failed',
  'payout_failed',
  'payout_paid',
  'payment_refunded',
  'tip_refunded',
  'refund_failed',
  'dispute_opened',
  'dispute_won',
  'dispute_lost',
  'schedule_ended',
]);
export const isAlert = (kind: MessageKind): boolean => ALERTS.has(kind);

const HISTORY = { label: 'See it in your history', href: '/history' };
const BANK = { label: 'See bank accounts', href: '/bank-accounts' };
const PROFILE = { label: 'Check your account', href: '/profile' };
const NOT_YOU = 'If this was not you, open your profile and sign out everywhere.';

const when = (iso: string): string => utcTime(new Date(iso));

const LEFT = 'somebody who has left';
const personOf = (id: string, names: Names): string => withinSentence(names.people.get(id) ?? LEFT);
/** Where the money of a payout that failed is, and what to do. */
function afterFailedPayout(amountMinor: number, madeUpMinor: number): string {
  const again = 'Check the bank account, then ask for the payout again.';
  if (madeUpMinor === 0) return `The money is back in your balance. ${again}`;
  if (madeUpMinor === amountMinor) return 'It made up for what you owed, which had been written off.';
  return `${dollarsFromMinor(madeUpMinor)} of it made up for what you owed, which had been written off. The rest is back in your balance. ${again}`;
}
const bankOf = (id: string | undefined, names: Names): string =>
  (id === undefined ? undefined : names.bankAccounts.get(id)) ?? 'your bank account';

/** " on Chrome on Android in Porto (IP address 192.0.2.0/24)", as far as it is known. */
function fromWhere({
  device,
  place,
  address,
}: {
  device?: string | undefined;
  place?: string | undefined;
  address?: string | undefined;
}): string {
  const on = device === UNKNOWN_DEVICE ? 'a device that we do not know' : device;
  const words = [on && ` on ${on}`, place && ` in ${place}`, address && ` (IP address ${address})`];
  return words.filter(Boolean).join('');
}

type Texts = {
  readonly [K in MessageKind]: (facts: ContentOf<K>['facts'], names: Names) => MessageText;
};

const TEXTS: Texts = {
  new_sign_in: (facts) => ({
    title: 'New sign-in',
    text: `Somebody signed in to your account${fromWhere(facts)}. ${NOT_YOU}`,
    actions: [PROFILE],
  }),
  passkey_added: (facts) => ({
    title: 'Passkey added',
    text: `A passkey was added to your account${fromWhere(facts)}. It can confirm that money moves. ${NOT_YOU}`,
    actions: [PROFILE],
  }),
  passkey_removed: (facts) => ({
    title: 'Passkey removed',
    text: `A passkey was removed from your account${fromWhere(facts)}. It confirms nothing any more. ${NOT_YOU}`,
    actions: [PROFILE],
  }),
  passkey_switched_off: () => ({
    title: 'Passkey not asked for any more',
    text: `Your account was switched to ask for no passkey before money moves: a sign-in is enough now. ${NOT_YOU}`,
    actions: [PROFILE],
  }),
  bank_account_added: ({ bankAccountId }, names) => ({
    title: 'Bank account added',
    text: `${names.bankAccounts.get(bankAccountId) ?? 'A bank account'} was added to your account. Payouts can be sent there. If this was not you, remove it and sign out everywhere.`,
    actions: [BANK, PROFILE],
  }),
  payout_requested: ({ amountMinor, bankAccountId }, names) => ({
    title: 'Payout requested',
    text: `${dollarsFromMinor(amountMinor)} is on its way to ${bankOf(bankAccountId, names)}. It left your balance. ${NOT_YOU}`,
    actions: [BANK],
  }),
  payout_failed: ({ amountMinor, madeUpMinor = 0, bankAccountId, reason }, names) => ({
    title: 'Payout failed',
    text: `${dollarsFromMinor(amountMinor)} did not get to ${bankOf(bankAccountId, names)}: ${sentence(reason)} ${afterFailedPayout(amountMinor, madeUpMinor)}`,
    actions: [BANK],
  }),
  payout_paid: ({ amountMinor, bankAccountId }, names) => ({
    title: 'Payout arrived',
    text: `${dollarsFromMinor(amountMinor)} is at ${bankOf(bankAccountId, names)}.`,
    actions: [BANK],
  }),
  payment_failed: (facts, names) => paymentFailed(facts, names),
  receipt: ({ amountMinor, recipientId }, names) => ({
    title: 'Payment sent',
    text: `You paid ${dollarsFromMinor(amountMinor)} to ${personOf(recipientId, names)}.`,
    actions: [HISTORY],
  }),
  guest_receipt: ({ amountMinor, recipientId }, names) => ({
    title: 'Your receipt',
    text: `You paid ${dollarsFromMinor(amountMinor)} to ${personOf(recipientId, names)}. The receipt stays behind this link: whoever has it can see it.`,
    actions: [],
  }),
  tip_received: ({ amountMinor, payerId }, names) => ({
    title: 'Payment received',
    text: `${capital(personOf(payerId, names))} paid you ${dollarsFromMinor(amountMinor)}. It is in your balance.`,
    actions: [HISTORY],
  }),
  thanks: ({ recipientId, thanks }, names) => ({
    title: 'Thank you',
    text: `${capital(personOf(recipientId, names))} answers your payment: “${THANKS_WORDS[thanks]}”`,
    actions: [HISTORY],
  }),
  guest_thanks: ({ recipientId, thanks }, names) => ({
    title: 'Thank you',
    text: `${capital(personOf(recipientId, names))} answers your payment: “${THANKS_WORDS[thanks]}” Your receipt stays behind this link: whoever has it can see it.`,
    actions: [],
  }),
  payment_refunded: ({ amountMinor, recipientId }, names) => ({
    title: 'Payment returned',
    text: `${dollarsFromMinor(amountMinor)} that you paid to ${personOf(recipientId, names)} is on its way back to where it came from. Banks take 5 to 10 days.`,
    actions: [HISTORY],
  }),
  guest_refunded: ({ amountMinor, recipientId }, names) => ({
    title: 'Payment returned',
    text: `${dollarsFromMinor(amountMinor)} that you paid to ${personOf(recipientId, names)} is on its way back to where it came from. Banks take 5 to 10 days. Your receipt says so, too: whoever has its link can see it.`,
    actions: [],
  }),
  tip_refunded: ({ amountMinor, payerId }, names) => ({
    title: 'Payment taken back',
    text: `${dollarsFromMinor(amountMinor)} from ${personOf(payerId, names)} was returned to them. It left your balance.`,
    actions: [HISTORY],
  }),
  refund_failed: ({ amountMinor, payerId }, names) => ({
    title: 'A return did not arrive',
    text: `${dollarsFromMinor(amountMinor)} could not be returned to ${personOf(payerId, names)}: their bank did not take it. It is back in your balance.`,
    actions: [HISTORY],
  }),
  dispute_opened: ({ amountMinor, payerId }, names) => ({
    title: 'Payment disputed',
    text: `The bank of ${personOf(payerId, names)} questions a payment of ${dollarsFromMinor(amountMinor)} to you. While it looks into that, the money may leave your balance. You hear how it ends.`,
    actions: [HISTORY],
  }),
  dispute_won: ({ amountMinor, payerId }, names) => ({
    title: 'Dispute won',
    text: `The payment of ${dollarsFromMinor(amountMinor)} from ${personOf(payerId, names)} stays yours. What was taken from your balance for it comes back.`,
    actions: [HISTORY],
  }),
  dispute_lost: ({ amountMinor, payerId }, names) => ({
    title: 'Dispute lost',
    text: `The bank decided for ${personOf(payerId, names)}: ${dollarsFromMinor(amountMinor)} stays with them. What left your balance for it does not come back.`,
    actions: [HISTORY],
  }),
  schedule_ended: ({ scheduleKind, amountMinor, recipientId, reason }, names) => ({
    title: scheduleKind === 'subscription' ? 'Subscription ended' : 'Scheduled payment ended',
    text: `${dollarsFromMinor(amountMinor)} to ${personOf(recipientId, names)} is not paid any more: ${sentence(reason)} No more money is taken for it.`,
    actions: [schedulesOf(scheduleKind)],
  }),
  recovery_started: recoveryStarted,
  recovery_started_earlier: recoveryStarted,
  address_changed: ({ changedAt }) => ({
    title: 'Email address changed',
    text: `Since ${when(changedAt)} messages about your account go to another email address: your sign-in provider has that one for you now. If this was not you, change your password there, then open your profile and sign out everywhere.`,
    actions: [PROFILE],
  }),
  recovery_refused: () => ({
    title: 'Account recovery refused',
    text: 'The recovery of your account was refused. Your passkeys stay as they are. If you did not expect this, change your password at your sign-in provider.',
    actions: [PROFILE],
  }),
  recovery_completed: () => ({
    title: 'Account recovered',
    text: 'Your account was recovered: the old passkeys confirm nothing any more, and all other sessions have ended. Add a new passkey now. If this was not you, contact us at once.',
    actions: [PROFILE],
  }),
  sessions_ended: (facts) => ({
    title: 'Signed out elsewhere',
    text: `${endedSessions(facts.count)}${fromWhere(facts)}. If this was not you, change your password at your sign-in provider.`,
    actions: [PROFILE],
  }),
  data_downloaded: (facts) => ({
    title: 'Your data was downloaded',
    text: `A copy of all that is kept about you was downloaded${fromWhere(facts)}. ${NOT_YOU}`,
    actions: [PROFILE],
  }),
  forgetting_asked: ({ happensAt }) => ({
    title: 'Your account will be deleted',
    text: `You asked to be forgotten. It happens on ${when(happensAt)}; until then you can stop it on your profile. If this was not you, stop it and sign out everywhere.`,
    actions: [PROFILE],
  }),
  forgetting_cancelled: ({ why }) => ({
    title: 'Your account stays',
    text: whyNotForgotten(why),
    actions: [PROFILE],
  }),
};

function recoveryStarted({ completesAt, startedBy }: ContentOf<'recovery_started'>['facts']): MessageText {
  return {
    title: 'Account recovery started',
    text: `${startedBy === 'operator' ? 'Support has begun a recovery of your account, so that its owner can get in without the passkey' : 'Somebody who signed in to your account asked to get in without your passkey'}. Until it has ended no money can be moved out. You are signed out everywhere else. From ${when(completesAt)} on they can finish that by signing in again. If this was not you, refuse it: confirm with your passkey, or use the link in the mail.`,
    actions: [PROFILE],
  };
}

const whyNotForgotten = (why: ContentOf<'forgetting_cancelled'>['facts']['why']): string => {
  if (why === 'money_left')
    return 'Your account was not deleted: there is money left in your balance, in a wallet or on its way to a bank. Pay it out, then ask again.';
  const stopped =
    why === 'recovery_started' ? 'a recovery of the account was begun' : 'the request was stopped';
  return `Your account will not be deleted: ${stopped}. Nothing has changed.`;
};

const schedulesOf = (kind: ScheduleKind): Message['actions'][number] =>
  kind === 'subscription'
    ? { label: 'Open subscriptions', href: '/subscriptions' }
    : { label: 'Open scheduled payments', href: '/scheduled-payments' };

/** What a message says. */
export function textOf<K extends MessageKind>(
  content: { readonly kind: K } & MessageContent,
  names: Names,
): MessageText {
  const make = TEXTS[content.kind] as (facts: MessageContent['facts'], known: Names) => MessageText;
  return make(content.facts, names);
}

function paymentFailed(
  {
    amountMinor,
    recipientId,
    reason,
    then,
    by,
    scheduleKind,
    scheduleId,
    paymentId,
    charged,
  }: ContentOf<'payment_failed'>['facts'],
  names: Names,
): MessageText {
  const schedules = schedulesOf(scheduleKind);
  const failed = `${dollarsFromMinor(amountMinor)} to ${personOf(recipientId, names)}${sourceOf(charged, names)} did not go through: ${sentence(reason)} You have not been charged.`;
  // Where the balance was to pay there is no card to change.
  const [doing, label] =
    charged?.from === 'balance'
      ? ['choose a card for it', 'Choose a card']
      : ['change the card', 'Change card'];
  const card = { label, href: `${schedules.href}?change=${scheduleId}` };
  const payNow = { label: 'Pay now', href: `${schedules.href}#${scheduleId}` };
  switch (then) {
    case 'needs-confirmation':
      return {
        title: 'Confirm a payment',
        text: `Your bank asks you to confirm ${dollarsFromMinor(amountMinor)} to ${personOf(recipientId, names)}. You have not been charged. Confirm it${by ? ` by ${when(by)}` : ''}, or it is not paid.`,
        actions: [
          ...(paymentId === undefined ? [] : [{ label: 'Confirm payment', href: payNow.href }]),
          card,
        ],
      };
    case 'tried-again':
      return {
        title: 'Payment failed',
        text: `${failed} It is tried again${by ? ` on ${when(by)}` : ' later'}. ${capital(doing)} before then, or pay it now.`,
        actions: [card, payNow],
      };
    case 'paused':
      return {
        title: 'Payment failed',
        // One of every day, of which the bank wanted a confirmation, pauses as the next one falls due.
        text: `${failed} The subscription is paused: ${doing}, then resume it. Until the next payment is due you can also pay this one now.`,
        actions: [card, payNow],
      };
    case 'given-up':
      return {
        title: 'Payment failed',
        text: `${failed} It is not tried again by itself: ${doing}, then pay it now or give it another date.`,
        actions: [card, payNow],
      };
    case 'canceled':
      return {
        title: 'Payment failed',
        text: `${failed} It is canceled: no more money is taken for it.`,
        actions: [schedules],
      };
    case 'uncertain':
      return {
        title: 'Subscription paused',
        text: `Your subscription of ${dollarsFromMinor(amountMinor)} to ${personOf(recipientId, names)} is paused. ${sentence(reason)}`,
        actions: [HISTORY, schedules],
      };
  }
}

const endedSessions = (count: number | undefined): string =>
  count === undefined || count !== 1
    ? `${count === undefined ? 'Sessions' : `${count} sessions`} of your account were ended`
    : 'One session of your account was ended';

/** " from Visa ••4242", as far as it is known. */
function sourceOf(charged: ContentOf<'payment_failed'>['facts']['charged'], names: Names): string {
  if (charged === undefined) return '';
  if (charged.from === 'balance') return ' from your balance';
  return ` from ${names.cards.get(charged.cardId ?? '') ?? 'your saved card'}`;
}

/** A reason as a sentence of its own. */
const sentence = (reason: string): string =>
  /[.!?]$/.test(reason.trim()) ? reason.trim() : `${reason.trim()}.`;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
