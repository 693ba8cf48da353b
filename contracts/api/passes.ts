/** The calls for Apple Wallet passes. Both answer a signed .pkpass file. */
import { z } from 'zod';
import { decimalFromMinor, minorFromDecimal } from '../plain/money.js';
import { cardAmount } from '../plain/card-amount.js';
import { description } from './kept-text.js';

export const PASS_TYPE = 'application/vnd.apple.pkpass';

/** A pass’s description is read at a till, not in a letter. */
const DESCRIPTION_MAX_CHARACTERS = 140;

/** Minor units; undefined for none, empty or zero, which all mean: whoever pays says how much. */
const PassAmount = z
  .unknown()
  .optional()
  .transform((written, context) => {
    const trimmed = typeof written === 'string' ? written.trim() : written;
    if (trimmed === undefined || trimmed === null || trimmed === '') return undefined;
    const read = minorFromDecimal(trimmed);
    if ('minor' in read && read.minor === 0) return undefined;
    const amount = cardAmount(trimmed);
    if ('minor' in amount) return amount.minor;
    context.addIssue({ code: 'custom', message: amount.sentence });
    return z.NEVER;
  })
  .meta({
    type: ['string', 'number', 'null'],
    description: 'Dollars; empty, or zero, for an amount that the payer chooses.',
  });

const AS_OBJECT = { error: 'Send the pass as a JSON object.' };

/** POST /api/apple-wallet/generate-pass: to pay a person, by default oneself, an amount. */
export const GeneratePass = z.object(
  {
    userId: z
      .string({ error: 'Please enter a recipient ID.' })
      .trim()
      .min(1, 'Please enter a recipient ID.')
      .max(100, 'Recipient user not found')
      .optional(),
    amount: PassAmount,
    description: description(
      DESCRIPTION_MAX_CHARACTERS,
      `A pass’s description has at most ${DESCRIPTION_MAX_CHARACTERS} characters.`,
    ),
  },
  AS_OBJECT,
);
export type GeneratePass = z.infer<typeof GeneratePass>;

/** POST /api/apple-wallet/generate-qr-pass: the signed-in user’s own code. */
export const GenerateQrPass = z.object({ amount: PassAmount }, AS_OBJECT).prefault({});
export type GenerateQrPass = z.infer<typeof GenerateQrPass>;

/** The address at which somebody is paid; with an amount any phone’s camera leads straight to the payment. */
export function paymentLink(
  origin: string,
  userId: string,
  { amountMinor, description }: { amountMinor?: number | undefined; description?: string | undefined } = {},
): string {
  const link = new URL(`/tip/${encodeURIComponent(userId)}`, origin);
  if (amountMinor !== undefined) link.searchParams.set('amount', decimalFromMinor(amountMinor));
  if (description !== undefined) link.searchParams.set('description', description);
  return link.href;
}
