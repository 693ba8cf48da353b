/** Who the users are, as their own streams say; the plain text of what the log keeps sealed. */
import { JOURNAL } from '#contracts/events/journal';
import { USER_PREFIX } from '#contracts/events/user';
import { indexOfUnreadable, unreadable } from '../engine/text-reader.js';
import { declared } from '../engine/read-model.js';
import { flag, Table, text, time } from '../engine/table.js';

export const users = new Table(
  'users',
  {
    id: text().key().seenBy('owner', 'finder'),
    username: text().orNull().seenBy('owner', 'finder'),
    // Made here: a database makes small letters by the rules of its own locale.
    usernameKey: text().orNull(),
    // Also by whoever found them by it: see the controller.
    email: text().orNull().seenBy('owner'),
    emailVerified: flag().seenBy('owner'),
    emailKey: text().orNull(),
    // Not in privacy mode: see SHOWN_NAME.
    firstName: text().orNull().seenBy('owner', 'finder'),
    lastName: text().orNull().seenBy('owner', 'finder'),
    profileImageUrl: text().orNull().seenBy('owner'),
    registeredAt: time().fixed().seenBy('owner'),
    forgotten: flag(),
    beingForgotten: flag(),
    // They asked to be forgotten then; null while nobody waits for it.
    forgettingDueAt: time().orNull(),
    unreadable: unreadable(),
  },
  {
    indexes: [
      indexOfUnreadable('users', 'id'),
      'create index users_forgotten on users (id) where being_forgotten or forgotten',
      'create index users_forgetting_due on users (forgetting_due_at) where forgetting_due_at is not null',
      'create index users_by_username on users (username_key) where username_key is not null',
      // Only a proven address finds anyone. Two identities may prove the same one, so it is not unique.
      `create index users_by_email on users (email_key, registered_at, id) where email_verified and email_key is not null`,
    ],
  },
);

export const usersModel = declared({
  name: 'users',
  // The journal too: an account that was closed is the beginning of forgetting its owner.
  prefixes: [USER_PREFIX, JOURNAL],
  // Since the second, names are cleaned of what nobody sees and no picture of elsewhere is named; since the
  // third, of check marks; since the fourth, nobody's address is told as their username.
  fold: 4,
  tables: [users],
});
