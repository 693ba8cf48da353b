/** How a person is named on a screen. */

interface Named {
  readonly firstName?: string | null;
  readonly lastName?: string | null;
  readonly username?: string | null;
  readonly email?: string | null;
}

/** First and last name, else the username, else the email address. */
export function fullName({ firstName, lastName, username, email }: Named): string {
  const name = [firstName, lastName].filter(Boolean).join(' ').trim();
  return name || username || email || '';
}

/** Initials for the avatar: of the first and the last word. */
export function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => /\p{L}|\p{N}/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => [...(word ?? '')][0] ?? '',
  );
  return letters.join('').toUpperCase();
}

/** `pending` → `Pending`, `partially_refunded` → `Partially refunded`. */
export function capitalised(word: string): string {
  const spaced = word.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
