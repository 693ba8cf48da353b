/** The calls about treasury wallets: opening one, moving money in and out, and the lists of both. */
import { z } from 'zod';
import { UNCLEAR_SEPARATOR } from '../plain/card-amount.js';
import { minorFromDecimal, type AmountProblem } from '../plain/money.js';
import { mixedName, mixesAlphabets } from '../plain/names.js';
import { canBeKept, description } from './kept-text.js';
import { page, search, timeRange } from './lists.js';

const NAME_MAX = 100;
const DESCRIPTION_MAX = 500;
const NO_NAME = 'Please enter a wallet name.';
/** Spec §5's one sentence for a wallet that is not chosen and an amount that is none. */
const NO_AMOUNT = 'Please enter a valid amount.';
const SENTENCES: Readonly<Record<AmountProblem, string>> = {
  missing: NO_AMOUNT,
  'not-a-number': NO_AMOUNT,
  'unclear-separator': UNCLEAR_SEPARATOR,
  'too-many-decimals': 'An amount has at most two decimals, such as 12.50.',
  'too-large': 'This amount is larger than any wallet holds.',
};

const Description = description(DESCRIPTION_MAX, `A description has at most ${DESCRIPTION_MAX} characters.`);

const Amount = z
  .union([z.number(), z.string()], { error: NO_AMOUNT })
  .transform((written, context): number => {
    const read = minorFromDecimal(typeof written === 'string' ? written.trim() : written);
    if ('minor' in read && read.minor > 0) return read.minor;
    context.addIssue({ code: 'custom', message: 'problem' in read ? SENTENCES[read.problem] : NO_AMOUNT });
    return z.NEVER;
  })
  .describe('Dollars, more than zero, at most two decimals: a number or decimal text.');

/** POST /api/treasury/wallets. */
export const CreateWallet = z.object(
  {
    displayName: z
      .string({ error: NO_NAME })
      .trim()
      .min(1, NO_NAME)
      .max(NAME_MAX, { error: `A wallet name has at most ${NAME_MAX} characters.`, abort: true })
      .refine(canBeKept, 'The wallet name holds a character that cannot be shown.')
      .refine((name) => !mixesAlphabets(name), mixedName('The wallet name')),
    description: Description,
  },
  { error: 'Send the wallet as a JSON object.' },
);
export type CreateWallet = z.infer<typeof CreateWallet>;

/** PATCH /api/treasury/wallets/{id}: both as they are to be from now on. */
export const RenameWallet = CreateWallet;
export type RenameWallet = z.infer<typeof RenameWallet>;

/** POST /api/treasury/transfer (into the wallet) and POST /api/treasury/withdraw (out of it). */
export const MoveFunds = z.object(
  {
    walletId: z.string({ error: NO_AMOUNT }).trim().min(1, NO_AMOUNT).max(100, 'Wallet not found'),
    amount: Amount,
    description: Description,
  },
  { error: 'Send the amount as a JSON object.' },
);
export type MoveFunds = z.infer<typeof MoveFunds>;

/** One of the user's wallets. */
export const TreasuryWallet = z.object({
  id: z.string(),
  displayName: z.string(),
  description: z.string().nullable(),
  balance: z.string().describe('Decimal dollars, two decimals, never negative.'),
  currency: z.string(),
  status: z
    .enum(['active', 'pending', 'inactive', 'failed'])
    .describe('A wallet is active from the moment it is opened.'),
});
export type TreasuryWallet = z.infer<typeof TreasuryWallet>;

/** What moved, as the one who moved it is answered. */
export const TreasuryMovement = z.object({
  id: z.string(),
  walletId: z.string(),
  type: z.enum(['credit', 'debit']).describe('credit: into the wallet.'),
  amount: z.string().describe('Decimal dollars, two decimals, never negative.'),
  status: z.enum(['completed']),
});
export type TreasuryMovement = z.infer<typeof TreasuryMovement>;

/** One row of GET /api/treasury/transactions; newest first. */
export const TreasuryTransaction = TreasuryMovement.extend({
  description: z.string().nullable(),
  createdAt: z.iso.datetime(),
  walletName: z.string(),
});
export type TreasuryTransaction = z.infer<typeof TreasuryTransaction>;

/** The query of GET /api/treasury/transactions. */
export const TreasuryTransactionsQuery = z.object({
  ...page(),
  ...timeRange('moved'),
  walletId: z
    .string({ error: 'Send walletId once.' })
    .max(100, 'Wallet not found')
    .refine(canBeKept, 'Wallet not found')
    .optional()
    .describe('One wallet’s only.'),
  type: z.enum(['credit', 'debit'], { error: 'The type is credit or debit.' }).optional(),
  search: search('description or wallet’s name'),
});
export type TreasuryTransactionsQuery = z.infer<typeof TreasuryTransactionsQuery>;
