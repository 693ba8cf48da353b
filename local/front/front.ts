/**
 * Passes requests on, byte for byte and as they come: nothing is buffered, so streams of events and uploads
 * flow. What stands in X-Forwarded-… is written here; whatever a browser sent under these names is dropped.
 */
import {
  Agent,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';

export interface Upstreams {
  /** The identity provider's port on 127.0.0.1; undefined when another one is used. */
  readonly identity?: number;
  /** The port of the mail server's pages; undefined when another one is used. */
  readonly inbox?: number | undefined;
  /** The ledgers' ports on 127.0.0.1. */
  readonly ledgers: readonly number[];
}

// RFC 9110, 7.6.1: these are about one connection and are not passed on.
const OF_ONE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const WRITTEN_HERE = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-real-ip',
]);
/** Methods of which nobody expects a body, nor a length of it. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE']);
/** Not connected at all, so the request did not arrive and another ledger may have it. */
const NOT_REACHED = new Set(['ECONNREFUSED', 'ENOENT', 'EHOSTUNREACH']);

/** In words that are true at a start as in an outage: nobody here knows which it is. */
const NOT_REACHED_AT_ALL = 'Encore cannot be reached. Try again in a moment.';
const CUT_OFF =
  'The connection inside the app was cut off before an answer came. Look at your history before you try again.';

/** What is still to come of a body that has its answer already has so long. */
const REST_OF_BODY_MS = 10_000;

/** Answers every request by passing it on. */
export function front(upstreams: Upstreams): RequestListener {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256, scheduling: 'lifo' });
  let turn = 0;

  return (request, response) => {
    const path = request.url ?? '/';
    const toIdentity = upstreams.identity !== undefined && /^\/identity(?:[/?]|$)/.test(path);
    const toInbox = upstreams.inbox !== undefined && /^\/inbox(?:[/?]|$)/.test(path);
    const { ledgers } = upstreams;
    turn = (turn + 1) % Math.max(1, ledgers.length);
    const candidates = toIdentity
      ? [Number(upstreams.identity)]
      : toInbox
        ? [Number(upstreams.inbox)]
        : [...ledgers.slice(turn), ...ledgers.slice(0, turn)];
    // A browser that left does not want its answer; the ledger notices the closed connection.
    passOn(request, response, candidates);
  };

  function passOn(request: IncomingMessage, response: ServerResponse, candidates: readonly number[]): void {
    const [port, ...others] = candidates;
    if (port === undefined) {
      refuse(request, response, 503, NOT_REACHED_AT_ALL);
      return;
    }
    const onward = httpRequest({
      host: '127.0.0.1',
      port,
      method: request.method,
      path: request.url,
      headers: headersFor(request),
      agent,
      setHost: false,
    });
    let answered = false;
    onward.once('response', (answer) => {
      answered = true;
      // It came too slowly: nothing more is read of it.
      if (answer.statusCode === 408) response.shouldKeepAlive = false;
      response.writeHead(
        answer.statusCode ?? 502,
        answer.statusMessage,
        withoutConnection(answer.rawHeaders),
      );
      // Headers at once: a stream of events may have nothing to say for a while.
      response.flushHeaders();
      pipeline(answer, response, () => {
        if (onward.writableFinished) return;
        // Answered before all of the body was sent: the rest is not read, and what the browser sends next
        // stands behind it.
        request.unpipe(onward);
        request.resume();
        onward.destroy();
        const isLate = setTimeout(() => request.complete || request.socket.destroy(), REST_OF_BODY_MS);
        request.once('close', () => clearTimeout(isLate));
      });
    });
    onward.once('error', (failure: NodeJS.ErrnoException) => {
      if (answered || response.destroyed) return;
      const untouched = NOT_REACHED.has(failure.code ?? '');
      // A connection was closed in the moment we used it: asking again is safe where asking changes nothing,
      // and of another ledger where this one has just ended.
      const asksOnly = failure.code === 'ECONNRESET' && /^(?:GET|HEAD|OPTIONS)$/.test(request.method ?? '');
      if (asksOnly && onward.reusedSocket) passOn(request, response, candidates);
      else if (asksOnly && others.length > 0) passOn(request, response, others);
      else if (untouched) passOn(request, response, others);
      else refuse(request, response, 502, CUT_OFF);
    });
    response.once('close', () => {
      if (!response.writableFinished) onward.destroy();
    });
    if (!hasBody(request)) onward.end();
    // Only once connected: a ledger that refuses must not have swallowed part of the body.
    else
      onward.once('socket', (socket) =>
        socket.connecting ? socket.once('connect', () => request.pipe(onward)) : request.pipe(onward),
      );
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

function headersFor(request: IncomingMessage): string[] {
  const headers = withoutConnection(request.rawHeaders, WRITTEN_HERE);
  if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  // Else Node announces pieces where there is no body, and a kind is asked of it.
  else if (!hasBody(request) && !WITHOUT_BODY.has(request.method ?? '')) headers.push('Content-Length', '0');
  headers.push('X-Forwarded-For', request.socket.remoteAddress ?? '127.0.0.1', 'X-Forwarded-Proto', 'http');
  if (request.headers.host !== undefined) headers.push('X-Forwarded-Host', request.headers.host);
  return headers;
}

function withoutConnection(raw: readonly string[], further: ReadonlySet<string> = new Set()): string[] {
  const named = new Set<string>();
  for (let n = 0; n < raw.length; n += 2)
    if (raw[n]?.toLowerCase() === 'connection')
      for (const name of raw[n + 1]?.split(',') ?? []) named.add(name.trim().toLowerCase());
  const kept: string[] = [];
  for (let n = 0; n < raw.length; n += 2) {
    const [name = '', value = ''] = [raw[n], raw[n + 1]];
    const lower = name.toLowerCase();
    if (!OF_ONE_CONNECTION.has(lower) && !further.has(lower) && !named.has(lower)) kept.push(name, value);
  }
  return kept;
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  // A page that somebody waits for looks again by itself; the web's own calls get what they get from the
  // ledger.
  const asPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
  const body = asPage
    ? `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta http-equiv="refresh" content="1"><title>Encore</title><p style="font:16px/24px system-ui;margin:20px">${message}</p></html>`
    : JSON.stringify({ message });
  response.writeHead(status, {
    'content-type': asPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 503 ? { 'retry-after': '1' } : {}),
    // What is left of a body that nobody reads would be taken for the next request.
    connection: 'close',
  });
  response.end(body);
}
