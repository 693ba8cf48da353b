/**
 * The calls about passkeys (WebAuthn). A browser asks for options, hands them to the authenticator, and sends
 * back what it said; an assertion that holds is answered with a proof, which one call may show in the header
 * {@link PASSKEY_PROOF_HEADER}.
 */
import { z } from 'zod';
import { TRANSPORTS } from '../events/passkeys.js';
import { PASSKEY_PROOF_HEADER } from '../plain/headers.js';
import { canBeKept } from './kept-text.js';

const UNKNOWN = { error: 'That is not what a passkey says.' };
const LONGEST = 16_384;
const base64url = z
  .string(UNKNOWN)
  .max(LONGEST, UNKNOWN)
  .regex(/^[A-Za-z0-9_-]*$/, UNKNOWN);
const common = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key', UNKNOWN),
  authenticatorAttachment: z
    .enum(['platform', 'cross-platform'], UNKNOWN)
    .nullish()
    .transform((kind) => kind ?? undefined),
  // Nothing is asked of extensions, so nothing of theirs is read.
  clientExtensionResults: z
    .unknown()
    .optional()
    .transform(() => ({})),
};

const LABEL_MAX = 60;
/** POST /api/passkeys/enrolment/verify. */
export const VerifyEnrolment = z.object(
  {
    label: z
      .string({ error: 'The name of a passkey is text.' })
      .trim()
      .max(LABEL_MAX, `The name of a passkey has at most ${LABEL_MAX} characters.`)
      .refine(canBeKept, 'The name holds a character that cannot be shown.')
      .nullish()
      .transform((text) => text || 'Passkey'),
    response: z.object(
      {
        ...common,
        response: z.object(
          {
            clientDataJSON: base64url,
            attestationObject: base64url,
            // Unknown ways of reaching it are left out: they are hints.
            transports: z
              .array(z.string())
              .max(20)
              .optional()
              .transform((named) => TRANSPORTS.filter((transport) => named?.includes(transport))),
          },
          UNKNOWN,
        ),
      },
      UNKNOWN,
    ),
  },
  UNKNOWN,
);
export type VerifyEnrolment = z.infer<typeof VerifyEnrolment>;

const NOTHING_TO_CONFIRM = 'There is nothing of this id to confirm.';
const confirm = z
  .string({ error: 'Say what is confirmed: the id of the 403 that asked for a passkey.' })
  .max(100, NOTHING_TO_CONFIRM)
  .refine(canBeKept, NOTHING_TO_CONFIRM)
  .describe('The confirm.id of the 403 that asked for a passkey.');

/** POST /api/passkeys/assertion/options. */
export const RequestAssertion = z.object({ confirm }, UNKNOWN);
export type RequestAssertion = z.infer<typeof RequestAssertion>;

/** POST /api/passkeys/assertion/verify. */
export const VerifyAssertion = z.object(
  {
    confirm,
    response: z.object(
      {
        ...common,
        response: z.object(
          {
            clientDataJSON: base64url,
            authenticatorData: base64url,
            signature: base64url,
            userHandle: base64url.nullish().transform((handle) => handle ?? undefined),
          },
          UNKNOWN,
        ),
      },
      UNKNOWN,
    ),
  },
  UNKNOWN,
);
export type VerifyAssertion = z.infer<typeof VerifyAssertion>;

/** One row of GET /api/passkeys. */
export const Passkey = z.object({ id: z.string(), label: z.string(), createdAt: z.iso.datetime() });
export type Passkey = z.infer<typeof Passkey>;

/** What an assertion that holds is answered. */
export const PasskeyProof = z.object({
  proof: z.string().describe(`For the header ${PASSKEY_PROOF_HEADER} of the very call that asked for it.`),
  expiresAt: z.iso.datetime(),
});
export type PasskeyProof = z.infer<typeof PasskeyProof>;
