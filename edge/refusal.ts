/** What an error answers: a status and one plain sentence, with nothing of the inside in it. */
import { HttpException } from '@nestjs/common';
import { answerOf, type AnsweredError, type CallerAnswer } from '#contracts/api/error';
import { isOutage, OUTAGE_CODE } from '#contracts/outage';

/** The edge's own no: thrown where no rule of the domain is concerned. The message is for people. */
export class Refusal extends Error implements AnsweredError {
  override readonly name = 'Refusal';
  readonly answer: CallerAnswer;
  constructor(status: number, message: string, code?: string, retryAfterSeconds?: number) {
    super(message);
    this.answer = { status, message, code, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
}

interface RefusedAnswer extends CallerAnswer {
  readonly message: string;
  /**
   * Ours to mend: an error line with the stack. Otherwise somebody was told no, or not now in an outage that
   * is told of elsewhere.
   */
  readonly isFault: boolean;
}

const RETRY_AFTER_SECONDS = 1;

const OUTAGE = 'The ledger is not available right now. Nothing is lost: please try again in a moment.';
const FAULT = 'Something went wrong on our side. Please try again.';
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'The request could not be understood.',
  404: 'There is no such page or call.',
  405: 'This page or call cannot be asked for with this method.',
  408: 'The request did not arrive in time. Please check your connection and try again.',
  413: 'The request is too large.',
  414: 'The address is too long.',
  415: 'Send the request as JSON (Content-Type: application/json).',
  431: 'The headers of the request are too large.',
};

const statusOf = (error: unknown): unknown =>
  error instanceof HttpException
    ? error.getStatus()
    : typeof error === 'object' && error !== null && 'statusCode' in error && error.statusCode;

/** The Retry-After of an answer, in seconds; undefined where none belongs. */
export const retryAfterOf = ({ status, retryAfterSeconds }: CallerAnswer): string | undefined =>
  status === 503 || retryAfterSeconds !== undefined
    ? String(retryAfterSeconds ?? RETRY_AFTER_SECONDS)
    : undefined;

/** The status and sentence for whatever was thrown. */
export function refusedAnswer(error: unknown): RefusedAnswer {
  const answer: CallerAnswer | undefined =
    answerOf(error) ?? (isOutage(error) ? { status: 503, code: OUTAGE_CODE } : undefined);
  if (answer) {
    const isOurs = answer.status >= 500;
    return {
      ...answer,
      message: answer.message || (isOurs ? OUTAGE : BY_STATUS[400]!),
      isFault: isOurs && answer.code !== OUTAGE_CODE,
    };
  }
  // Nest's router and Fastify's body parser throw these; their texts quote the request and name the
  // framework.
  const status = statusOf(error);
  if (typeof status === 'number' && status >= 400 && status < 500)
    return { status, message: BY_STATUS[status] ?? BY_STATUS[400]!, isFault: false };
  return { status: 500, message: FAULT, isFault: true };
}
