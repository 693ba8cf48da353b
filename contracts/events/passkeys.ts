/**
 * A user's passkeys, stream `passkeys-{userId}`: who may say yes to money leaving. In the log, so that a
 * restore loses none.
 */
import { z } from 'zod';
import { Sealed } from './journal.js';

export const PASSKEYS_PREFIX = 'passkeys-';
export const passkeysStream = (userId: string): string => `${PASSKEYS_PREFIX}${userId}`;

export const passkeyEvents = {
  /**
   * The user showed a new passkey. What it is known by is sealed, so that it is gone when the user is
   * forgotten.
   */
  PasskeyEnrolled: z.object({ userId: z.string(), passkeyId: z.string(), credential: Sealed }),
  /** The user gave a passkey up: it says yes to nothing any more. */
  PasskeyRemoved: z.object({ userId: z.string(), passkeyId: z.string() }),
} as const;

type PasskeyEventType = keyof typeof passkeyEvents;
export type PasskeyEvent = {
  [T in PasskeyEventType]: { type: T; data: z.infer<(typeof passkeyEvents)[T]> };
}[PasskeyEventType];

export const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
/**
 * The plain content of a sealed credential. The public key is no secret; its owner's devices are personal.
 */
export const Credential = z.object({
  credentialId: z.string(),
  /** COSE, base64url. */
  publicKey: z.string(),
  transports: z.array(z.enum(TRANSPORTS)),
  label: z.string(),
  enrolledAt: z.iso.datetime(),
});
export type Credential = z.infer<typeof Credential>;
