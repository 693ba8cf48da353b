/**
 * What people are told: one kind for each cause, with the facts that its text is made of. Facts are ids,
 * amounts and times; a name is looked up when somebody reads, so that nothing here names a person.
 */
import { z } from 'zod';
import { Charged, ScheduleKind } from '../events/occurrence.js';
import { THANKS } from '../plain/thanks.js';
import { page } from './lists.js';

const minor = z.number().int().nonnegative();
const money = { amountMinor: minor, currency: z.string() };
const disputed = { disputeId: z.string(), paymentId: z.string(), payerId: z.string(), amountMinor: minor };
const payout = { payoutId: z.string(), bankAccountId: z.string().optional(), ...money };
/** Where it was done from: as the list of sessions shows it. No whole IP address. */
const from = {
  device: z.string().optional(),
  place: z.string().optional(),
  address: z.string().optional(),
};

/**
 * What becomes of a payment that failed, as far as it is known. `uncertain`: a recovery of the log paused its
 * subscription, and whether anything was paid is not known.
 */
export const AfterFailure = z.enum([
  'tried-again',
  'needs-confirmation',
  'given-up',
  'paused',
  'canceled',
  'uncertain',
]);
export type AfterFailure = z.infer<typeof AfterFailure>;

const FACTS = {
  new_sign_in: z.object(from),
  passkey_added: z.object(from),
  passkey_removed: z.object(from),
  /** No passkey is asked for any more. */
  passkey_switched_off: z.object({}),
  bank_account_added: z.object({ bankAccountId: z.string() }),
  payout_requested: z.object(payout),
  /** `madeUpMinor` of it makes up for a debt that had been written off, and is not back. */
  payout_failed: z.object({ ...payout, reason: z.string(), madeUpMinor: minor.optional() }),
  payout_paid: z.object(payout),
  payment_failed: z.object({
    scheduleKind: ScheduleKind,
    scheduleId: z.string(),
    recipientId: z.string(),
    ...money,
    reason: z.string(),
    then: AfterFailure,
    /** Of `tried-again`: when. Of `needs-confirmation`: until when it can be confirmed. */
    by: z.iso.datetime().optional(),
    paymentId: z.string().optional(),
    /** What it was to be paid from. */
    charged: Charged.optional(),
  }),
  /** To who paid. */
  receipt: z.object({ paymentId: z.string(), recipientId: z.string(), ...money }),
  /** To a guest who paid and asked for it; their address is with the mail alone. */
  guest_receipt: z.object({ paymentId: z.string(), recipientId: z.string(), ...money }),
  /** To who was paid. */
  tip_received: z.object({ paymentId: z.string(), payerId: z.string(), ...money }),
  /** To who had paid: the recipient thanks them. To a guest by mail alone. */
  thanks: z.object({ paymentId: z.string(), recipientId: z.string(), thanks: z.enum(THANKS) }),
  guest_thanks: z.object({ paymentId: z.string(), recipientId: z.string(), thanks: z.enum(THANKS) }),
  /** To who had paid: it is on its way back to their card. */
  payment_refunded: z.object({ paymentId: z.string(), recipientId: z.string(), amountMinor: minor }),
  /** To a guest who had paid, by mail alone. */
  guest_refunded: z.object({ paymentId: z.string(), recipientId: z.string(), amountMinor: minor }),
  /** To who had been paid. */
  tip_refunded: z.object({ paymentId: z.string(), payerId: z.string(), amountMinor: minor }),
  /** To who had been paid: it did not reach the payer, and is back with them. */
  refund_failed: z.object({ paymentId: z.string(), payerId: z.string(), amountMinor: minor }),
  /** To who had been paid: the payer's bank asks for the money. */
  dispute_opened: z.object(disputed),
  dispute_won: z.object(disputed),
  dispute_lost: z.object(disputed),
  /** To who pays: we ended it, they did not. */
  schedule_ended: z.object({
    scheduleKind: ScheduleKind,
    scheduleId: z.string(),
    recipientId: z.string(),
    ...money,
    reason: z.string(),
  }),
  recovery_started: z.object({
    completesAt: z.iso.datetime(),
    startedBy: z.enum(['owner', 'operator']).optional(),
  }),
  /** The same, to an address that another took the place of lately. */
  recovery_started_earlier: z.object({
    completesAt: z.iso.datetime(),
    startedBy: z.enum(['owner', 'operator']).optional(),
    changedAt: z.iso.datetime(),
  }),
  /** To the address of before. */
  address_changed: z.object({ changedAt: z.iso.datetime() }),
  recovery_refused: z.object({}),
  recovery_completed: z.object({}),
  sessions_ended: z.object({ count: z.number().int().nonnegative().optional(), ...from }),
  data_downloaded: z.object(from),
  forgetting_asked: z.object({ happensAt: z.iso.datetime() }),
  forgetting_cancelled: z.object({ why: z.enum(['canceled', 'recovery_started', 'money_left']).optional() }),
} as const;

export type MessageKind = keyof typeof FACTS;
/** Mailed, and not told in the app, where another message says the same. */
export const MAIL_ONLY: readonly MessageKind[] = ['recovery_started_earlier'];
export const MESSAGE_KINDS = Object.keys(FACTS) as readonly MessageKind[];
export type MessageContent = {
  [K in MessageKind]: { readonly kind: K; readonly facts: z.infer<(typeof FACTS)[K]> };
}[MessageKind];
export type ContentOf<K extends MessageKind> = Extract<MessageContent, { kind: K }>;

/**
 * A stored message's content; undefined for a kind that this build does not know, or facts of another shape.
 */
export function contentFrom(kind: string, facts: unknown): MessageContent | undefined {
  if (!Object.hasOwn(FACTS, kind)) return undefined;
  const read = FACTS[kind as MessageKind].safeParse(facts);
  return read.success ? ({ kind, facts: read.data } as MessageContent) : undefined;
}

/** One line of GET /api/messages; newest first. */
export const Message = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  text: z.string(),
  at: z.iso.datetime().describe('When it happened.'),
  isRead: z.boolean(),
  note: z.string().nullable().describe('Of tip_received: what the payer wrote. Null for any other.'),
  amount: z.string().nullable().describe('Of tip_received: decimal dollars. Null for any other.'),
  actions: z
    .array(z.object({ label: z.string(), href: z.string().describe('A path of this origin.') }))
    .describe('What can be done about it, the first of them first.'),
});
export type Message = z.infer<typeof Message>;

const PLACE = /^\d{1,15}-msg_[0-9a-f]{32}$/;

export const MessagesQuery = z.object(page(PLACE));
export type MessagesQuery = z.infer<typeof MessagesQuery>;

/** GET /api/messages/summary. */
export const MessagesSummary = z.object({
  unread: z.number().int().describe('How many messages are unread.'),
  away: z
    .object({
      amount: z.string().describe('Decimal dollars.'),
      tips: z.number().int(),
      named: z.number().int().describe('How many of them came from somebody who shows a name.'),
    })
    .nullable()
    .describe('Tips that arrived and were not seen yet; null where there is none.'),
});
export type MessagesSummary = z.infer<typeof MessagesSummary>;

const WHICH = 'Send ids, or through: the newest message that was seen.';
const MessageId = z.string(WHICH).regex(/^msg_\w{1,96}$/, WHICH);
/** POST /api/messages/read. */
export const ReadMessages = z.union(
  [
    z.strictObject({ ids: z.array(MessageId, WHICH).min(1, WHICH).max(200, WHICH) }, WHICH),
    z.strictObject({ through: MessageId }, WHICH),
  ],
  WHICH,
);
export type ReadMessages = z.infer<typeof ReadMessages>;
