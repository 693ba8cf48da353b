/** `expand[]`: puts objects in the place of their ids. */
import { invalidParameter } from './errors.js';
import { presented } from './resources/balance.js';
import type { Transaction } from './store.js';

const DEEPEST = 4;

/**
 * Fields that hold the id of an object which may stand in its place. A text that happens to be an id may not.
 */
const EXPANDABLE: ReadonlySet<string> = new Set([
  'account',
  'application',
  'balance_transaction',
  'charge',
  'customer',
  'default_payment_method',
  'destination',
  'destination_payment',
  'failure_balance_transaction',
  'latest_attempt',
  'latest_charge',
  'mandate',
  'on_behalf_of',
  'original_payout',
  'payment_intent',
  'payment_method',
  'refund',
  'review',
  'reversed_by',
  'setup_intent',
  'source',
  'source_refund',
  'source_transaction',
  'source_transfer',
  'source_transfer_reversal',
  'transfer',
  'transfer_reversal',
]);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Changes `body` in place. Throws a 400 for a path that names nothing expandable. */
export function expandInto(transaction: Transaction, body: object, paths: readonly string[]): void {
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > DEEPEST)
      throw invalidParameter(
        'expand',
        `You cannot expand more than ${DEEPEST} levels of a property: ${path}`,
      );
    expandPath(transaction, body, segments, path);
  }
}

function expandPath(
  transaction: Transaction,
  target: unknown,
  segments: readonly string[],
  path: string,
): void {
  const [segment, ...rest] = segments;
  if (segment === undefined) return;
  if (Array.isArray(target)) {
    for (const item of target) expandPath(transaction, item, segments, path);
    return;
  }
  if (!isRecord(target)) throw cannotExpand(path);
  if (target.object === 'charge' && segment === 'refunds' && typeof target.id === 'string')
    target.refunds ??= refundsOf(transaction, target.id);
  const value = target[segment];
  // A field without a value stays so; a field that does not exist is a mistake of the caller's.
  if (value === null && EXPANDABLE.has(segment)) return;
  if (typeof value === 'string') {
    if (!EXPANDABLE.has(segment)) throw cannotExpand(path);
    const found = transaction.find(value);
    if (!found) throw cannotExpand(path);
    target[segment] = presented(structuredClone(found), transaction.now);
  } else if (!isRecord(value) && !Array.isArray(value)) throw cannotExpand(path);
  if (rest.length > 0) expandPath(transaction, target[segment], rest, path);
}

function refundsOf(transaction: Transaction, charge: string): object {
  const { data, hasMore } = transaction.list('refunds', { where: { charge }, limit: 10 });
  return { object: 'list', data, has_more: hasMore, url: `/v1/charges/${charge}/refunds` };
}

function cannotExpand(path: string): Error {
  return invalidParameter('expand', `This property cannot be expanded (${path}).`);
}
