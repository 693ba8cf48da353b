/**
 * Usernames: how people are called to everybody, also in privacy mode, where nothing else of them is shown.
 * So none of them may say more than its owner chose to be called.
 */

/**
 * Whether a text is an e-mail address. Many identity providers tell the address in the place of a username:
 * then it was chosen to sign in with, and not to be called by.
 */
const isAddress = (text: string): boolean => /[^\s@＠][@＠][^\s@＠]/u.test(text);

/**
 * How somebody is called whom the identity provider calls nothing that others may know: it tells nothing of
 * them.
 */
const namelessUser = (userId: string): string => `user_${userId.replace(/^usr_/, '').slice(0, 8)}`;

/**
 * The username of a user out of what the identity provider calls them, the best name first; empty texts are
 * none.
 */
export const usernameFrom = (claimed: readonly string[], userId: string): string =>
  claimed.find((name) => name !== '' && !isAddress(name)) ?? namelessUser(userId);
