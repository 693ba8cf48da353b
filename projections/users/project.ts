/**
 * Folds users' streams into rows: the vault opens what the log keeps sealed; a forgotten user's columns are
 * blanked.
 */
import type { Sealed } from '#contracts/events/journal';
import { Profile } from '#contracts/events/user';
import { cleanName } from '#contracts/plain/names';
import { UNREADABLE_NAME } from '#contracts/plain/unreadable';
import { usernameFrom } from '#contracts/plain/username';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import type { OpenedText, TextReader } from '../engine/text-reader.js';
import { users } from './columns.js';
import { emailKey, usernameKey } from './queries.js';

type Row = RowOf<typeof users>;

export async function projectUsers(
  events: readonly RecordedEvent[],
  tx: Tx,
  texts: TextReader,
): Promise<void> {
  const concerned = events.filter(isAboutUser);
  const userIds = new Set(concerned.map(({ data }) => data.userId));
  const rows = new Map((await users.rowsBy('id', userIds, tx)).map((row) => [row.id, row]));
  const profiles = new Map<Row, { sealed: Sealed; event: RecordedEvent }>();
  for (const event of concerned) {
    const { type, data, metadata } = event;
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
    if (type === 'UserForgotten') texts.drop(data.userId);
    if (!row) continue;
    if (type === 'UserRegistered' || type === 'ProfileChanged')
      profiles.set(row, { sealed: data.profile, event });
    else if (type === 'UserForgotten') {
      Object.assign(row, { ...shownOfOpened(row.id, undefined), forgotten: true, beingForgotten: true });
      row.forgettingDueAt = null;
    } else if (type === 'ForgettingRequested') row.forgettingDueAt = data.dueAt;
    else if (type === 'ForgettingRequestEnded') row.forgettingDueAt = null;
    else row.beingForgotten = type === 'AccountClosed';
  }
  // Only the last profile of each user in the batch is opened, all at once: a key is one query, and may be
  // cached.
  await Promise.all(
    [...profiles].map(async ([row, { sealed, event }]) => {
      const opened = row.forgotten ? undefined : await texts.open(sealed, event);
      Object.assign(row, shownOfOpened(row.id, opened));
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
  'ForgettingRequested',
  'ForgettingRequestEnded',
] as const;
type AboutUser = Extract<RecordedEvent, { type: (typeof TYPES)[number] }>;
const isAboutUser = (event: RecordedEvent): event is AboutUser => TYPES.some((type) => type === event.type);

/** What is shown of a profile; nothing of one that is forgotten. */
function shownOfOpened(userId: string, opened: OpenedText | undefined) {
  const { plain, unreadable = null } = opened ?? {};
  if (unreadable !== null) return { ...shownOf(userId, undefined), ...UNREADABLE_NAME, unreadable };
  return {
    ...shownOf(userId, plain === undefined ? undefined : Profile.parse(JSON.parse(plain))),
    unreadable,
  };
}

/** Also what was told before names were cleaned at sign-in. */
const shownText = (name: string | undefined): string | null => (name === undefined ? null : cleanName(name));

/** Of a profile of before usernames told no address, too. */
function usernameOf(userId: string, profile: Profile | undefined) {
  if (profile === undefined) return { username: null, usernameKey: null };
  const username = usernameFrom([cleanName(profile.username)], userId);
  return { username, usernameKey: usernameKey(username) };
}

const shownOf = (userId: string, profile: Profile | undefined) => ({
  ...usernameOf(userId, profile),
  email: profile?.email ?? null,
  emailVerified: profile?.emailVerified ?? false,
  emailKey: profile ? emailKey(profile.email) : null,
  firstName: shownText(profile?.firstName),
  lastName: shownText(profile?.lastName),
  // What old profiles name is elsewhere and not shown.
  profileImageUrl: null,
});
