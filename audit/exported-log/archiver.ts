/**
 * Follows the log into an exported log for as long as the process lives. An outage is waited for; a log that
 * does not extend what was archived, a damaged archive and a second writer stop it, loudly. It looks again
 * from time to time whether that was mended.
 */
import { isOutage } from '#contracts/outage';
import { LogUnavailable, type SubscriptionItem } from '#log/event-log';
import { Backlog } from '#projections/engine/backlog';
import { batched } from '#projections/engine/batched';
import { FollowerLoop, type FollowerLoopOptions, type FollowerState } from '../follower-loop.js';
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

export type ArchiverState = FollowerState<'catching-up'>;

export interface ArchiverOptions extends FollowerLoopOptions<'catching-up'> {
  readonly log: FollowedLog;
  readonly folder: string;
  readonly onDrop?: (why: string) => void;
}

const CAUGHT_UP = Symbol('caught up');

export class Archiver {
  #archive: VerifiedArchive | undefined;
  #head: ArchiveHead | undefined;
  readonly #backlog: Backlog;
  readonly #loop: FollowerLoop<'catching-up'>;

  constructor(private readonly options: ArchiverOptions) {
    this.#backlog = new Backlog(options.clock ?? (() => performance.now()));
    this.#loop = new FollowerLoop(
      {
        what: 'The archive',
        live: (signal) => this.#follow(signal),
        isFinding,
        endsBefore: (error) => error instanceof LogEndsBefore,
        failed: async (error, stops) => {
          this.#backlog.unsubscribed();
          // An archive that failed half-way is opened anew; one that only lost the store goes on as it is.
          if (stops || !(isOutage(error) || error instanceof LogEndsBefore)) await this.#leave();
        },
      },
      options,
    );
  }

  get state(): ArchiverState {
    return this.#loop.state;
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
    this.#loop.start();
  }

  /** Ends after the batch in hand, and lets the folder go. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#leave();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { log, folder, onDrop } = this.options;
    const archive = (this.#archive ??= await this.#opened(folder));
    const leader = log.witness();
    let from;
    try {
      from = await archive.placeIn(log);
    } catch (error) {
      // A node that was cut off from the others is not the one to ask.
      if (error instanceof LogDiffers) await leader.confirm();
      throw error;
    }
    this.#loop.foundWhole();
    this.#head = archive.head;
    this.#backlog.subscribed();
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
        this.#loop.progressed();
        if (batch.length > events.length) this.#loop.becomeLive();
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
    let isFirst = true;
    for await (const item of source) {
      if (isFirst) this.#loop.reads('catching-up');
      isFirst = false;
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
  }

  async #leave(): Promise<void> {
    await this.#archive?.close();
    this.#archive = undefined;
  }
}

type Followed = Extract<SubscriptionItem, { kind: 'event' }>['event'] | typeof CAUGHT_UP;

const bytesOf = (item: Followed): number =>
  item === CAUGHT_UP ? 0 : item.data.bytes.length + item.metadata.bytes.length;

const isFinding = (error: unknown): boolean =>
  error instanceof LogDiffers || error instanceof ArchiveDamaged || error instanceof FolderInUse;

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
