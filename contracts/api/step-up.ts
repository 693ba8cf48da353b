/**
 * What a guarded call is answered that lacks a proof: 403 with one of two codes, and what is to be confirmed.
 * With `passkey_required` the caller confirms by a passkey and repeats the call unchanged, under the same
 * Idempotency-Key, with the proof in the header x-encore-passkey-proof. With `sign_in_required` the browser
 * navigates to /api/login?fresh=1, comes back, and repeats the call under the same key.
 */
import { z } from 'zod';

/** The owner has a passkey and wants to be asked for it. */
export const PASSKEY_REQUIRED = 'passkey_required';
/** There is no passkey to ask for, or it does not suffice, and the sign-in is older than ten minutes. */
export const SIGN_IN_REQUIRED = 'sign_in_required';

/** What a call does, in the words that a passkey signs; amounts are decimal dollars. */
export const Confirmation = z.object({
  words: z.string().describe('What is confirmed, in one sentence: a passkey signs exactly these words.'),
  amount: z.string().optional().describe('Decimal dollars.'),
  to: z.string().optional().describe('Who or what receives it, for people.'),
  from: z.string().optional().describe('What pays it, for people.'),
  leftAfter: z.string().optional().describe('What is left of the available balance then. Decimal dollars.'),
  arrives: z.string().optional().describe('When: a date, a date and time, or a text.'),
});
export type Confirmation = z.infer<typeof Confirmation>;

/** The `confirm` of a 403. Without an id there is nothing to sign: a fresh sign-in is asked for. */
export const RequestedConfirmation = Confirmation.extend({
  id: z.string().optional().describe('For POST /api/passkeys/assertion/options and …/verify.'),
  expiresAt: z.iso.datetime().optional(),
});
export type RequestedConfirmation = z.infer<typeof RequestedConfirmation>;
