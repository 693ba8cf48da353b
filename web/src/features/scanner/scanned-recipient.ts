/** What a scanned code says about who is to be paid. Pure. */
import { cardAmount } from '#contracts/plain/card-amount';
import { decimalFromMinor } from '#contracts/plain/money';

import { tipPagePath } from '#contracts/plain/handle';

/** Whom a code names. */
export interface ScannedRecipient {
  readonly userId: string;
  /** The claimed name. Anybody can print a code, so the server says who the id belongs to. */
  readonly name?: string;
  /** The amount of a payment link, with two decimals, if it can be paid. */
  readonly amount?: string;
}

const LONGEST_ID = 100;
const ID = /^[^\s/?#&"<>{}\\]+$/;

function idOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const id = text.trim();
  return id.length <= LONGEST_ID && ID.test(id) ? id : undefined;
}

function objectOf(text: string): object | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null ? content : undefined;
  } catch {
    return undefined;
  }
}

function fromObject(content: object): ScannedRecipient | undefined {
  const userId = 'userId' in content ? idOf(content.userId) : undefined;
  if (userId === undefined) return undefined;
  const name = 'name' in content && typeof content.name === 'string' ? content.name.trim() : '';
  return name === '' ? { userId } : { userId, name };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Invalid percent encoding.
    return segment;
  }
}

const TIP_PATH = /\/tip\/([^/?#]+)/;
/** Wherever an address has it: in its query, behind a hash, or alone. */
const USER_ID = /(?:^|[?&#;])userId=([^&#;]+)/;
const AMOUNT_IN_QUERY = /[?&]amount=([^&#]+)/;

function fromAddress(text: string): ScannedRecipient | undefined {
  const userId = idOf(decoded(TIP_PATH.exec(text)?.[1] ?? USER_ID.exec(text)?.[1] ?? ''));
  if (userId === undefined) return undefined;
  const amount = cardAmount(decoded(AMOUNT_IN_QUERY.exec(text)?.[1] ?? ''));
  return 'minor' in amount ? { userId, amount: decimalFromMinor(amount.minor) } : { userId };
}

/** What `URL.parse` will answer, once every browser has it. */
function addressIn(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * The path of the public tip page that a code of ours leads to, such as a poster's; undefined for any other.
 * `origin` is where this app is: the page of another site is nobody's here.
 */
export function tipPageFromCode(text: string, origin: string): string | undefined {
  const url = addressIn(text.trim());
  const handle = /^\/@([a-z0-9_]{3,30})$/.exec(url?.pathname ?? '')?.[1];
  return url?.origin === origin && handle !== undefined ? tipPagePath(handle) : undefined;
}

/**
 * Reads a scanned code: JSON with `userId` and maybe `name`, an address with `/tip/{id}` or `userId={id}`, or
 * an id alone. Nothing for a code that is empty or about something else.
 */
export function recipientFromCode(text: string): ScannedRecipient | undefined {
  const content = text.trim();
  if (content === '') return undefined;
  const json = objectOf(content);
  if (json !== undefined) return fromObject(json);
  const address = fromAddress(content);
  if (address !== undefined) return address;
  const userId = idOf(content);
  // Some other address, not an id.
  return userId === undefined || /^[a-z]+:/i.test(userId) ? undefined : { userId };
}
