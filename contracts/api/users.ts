/** The calls about people: who is signed in, and who answers to an id or address. */
import { z } from 'zod';

/** GET /api/auth/user: the signed-in user, to themselves. */
export const CurrentUser = z.object({
  id: z.string(),
  email: z.string(),
  username: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  profileImageUrl: z.string().nullable(),
  isVerified: z.boolean(),
  earnings: z.string().describe('The available balance, in decimal dollars. May be negative: a debt.'),
  totalEarnings: z.string().describe('Receipts less refunds and what disputes took, in decimal dollars.'),
  transactionCount: z.number().int(),
});
export type CurrentUser = z.infer<typeof CurrentUser>;

/**
 * GET /api/users/{idOrEmail}: another user. The address only where the asker already has it, no names of one
 * in privacy mode.
 */
export const FoundUser = z.object({
  id: z.string(),
  firstName: z.string().describe('Empty for one who has privacy mode on.'),
  lastName: z.string().describe('Empty for one who has privacy mode on.'),
  username: z.string(),
  isVerified: z.boolean().describe('Whether the payment provider knows who they are.'),
  email: z.string().optional(),
});
export type FoundUser = z.infer<typeof FoundUser>;

/** PUT /api/user/picture: where the picture is from now on. */
export const PictureAnswer = z.object({ profileImageUrl: z.string() });
export type PictureAnswer = z.infer<typeof PictureAnswer>;
