/**
 * What a performer can answer to somebody who paid them: a fixed set, so that nobody writes anything here.
 */

export const THANKS_WORDS = {
  thank_you: 'Thank you so much!',
  made_my_night: 'You made my night.',
  means_a_lot: 'This means a lot to me.',
  see_you: 'See you at the next show!',
} as const;

/** Which one it was, as the log keeps it. */
export type Thanks = keyof typeof THANKS_WORDS;
export const THANKS = Object.keys(THANKS_WORDS) as [Thanks, ...Thanks[]];
