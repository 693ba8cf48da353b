/** What an error answers: a status and one plain sentence, with nothing of the inside in it. */
import { HttpException } from '@nestjs/common';
import { LogUnavailable, OutcomeUnknown } from '#log/event-log';
import { Rejected, Unavailable } from '#ledger/rejection';
import { ProviderRefused } from '#ledger/stripe/provider-payment';

/** The edge's own no: thrown where no rule of the domain is concerned. The message is for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly status: number,
    message: string,
    /** For a program, where the sentence alone does not say what to do next. */
    readonly code?: string,
  ) {
    super(message);
  }
}

export interface RefusedAnswer {
  readonly status: number;
  readonly message: string;
  /** What a program can do about it, where it can. */
  readonly code?: string | undefined;
  /** Ours to mend: an error line with the stack. Otherwise somebody was told no, which is nothing unusual. */
  readonly isFault: boolean;
}

const OUTAGE = 'The ledger is not available right now. Nothing is lost: please try again in a moment.';
const FAULT = 'Something went wrong on our side. Please try again.';
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'The request could not be understood.',
  404: 'There is no such page or call.',
  405: 'There is no such page or call.',
  413: 'The request is too large.',
  415: 'Send the request as JSON (Content-Type: application/json).',
};

/** Postgres' and the network's words for "not now": the connection, not the request, is at fault. */
const OUTAGE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  // The read models' tables are not there yet: the projections have not run for the first time.
  '42P01',
  '3F000',
]);

const field = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;

/** Whether an error says "not now" rather than "never". */
export function isOutage(error: unknown): boolean {
  if (error instanceof Unavailable || error instanceof LogUnavailable || error instanceof OutcomeUnknown)
    return true;
  const code = field(error, 'code');
  if (typeof code === 'string' && OUTAGE_CODES.has(code)) return true;
  // pg's pool gives these two no code.
  return (
    error instanceof Error &&
    /^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)
  );
}

/** The status and sentence for whatever was thrown. */
export function refusedAnswer(error: unknown): RefusedAnswer {
  if (error instanceof Rejected || error instanceof Refusal)
    return { status: error.status, message: error.message, code: error.code, isFault: error.status >= 500 };
  if (error instanceof ProviderRefused) return { status: 502, message: error.message, isFault: true };
  if (error instanceof Unavailable) return { status: 503, message: error.message || OUTAGE, isFault: true };
  if (isOutage(error)) return { status: 503, message: OUTAGE, isFault: true };
  // Nest's router and Fastify's body parser throw these; their texts quote the request and name the
  // framework.
  const status = error instanceof HttpException ? error.getStatus() : field(error, 'statusCode');
  if (typeof status === 'number' && status >= 400 && status < 500)
    return { status, message: BY_STATUS[status] ?? BY_STATUS[400]!, isFault: false };
  return { status: 500, message: FAULT, isFault: true };
}
