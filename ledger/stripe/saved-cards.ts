/**
 * The cards that the card provider keeps for people. Numbers never reach us: a browser gives them to the
 * provider, and what is known here is the provider's id of a card, its brand and its last four digits.
 */
import Stripe from 'stripe';
import { oldestSealed, type OwnershipSeal } from './ownership.js';
import { ProviderRefused } from './provider-payment.js';
import { idIn, readable } from './answers.js';
import { isMissing } from './refusals.js';
import {
  all,
  translatingRefusals,
  CLOCK_SKEW_MS,
  KEYS_LAST_MS,
  alarmUnreadable,
  madeOnce,
  openStripe,
  PAGE,
  readableOf,
  type StripeAccess,
} from './stripe-client.js';

export interface ProviderCard {
  readonly cardId: string;
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly isDefault: boolean;
  /** The provider's ids of the same card as it was saved before. */
  readonly copies: readonly string[];
}

/** A card that could not be saved: whose it was to be, and the provider's fingerprint of its number. */
interface DeclinedSetup {
  readonly userId: string;
  readonly card: string | undefined;
}

const REFUSED = 'The card provider did not take this. Please try again.';

/** A card with what tells its number from another's: the provider's fingerprint. */
type NumberedCard = ProviderCard & { readonly number: string };

/**
 * Each card once, however often it was saved: as it was saved last, in the order of the newest, which they
 * come in. A card that is renewed keeps its number, and of its older copy the provider may know only the date
 * that is over.
 */
export function onceEach(cards: readonly NumberedCard[]): ProviderCard[] {
  const byNumber = new Map<string, NumberedCard[]>();
  for (const card of cards) byNumber.set(card.number, [...(byNumber.get(card.number) ?? []), card]);
  return [...byNumber.values()].flatMap((same) => {
    const [newest, ...older] = same;
    if (newest === undefined) return [];
    const { number: _number, ...card } = newest;
    const isDefault = same.some((one) => one.isDefault);
    return [{ ...card, isDefault, copies: older.map(({ cardId }) => cardId) }];
  });
}

/** The provider's ids of these cards, copies included. */
export const idsOf = (cards: readonly ProviderCard[]): string[] =>
  cards.flatMap(({ cardId, copies }) => [cardId, ...copies]);

export class SavedCards {
  private readonly stripe: Stripe;

  constructor(private readonly options: StripeAccess & { readonly seal: OwnershipSeal }) {
    this.stripe = openStripe(options);
  }

  /**
   * The provider's id for a user, made once: the key is the user, and the id that the provider has lost, if
   * any. Throws Unavailable and ProviderRefused.
   */
  openCustomer(userId: string, lostId?: string): Promise<string> {
    return this.asked(async () => {
      const make = (idempotencyKey: string) =>
        this.stripe.customers.create(
          { metadata: this.options.seal.of('customer', { userId }) },
          { idempotencyKey, maxNetworkRetries: 0 },
        );
      const key = lostId === undefined ? `customer-${userId}` : `customer-${userId}-after-${lostId}`;
      return readable('made', await madeOnce(key, make, () => this.lookUp(userId))).id;
    });
  }

  /** Whether the provider shows that it does not have this customer any more. */
  isLost(customerId: string): Promise<boolean> {
    return this.asked(async () => (await this.customer(customerId)) === undefined);
  }

  /** The secret with which the user's browser saves a card for charges in their absence. */
  async setUp(customerId: string, idempotencyKey: string): Promise<string> {
    return this.asked(async () => {
      const intent = await madeOnce(
        `setup-${idempotencyKey}`,
        (key) =>
          this.stripe.setupIntents.create(
            {
              customer: customerId,
              usage: 'off_session',
              allowed_payment_method_types: ['card'],
              metadata: this.options.seal.of('setup-intent', { customerId, key: idempotencyKey }),
            },
            { idempotencyKey: key, maxNetworkRetries: 0 },
          ),
        // One that nobody confirms moves nothing: none is looked for.
        () => Promise.resolve(undefined),
      );
      if (!intent.client_secret) throw new ProviderRefused(REFUSED);
      return intent.client_secret;
    });
  }

  /**
   * Whose card was declined as it was being saved, and which; undefined for a setup that is none of ours, or
   * that has come to something else since. Throws Unavailable.
   */
  declinedSetup(setupId: string): Promise<DeclinedSetup | undefined> {
    return this.asked(async () => {
      const intent = await this.stripe.setupIntents
        .retrieve(setupId, { expand: ['customer'] })
        .catch((error: unknown) => {
          if (isMissing(error)) return undefined;
          throw error;
        });
      const { seal } = this.options;
      if (!intent?.last_setup_error || !seal.isOurs('setup-intent', intent.metadata)) return undefined;
      const { customer } = intent;
      if (typeof customer !== 'object' || customer === null || isDeleted(customer)) return undefined;
      const userId = seal.mayBeOurs('customer', customer.metadata)
        ? idIn(customer.metadata, 'userId')
        : undefined;
      return userId === undefined
        ? undefined
        : { userId, card: intent.last_setup_error.payment_method?.card?.fingerprint ?? undefined };
    });
  }

  /** No other card can be tried with a setup from then on. One that has ended is left as it is. */
  async cancelSetup(setupId: string): Promise<void> {
    await this.asked(async () => {
      try {
        await this.stripe.setupIntents.cancel(setupId);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
      }
    });
  }

  /**
   * A customer's cards, newest first. The default is the one that was chosen, as it was saved last, else the
   * newest.
   */
  async of(customerId: string): Promise<readonly ProviderCard[]> {
    return (await this.asked(() => this.read(customerId))).cards;
  }

  /**
   * The user of ours for whom a customer was made, and their cards; no user for a customer that is none of
   * ours, or is gone.
   */
  withOwner(
    customerId: string,
  ): Promise<{ readonly userId: string | undefined; readonly cards: readonly ProviderCard[] }> {
    return this.asked(async () => {
      const { customer, cards } = await this.read(customerId);
      // A list without cards does not show whose it is.
      const owner = customer ?? (await this.customer(customerId));
      if (!owner || !this.options.seal.mayBeOurs('customer', owner.metadata))
        return { userId: undefined, cards };
      return { userId: idIn(owner.metadata, 'userId'), cards };
    });
  }

  /** The cards, and their customer with them in one call. */
  private async read(
    customerId: string,
  ): Promise<{ readonly customer: Stripe.Customer | undefined; readonly cards: readonly ProviderCard[] }> {
    const methods = (await this.cardsOf(customerId)).map((method) => readable('payment_method', method));
    const [shown] = methods;
    const customer =
      typeof shown?.customer === 'object' && shown.customer !== null && !isDeleted(shown.customer)
        ? readable('customer', shown.customer)
        : undefined;
    const cards = methods
      .filter(({ card }) => card !== null && card !== undefined)
      .sort((a, b) => b.created - a.created);
    const chosen = idOf(customer?.invoice_settings?.default_payment_method);
    const defaultId = cards.find(({ id }) => id === chosen)?.id ?? cards[0]?.id;
    const shownCards = cards.flatMap(({ id, card }) =>
      card
        ? [
            {
              cardId: id,
              brand: card.brand,
              last4: card.last4,
              expMonth: card.exp_month,
              expYear: card.exp_year,
              isDefault: id === defaultId,
              copies: [],
              number: card.fingerprint ?? id,
            },
          ]
        : [],
    );
    return { customer, cards: onceEach(shownCards) };
  }

  /** None where the customer is gone. */
  private async cardsOf(customerId: string): Promise<Stripe.PaymentMethod[]> {
    try {
      return await all(
        this.stripe.paymentMethods.list({
          customer: customerId,
          type: 'card',
          limit: PAGE,
          expand: ['data.customer'],
        }),
      );
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** Charges go to this card from now on. */
  async choose(customerId: string, cardId: string): Promise<void> {
    await this.asked(() =>
      this.stripe.customers.update(customerId, { invoice_settings: { default_payment_method: cardId } }),
    );
  }

  /** The card is no longer kept. One that is gone already is no error. */
  async remove(cardId: string): Promise<void> {
    await this.asked(async () => {
      try {
        await this.stripe.paymentMethods.detach(cardId);
      } catch (error) {
        if (!isMissing(error) && !(await this.isNobodys(cardId))) throw error;
      }
    });
  }

  /** Whether a card is saved for nobody any more: another request may have removed it at the same time. */
  private async isNobodys(cardId: string): Promise<boolean> {
    return (await this.stripe.paymentMethods.retrieve(cardId)).customer === null;
  }

  /** Nothing is kept for a customer any more, cards included. One that is gone already is no error. */
  async closeCustomer(customerId: string): Promise<void> {
    await this.asked(async () => {
      if (await this.customer(customerId)) await this.stripe.customers.del(customerId);
    });
  }

  /** Undefined for one that is gone. */
  private async customer(customerId: string): Promise<Stripe.Customer | undefined> {
    try {
      const customer = await this.stripe.customers.retrieve(customerId);
      return customer.deleted ? undefined : readable('customer', customer);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  private async lookUp(userId: string): Promise<Stripe.Customer | undefined> {
    // What an answer that the provider repeats may have made is as old as its keys at most.
    const created = { gte: Math.floor((Date.now() - 2 * KEYS_LAST_MS - CLOCK_SKEW_MS) / 1000) };
    const ofUser: Stripe.Customer[] = [];
    const list = this.stripe.customers.list({ created, limit: PAGE });
    for await (const customer of readableOf('listed', list, (error) => alarmUnreadable(this.options, error)))
      if (
        customer.metadata?.['userId'] === userId &&
        this.options.seal.mayBeOurs('customer', customer.metadata)
      )
        ofUser.push(customer);
    return oldestSealed(ofUser);
  }

  private asked<T>(work: () => Promise<T>): Promise<T> {
    return translatingRefusals(work, REFUSED, this.options);
  }
}

const idOf = (named: string | { id: string } | null | undefined): string | undefined =>
  typeof named === 'string' ? named : named?.id;

const isDeleted = (customer: Stripe.Customer | Stripe.DeletedCustomer): customer is Stripe.DeletedCustomer =>
  customer.deleted === true;
