/** The services outside: the card provider, in its three parts, and the identity provider. */
import type { Provider } from '@nestjs/common';
import { ISSUER_NAME } from '#ledger/parts';
import { IdentityProvider } from '#ledger/identity/identity-provider';
import { CardProvider } from '#ledger/stripe/card-provider';
import type { OwnershipSeal } from '#ledger/stripe/ownership';
import { PayoutProvider } from '#ledger/stripe/payout-provider';
import { SavedCards } from '#ledger/stripe/saved-cards';
import type { LedgerSettings } from './settings.js';

export const outsideServices = (
  settings: LedgerSettings,
  publicUrl: string,
  seal: OwnershipSeal,
): Provider[] => [
  {
    provide: CardProvider,
    useValue: new CardProvider({
      secretKey: settings.STRIPE_SECRET_KEY,
      webhookSecret: settings.STRIPE_WEBHOOK_SECRET,
      seal,
      apiUrl: settings.STRIPE_API_URL,
    }),
  },
  {
    provide: PayoutProvider,
    useValue: new PayoutProvider({
      secretKey: settings.STRIPE_SECRET_KEY,
      connectWebhookSecret: settings.STRIPE_CONNECT_WEBHOOK_SECRET,
      apiUrl: settings.STRIPE_API_URL,
    }),
  },
  {
    provide: SavedCards,
    useValue: new SavedCards({ secretKey: settings.STRIPE_SECRET_KEY, apiUrl: settings.STRIPE_API_URL }),
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
