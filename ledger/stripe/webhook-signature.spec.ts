/** While a webhook's secret is rolled, the old one and the new one are both the provider's. */
import { describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { CardProvider } from './card-provider.js';
import { OwnershipSeal } from './ownership.js';
import { PayoutProvider } from './payout-provider.js';
import { ForgedWebhook, verifiedEvent, type SignedWith } from './webhook-signature.js';

const stripe = new Stripe('sk_test_a');
const [OLD, NEW, FOREIGN] = ['old', 'new', 'foreign'].map((name) => `whsec_${name.repeat(8)}`) as [
  string,
  string,
  string,
];
const payload = JSON.stringify({
  id: 'evt_a',
  object: 'event',
  type: 'balance.available',
  data: { object: {} },
});
const body = Buffer.from(payload);
const signed = (...secrets: string[]): string => {
  const headers = secrets.map((secret) => stripe.webhooks.generateTestHeaderString({ payload, secret }));
  return [headers[0]!, ...headers.slice(1).map((header) => header.split(',')[1]!)].join(',');
};

describe('a webhook’s signature', () => {
  const which = (signature: string, next?: string): SignedWith =>
    verifiedEvent(stripe, body, signature, { current: OLD, next }).signedWith;

  it('holds by the present secret, the one to come, or both', () => {
    expect(which(signed(OLD))).toBe('current');
    expect(which(signed(OLD), NEW)).toBe('current');
    expect(which(signed(NEW), NEW)).toBe('next');
    expect(which(signed(OLD, NEW), NEW)).toBe('both');
  });

  it('holds by no other', () => {
    expect(() => which(signed(NEW))).toThrow();
    expect(() => which(signed(FOREIGN), NEW)).toThrow();
    expect(() => which('t=1,v1=00', NEW)).toThrow();
  });

  it('tells at both endpoints which secret signed', () => {
    const heard: string[] = [];
    const options = {
      secretKey: 'sk_test_a',
      apiUrl: 'http://127.0.0.1:9',
      seal: new OwnershipSeal(Buffer.alloc(32), () => 'led_spec'),
    };
    const cards = new CardProvider({
      ...options,
      publicUrl: 'https://encore.example',
      webhookSecrets: { current: OLD, next: NEW },
      onVerified: (secret) => heard.push(`platform ${secret}`),
    });
    const payouts = new PayoutProvider({
      ...options,
      webhookSecrets: { current: OLD, next: NEW },
      onVerified: (secret) => heard.push(`connect ${secret}`),
    });
    cards.webhookSubject(body, signed(NEW));
    payouts.webhookSubject(body, signed(OLD, NEW));
    expect(heard).toEqual(['platform next', 'connect both']);
    expect(() => cards.webhookSubject(body, signed(FOREIGN))).toThrow(ForgedWebhook);
    expect(() => payouts.webhookSubject(body, signed(FOREIGN))).toThrow(ForgedWebhook);
    expect(heard).toHaveLength(2);
  });
});
