/**
 * Every call of the card provider's SDK, pages of lists and its own repetitions too, waits for its turn here.
 */
import Stripe from 'stripe';
import { endpointOf, urgencyNow, type CallLimiter } from './call-limiter.js';

/**
 * Why a call is one too many: of all calls, of an endpoint, or of one object, which is no reason to hold
 * others back. Where another request is changing the object, no reason is named, and the code says so
 * (https://docs.stripe.com/rate-limits).
 */
const REASON = 'stripe-rate-limited-reason';
const OF_ONE_OBJECT = 'resource-specific';
const LOCKED = 'lock_timeout';
/** How often a call is made again that the provider refused as one too many. */
const REFUSALS_SAT_THROUGH = 3;
/** Among an answer's headers: it is ours, and the provider was not asked. */
const NOT_ASKED = 'encore-not-asked';
const RETRY_AFTER_SECONDS = 3;

export class LimitedHttpClient extends Stripe.HttpClient {
  readonly #calls = Stripe.createNodeHttpClient();

  constructor(private readonly limiter: CallLimiter) {
    super();
  }

  override getClientName(): string {
    return this.#calls.getClientName();
  }

  override async makeRequest(
    ...request: Parameters<Stripe.HttpClient['makeRequest']>
  ): Promise<Stripe.HttpClientResponse> {
    const [, , path, method] = request;
    const endpoint = endpointOf(method, path);
    const how = urgencyNow();
    for (let tries = 1; ; tries++) {
      if (!(await this.limiter.admit(endpoint, how))) return new NotAsked();
      const answer = await this.#calls.makeRequest(...request);
      if (answer.getStatusCode() !== 429) return answer;
      const headers = answer.getHeaders();
      // An hour's changes of one object are used up: no wait of a few seconds helps.
      if (headers[REASON] === OF_ONE_OBJECT) return answer;
      const body: unknown = await answer.toJSON().catch(() => undefined);
      const isLocked = headers[REASON] === undefined && codeIn(body) === LOCKED;
      if (!isLocked) await this.limiter.refused(tries, secondsIn(headers['retry-after']));
      if (headers['stripe-should-retry'] === 'false' || tries > REFUSALS_SAT_THROUGH)
        return new AnswerRead(answer, body);
      if (isLocked) await this.limiter.locked(tries);
      // It was refused before any work: made again, it is the same call.
    }
  }
}

/** The code of a refusal's body. */
function codeIn(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

const secondsIn = (header: unknown): number | undefined => {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) ? seconds * 1_000 : undefined;
};

/** An answer whose body has been read. */
class AnswerRead extends Stripe.HttpClientResponse {
  constructor(
    private readonly answer: Stripe.HttpClientResponse,
    private readonly body: unknown,
  ) {
    super(answer.getStatusCode(), answer.getHeaders());
  }

  override getRawResponse(): unknown {
    return this.answer.getRawResponse();
  }

  override toStream(whenDone: () => void): unknown {
    whenDone();
    return undefined;
  }

  override toJSON(): Promise<unknown> {
    return Promise.resolve(this.body ?? { error: { message: 'Its body could not be read.' } });
  }
}

/** As the provider itself refuses one call too many: nothing was done. */
class NotAsked extends Stripe.HttpClientResponse {
  constructor() {
    super(429, {
      'stripe-should-retry': 'false',
      'retry-after': String(RETRY_AFTER_SECONDS),
      [NOT_ASKED]: 'yes',
    });
  }

  override getRawResponse(): unknown {
    return undefined;
  }

  override toStream(whenDone: () => void): unknown {
    whenDone();
    return undefined;
  }

  override toJSON(): Promise<unknown> {
    const message = 'Not asked: more calls wait than the provider takes.';
    return Promise.resolve({ error: { type: 'invalid_request_error', code: 'rate_limit', message } });
  }
}
