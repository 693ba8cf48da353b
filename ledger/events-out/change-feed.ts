/**
 * Tells whoever listens which of their lists have changed, once the read models show it. It follows the log
 * itself, and only while somebody listens: the log says what happened and to whom, the read models' position
 * says when it can be read. Every ledger process does so for its own listeners; none needs to know of
 * another.
 */
import type { Logger } from 'pino';
import { ALL_TOPICS, type Alert, type Topic } from '#contracts/api/events-out';
import { positionText, type Position } from '#contracts/log';
import { decimalFromMinor } from '#contracts/plain/money';
import { isOurStream } from '#contracts/events/our-streams';
import type { EventLog, RawEvent } from '#log/event-log';
import { storedEvent } from '#log/stored-event';
import type { ReadProgress } from '../http/read-models.js';
import { concernsOf, type Concern, type ConcernedUser, type ReceivedPayment } from './concerns.js';

export interface Change {
  readonly position: Position;
  readonly topics: readonly Topic[];
  /** Which line of the list of transactions has changed. */
  readonly lineId?: string;
  readonly alert?: Alert;
}

/** One open stream, as the feed sees it. */
export interface Listener {
  readonly userId: string;
  changed(change: Change): void;
  /** The process ends. */
  end(): void;
}

/**
 * What the feed reads beside the log, after the read models have passed the event; filled in
 * processes/ledger/reads.ts.
 */
export abstract class FeedReads {
  abstract payerOf(paymentId: string): Promise<string | undefined>;
  /** What the payer wrote to the recipient, or undefined. */
  abstract noteOf(recipientId: string, transactionId: string): Promise<string | undefined>;
  abstract wantsAlerts(userId: string): Promise<boolean>;
  /** When money of theirs moved last, as the rows have it; undefined where none ever did. */
  abstract lastMovedAt(userId: string): Promise<Date | undefined>;
  /** How somebody is known to those whom they pay. */
  abstract knownAs(userId: string): Promise<Pick<Alert, 'counterpartyUsername' | 'counterpartyName'>>;
}

interface FeedOptions {
  readonly log: EventLog;
  /** The beginnings of the names of the streams that the read models fold. */
  readonly prefixes: readonly string[];
  /** The streams of what is read elsewhere than in a read model: told as soon as it is in the log. */
  readonly unprojected: readonly string[];
  readonly readModels: ReadProgress;
  readonly reads: FeedReads;
  readonly note: Logger;
  /** The event store dropped this follower, which has been subscribed again. */
  readonly onDrop: (why: string) => void;
  /** The pause before the log is followed again; 100 ms unless told. */
  readonly retryMs?: number;
}

const LOOK_AGAIN_MS = 5_000;
/** How late rows may follow their entry, plus the difference between two ledgers' clocks. */
const ROWS_MAY_LAG_MS = 5_000;
const RETRY_MS = 100;
/** While changes cannot be told for long, that is said so often. */
const SAY_AGAIN_MS = 30_000;
/**
 * Before the read models are known to stand anywhere: just after the start, or before the first event of all.
 */
const FIRST: Position = { commit: 0n, prepare: 0n };

export class ChangeFeed {
  readonly #listeners = new Map<string, Set<Listener>>();
  #following: AbortController | undefined;
  #closed = false;

  constructor(private readonly options: FeedOptions) {}

  /** How many streams are open. */
  get size(): number {
    let size = 0;
    for (const listeners of this.#listeners.values()) size += listeners.size;
    return size;
  }

  countOf(userId: string): number {
    return this.#listeners.get(userId)?.size ?? 0;
  }

  /** Where the read models stand. */
  get position(): Position {
    return this.options.readModels.reached;
  }

  /**
   * Whether a page that began to read that long ago may have read rows without the newest change: its user's
   * money moved since. Call it after the page listens.
   */
  async mayHaveMissed(userId: string, loadingForMs: number): Promise<boolean> {
    const lastMovedAt = await this.options.reads.lastMovedAt(userId);
    return lastMovedAt !== undefined && Date.now() - lastMovedAt.getTime() <= loadingForMs + ROWS_MAY_LAG_MS;
  }

  /** Tells the listener of all that passes from now on; returns how to leave. */
  listen(listener: Listener): () => void {
    if (this.#closed) {
      listener.end();
      return () => undefined;
    }
    const own = this.#listeners.get(listener.userId) ?? new Set();
    this.#listeners.set(listener.userId, own.add(listener));
    if (!this.#following) {
      this.#following = new AbortController();
      void this.#run(this.#following.signal);
    }
    return () => {
      own.delete(listener);
      if (own.size === 0 && this.#listeners.get(listener.userId) === own)
        this.#listeners.delete(listener.userId);
      if (this.#listeners.size > 0) return;
      this.#following?.abort();
      this.#following = undefined;
    };
  }

  /** Ends every stream. */
  close(): void {
    this.#closed = true;
    this.#following?.abort();
    for (const listeners of [...this.#listeners.values()])
      for (const listener of [...listeners]) listener.end();
  }

  /**
   * Follows the log until nobody listens; what broke is taken up again behind the last event that was told.
   */
  async #run(signal: AbortSignal): Promise<void> {
    const { log, readModels, note } = this.options;
    const prefixes = [...this.options.prefixes, ...this.options.unprojected];
    if (readModels.reached.commit < FIRST.commit) await readModels.waitFor(FIRST, LOOK_AGAIN_MS);
    let told = readModels.reached;
    let saidAtMs: number | undefined;
    while (!signal.aborted) {
      try {
        for await (const item of log.follow(told, prefixes, signal)) {
          if (saidAtMs !== undefined) note.info('changes are told again');
          saidAtMs = undefined;
          if (item.kind === 'dropped') this.options.onDrop(item.why);
          if (item.kind !== 'event' || !isOurStream(item.event.stream)) continue;
          await this.#tell(item.event, signal);
          told = item.event.position;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (saidAtMs === undefined || performance.now() - saidAtMs > SAY_AGAIN_MS) {
          note.warn({ err: error }, 'changes cannot be told at the moment; trying again');
          saidAtMs = performance.now();
        }
        await new Promise((resolve) => setTimeout(resolve, this.options.retryMs ?? RETRY_MS).unref());
      }
    }
  }

  async #tell(raw: RawEvent, signal: AbortSignal): Promise<void> {
    const { position } = raw;
    const { event } = storedEvent(raw);
    if (!event) {
      // A newer process wrote it, or it is parked. Whom it concerns is not known here, so everybody reads
      // everything again.
      if (await this.#passed(position, signal))
        this.#deliver([...this.#listeners.values()], { position, topics: ALL_TOPICS });
      return;
    }
    const concerns = concernsOf(event);
    if (concerns.length === 0) return;
    const isProjected = !this.options.unprojected.some((prefix) => raw.stream.startsWith(prefix));
    // Listeners are looked up only after this: one that joined while the rows lagged has read them without
    // this change.
    if (isProjected && !(await this.#passed(position, signal))) return;
    for (const concern of concerns) await this.#tellOne(concern, position);
  }

  async #tellOne({ who, topics, lineId, received }: Concern, position: Position): Promise<void> {
    const userId = await this.#userOf(who);
    const listeners = userId === undefined ? undefined : this.#listeners.get(userId);
    if (userId === undefined || !listeners) return;
    const alert = received && (await this.#alertFor(userId, received));
    this.#deliver([listeners], {
      position,
      topics,
      ...(lineId !== undefined && { lineId }),
      ...(alert && { alert }),
    });
  }

  async #userOf(who: ConcernedUser): Promise<string | undefined> {
    return 'userId' in who ? who.userId : this.options.reads.payerOf(who.payerOf);
  }

  async #alertFor(
    userId: string,
    { amountMinor, payerId, transactionId }: ReceivedPayment,
  ): Promise<Alert | undefined> {
    const { reads } = this.options;
    if (!(await reads.wantsAlerts(userId))) return undefined;
    const note = await reads.noteOf(userId, transactionId);
    return {
      kind: 'payment_received',
      amount: decimalFromMinor(amountMinor),
      ...(await reads.knownAs(payerId)),
      ...(note !== undefined && { note }),
    };
  }

  #deliver(groups: readonly Iterable<Listener>[], change: Change): void {
    for (const listeners of groups) for (const listener of [...listeners]) listener.changed(change);
    this.options.note.debug(
      { position: positionText(change.position), topics: change.topics },
      'told of a change',
    );
  }

  /**
   * Waits as long as it takes: a list that is read too early would show the old state, and nobody would say
   * so again.
   */
  async #passed(position: Position, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted)
      if (await this.options.readModels.waitFor(position, LOOK_AGAIN_MS)) return !signal.aborted;
    return false;
  }
}
