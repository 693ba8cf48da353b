/**
 * Whether a webhook is the card provider's, by its signature. Two secrets may hold at once: while one is
 * rolled, the provider signs with the old one, the new one, or both
 * (https://docs.stripe.com/webhooks#roll-endpoint-secrets).
 */
import type Stripe from 'stripe';
import { assertedEvent } from './webhook-hints.js';

/** Not Stripe's words, or too old: whoever sent it is not the provider. */
export class ForgedWebhook extends Error {
  override readonly name = 'ForgedWebhook';
  readonly answer = { status: 400, message: this.message };
}

interface WebhookSecrets {
  readonly current: string;
  /** The one that takes its place soon. */
  readonly next?: string | undefined;
}

/** Which of the secrets a webhook was signed with. */
export type SignedWith = 'current' | 'next' | 'both';

/** What webhooks are judged by. */
export interface WebhookOptions {
  readonly webhookSecrets: WebhookSecrets;
  /** Told of each webhook whose signature holds. */
  readonly onVerified?: (signedWith: SignedWith) => void;
}

/**
 * The event of a webhook, whose `body` is the request's bytes as they came. Throws {@link ForgedWebhook} when
 * the signature is not the provider's or is older than five minutes, and NoEvent.
 */
export function signedEvent(
  stripe: Pick<Stripe, 'webhooks'>,
  body: Buffer,
  signature: string,
  { webhookSecrets, onVerified }: WebhookOptions,
  provider: 'card provider' | 'payment provider',
): Stripe.Event {
  let verified: ReturnType<typeof verifiedEvent>;
  try {
    verified = verifiedEvent(stripe, body, signature, webhookSecrets);
  } catch (error) {
    const message = `This webhook is not signed by the ${provider}, or its signature is too old.`;
    throw new ForgedWebhook(message, { cause: error });
  }
  onVerified?.(verified.signedWith);
  return assertedEvent(verified.event);
}

/**
 * The event, and which secrets signed it. Throws the library's error where none did, or where the signature
 * is older than five minutes.
 */
export function verifiedEvent(
  stripe: Pick<Stripe, 'webhooks'>,
  body: Buffer,
  signature: string,
  { current, next }: WebhookSecrets,
): { readonly event: Stripe.Event; readonly signedWith: SignedWith } {
  const byNext = next === undefined ? undefined : attempted(stripe, body, signature, next);
  const byCurrent = attempted(stripe, body, signature, current);
  // What was signed may be anything, `null` too: that it holds is not told by what it says.
  if ('event' in byCurrent)
    return {
      event: byCurrent.event,
      signedWith: byNext !== undefined && 'event' in byNext ? 'both' : 'current',
    };
  if (byNext !== undefined && 'event' in byNext) return { event: byNext.event, signedWith: 'next' };
  throw byCurrent.error;
}

type Attempt = { readonly event: Stripe.Event } | { readonly error: unknown };

function attempted(
  stripe: Pick<Stripe, 'webhooks'>,
  body: Buffer,
  signature: string,
  secret: string,
): Attempt {
  try {
    return { event: stripe.webhooks.constructEvent(body, signature, secret) };
  } catch (error) {
    return { error };
  }
}
