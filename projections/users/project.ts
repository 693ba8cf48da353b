/**
 * Folds users' streams into rows: the vault opens what the log keeps sealed; a forgotten user's columns are
 * blanked.
 */
import { Profile } from '#contracts/events/user';
import type { Sealed } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import type { Tx } from '../engine/read-model.js';
import type { Unsealer } from '../engine/unsealer.js';
import { emailKey } from './queries.js';

interface UserRow {
  registeredAt: string | undefined;
  profile: Profile | undefined;
  forgotten: boolean;
}

export async function projectUsers(events: readonly RecordedEvent[], tx: Tx, vault: Unsealer): Promise<void> {
  const rows = new Map<string, UserRow>();
  const rowOf = (userId: string): UserRow => {
    const row = rows.get(userId) ?? { registeredAt: undefined, profile: undefined, forgotten: false };
    rows.set(userId, row);
    return row;
  };
  const sealed = new Map<UserRow, Sealed>();
  const beingForgotten = new Map<string, boolean>();
  for (const event of events) {
    if (event.type === 'UserRegistered') {
      const row = rowOf(event.data.userId);
      row.registeredAt = event.metadata.recordedAt;
      sealed.set(row, event.data.profile);
    } else if (event.type === 'ProfileChanged') sealed.set(rowOf(event.data.userId), event.data.profile);
    else if (event.type === 'UserForgotten') {
      const row = rowOf(event.data.userId);
      row.forgotten = true;
      beingForgotten.set(event.data.userId, true);
      vault.drop(event.data.userId);
    } else if (event.type === 'AccountClosed') beingForgotten.set(event.data.userId, true);
    else if (event.type === 'ForgettingFinished') beingForgotten.set(event.data.userId, false);
  }
  // Only the last profile of each user in the batch is opened, all at once: a key is one query, and may be
  // cached.
  await Promise.all(
    [...sealed].map(async ([row, text]) => {
      const plain = await vault.unseal(text);
      if (plain !== undefined && !row.forgotten) row.profile = Profile.parse(JSON.parse(plain));
    }),
  );
  const registered = [...rows].filter(([, row]) => row.registeredAt !== undefined);
  const changed = [...rows].filter(([, row]) => row.registeredAt === undefined);
  if (registered.length > 0)
    await tx.query({
      name: 'users-registered',
      text: `insert into users (id, username, email, email_verified, email_key, first_name, last_name, profile_image_url, forgotten, registered_at)
             select * from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[], $9::boolean[], $10::timestamptz[])`,
      values: [...columns(registered), registered.map(([, row]) => row.registeredAt)],
    });
  if (changed.length > 0)
    await tx.query({
      name: 'users-changed',
      text: `update users u set username = v.username, email = v.email, email_verified = v.email_verified, email_key = v.email_key,
                    first_name = v.first_name, last_name = v.last_name, profile_image_url = v.profile_image_url,
                    forgotten = u.forgotten or v.forgotten
               from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[], $9::boolean[])
                 as v (id, username, email, email_verified, email_key, first_name, last_name, profile_image_url, forgotten)
              where u.id = v.id`,
      values: columns(changed),
    });
  if (beingForgotten.size > 0)
    await tx.query({
      name: 'users-being-forgotten',
      text: `update users u set being_forgotten = v.being_forgotten
               from unnest($1::text[], $2::boolean[]) as v (id, being_forgotten) where u.id = v.id`,
      values: [[...beingForgotten.keys()], [...beingForgotten.values()]],
    });
}

function columns(rows: readonly (readonly [string, UserRow])[]): unknown[][] {
  const profiles = rows.map(([, { profile }]) => profile);
  return [
    rows.map(([id]) => id),
    profiles.map((profile) => profile?.username),
    profiles.map((profile) => profile?.email),
    profiles.map((profile) => profile?.emailVerified ?? false),
    profiles.map((profile) => profile && emailKey(profile.email)),
    profiles.map((profile) => profile?.firstName),
    profiles.map((profile) => profile?.lastName),
    profiles.map((profile) => profile?.profileImageUrl),
    rows.map(([, { forgotten }]) => forgotten),
  ];
}
