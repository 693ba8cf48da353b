/** Where the parts of a ledger process that are no classes are found in Nest's container. */

export const LOG = Symbol('log');
/** Where browsers reach us: an origin, without a slash at its end. */
export const PUBLIC_URL = Symbol('public url');
/** The lasting name of the identity provider: users' ids derive from it. */
export const ISSUER_NAME = Symbol('issuer name');
