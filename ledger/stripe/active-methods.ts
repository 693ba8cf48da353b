/**
 * The ways to pay that the provider's account has active. What is inactive there the provider leaves out of a
 * payment without a word, so a payer would be offered what cannot be paid with. Where nothing is known, all
 * are offered.
 */
import { PaymentMethod } from '#contracts/events/journal';
import { inTime } from '#contracts/plain/in-time';

/** How long what was read is taken to be so. */
const KNOWN_FOR_MS = 10 * 60_000;
/**
 * Sums that every way to pay takes. Of others the provider leaves out what has limits of its own
 * (https://docs.stripe.com/changelog/dahlia/2026-07-29/allowed-payment-method-types-parameter), and anybody
 * may ask for one: that says nothing of what the account has.
 */
const TAKEN_BY_ALL_MINOR = { from: 100, to: 10_000 } as const;
/** Nobody waits longer for it. */
const WAITS_MS = 1_000;

export class ActiveMethods {
  #known: readonly PaymentMethod[] = PaymentMethod.options;
  /** What the provider left out of a payment, and when. */
  readonly #leftOutMs = new Map<PaymentMethod, number>();
  #readAtMs = -Infinity;
  #reading: Promise<void> | undefined;

  /** `read` answers those that are not told to be inactive; it may throw. */
  constructor(
    private readonly read: () => Promise<readonly PaymentMethod[]>,
    private readonly now: () => number = Date.now,
  ) {}

  /** What to offer now; never throws, and waits a second at most. */
  async offered(): Promise<readonly PaymentMethod[]> {
    if (this.now() - this.#readAtMs < KNOWN_FOR_MS) return this.#offered();
    this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined));
    await inTime(WAITS_MS, this.#reading, undefined);
    return this.#offered();
  }

  /** The provider left it out of a payment of this sum for which it was asked. */
  noteLeftOut(method: PaymentMethod, amountMinor: number): void {
    const { from, to } = TAKEN_BY_ALL_MINOR;
    if (amountMinor >= from && amountMinor <= to) this.#leftOutMs.set(method, this.now());
  }

  #offered(): readonly PaymentMethod[] {
    const isLeftOut = (method: PaymentMethod): boolean =>
      this.now() - (this.#leftOutMs.get(method) ?? -Infinity) < KNOWN_FOR_MS;
    const left = this.#known.filter((method) => !isLeftOut(method));
    return left.length === 0 ? this.#known : left;
  }

  async #refresh(): Promise<void> {
    try {
      const active = await this.read();
      // An account with none at all takes no payment: that is no reason to show nothing.
      this.#known = active.length === 0 ? PaymentMethod.options : active;
      this.#readAtMs = this.now();
    } catch {
      // What was known before stays; it is asked again with the next question.
    }
  }
}
