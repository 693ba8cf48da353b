/**
 * Folds users' streams into rows: the vault opens what the log keeps sealed; a forgotten user's columns are
 * blanked.
 */
import type { Sealed } from '#contracts/events/journal';
import { Profile } from '#contracts/events/user';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import type { Unsealer } from '../engine/unsealer.js';
import { users } from './columns.js';
import { emailKey } from './queries.js';

type Row = RowOf<typeof users>;

export async function projectUsers(events: readonly RecordedEvent[], tx: Tx, vault: Unsealer): Promise<void> {
  const concerned = events.filter(isAboutUser);
  const userIds = new Set(concerned.map(({ data }) => data.userId));
  const rows = new Map((await users.rowsBy('id', userIds, tx)).map((row) => [row.id, row]));
  const profiles = new Map<Row, Sealed>();
  for (const { type, data, metadata } of concerned) {
    if (type === 'UserRegistered') {
      if (rows.has(data.userId)) throw new BrokenBooks(`User ${data.userId} is registered a second time.`);
      rows.set(
        data.userId,
        users.row({
          id: data.userId,
          emailVerified: false,
          registeredAt: metadata.recordedAt,
          forgotten: false,
          beingForgotten: false,
        }),
      );
    }
    const row = rows.get(data.userId);
    if (type === 'UserForgotten') vault.drop(data.userId);
    if (!row) continue;
    if (type === 'UserRegistered' || type === 'ProfileChanged') profiles.set(row, data.profile);
    else if (type === 'UserForgotten') {
      Object.assign(row, { ...shownOf(undefined), forgotten: true, beingForgotten: true });
    } else row.beingForgotten = type === 'AccountClosed';
  }
  // Only the last profile of each user in the batch is opened, all at once: a key is one query, and may be
  // cached.
  await Promise.all(
    [...profiles].map(async ([row, sealed]) => {
      const plain = await vault.unseal(sealed);
      const profile = plain === undefined || row.forgotten ? undefined : Profile.parse(JSON.parse(plain));
      Object.assign(row, shownOf(profile));
    }),
  );
  await users.put([...rows.values()], tx);
}

const TYPES = [
  'UserRegistered',
  'ProfileChanged',
  'UserForgotten',
  'AccountClosed',
  'ForgettingFinished',
] as const;
type AboutUser = Extract<RecordedEvent, { type: (typeof TYPES)[number] }>;
const isAboutUser = (event: RecordedEvent): event is AboutUser => TYPES.some((type) => type === event.type);

const shownOf = (profile: Profile | undefined) => ({
  username: profile?.username ?? null,
  email: profile?.email ?? null,
  emailVerified: profile?.emailVerified ?? false,
  emailKey: profile ? emailKey(profile.email) : null,
  firstName: profile?.firstName ?? null,
  lastName: profile?.lastName ?? null,
  profileImageUrl: profile?.profileImageUrl ?? null,
});
