/**
 * The EventSource of changes. A broken connection is opened again, each time later, and at once when the
 * network is back. Missed messages are not replayed: the first message after a reconnect names every list.
 */
import type { Alert, EventOut, Topic } from '#contracts/api/events-out';
import type { Staleness } from '../../shared/api/staleness.js';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** How long a hidden window keeps its connection: browsers allow few per site. */
const UNSEEN_MS = 60_000;

export interface StreamListener {
  /** Lists have changed, or money has come in. */
  readonly changed: (
    topics: readonly Topic[],
    alerts: readonly Alert[],
    /** The transactions that changed; undefined where they are not named. */
    lines: readonly string[] | undefined,
  ) => void;
  /** The stream could not be opened: perhaps nobody is signed in any more. */
  readonly refused: () => void;
  /** What is read may be out of date from now on, or no longer. */
  readonly marked: (staleness: Staleness) => void;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';
const isAlert = (value: unknown): value is Alert =>
  isObject(value) &&
  value.kind === 'payment_received' &&
  typeof value.amount === 'string' &&
  isTextOrNull(value.counterpartyUsername) &&
  isTextOrNull(value.counterpartyName) &&
  (value.note === undefined || typeof value.note === 'string');

/** Parses a message; undefined if it is invalid. Topics of a newer server are ignored. */
export function readEvent(
  data: string,
): Pick<EventOut, 'topics' | 'alerts' | 'lines' | 'stale' | 'closed'> | undefined {
  let content: unknown;
  try {
    content = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (!isObject(content) || !Array.isArray(content.topics) || !Array.isArray(content.alerts))
    return undefined;
  const topics = content.topics.filter((topic): topic is Topic => typeof topic === 'string');
  return {
    topics,
    alerts: content.alerts.filter(isAlert),
    ...(Array.isArray(content.lines) && {
      lines: content.lines.filter((id): id is string => typeof id === 'string'),
    }),
    ...(typeof content.stale === 'boolean' && { stale: content.stale }),
    ...(typeof content.closed === 'boolean' && { closed: content.closed }),
  };
}

/** Milliseconds until the next try: doubled each time, with jitter. `random` is 0 to 1. */
export function pauseMs(failures: number, random: number): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 16));
  return Math.round(longest * (0.5 + random / 2));
}

/** Opens the stream; the returned function closes it for good. */
export function openStream(listener: StreamListener): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let unseen: ReturnType<typeof setTimeout> | undefined;
  let lastEventId = '';
  let failures = 0;
  let hasStood = false;
  let isOver = false;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    if (isOver) return;
    // What was read before the first stream stood may have changed since, over a slow network for seconds.
    const before: Record<string, string> =
      lastEventId === '' ? { loadingForMs: performance.now().toFixed() } : { lastEventId };
    source = new EventSource(`/api/events?${new URLSearchParams(before)}`);
    // From the second time on there is something to come back to, also where the first stream never said a
    // word.
    lastEventId ||= 'none';
    source.onmessage = ({ data, lastEventId: id }: MessageEvent<unknown>) => {
      failures = 0;
      hasStood = true;
      const message = typeof data === 'string' ? readEvent(data) : undefined;
      if (id !== '') lastEventId = id;
      if (message?.stale !== undefined)
        listener.marked(message.closed ? 'closed' : message.stale ? 'stale' : 'fresh');
      if (message && (message.topics.length > 0 || message.alerts.length > 0))
        listener.changed(message.topics, message.alerts, message.lines);
    };
    // EventSource reconnects by itself, but always after the same time, and not at all after a refusal.
    source.onerror = () => {
      close();
      failures += 1;
      timer = setTimeout(open, pauseMs(failures - 1, Math.random()));
      // Twice in a row is not a short interruption. The browser does not tell why, so the current user is
      // read once. Where no stream ever stood, as behind a proxy that lets none through, it says nothing of
      // the user, who was read with the page.
      if (failures === 2 && hasStood && navigator.onLine) listener.refused();
    };
  };
  const back = () => {
    if (source !== undefined) return;
    failures = 0;
    open();
  };
  const seen = () => {
    clearTimeout(unseen);
    if (document.visibilityState === 'hidden') unseen = setTimeout(close, UNSEEN_MS);
    else back();
  };

  window.addEventListener('online', back);
  document.addEventListener('visibilitychange', seen);
  open();
  return () => {
    isOver = true;
    close();
    clearTimeout(unseen);
    window.removeEventListener('online', back);
    document.removeEventListener('visibilitychange', seen);
  };
}
