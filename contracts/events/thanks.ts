/**
 * A thank-you for a payment, stream `thanks-{paymentId}`, by the id of the payment or transfer. It stands
 * beside the money and moves none, so the journal does not hold it.
 */
import { z } from 'zod';
import { THANKS } from '../plain/thanks.js';

export const THANKS_PREFIX = 'thanks-';
export const thanksStream = (paymentId: string): string => `${THANKS_PREFIX}${paymentId}`;

export const thanksEvents = {
  /** Whoever was paid thanked the payer, once: the payer, also a guest, is told. */
  PayerThanked: z.object({
    paymentId: z.string(),
    payerId: z.string(),
    recipientId: z.string(),
    thanks: z.enum(THANKS),
  }),
} as const;

type ThanksEventType = keyof typeof thanksEvents;
export type ThanksEvent = {
  [T in ThanksEventType]: { type: T; data: z.infer<(typeof thanksEvents)[T]> };
}[ThanksEventType];
