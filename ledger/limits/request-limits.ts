/**
 * How often a call may be made: by one signed-in user, and from one address. Each call belongs to one group,
 * named for what it is to the person who makes it, so that reading a history costs nobody a payment.
 */
import type { FastifyRequest } from 'fastify';
import { aboutTime, type LimitName } from '#contracts/limits';
import { networkOf } from '#edge/address';
import { Refusal } from '#edge/refusal';
import type { Counted, LimitCounts, Reached } from './counter.js';

/** What a call is limited by; limits of a user count for whoever is signed in only. */
interface GroupLimits {
  readonly user: readonly LimitName[];
  readonly address: readonly LimitName[];
  /** What was too much, for the refusal's sentence. */
  readonly words?: string;
}

const GROUPS = {
  read: { user: ['read-user'], address: ['read-address'] },
  change: { user: ['change-user'], address: ['change-address'] },
  pay: {
    user: ['pay-user'],
    address: ['pay-address'],
    words: 'Too many payments were started at once.',
  },
  person: { user: ['person-user'], address: ['person-address'] },
  'look-up': {
    user: ['look-up-user', 'look-up-user-day'],
    address: ['look-up-address', 'look-up-address-day'],
    words: 'Too many people were looked up.',
  },
  // Its answer says whether anybody goes by that name, also who is found by nobody: it is a look-up, and
  // counts with them.
  handle: {
    user: ['look-up-user', 'look-up-user-day'],
    address: ['look-up-address', 'look-up-address-day'],
    words: 'Too many handles were tried.',
  },
  'sign-in': { user: [], address: ['sign-in-address'] },
  events: { user: ['events-user'], address: ['events-address'] },
  card: { user: ['card-user'], address: ['card-address'], words: 'Too many cards were added.' },
  // Each is drawn while others wait, as a picture is, and costs as much processor time as hundreds of reads.
  paper: { user: ['paper-user'], address: ['paper-address'], words: 'Too many PDFs were made.' },
  picture: { user: ['picture-user'], address: ['picture-address'], words: 'Too many pictures were sent.' },
  pass: { user: ['pass-user'], address: ['pass-address'], words: 'Too many passes were made.' },
  download: {
    user: ['download-user'],
    address: ['download-address'],
    words: 'Your data was asked for too often.',
  },
  'signed-out': { user: [], address: ['signed-out-address'] },
  'tip-page': { user: [], address: ['tip-page-address'] },
  'guest-pay': {
    user: [],
    address: ['guest-pay-address'],
    words: 'Too many payments were started at this connection.',
  },
  'guest-receipt': {
    user: [],
    address: ['guest-receipt-address'],
    words: 'Too many receipts were mailed from this connection.',
  },
  webhook: { user: [], address: ['webhook-address'] },
} as const satisfies Record<string, GroupLimits>;

export type CallGroup = keyof typeof GROUPS;

const PERSON = '/api/users/';
/** An e-mail address, a phone number or a name is looked for, and not an id. */
const isLookedFor = (term: string): boolean => !term.startsWith('usr_');

const CALLS: Readonly<Record<string, CallGroup>> = {
  'POST /api/create-payment-intent': 'pay',
  'POST /api/tips': 'pay',
  'GET /api/payments/:id/client-secret': 'pay',
  'POST /api/payments/:id/confirm': 'pay',
  'POST /api/setup-intent': 'card',
  'GET /api/events': 'events',
  'GET /api/statements/:month/pdf': 'paper',
  'GET /api/tip-page/print': 'paper',
  'PUT /api/user/picture': 'picture',
  'PUT /api/tip-page/handle': 'handle',
  'POST /api/own-data': 'download',
  'POST /api/apple-wallet/generate-pass': 'pass',
  'POST /api/apple-wallet/generate-qr-pass': 'pass',
};

/** What a call is counted as. `route` is the router's pattern, `path` the decoded path. */
export function groupOf(method: string, route: string, path: string): CallGroup {
  if (path.startsWith(PERSON)) return isLookedFor(path.slice(PERSON.length).trim()) ? 'look-up' : 'person';
  // A HEAD is carried out as its GET is.
  const asked = method === 'HEAD' ? 'GET' : method;
  return CALLS[`${asked} ${route}`] ?? (asked === 'GET' ? 'read' : 'change');
}

const TOO_MANY = 'Too many requests.';

/** The answer to a call too many: what it was, and when to come again. */
export const tooOften = (group: CallGroup, { waitMs }: Reached): Refusal => {
  const { words = TOO_MANY }: GroupLimits = GROUPS[group];
  const sentence = `${words} Please wait ${aboutTime(waitMs)} and try again.`;
  return new Refusal(429, sentence, undefined, Math.max(1, Math.ceil(waitMs / 1000)));
};

export class RequestLimits {
  constructor(private readonly counts: LimitCounts) {}

  /** Counts a call; answers the refusal of one too many. */
  async refusalOf(
    group: CallGroup,
    request: Pick<FastifyRequest, 'ip' | 'userId'>,
  ): Promise<Refusal | undefined> {
    const { user, address }: GroupLimits = GROUPS[group];
    const counted: Counted[] = address.map((limit) => ({ limit, of: networkOf(request.ip) }));
    const { userId } = request;
    if (userId !== undefined) counted.push(...user.map((limit) => ({ limit, of: userId })));
    // What was refused by the minute does not use up the day.
    const ofADay = ({ limit }: Counted): boolean => limit.endsWith('-day');
    const reached =
      (await this.counts.take(counted.filter((each) => !ofADay(each)))) ??
      (await this.counts.take(counted.filter(ofADay)));
    return reached && tooOften(group, reached);
  }
}
