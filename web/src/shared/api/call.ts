/** One call of the API: with cookies, JSON in and out, and refusals as data that can be shown. */
import type { BaseQueryFn } from '@reduxjs/toolkit/query';
import { IDEMPOTENCY_KEY_HEADER, NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { untilItStays } from '../navigation/leaving.js';

import { noteClock } from './server-clock.js';
import { noteMark } from './staleness.js';

/** A call: the path of a GET, or all parts. */
export type Call =
  | string
  | {
      readonly path: string;
      readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      /** Files are answered as Blobs. */
      readonly answer?: 'json' | 'file';
      /** Name of the mutation that it is sent for, where another one sends it. */
      readonly endpoint?: string;
    };

/** Why a call failed. */
export interface CallError {
  /** 0: the server was not reached. */
  readonly status: number;
  /** `status: body`, or the status text if the body is empty. */
  readonly message: string;
  /** The server's sentence for people, if it has one. */
  readonly sentence: string | undefined;
  /** The server's code for a refusal that a screen can act on, such as `card_required`. */
  readonly code: string | undefined;
  /** Of a refusal that asks the user to confirm: what is to be confirmed, and when the server said so. */
  readonly confirm?: unknown;
  readonly answeredAt?: string;
}

/** Metadata of an answered call. */
export interface CallMeta {
  readonly status: number;
  /** Cursor of the next page of a list. */
  readonly nextCursor?: string;
}

export const NOT_REACHED = 'The server cannot be reached. Check your connection and try again.';
/** For a command with an idempotency key: it may have arrived, and only its answer was lost. */
const UNANSWERED = 'No answer came, so this may have been done or not. Try again: it is never done twice.';
/** Timeout of a call. */
export const ANSWER_WITHIN_MS = 30_000;

const isPlain = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/plain') === true;

/** A sentence and no more. */
const LONGEST_SENTENCE = 200;

/**
 * What a refusal says, as JSON or in plain text. A page in the place of it says nothing, nor does the text of
 * what failed: that is a proxy's, and not for people.
 */
function refusalOf(body: string, response: Response): Omit<CallError, 'status' | 'message'> {
  let content: unknown;
  try {
    content = JSON.parse(body);
  } catch {
    content = undefined;
  }
  if (typeof content !== 'object' || content === null) {
    const isSentence = isPlain(response) && response.status < 500 && body.length <= LONGEST_SENTENCE;
    return { sentence: (isSentence && body) || undefined, code: undefined };
  }
  return {
    sentence:
      'message' in content && typeof content.message === 'string' ? content.message || undefined : undefined,
    code: 'code' in content && typeof content.code === 'string' ? content.code : undefined,
    ...('confirm' in content && {
      confirm: content.confirm,
      answeredAt: response.headers.get('date') ?? undefined,
    }),
  };
}

/** Makes the call. A GET that is answered 401 has null as data and has not failed. */
export const call: BaseQueryFn<Call, unknown, CallError, object, CallMeta> = async (asked, { signal }) => {
  const {
    path,
    method = 'GET',
    body,
    headers,
    answer = 'json',
  } = typeof asked === 'string' ? { path: asked } : asked;
  let response: Response;
  let text = '';
  const patience = new AbortController();
  const giveUp = () => patience.abort();
  const timer = setTimeout(giveUp, ANSWER_WITHIN_MS);
  signal.addEventListener('abort', giveUp);
  try {
    response = await fetch(path, {
      method,
      signal: patience.signal,
      credentials: 'include',
      headers: {
        accept: 'application/json',
        ...(body === undefined
          ? {}
          : { 'content-type': body instanceof Blob ? body.type : 'application/json' }),
        ...headers,
      },
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
    });
    noteClock(response);
    if (method === 'GET') noteMark(response);
    // A page in the place of a file is that of something between here and the server.
    if (response.ok && answer === 'file' && !response.headers.get('content-type')?.startsWith('text/html'))
      return { data: await response.blob(), meta: { status: response.status } };
    text = await response.text();
  } catch (failure) {
    await untilItStays();
    const reason = failure instanceof Error ? failure.message : String(failure);
    const sentence =
      headers?.[IDEMPOTENCY_KEY_HEADER] === undefined || !navigator.onLine ? NOT_REACHED : UNANSWERED;
    return { error: { status: 0, message: `0: ${reason}`, sentence, code: undefined } };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
  const { status, statusText } = response;
  const meta = { status, nextCursor: response.headers.get(NEXT_CURSOR_HEADER) ?? undefined };
  if (status === 401 && method === 'GET') return { data: null, meta };
  if (!response.ok)
    return {
      error: { status, message: `${status}: ${text || statusText}`, ...refusalOf(text, response) },
      meta,
    };
  try {
    return { data: text === '' ? null : (JSON.parse(text) as unknown), meta };
  } catch {
    // A plain `OK` says that a command was done, and no more. A page would be that of something else.
    if (method !== 'GET' && isPlain(response)) return { data: null, meta };
    return { error: { status, message: `${status}: ${text}`, sentence: undefined, code: undefined }, meta };
  }
};

/** True for what `call` answers when it was refused; a hook's error may also be a thrown exception. */
export function isCallError(error: unknown): error is CallError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'status' in error &&
    'message' in error &&
    typeof error.status === 'number'
  );
}

/**
 * Whether something did answer: a busy server, or what stands before one that is being updated. Otherwise
 * there was no network.
 */
export const hasAnswered = (error: unknown): boolean => isCallError(error) && error.status > 0;

/** The code of a call that its user did not confirm. */
export const NOT_CONFIRMED = 'not_confirmed';

/** True for a call that its user did not confirm: they know, and nothing went wrong. */
export const isNotConfirmed = (error: unknown): boolean => isCallError(error) && error.code === NOT_CONFIRMED;

/** True when the session has ended. */
export function isUnauthorized(error: unknown): boolean {
  return isCallError(error) && error.message.startsWith('401') && error.message.includes('Unauthorized');
}

/**
 * True where the server said no to what was asked. Whoever is signed out, comes too often or did not confirm
 * has no answer yet: what they sent before may have been done.
 */
export const isRefused = (error: unknown): boolean =>
  isCallError(error) &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 429].includes(error.status) &&
  !isNotConfirmed(error);

/** The server's sentence, or the one given. */
export function sentenceFor(error: unknown, otherwise: string): string {
  return (isCallError(error) ? error.sentence : undefined) ?? otherwise;
}
