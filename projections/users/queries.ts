/** Reads of users: by id, and by an address that its owner has proven. */
import { SETTINGS_PREFIX } from '#contracts/events/settings';
import { USER_PREFIX } from '#contracts/events/user';
import { exactKeyOf } from '#log/digest';
import { isParked } from '../engine/parking.js';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { users } from './columns.js';

/** A user as they see themselves. A forgotten one has no name and no address. */
export type UserView = ViewOf<typeof users, 'owner'> & {
  readonly forgotten: boolean;
  /** They want not to be found by their address, nor named to strangers. */
  readonly privacyMode: boolean;
};

/**
 * Whether a user `u` is not to be found nor named to strangers, by a settings' alias: also while their
 * settings or their own stream cannot be read, which may say so.
 */
function isPrivate(settings: string): string {
  return `(coalesce(${settings}.privacy_mode_enabled, false)
    or ${isParked(SETTINGS_PREFIX, 'u.id')} or ${isParked(USER_PREFIX, 'u.id')})`;
}

/**
 * First and last name as whoever else has the id may see them, of `users u left join settings p`: null in
 * privacy mode, for somebody who is forgotten, and where no name was ever told.
 */
export const SHOWN_FIRST_NAME = `case when ${isPrivate('p')} then null else u.first_name end`;
export const SHOWN_LAST_NAME = `case when ${isPrivate('p')} then null else u.last_name end`;
export const SHOWN_NAME = `nullif(trim(concat_ws(' ', ${SHOWN_FIRST_NAME}, ${SHOWN_LAST_NAME})), '')`;

/**
 * Whether what others may see of the user of a column, username or name, matches the pattern of a parameter.
 */
export const personHolds = (userId: string, pattern: string): string =>
  `exists (select from users u left join settings p on p.user_id = u.id
            where u.id = ${userId} and (u.username ilike ${pattern} or ${SHOWN_NAME} ilike ${pattern}))`;

/** {@link SHOWN_NAME} of a user that was read already. */
export function shownName({ privacyMode, firstName, lastName }: UserView): string | null {
  return privacyMode ? null : [firstName, lastName].filter(Boolean).join(' ').trim() || null;
}

/** Addresses are compared without regard to case. */
export const emailKey = (email: string): string => email.toLowerCase();

const USERS = `
  select ${users.seenBy('owner', 'u')}, u.forgotten,
         ${isPrivate('s')} as "privacyMode"
    from users u left join settings s on s.user_id = u.id`;

/** The user of this id, forgotten ones included, or undefined. */
export async function userById(db: Queryable, id: string): Promise<UserView | undefined> {
  const { rows } = await db.query<UserView>({
    name: 'user-by-id',
    text: `${USERS} where u.id = $1`,
    values: [id],
  });
  return rows[0];
}

/** Whether they have asked to be forgotten, and it has neither been done nor come to nothing. */
export async function isLeaving(db: Queryable, id: string): Promise<boolean> {
  const { rows } = await db.query<{ id: string }>({
    name: 'user-is-leaving',
    text: 'select id from users where id = $1 and forgetting_due_at is not null',
    values: [id],
  });
  return rows.length > 0;
}

/** The users of these ids, forgotten ones included, in no order. */
export async function usersByIds(db: Queryable, ids: readonly string[]): Promise<UserView[]> {
  const { rows } = await db.query<UserView>({
    name: 'users-by-ids',
    text: `${USERS} where u.id = any($1)`,
    values: [[...new Set(ids)]],
  });
  return rows;
}

/**
 * The user who has proven this e-mail address, or undefined. When several identities have proven the same
 * address, the one registered first: the answer must not change because somebody registers later. Who has
 * privacy mode on is found by nobody but themselves: to all others it is as if they were not there.
 */
export async function userByEmail(
  db: Queryable,
  email: string,
  askerId: string,
): Promise<UserView | undefined> {
  const { rows } = await db.query<UserView>({
    name: 'user-by-email',
    text: `${USERS} where u.email_key = $1 and u.email_verified and (u.id = $2 or not ${isPrivate('s')})
            order by u.registered_at, u.id limit 1`,
    values: [emailKey(email), askerId],
  });
  return rows[0];
}

/** Usernames are compared without regard to case. */
export const usernameKey = (username: string): string => username.toLowerCase();

/**
 * The user who goes by this username, or undefined: also where several do, since money must not go to the one
 * who was not meant. Who has privacy mode on is found by nobody but themselves.
 */
export async function userByUsername(
  db: Queryable,
  username: string,
  askerId: string,
): Promise<UserView | undefined> {
  const { rows } = await db.query<UserView>({
    name: 'user-by-username',
    text: `${USERS} where u.username_key = $1 and not u.forgotten limit 2`,
    values: [usernameKey(username)],
  });
  const [only, other] = rows;
  if (only === undefined || other !== undefined) return undefined;
  return only.privacyMode && only.id !== askerId ? undefined : only;
}

/**
 * The user of a handle, also an older one, while their tip page is published; else the user of a username. A
 * handle is one person's for good: while their page is taken back, and once they have left, nobody else is
 * found by it, or what was meant for them could be paid to whoever takes it as a username.
 */
export async function userByName(
  db: Queryable,
  name: string,
  askerId: string,
): Promise<UserView | undefined> {
  const { rows } = await db.query<{ userId: string; isPublished: boolean }>({
    name: 'owner-of-handle',
    text: `select h.user_id as "userId", coalesce(p.is_published, false) as "isPublished"
             from tip_page_handles h left join tip_pages p on p.user_id = h.user_id where h.exact_key = $1`,
    values: [exactKeyOf(name.toLowerCase())],
  });
  const [owner] = rows;
  if (owner?.isPublished) return userById(db, owner.userId);
  const named = await userByUsername(db, name, askerId);
  return owner === undefined || named?.id === owner.userId ? named : undefined;
}

/** Whether somebody else goes by this username, also one who is found by nobody. */
export async function isOthersUsername(db: Queryable, userId: string, name: string): Promise<boolean> {
  const { rows } = await db.query({
    name: 'others-of-username',
    text: 'select from users where username_key = $1 and id <> $2 and not forgotten limit 1',
    values: [usernameKey(name), userId],
  });
  return rows.length > 0;
}

/** Users whose wait to be forgotten is over, a page at a time by id. */
export async function dueToBeForgotten(
  db: Queryable,
  now: Date,
  limit: number,
  afterId = '',
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'due-to-be-forgotten',
    text: `select u.id from users u
            where u.forgetting_due_at <= $1 and u.id > $3 and not ${isParked(USER_PREFIX, 'u.id')}
            order by u.id limit $2`,
    values: [now, limit, afterId],
  });
  return rows.map(({ id }) => id);
}
