/** A vault without keys, for readers in specs and measurements: nothing is hidden from anybody. */
import { UnreadableText } from '#log/vault-reader';
import type { Sealed } from '#contracts/events/journal';
import type { Profile } from '#contracts/events/user';

/** Seals as the vault does, for a reader that is given {@link plainVault}: nothing is hidden from anybody. */
export const sealedFor = (userId: string, text: string): Sealed =>
  `sealed:${userId}:${Buffer.from(text).toString('base64url')}`;

/**
 * A vault without keys: opens what {@link sealedFor} made, save for those who were forgotten or whose key is
 * lost.
 */
export class PlainVault {
  readonly forgotten = new Set<string>();
  readonly lost = new Set<string>();
  opened = 0;

  unseal(sealed: Sealed): Promise<string | undefined> {
    const [, userId = '', text = ''] = sealed.split(':');
    this.opened += 1;
    if (this.lost.has(userId))
      return Promise.reject(new UnreadableText(userId, 'key-missing', `the data key of user ${userId}`));
    return Promise.resolve(
      this.forgotten.has(userId) ? undefined : Buffer.from(text, 'base64url').toString('utf8'),
    );
  }

  drop(): void {
    // It holds no keys.
  }
}

export const profileOf = (name: string, other: Partial<Profile> = {}): Profile => ({
  email: `${name}@example.org`,
  emailVerified: true,
  username: name,
  firstName: name[0]!.toUpperCase() + name.slice(1),
  lastName: 'Example',
  profileImageUrl: null,
  ...other,
});
