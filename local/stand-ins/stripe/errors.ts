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

/** A parameter is missing or wrong: found before any work, so no idempotency key remembers it. */
export function invalidParameter(param: string, message: string, code = 'parameter_invalid'): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', code, message, param });
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
export function wrongState(code: string, message: string, extra: Partial<ErrorBody> = {}): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', code, message, ...extra }, 'key');
}
