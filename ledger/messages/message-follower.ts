/**
 * Follows the log and keeps what it tells people, and the keys of nobody who is forgotten: those come back
 * with a Postgres that was restored to before. How far it came stands in the transaction that keeps the
 * messages, and is locked first, so that several ledgers follow side by side and each event is told by one of
 * them. After a recovery of the log, or a move, it reads all of it again: what was told is there under the
 * same key.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { Sealed } from '#contracts/events/journal';
import { guestStream } from '#contracts/events/guest';
import { isOurStream, OUR_PREFIXES } from '#contracts/events/our-streams';
import { comparePositions, positionFrom, positionText, START, type Position } from '#contracts/log';
import { isTombstone, storedEvent } from '#log/stored-event';
import { ReadRefused, type EventLog, type RawEvent } from '#log/event-log';
import { inTransaction } from '#log/transaction';
import { KeyDestroyed, type Vault } from '#log/vault';
import { UnreadableText } from '#log/vault-reader';
import { refusalPath } from '../recovery-news.js';
import { messagesOf, type OlderFacts, type PasskeyChange, type ScheduleTerms } from './messages-from-log.js';
import type { MessageStore, MessageToKeep } from './message-store.js';

const RETRY_MS = 1_000;
const LOOK_MS = 1_000;
/** So many events are told in one transaction at most, and so many wait. */
const BATCH = 500;
const WAITING_MOST = 4 * BATCH;
const SILENT_MOST = 200;
/** A newer build may read what this one cannot, and moves on behind it; after so long nobody does. */
const UNREADABLE_WAITS_MS = 10 * 60_000;

/** What tells the event that the mark stands at from any other. */
interface MarkedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
}

interface Mark {
  readonly position: Position;
  readonly lastEvent: MarkedEvent | undefined;
}

/** The mark is not where this follower came to: another one was here, or the log is another one. */
class MarkMoved extends Error {
  override readonly name = 'MarkMoved';
}

interface MessageFollowerOptions {
  readonly log: Pick<EventLog, 'follow' | 'readStream' | 'witness'>;
  readonly pool: Pool;
  readonly store: MessageStore;
  readonly vault: Pick<Vault, 'forgetIn' | 'drop' | 'unsealOr' | 'seal'>;
  readonly earlierAddresses: OlderFacts['earlierAddresses'];
  readonly note: Logger;
  /** Why the log is in recovery; undefined while it is not. */
  readonly recovery: () => unknown;
  /**
   * Whether keys are there of people who are known as forgotten: the vault alone was restored to before that.
   */
  readonly areKeysOfForgottenBack: () => Promise<boolean>;
  readonly onDrop: (why: string) => void;
  readonly retryMs?: number;
}

export class MessageFollower {
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  /** Since when the log could not be followed; undefined while it is. */
  #failing: string | undefined;

  constructor(private readonly options: MessageFollowerOptions) {}

  /** Why nothing is told at the moment; undefined while all is well. */
  get trouble(): string | undefined {
    return this.#failing;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends after the batch in hand. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    const { note, recovery, retryMs = RETRY_MS } = this.options;
    while (!signal.aborted) {
      try {
        if (recovery() === undefined) await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        const why = error instanceof Error ? error.message : String(error);
        if (!(error instanceof MarkMoved) && why !== this.#failing)
          note.warn({ err: error }, 'messages are not taken from the log at the moment; trying again');
        if (!(error instanceof MarkMoved)) this.#failing = why;
      }
      await pause(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Follows until the connection breaks, the log is in recovery, or the end. */
  async #follow(): Promise<void> {
    const { log, recovery, onDrop } = this.options;
    let marked = await this.#start();
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    this.#ending.signal.addEventListener('abort', leave, { once: true });
    // Who was told to end while it looked for its place hears of that no more.
    if (this.#ending.signal.aborted) return;
    const look = setInterval(() => recovery() !== undefined && leave(), LOOK_MS);
    const waiting: RawEvent[] = [];
    let silent = 0;
    let failure: Error | undefined;
    let telling: Promise<void> | undefined;
    const tellWaiting = async (): Promise<void> => {
      try {
        while (waiting.length > 0 && !leaving.signal.aborted) {
          const read = await this.#readable(waiting.slice(0, BATCH));
          silent = read.some(isNews) ? 0 : silent + read.length;
          // Most events tell nobody anything: their place is noted now and then.
          if (silent === 0 || silent >= SILENT_MOST) {
            marked = await this.#tell(read, marked);
            silent = 0;
          }
          waiting.splice(0, read.length);
          this.#failing = undefined;
        }
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        leave();
      } finally {
        telling = undefined;
      }
    };
    try {
      for await (const item of log.follow(marked, OUR_PREFIXES, leaving.signal)) {
        if (item.kind === 'dropped') onDrop(item.why);
        if (item.kind === 'caught-up') this.#failing = undefined;
        if (item.kind !== 'event' || !isOurStream(item.event.stream)) continue;
        waiting.push(item.event);
        telling ??= tellWaiting();
        if (waiting.length >= WAITING_MOST) await telling;
      }
    } finally {
      clearInterval(look);
      this.#ending.signal.removeEventListener('abort', leave);
      leave();
      await telling;
    }
    if (failure) throw failure;
  }

  /**
   * Where to follow from: behind the marked event where the log has it there, else from the beginning; and
   * from there where keys came back that the log says are to be destroyed.
   */
  async #start(): Promise<Position> {
    const { log, pool, note, areKeysOfForgottenBack } = this.options;
    const mark = await this.#readMark(pool);
    if (mark === undefined) return START;
    const leader = log.witness();
    const areKeysBack = await areKeysOfForgottenBack();
    const isSameLog = mark.lastEvent !== undefined && (await this.#isThere(mark.lastEvent, mark.position));
    if (isSameLog && !areKeysBack) return mark.position;
    // A node that was cut off from the others lacks what another ledger has told meanwhile.
    await leader.confirm();
    note.warn(
      { lastEvent: mark.lastEvent },
      isSameLog
        ? 'data keys of people who are forgotten are there again: all of the log is read again, and they are destroyed'
        : 'the log is not the one that messages were taken from last: all of it is read again, and nothing is told twice',
    );
    await pool.query('update edge.message_marks set position = null, last_event = null where position = $1', [
      positionText(mark.position),
    ]);
    return START;
  }

  async #isThere({ stream, revision, id }: MarkedEvent, position: Position): Promise<boolean> {
    return unlessDeleted(false, async () => {
      for await (const event of this.options.log.readStream(stream, revision, 1))
        return event.id === id && comparePositions(event.position, position) === 0;
      return false;
    });
  }

  async #readMark(db: Pool | PoolClient, lock = ''): Promise<Mark | undefined> {
    const { rows } = await db.query<{ position: string | null; last_event: MarkedEvent | null }>(
      `select position, last_event from edge.message_marks ${lock}`,
    );
    const [row] = rows;
    if (!row || row.position === null) return undefined;
    return { position: positionFrom(row.position), lastEvent: row.last_event ?? undefined };
  }

  /**
   * Keeps what these events tell, in their order, and moves the mark behind them. Answers where it is then.
   */
  async #tell(read: readonly ReadEvent[], marked: Position): Promise<Position> {
    const { at, forgotten } = await inTransaction(this.options.pool, async (client) => {
      const mark = (await this.#readMark(client, 'for update'))?.position ?? START;
      // Behind us stands only a mark that was taken back: what lies between was told by nobody.
      if (comparePositions(mark, marked) < 0) throw new MarkMoved('The log is read from another place.');
      const fresh = read.filter(({ raw }) => comparePositions(raw.position, mark) > 0);
      const last = fresh.at(-1)?.raw;
      if (last !== undefined) {
        for (const part of partsOf(fresh)) await this.#keep(part, client);
        await client.query('update edge.message_marks set position = $1, last_event = $2', [
          positionText(last.position),
          JSON.stringify({ stream: last.stream, revision: last.revision, id: last.id } satisfies MarkedEvent),
        ]);
      }
      return { at: last?.position ?? mark, forgotten: fresh.flatMap(({ forgets }) => forgets ?? []) };
    });
    for (const userId of forgotten) this.options.vault.drop(userId);
    return at;
  }

  /** What the events tell. Throws for one that only a newer build reads: that one tells it. */
  async #readable(events: readonly RawEvent[]): Promise<ReadEvent[]> {
    const read: ReadEvent[] = [];
    const older = this.#olderFacts(read);
    for (const raw of events) {
      const { event, unreadable } = storedEvent(raw);
      if (event === undefined) {
        // No build reads more of a stream that was deleted for good.
        if (!isTombstone(raw) && Date.now() - raw.createdAt.getTime() < UNREADABLE_WAITS_MS) {
          // What comes before it is told now.
          if (read.length > 0) return read;
          throw new Error(`Revision ${raw.revision} of ${raw.stream} cannot be read: ${unreadable}`);
        }
        this.options.note.error(
          { stream: raw.stream, revision: raw.revision, why: unreadable },
          'an event cannot be read, and nobody is told of it',
        );
        read.push({ raw, tells: [] });
        continue;
      }
      const tells = await messagesOf(event, older);
      if (event.type === 'UserForgotten' || event.type === 'ForgettingFinished')
        read.push({ raw, tells, forgets: event.data.userId });
      else if (event.type === 'GuestForgotten') read.push({ raw, tells, forgets: event.data.guestId });
      else if (event.type === 'EpochBegun')
        read.push({ raw, tells, epochAt: new Date(event.metadata.recordedAt) });
      else read.push({ raw, tells });
    }
    return read;
  }

  /** `read`: what was read before in the same batch, which is not kept yet. */
  #olderFacts(read: readonly ReadEvent[]): OlderFacts {
    const { log, store, vault, earlierAddresses } = this.options;
    return {
      earlierAddresses,
      refusalLink: (userId, refusalToken) => refusalLink(vault, userId, refusalToken),
      async bankAccountOfPayout(userId, payoutId) {
        for (const { tells } of read)
          for (const told of tells)
            if (told.kind === 'payout_requested' && told.key === payoutId) return told.facts.bankAccountId;
        return store.bankAccountOfPayout(userId, payoutId);
      },
      scheduleTerms: (stream, amountMinor) =>
        unlessDeleted(undefined, () => termsIn(log, stream, amountMinor)),
      claimerOf: (guestId) => unlessDeleted(undefined, () => claimerIn(log, guestStream(guestId))),
      wasCanceled: (stream, before) =>
        unlessDeleted(false, () => hasBefore(log, stream, before, isCancellation)),
      forgettingAskedAt: (stream, before) =>
        unlessDeleted(undefined, () => forgettingAskedIn(log, stream, before)),
      hadPasskeyEvent: (stream, of, before) =>
        unlessDeleted(false, () => hasBefore(log, stream, before, isPasskeyEvent(of))),
    };
  }

  async #keep({ tells, forgets, epochAt }: Part, client: PoolClient): Promise<void> {
    const { store, vault } = this.options;
    await store.put(tells, client);
    if (forgets !== undefined) {
      await store.forget(forgets, client);
      await vault.forgetIn(client, forgets);
    }
    // What the lost history told may have been mailed: from before its end nothing is.
    if (epochAt !== undefined)
      await client.query(
        'update edge.message_marks set no_mail_before = greatest(no_mail_before, $1::timestamptz)',
        [epochAt],
      );
  }
}

interface Part {
  readonly tells: readonly MessageToKeep[];
  readonly forgets?: string;
  readonly epochAt?: Date;
}

type ReadEvent = Part & { readonly raw: RawEvent };

const isNews = ({ tells, forgets, epochAt }: ReadEvent): boolean =>
  tells.length > 0 || forgets !== undefined || epochAt !== undefined;

/** Runs of messages that are kept at once, each up to an event that does more. */
function partsOf(events: readonly ReadEvent[]): Part[] {
  const parts: Part[] = [];
  let tells: MessageToKeep[] = [];
  for (const event of events) {
    tells.push(...event.tells);
    if (event.forgets === undefined && event.epochAt === undefined) continue;
    parts.push({ ...event, tells });
    tells = [];
  }
  return tells.length === 0 ? parts : [...parts, { tells }];
}

/** What a stream says, or what is taken for it where the stream was deleted for good. */
async function unlessDeleted<T>(fallback: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ReadRefused && error.because === 'deleted') return fallback;
    throw error;
  }
}

/** A text that does not open, or a key that is gone, holds up nobody: the message goes without the link. */
async function refusalLink(
  vault: Pick<Vault, 'unsealOr' | 'seal'>,
  userId: string,
  refusalToken: Sealed,
): Promise<Sealed | undefined> {
  const token = await vault.unsealOr(refusalToken, undefined);
  if (token === undefined) return undefined;
  try {
    return await vault.seal(userId, refusalPath(userId, token));
  } catch (error) {
    if (error instanceof KeyDestroyed || error instanceof UnreadableText) return undefined;
    throw error;
  }
}

type Streams = Pick<EventLog, 'readStream'>;

/** Who was the first to claim the receipts of a guest's stream. */
async function claimerIn(log: Streams, stream: string): Promise<string | undefined> {
  for await (const raw of log.readStream(stream, 0)) {
    const { event } = storedEvent(raw);
    if (event?.type === 'GuestTipsClaimed') return event.data.userId;
  }
  return undefined;
}

/** When the last wish to be forgotten was told of in a user's stream, before this revision. */
async function forgettingAskedIn(log: Streams, stream: string, before: number): Promise<string | undefined> {
  let requestedAt: string | undefined;
  for await (const raw of log.readStream(stream, 0)) {
    if (raw.revision >= before) break;
    const { event } = storedEvent(raw);
    if (event?.type === 'ForgettingRequested') ({ requestedAt } = event.data);
  }
  return requestedAt;
}

/** The terms of a schedule when it asked for so much; those of now where no amount is given. */
async function termsIn(
  log: Streams,
  stream: string,
  amountMinor: number | undefined,
): Promise<ScheduleTerms | undefined> {
  let terms: ScheduleTerms | undefined;
  for await (const raw of log.readStream(stream, 0, amountMinor === undefined ? undefined : 1)) {
    const { event } = storedEvent(raw);
    if (event?.type === 'SubscriptionCreated' || event?.type === 'PaymentScheduled') {
      const { recipientId, currency } = event.data;
      terms = { recipientId, amountMinor: amountMinor ?? event.data.amountMinor, currency };
    } else if (terms === undefined) return undefined;
    else if (event?.type === 'SubscriptionAmountChanged' || event?.type === 'ScheduledPaymentAmountChanged')
      terms = { ...terms, amountMinor: event.data.amountMinor };
  }
  return terms;
}

/** Whether a stream has such an event before this revision. */
async function hasBefore(
  log: Streams,
  stream: string,
  before: number,
  isWanted: (raw: RawEvent) => boolean,
): Promise<boolean> {
  for await (const raw of log.readStream(stream, 0)) {
    if (raw.revision >= before) return false;
    if (isWanted(raw)) return true;
  }
  return false;
}

const isCancellation = ({ type }: RawEvent): boolean =>
  type === 'SubscriptionCanceled' || type === 'ScheduledPaymentCanceled';

const isPasskeyEvent =
  ({ type, passkeyId }: PasskeyChange) =>
  (raw: RawEvent): boolean => {
    const { event } = storedEvent(raw);
    return event?.type === type && 'passkeyId' in event.data && event.data.passkeyId === passkeyId;
  };
