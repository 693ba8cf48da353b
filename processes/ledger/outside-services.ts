/** The services outside: the card provider, in its three parts, and the identity provider. */
import type { Provider } from '@nestjs/common';
import { ISSUER_NAME } from '#ledger/parts';
import { IdentityProvider } from '#ledger/identity/identity-provider';
import { CardProvider } from '#ledger/stripe/card-provider';
import type { OwnershipSeal } from '#ledger/stripe/ownership';
import { PayoutProvider } from '#ledger/stripe/payout-provider';
import { ProviderBalance } from '#ledger/stripe/provider-balance';
import { SavedCards } from '#ledger/stripe/saved-cards';
import type { StripeAccess } from '#ledger/stripe/stripe-client';
import type { VerifiedWebhooks } from '#ledger/stripe/verified-webhooks';
import type { LedgerSettings } from './settings.js';

export const outsideServices = (
  settings: LedgerSettings,
  publicUrl: string,
  {
    seal,
    access,
    verified,
  }: {
    readonly seal: OwnershipSeal;
    readonly access: StripeAccess;
    readonly verified: VerifiedWebhooks;
  },
): Provider[] => [
  {
    provide: CardProvider,
    useValue: new CardProvider({
      ...access,
      webhookSecret: settings.STRIPE_WEBHOOK_SECRET,
      onVerified: () => verified.note('platform', settings.STRIPE_WEBHOOK_SECRET),
      seal,
    }),
  },
  {
    provide: PayoutProvider,
    useValue: new PayoutProvider({
      ...access,
      connectWebhookSecret: settings.STRIPE_CONNECT_WEBHOOK_SECRET,
      onVerified: () => verified.note('connect', settings.STRIPE_CONNECT_WEBHOOK_SECRET),
      seal,
    }),
  },
  {
    provide: ProviderBalance,
    useValue: new ProviderBalance(access, seal),
  },
  {
    provide: SavedCards,
    useValue: new SavedCards({ ...access, seal }),
  },
  {
    provide: IdentityProvider,
    useValue: new IdentityProvider({
      issuer: settings.OIDC_ISSUER,
      internalUrl: settings.OIDC_INTERNAL_URL,
      clientId: settings.OIDC_CLIENT_ID,
      clientSecret: settings.OIDC_CLIENT_SECRET,
      publicUrl,
    }),
  },
  { provide: ISSUER_NAME, useValue: settings.OIDC_ISSUER_NAME ?? settings.OIDC_ISSUER },
];
