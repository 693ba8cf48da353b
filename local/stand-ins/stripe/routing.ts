/** What a row of the table of routes is, and what its code is given. */
import type { Parameters } from './parameters.js';
import type { Transaction } from './store.js';

export interface Call {
  readonly transaction: Transaction;
  /** The values of the path's `:names`. */
  readonly path: Readonly<Record<string, string>>;
  readonly parameters: Parameters;
  /** Browsers hold the publishable key and see less. */
  readonly key: 'secret' | 'publishable';
  /** Where browsers reach this server, without a slash at the end. */
  readonly publicUrl: string;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** `publishable`: the publishable key may call it too. */
  readonly access: 'secret' | 'publishable';
  /**
   * May be called on a connected account, with the Stripe-Account header: then the objects are that
   * account's.
   */
  readonly onAccounts?: true;
  /** Does the work and returns the object to answer, or throws an ApiError. */
  readonly run: (call: Call) => object;
}

/** The value of a `:name` that the route's path declares. */
export function pathValue(call: Call, name: string): string {
  const value = call.path[name];
  if (value === undefined) throw new Error(`The route declares no :${name}.`);
  return value;
}
