/** Who is that: finding somebody to pay. */
import { Controller, Get, Param } from '@nestjs/common';
import { FoundUser } from '#contracts/api/users';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { Refusal } from '#edge/refusal';
import { Queryable } from '../engine/read-model.js';
import { payoutStandingOf } from '../bank-accounts/queries.js';
import { userByEmail, userById, userByName, type UserView } from './queries.js';

const LONGEST_ADDRESS = 254;

@Controller('api/users')
export class UsersController {
  constructor(private readonly db: Queryable) {}

  @ApiCall({
    summary:
      'A user by id, by an address that they have proven, or by a handle of their tip page or their username, with or without an @ before it.',
    answer: FoundUser,
    otherwise: { 404: 'User not found' },
  })
  @Get(':idOrEmail')
  async find(@SignedIn() { userId }: Caller, @Param('idOrEmail') idOrEmail: string): Promise<FoundUser> {
    const term = idOrEmail.trim();
    const isAddress = term.includes('@', 1);
    // Nobody's id or address is so long or holds a NUL, which Postgres would not even look for.
    const isPossible = term.length <= LONGEST_ADDRESS && !term.includes('\u0000');
    const known = isPossible
      ? await (isAddress ? userByEmail(this.db, term, userId) : this.byIdOrName(term, userId))
      : undefined;
    if (!known || known.forgotten) throw new Refusal(404, 'User not found');
    const isOwner = known.id === userId;
    // In privacy mode a person is their username to everybody else: who to pay can still be told, who they
    // are cannot.
    const isHidden = known.privacyMode && !isOwner;
    return {
      id: known.id,
      firstName: isHidden ? '' : (known.firstName ?? ''),
      lastName: isHidden ? '' : (known.lastName ?? ''),
      username: known.username ?? '',
      isVerified: (await payoutStandingOf(this.db, known.id)).isVerified,
      ...(isAddress || isOwner ? { email: known.email ?? '' } : {}),
    };
  }

  /** By an id; else by a handle, which is one person's for good; else by a username that only one goes by. */
  private async byIdOrName(term: string, askerId: string): Promise<UserView | undefined> {
    return (await userById(this.db, term)) ?? userByName(this.db, term.replace(/^@/, ''), askerId);
  }
}
