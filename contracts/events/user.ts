/**
 * A user's own stream, `user-{id}`: who they are. Everything that names a person is sealed with that user's
 * data key.
 */
import { z } from 'zod';
import { Sealed } from './journal.js';

export const USER_PREFIX = 'user-';
export const userStream = (userId: string): string => `${USER_PREFIX}${userId}`;

/** What the identity provider says of a person, sealed as one JSON text: {@link Profile}. */
export const userEvents = {
  /** First sign-in. `subject` is the provider's opaque id for the person, not personal data. */
  UserRegistered: z.object({ userId: z.string(), issuer: z.string(), subject: z.string(), profile: Sealed }),
  /** A later sign-in showed another name, address or picture. */
  ProfileChanged: z.object({
    userId: z.string(),
    profile: Sealed,
    newAddressAt: z.iso.datetime().optional(),
  }),
  /** The person asked to be forgotten, which is done after a wait, unless they think better of it. */
  ForgettingRequested: z.object({
    userId: z.string(),
    requestedAt: z.iso.datetime(),
    dueAt: z.iso.datetime(),
  }),
  /**
   * They are not forgotten for now: they thought better of it, their account is being recovered, or money was
   * left when it was time.
   */
  ForgettingRequestEnded: z.object({
    userId: z.string(),
    why: z.enum(['canceled', 'recovery_started', 'money_left']),
    endedAt: z.iso.datetime(),
  }),
  /**
   * The person asked to be forgotten: the data key is destroyed, names and notes become unreadable for ever.
   */
  UserForgotten: z.object({ userId: z.string() }),
  /**
   * All that belongs to forgetting them is done: key, sessions and saved cards are gone, and what was to come
   * has ended, but for a schedule whose stream is parked: it collects nothing, and ends when it can be read
   * again.
   */
  ForgettingFinished: z.object({ userId: z.string() }),
} as const;

/** The plain content of a sealed profile. */
export const Profile = z.object({
  email: z.string(),
  emailVerified: z.boolean(),
  username: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  profileImageUrl: z.string().nullable(),
});
export type Profile = z.infer<typeof Profile>;

type UserEventType = keyof typeof userEvents;
export type UserEvent = {
  [T in UserEventType]: { type: T; data: z.infer<(typeof userEvents)[T]> };
}[UserEventType];
