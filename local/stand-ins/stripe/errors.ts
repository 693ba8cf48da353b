/**
 * What the API answers when it says no, in the shape that the provider's SDKs turn into their error classes.
 */

export type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';

export interface ErrorBody {
  type: ErrorType;
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  charge?: string;
  doc_url?: string;
  network_decline_code?: string;
  advice_code?: string;
  payment_method_type?: string;
  payment_intent?: object;
  payment_method?: object;
  setup_intent?: object;
}

/**
 * Refuses a call. `executed` says whether the endpoint had begun its work: only then an idempotency key keeps
 * the answer.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    /**
     * `changes`: what the call wrote stays (a decline leaves a failed charge); `key`: only the answer is
     * kept.
     */
    readonly keeps: 'nothing' | 'key' | 'changes' = 'nothing',
  ) {
    super(body.message);
  }
}

/**
 * A parameter is missing or wrong: found before any work, so no idempotency key remembers it. The provider
 * has a code for few of these; for most, such as a text that is none of those allowed, the sentence is all it
 * says.
 */
export function invalidParameter(param: string, message: string, code?: string): ApiError {
  const body: ErrorBody = { type: 'invalid_request_error', message, param };
  return new ApiError(400, code === undefined ? body : { ...body, code });
}

/** The object that an id names does not exist. */
export function noSuch(what: string, id: string, param = 'id', status = 404): ApiError {
  return new ApiError(
    status,
    { type: 'invalid_request_error', code: 'resource_missing', message: `No such ${what}: '${id}'`, param },
    'key',
  );
}

/** The object is in a state that does not allow the call. */
export function wrongState(
  code: string | undefined,
  message: string,
  extra: Partial<ErrorBody> = {},
): ApiError {
  const body: ErrorBody = { type: 'invalid_request_error', message, ...extra };
  return new ApiError(400, code === undefined ? body : { ...body, code }, 'key');
}
