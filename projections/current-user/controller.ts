/** Who am I: what the header and the home screen show, out of four read models and the table of pictures. */
import { Controller, Get } from '@nestjs/common';
import { CurrentUser } from '#contracts/api/users';
import { decimalFromMinor } from '#contracts/plain/money';
import { pictureUrl } from '#contracts/plain/picture-url';
import { ApiCall } from '#edge/api-call';
import { SignedIn, UNAUTHORIZED, type Caller } from '#edge/caller';
import { Refusal } from '#edge/refusal';
import { balanceOf } from '../balances/queries.js';
import { payoutStandingOf } from '../bank-accounts/queries.js';
import { Queryable } from '../engine/read-model.js';
import { transactionCountOf } from '../transactions/queries.js';
import { userById } from '../users/queries.js';
import { pictureHashOf } from './picture.js';

@Controller('api/auth/user')
export class CurrentUserController {
  constructor(private readonly db: Queryable) {}

  @ApiCall({ summary: 'The signed-in user.', answer: CurrentUser })
  @Get()
  me(@SignedIn() { userId }: Caller): Promise<CurrentUser> {
    return currentUser(this.db, userId);
  }
}

/** A user to themselves. Throws a {@link Refusal} for one who is forgotten (401) or not shown yet (503). */
export async function currentUser(db: Queryable, userId: string): Promise<CurrentUser> {
  const [known, { availableMinor, receivedMinor }, transactionCount, { isVerified }, hash] =
    await Promise.all([
      userById(db, userId),
      balanceOf(db, userId),
      transactionCountOf(db, userId),
      payoutStandingOf(db, userId),
      pictureHashOf(db, userId),
    ]);
  if (known?.forgotten) throw new Refusal(401, UNAUTHORIZED);
  if (!known) throw new Refusal(503, 'Your account is still being set up. Please try again in a moment.');
  return {
    id: known.id,
    email: known.email ?? '',
    username: known.username ?? '',
    firstName: known.firstName ?? '',
    lastName: known.lastName ?? '',
    profileImageUrl: hash === undefined ? null : pictureUrl(hash),
    isVerified,
    earnings: decimalFromMinor(availableMinor),
    totalEarnings: decimalFromMinor(receivedMinor),
    transactionCount,
  };
}
