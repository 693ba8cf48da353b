/**
 * The account of the card provider's that our keys are of, and whether another ledger keeps its books there.
 */
import Stripe from 'stripe';
import { PaymentMethod, type ProviderMode } from '#contracts/events/journal';
import { isIdOf } from '../journal/keys.js';
import { keyMode } from './key-mode.js';
import { LEDGER } from './ownership.js';
import { translatingRefusals, openStripe, PAGE, readableOf, type StripeAccess } from './stripe-client.js';

const REFUSED = 'The card provider does not take this key: check STRIPE_SECRET_KEY.';
/** What an account needs for each way to pay, in the provider's word. */
const CAPABILITY = { card: 'card_payments', cashapp: 'cashapp_payments' } as const;
/** An account is looked through so far, newest first, for what another ledger made. */
const LOOKED_AT = 1_000;

export class ProviderAccount {
  private readonly stripe: Stripe;

  constructor(private readonly access: StripeAccess) {
    this.stripe = openStripe(access);
  }

  /** Whose the keys are. Throws Unavailable and ProviderRefused. */
  async current(): Promise<{ readonly providerAccountId: string; readonly mode: ProviderMode }> {
    const { id } = await translatingRefusals(() => this.stripe.accounts.retrieveCurrent(), REFUSED);
    return { providerAccountId: id, mode: keyMode(this.access.secretKey) ?? 'test' };
  }

  /** The ways to pay that the account does not say to be inactive. Throws Unavailable and ProviderRefused. */
  async methods(): Promise<readonly PaymentMethod[]> {
    const account = await translatingRefusals(() => this.stripe.accounts.retrieveCurrent(), REFUSED);
    const capabilities = (account.capabilities ?? {}) as Readonly<Record<string, unknown>>;
    return PaymentMethod.options.filter((method) =>
      [undefined, null, 'active'].includes(capabilities[CAPABILITY[method]] as string | null | undefined),
    );
  }

  /** Whether the account has this intent. */
  async has(intentId: string): Promise<boolean> {
    return translatingRefusals(async () => {
      try {
        await this.stripe.paymentIntents.retrieve(intentId);
        return true;
      } catch (error) {
        if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return false;
        throw error;
      }
    }, REFUSED);
  }

  /**
   * An object that a ledger made there, by its id; undefined where there is none among the newest. Those made
   * before ledgers had ids are known by their own.
   */
  async objectOfALedger(): Promise<string | undefined> {
    const { paymentIntents, transfers } = this.stripe;
    return translatingRefusals(
      async () =>
        (await firstOfALedger(paymentIntents.list({ limit: PAGE }), 'pay', 'paymentId')) ??
        (await firstOfALedger(transfers.list({ limit: PAGE }), 'out', 'payoutId')),
      REFUSED,
    );
  }
}

async function firstOfALedger(
  newestFirst: AsyncIterable<{ readonly id: string; readonly metadata: Stripe.Metadata | null }>,
  prefix: 'pay' | 'out',
  ownId: 'paymentId' | 'payoutId',
): Promise<string | undefined> {
  let looked = 0;
  for await (const { id, metadata } of readableOf('listed', newestFirst, () => undefined)) {
    if (metadata?.[LEDGER] !== undefined || isIdOf(prefix, metadata?.[ownId] ?? '')) return id;
    if (++looked >= LOOKED_AT) break;
  }
  return undefined;
}
