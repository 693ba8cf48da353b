/**
 * Follows the log into an exported log for as long as the process lives. An outage is waited for; a log that
 * does not extend what was archived, a damaged archive and a second writer stop it, loudly. It looks again
 * from time to time whether that was mended.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isOutage } from '#contracts/outage';
import { LogUnavailable, type SubscriptionItem } from '#log/event-log';
import { Backlog } from '#projections/engine/backlog';
import { batched } from '#projections/engine/batched';
import { plainMessage } from '#projections/engine/database';
import { FolderInUse } from './folder-lock.js';
import type { ArchiveHead } from './lines.js';
import { ArchiveDamaged } from './segments.js';
import {
  ARCHIVED_PREFIXES,
  isArchived,
  LogDiffers,
  LogEndsBefore,
  VerifiedArchive,
  type FollowedLog,
} from './verified-archive.js';

/** How much is written and made durable at once. */
const BATCH_LIMIT = 2_000;
const RETRY_MS = { first: 100, most: 1_000 } as const;
/** Between two looks whether what stopped it was mended; each reads the archive. */
const LOOK_AGAIN_MS = { first: 5_000, most: 300_000 } as const;
/** What a node of the store does not know of may come yet. */
const LOST_AFTER_MS = 30_000;

export type ArchiverState =
  | { readonly status: 'starting' }
  | { readonly status: 'catching-up' }
  /** All that the log had when it was last asked is archived. */
  | { readonly status: 'live' }
  /** The store is away, or the disk takes nothing: it is tried again. */
  | { readonly status: 'waiting'; readonly why: string }
  | { readonly status: 'stopped'; readonly why: string };

export interface ArchiverOptions {
  readonly log: FollowedLog;
  readonly folder: string;
  readonly onState?: (state: ArchiverState) => void;
  readonly onDrop?: (why: string) => void;
  /** Milliseconds that only rise; the machine's unless told. */
  readonly clock?: () => number;
  readonly lostAfterMs?: number;
  readonly lookAgainMs?: number;
}

const CAUGHT_UP = Symbol('caught up');

export class Archiver {
  #state: ArchiverState = { status: 'starting' };
  #archive: VerifiedArchive | undefined;
  #head: ArchiveHead | undefined;
  #endsBeforeSinceMs: number | undefined;
  readonly #clock: () => number;
  readonly #backlog: Backlog;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;

  constructor(private readonly options: ArchiverOptions) {
    this.#clock = options.clock ?? (() => performance.now());
    this.#backlog = new Backlog(this.#clock);
  }

  get state(): ArchiverState {
    return this.#state;
  }

  /** How far the log is archived; undefined before the folder was read. */
  get head(): ArchiveHead | undefined {
    return this.#head;
  }

  /** How many archived events outside the journal no ledger wrote. */
  get unchained(): number {
    return this.#archive?.unchained ?? 0;
  }

  /** The age of the oldest event that may not be archived, in seconds; 0 when there is none. */
  secondsBehind(nowMs: number): number {
    return this.#backlog.ageMs(nowMs) / 1_000;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends after the batch in hand, and lets the folder go. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await this.#leave();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    const { lookAgainMs = LOOK_AGAIN_MS.first } = this.options;
    let [retryMs, againMs]: [number, number] = [RETRY_MS.first, lookAgainMs];
    const progressed = (): void => {
      [retryMs, againMs] = [RETRY_MS.first, lookAgainMs];
    };
    while (!signal.aborted) {
      try {
        await this.#follow(progressed);
      } catch (error) {
        if (signal.aborted) return;
        this.#backlog.unsubscribed();
        // An archive that failed half-way is opened anew; one that only lost the store goes on as it is.
        const mayComeYet = this.#mayComeYet(error);
        if (!isOutage(error) && !mayComeYet) await this.#leave();
        if (isFinding(error) && !mayComeYet) {
          this.#become({ status: 'stopped', why: plainMessage(error) });
          await pause(againMs, undefined, { signal }).catch(() => undefined);
          againMs = Math.min(againMs * 2, LOOK_AGAIN_MS.most);
        } else {
          this.#become({ status: 'waiting', why: whyOf(error) });
          await pause(retryMs, undefined, { signal }).catch(() => undefined);
          retryMs = Math.min(retryMs * 2, RETRY_MS.most);
        }
      }
    }
  }

  async #follow(progressed: () => void): Promise<void> {
    const { log, folder, onDrop } = this.options;
    const { signal } = this.#ending;
    const archive = (this.#archive ??= await this.#opened(folder));
    const leader = log.witness();
    let from;
    try {
      from = await archive.placeIn(log);
    } catch (error) {
      if (error instanceof LogEndsBefore) await leader.confirm();
      throw error;
    }
    this.#endsBeforeSinceMs = undefined;
    this.#head = archive.head;
    this.#backlog.subscribed();
    // Until something is archived again, it is still what stopped it.
    if (this.#state.status !== 'stopped') this.#become({ status: 'catching-up' });
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    signal.addEventListener('abort', leave, { once: true });
    try {
      const source = this.#received(log.follow(from, ARCHIVED_PREFIXES, leaving.signal), onDrop);
      for await (const batch of batched(source, BATCH_LIMIT, bytesOf)) {
        const events = batch.filter((item) => item !== CAUGHT_UP);
        await archive.take(events, log);
        this.#head = archive.head;
        this.#backlog.projected(events.length);
        progressed();
        if (batch.length > events.length) this.#become({ status: 'live' });
        if (signal.aborted) return;
      }
      if (!signal.aborted) throw new LogUnavailable('The subscription to the log ended');
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
    }
  }

  async #opened(folder: string): Promise<VerifiedArchive> {
    const archive = await VerifiedArchive.open(folder);
    const lastMs = archive.lastCreatedAt?.getTime();
    if (lastMs !== undefined) {
      this.#backlog.received(lastMs);
      this.#backlog.projected(1);
    }
    return archive;
  }

  async *#received(
    source: AsyncIterable<SubscriptionItem>,
    onDrop?: (why: string) => void,
  ): AsyncGenerator<Followed, void> {
    for await (const item of source)
      if (item.kind === 'event') {
        if (!isArchived(item.event.stream)) continue;
        this.#backlog.received(item.event.createdAt.getTime());
        yield item.event;
      } else if (item.kind === 'caught-up') {
        this.#backlog.caughtUp();
        yield CAUGHT_UP;
      } else if (item.kind === 'dropped') {
        this.#backlog.dropped();
        onDrop?.(item.why);
      }
  }

  /** A node that lags behind knows less than was archived: it is asked again for a while. */
  #mayComeYet(error: unknown): boolean {
    if (!(error instanceof LogEndsBefore)) return false;
    this.#endsBeforeSinceMs ??= this.#clock();
    return this.#clock() - this.#endsBeforeSinceMs < (this.options.lostAfterMs ?? LOST_AFTER_MS);
  }

  async #leave(): Promise<void> {
    await this.#archive?.close();
    this.#archive = undefined;
  }

  #become(state: ArchiverState): void {
    const before = this.#state;
    this.#state = state;
    const said = (one: ArchiverState): string => `${one.status} ${'why' in one ? one.why : ''}`;
    if (said(before) !== said(state)) this.options.onState?.(state);
  }
}

type Followed = Extract<SubscriptionItem, { kind: 'event' }>['event'] | typeof CAUGHT_UP;

const bytesOf = (item: Followed): number =>
  item === CAUGHT_UP ? 0 : item.data.bytes.length + item.metadata.bytes.length;

const isFinding = (error: unknown): boolean =>
  error instanceof LogDiffers || error instanceof ArchiveDamaged || error instanceof FolderInUse;

function whyOf(error: unknown): string {
  const why = plainMessage(error);
  if (isOutage(error) || error instanceof LogEndsBefore) return why;
  return `The archive cannot be written: ${why.replace(/\.$/, '')}. It is tried again; look for room and rights on its disk.`;
}

/** Archives what the log has up to its present end, once. Throws what {@link VerifiedArchive} throws. */
export async function archiveOnce(
  log: FollowedLog,
  folder: string,
): Promise<{ head: ArchiveHead; written: number }> {
  const archive = await VerifiedArchive.open(folder);
  try {
    const before = archive.head.events;
    const leader = log.witness();
    const from = await archive.placeIn(log);
    for await (const batch of batched(log.readAll(from, ARCHIVED_PREFIXES), BATCH_LIMIT, bytesOf))
      await archive.take(batch, log);
    await leader.confirm();
    return { head: archive.head, written: archive.head.events - before };
  } finally {
    await archive.close();
  }
}
