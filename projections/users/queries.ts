/** Reads of users: by id, and by an address that its owner has proven. */
import type { Queryable } from '../engine/read-model.js';

/** A user as the read model knows them. A forgotten one has no name and no address. */
export interface UserView {
  readonly id: string;
  readonly username: string | null;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly profileImageUrl: string | null;
  readonly registeredAt: Date;
  readonly forgotten: boolean;
}

/** Addresses are compared without regard to case. */
export const emailKey = (email: string): string => email.toLowerCase();

const COLUMNS = `id, username, email, email_verified as "emailVerified", first_name as "firstName", last_name as "lastName",
  profile_image_url as "profileImageUrl", registered_at as "registeredAt", forgotten`;

/** The user of this id, forgotten ones included, or undefined. */
export async function userById(db: Queryable, id: string): Promise<UserView | undefined> {
  const { rows } = await db.query<UserView>({
    name: 'user-by-id',
    text: `select ${COLUMNS} from users where id = $1`,
    values: [id],
  });
  return rows[0];
}

/**
 * The user who has proven this e-mail address, or undefined. When several identities have proven the same address, the
 * one registered first: the answer must not change because somebody registers later.
 */
export async function userByEmail(db: Queryable, email: string): Promise<UserView | undefined> {
  const { rows } = await db.query<UserView>({
    name: 'user-by-email',
    text: `select ${COLUMNS} from users where email_key = $1 and email_verified order by registered_at, id limit 1`,
    values: [emailKey(email)],
  });
  return rows[0];
}
