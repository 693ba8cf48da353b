/** Who am I, and who is that. */
import { Controller, Get, Param } from '@nestjs/common';
import { decimalFromMinor } from '#contracts/plain/money';
import type { CurrentUser, FoundUser } from '#contracts/api/users';
import { SignedIn, UNAUTHORIZED, type Caller } from '#edge/caller';
import { Refusal } from '#edge/refusal';
import { Unavailable } from '../rejection.js';
import { UserDirectory } from './directory.js';

const LONGEST_ADDRESS = 254;

@Controller('api')
export class UsersController {
  constructor(private readonly directory: UserDirectory) {}

  @Get('auth/user')
  async me(@SignedIn() { userId }: Caller): Promise<CurrentUser> {
    const [known, standing] = await Promise.all([
      this.directory.byId(userId),
      this.directory.standingOf(userId),
    ]);
    if (known?.forgotten) throw new Refusal(401, UNAUTHORIZED);
    if (!known) throw new Unavailable('Your account is still being set up. Please try again in a moment.');
    return {
      id: known.id,
      email: known.email,
      username: known.username,
      firstName: known.firstName,
      lastName: known.lastName,
      profileImageUrl: known.profileImageUrl,
      isVerified: standing.isVerified,
      earnings: decimalFromMinor(standing.availableMinor),
      totalEarnings: decimalFromMinor(standing.receivedMinor),
      transactionCount: standing.transactionCount,
    };
  }

  @Get('users/:idOrEmail')
  async find(@SignedIn() { userId }: Caller, @Param('idOrEmail') asked: string): Promise<FoundUser> {
    const term = asked.trim();
    const isAddress = term.includes('@');
    // Nobody's id or address is so long or holds a NUL, which Postgres would not even look for.
    const isPossible = term.length <= LONGEST_ADDRESS && !term.includes('\u0000');
    const known = isPossible
      ? await (isAddress ? this.directory.byEmail(term, userId) : this.directory.byId(term))
      : undefined;
    if (!known || known.forgotten) throw new Refusal(404, 'User not found');
    const { id, firstName, lastName, username, email } = known;
    const isOwner = id === userId;
    // In privacy mode a person is their username to everybody else: who to pay can still be told, who they
    // are cannot.
    const names = known.privacyMode && !isOwner ? { firstName: '', lastName: '' } : { firstName, lastName };
    return { id, ...names, username, ...(isAddress || isOwner ? { email } : {}) };
  }
}
