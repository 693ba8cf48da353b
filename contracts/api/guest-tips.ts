/** What a guest's browser sends from a public tip page. None of these calls needs a session. */
import { z } from 'zod';
import { PaymentMethod } from '../events/journal.js';
import { RECEIPT_TOKEN } from '../plain/guest.js';
import { looksLikeUs } from '../plain/look-alikes.js';
import { cleanName, LONGEST_WRITTEN_NAME, mixedName, mixesAlphabets } from '../plain/names.js';
import { CardAmount } from './card-amount.js';
import { CreatePaymentIntent, EarlierKeys } from './payments.js';

const GUEST_NAME_MOST = 60;
const NAME_TOO_LONG = `A name has at most ${GUEST_NAME_MOST} characters.`;

const LOOKS_OURS = 'This name could be taken for one of ours. Please write another one.';

const NO_TOKEN = 'This receipt link is not complete. Open the whole link.';
const ReceiptToken = z.string({ error: NO_TOKEN }).regex(RECEIPT_TOKEN, NO_TOKEN);

/** POST /@handle/payments. The token is drawn by the browser and kept before it sends. */
export const GuestPaymentBody = z.object(
  {
    amount: CardAmount,
    method: z.enum(PaymentMethod.options, { error: 'The payment method is card or cashapp.' }),
    note: CreatePaymentIntent.shape.description,
    name: z
      .string({ error: 'The name must be text.' })
      .max(LONGEST_WRITTEN_NAME, NAME_TOO_LONG)
      .transform(cleanName)
      .refine((name) => [...name].length <= GUEST_NAME_MOST, NAME_TOO_LONG)
      .refine((name) => !mixesAlphabets(name), mixedName('The name'))
      // Mails of ours say who paid: nobody is to be told by us that "Encore Support" did.
      .refine((name) => !looksLikeUs(name), LOOKS_OURS)
      .nullish()
      .transform((name) => name || undefined),
    token: ReceiptToken,
    // A page that was opened before there were lists sends one.
    insteadOf: z.preprocess((sent) => (typeof sent === 'string' ? [sent] : sent), EarlierKeys.default([])),
  },
  { error: 'Send the payment as a JSON object.' },
);
export type GuestPaymentBody = z.infer<typeof GuestPaymentBody>;

/** POST /@handle/paid/token/end. */
export const EndGuestPayments = z.object({ keys: EarlierKeys }, { error: 'Send the keys as a JSON object.' });
export type EndGuestPayments = z.infer<typeof EndGuestPayments>;

/** POST /@handle/paid/token/mail. */
export const MailReceipt = z.object(
  {
    email: z
      .string({ error: 'Please enter an email address.' })
      .trim()
      .max(254, 'Please enter a valid email address.')
      .pipe(z.email({ error: 'Please enter a valid email address.' })),
  },
  { error: 'Send the email address as a JSON object.' },
);
export type MailReceipt = z.infer<typeof MailReceipt>;

/** POST /api/tip-page/claims. */
export const ClaimGuestTips = z.object(
  { token: ReceiptToken },
  { error: 'Send the token as a JSON object.' },
);
export type ClaimGuestTips = z.infer<typeof ClaimGuestTips>;

/** How a guest's payment stands. */
export const GuestPaymentState = z.object({
  status: z.enum(['none', 'open', 'failed', 'paid']),
  failureReason: z.string().nullable(),
});
export type GuestPaymentState = z.infer<typeof GuestPaymentState>;
