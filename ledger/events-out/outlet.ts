/**
 * One browser's stream of changes. What happens while the browser does not read is merged into one message,
 * so a slow one costs no more memory than a fast one; nothing is sent after its session has ended.
 */
import { Readable } from 'node:stream';
import type { Alert, EventOut, Topic } from '#contracts/api/events-out';
import { positionText, type Position } from '#contracts/log';
import type { Change, Listener } from './change-feed.js';

interface OutletOptions {
  readonly userId: string;
  readonly heartbeatMs: number;
  /** Whether the session that opened the stream still lives. */
  readonly isSignedIn: () => Promise<boolean>;
}

/** How soon a browser comes back after the connection broke. */
const COME_BACK_MS = 2_000;
/** More than that many at once are told by the list alone. */
const ALERTS_KEPT = 20;
/** Where more lines changed than that, none is named: all of them are read again. */
const LINES_KEPT = 50;

export class Outlet implements Listener {
  readonly userId: string;
  readonly stream: Readable;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #topics = new Set<Topic>();
  #alerts: Alert[] = [];
  readonly #lines = new Set<string>();
  /** Whether some line changed that is not among those. */
  #missesLines = false;
  #position: Position | undefined;
  /** Whether what is read may be out of date and nothing is written, as the browser is still to be told. */
  #marks: Pick<EventOut, 'stale' | 'closed'> | undefined;
  #isWanted = true;
  #isSending = false;
  #isOver = false;

  constructor(private readonly options: OutletOptions) {
    this.userId = options.userId;
    this.stream = new Readable({
      read: () => {
        this.#isWanted = true;
        void this.#send();
      },
    });
    this.stream.push(`retry: ${COME_BACK_MS}\n\n`);
    this.#heartbeat = setInterval(() => void this.#beat(), options.heartbeatMs);
    this.stream.once('close', () => {
      this.#isOver = true;
      clearInterval(this.#heartbeat);
    });
  }

  changed({ position, topics, lineId, alert }: Change): void {
    for (const topic of topics) this.#topics.add(topic);
    if (lineId !== undefined) this.#lines.add(lineId);
    this.#missesLines ||=
      lineId === undefined ? topics.includes('transactions') : this.#lines.size > LINES_KEPT;
    if (this.#missesLines) this.#lines.clear();
    if (alert && this.#alerts.length < ALERTS_KEPT) this.#alerts.push(alert);
    this.#position = position;
    void this.#send();
  }

  /** What is read may be out of date from now on, or no longer; and nothing is written, or is again. */
  marked(isStale: boolean, isClosed: boolean, position: Position): void {
    this.#marks = { stale: isStale, closed: isClosed };
    this.#position ??= position;
    void this.#send();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#heartbeat);
    this.stream.push(null);
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#isWanted && this.#position && (await this.#mayGoOn())) {
        const message: EventOut = {
          position: positionText(this.#position),
          topics: [...this.#topics],
          alerts: this.#alerts,
          ...(this.#lines.size > 0 && { lines: [...this.#lines] }),
          ...this.#marks,
        };
        this.#marks = undefined;
        this.#topics.clear();
        this.#lines.clear();
        this.#missesLines = false;
        this.#alerts = [];
        this.#position = undefined;
        this.#isWanted = this.stream.push(`id: ${message.position}\ndata: ${JSON.stringify(message)}\n\n`);
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** Keeps what lies between from closing a quiet connection, and finds out who is gone. */
  async #beat(): Promise<void> {
    // A whole beat in which nothing was taken: there is nobody at the other end.
    if (!this.#isWanted) this.stream.destroy();
    else if (await this.#mayGoOn()) this.#isWanted = this.stream.push(': still here\n\n');
  }

  async #mayGoOn(): Promise<boolean> {
    // Not to be known is a no: the browser comes back, and the gate decides.
    const may = await this.options.isSignedIn().catch(() => false);
    if (!may) this.end();
    return !this.#isOver;
  }
}
