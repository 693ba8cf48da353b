/** What an error answers: a status and one plain sentence, with nothing of the inside in it. */
import { HttpException } from '@nestjs/common';
import { answerOf, type AnsweredError, type CallerAnswer } from '#contracts/api/error';
import { isOutage } from '#contracts/outage';

/** The edge's own no: thrown where no rule of the domain is concerned. The message is for people. */
export class Refusal extends Error implements AnsweredError {
  override readonly name = 'Refusal';
  readonly answer: CallerAnswer;
  constructor(status: number, message: string, code?: string) {
    super(message);
    this.answer = { status, message, code };
  }
}

interface RefusedAnswer extends CallerAnswer {
  readonly message: string;
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

const statusOf = (error: unknown): unknown =>
  error instanceof HttpException
    ? error.getStatus()
    : typeof error === 'object' && error !== null && 'statusCode' in error && error.statusCode;

/** The status and sentence for whatever was thrown. */
export function refusedAnswer(error: unknown): RefusedAnswer {
  const answer = answerOf(error) ?? (isOutage(error) ? { status: 503 } : undefined);
  if (answer) {
    const isFault = answer.status >= 500;
    return { ...answer, message: answer.message || (isFault ? OUTAGE : BY_STATUS[400]!), isFault };
  }
  // Nest's router and Fastify's body parser throw these; their texts quote the request and name the
  // framework.
  const status = statusOf(error);
  if (typeof status === 'number' && status >= 400 && status < 500)
    return { status, message: BY_STATUS[status] ?? BY_STATUS[400]!, isFault: false };
  return { status: 500, message: FAULT, isFault: true };
}
