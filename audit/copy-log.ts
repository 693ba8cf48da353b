/**
 * Copies a log to another store: every event of ours, in the order of the whole log, with its stream,
 * revision, id, type, data and metadata, and so with its chain. What the store itself made (positions, its
 * clock, its own streams) is the new store's.
 *
 * The target must be empty or the beginning of the source: it is read beside the source and compared before
 * anything is written. That is also how an interrupted copy goes on, and how a finished one is verified.
 * Events are appended one run of neighbours of one stream at a time, each after the one before: two at once
 * could land in another order. Until all of it is there and was compared, the target is marked as a copy that
 * is not complete: half a copy has a chain that holds, too.
 */
import { createHash } from 'node:crypto';
import { JOURNAL } from '#contracts/events/journal';
import { isOurStream, isSystemStream } from '#contracts/events/our-streams';
import { START } from '#contracts/log';
import { isOutage } from '#contracts/outage';
import {
  WrongExpectedRevision,
  type EventLog,
  type LogSource,
  type NewEvent,
  type RawEvent,
} from '#log/event-log';
import { ChainBroken, ChainVerifier } from '#log/chain';
import { copyStateOf, markCopy } from '#log/copy-mark';
import { plainMessage } from '#projections/engine/database';

/** An append holds one mebibyte at most; this leaves room for what the store adds. */
const APPEND_BYTES = 512 * 1024;
const APPEND_EVENTS = 500;
const APPEND_TIMEOUT_MS = 30_000;
const TELL_EVERY = 10_000;

/** The source cannot be copied to this target; the message says why. What is there stays as it is. */
export class CannotCopy extends Error {
  override readonly name = 'CannotCopy';
}

const HOLDS_MORE =
  'The target is not empty: it holds all of the source and more, so it is not a copy of it. Copy to a new, empty store.';

/** The target has all of the source at its beginning, and so many events behind it. */
export class HoldsMore extends CannotCopy {
  constructor(readonly more: number) {
    super(HOLDS_MORE);
  }
}

/** A store could not be reached in the middle of it; the message says which, and how to go on. */
export class CopyInterrupted extends Error {
  override readonly name = 'CopyInterrupted';

  constructor(
    private readonly which: 'source' | 'target',
    error: unknown,
  ) {
    super(interruption(which, plainMessage(error)), { cause: error });
  }

  /** The same, for a reason that says more than the error. */
  because(why: string): string {
    return interruption(this.which, why);
  }
}

const interruption = (which: string, why: string): string =>
  `The ${which} could not be reached, and the copy is not complete: ${why.replace(/\.$/, '')}. ` +
  'What has been copied stays where it is. Run the same command again: it compares what is there and goes on behind it.';

interface CopyOptions {
  /**
   * The source proves by itself that what is read was written, as an exported log does. Then an event outside
   * the journal that no ledger wrote is copied as it is, and parks its stream there as well.
   */
  readonly isProven?: boolean;
}

export interface CopyResult {
  /** How many events this run wrote. */
  readonly written: number;
  /** What both logs hold now. */
  readonly events: number;
  readonly streams: number;
  /** Streams whose events carry hashes; each of them holds. */
  readonly chained: number;
  /** Events of the source's own streams, which were left where they are. */
  readonly passedOver: number;
  /** Events of other applications in the source, which were left where they are, too. */
  readonly foreign: number;
  /** SHA-256 over every event and their order: the same for the same log, wherever it is. */
  readonly fingerprint: string;
}

/**
 * Copies what the target lacks and verifies that both are the same. Throws {@link CannotCopy} or
 * {@link CopyInterrupted}.
 */
export async function copyLog(
  source: LogSource,
  target: EventLog,
  tell: (sentence: string) => void,
  { isProven = false }: CopyOptions = {},
): Promise<CopyResult> {
  if ((await at('source', copyStateOf(source))) === 'under way')
    throw new CannotCopy(
      'The source is itself a copy that is not complete: go on with that copy first, or copy from where it was made.',
    );
  // The whole of it first: half a copy of a log that is broken further on is of no use to anyone.
  const judge = new SourceReader(isProven);
  for await (const raw of allOf(source)) judge.take(raw);
  await assertNoOthersStore(target);
  const written = await bringOver(source, target, tell, new SourceReader(isProven));
  const reader = new SourceReader(isProven);
  const there = ours(target);
  for await (const raw of allOf(source)) {
    if (!reader.take(raw)) continue;
    const copy = await there.next();
    if (copy.done)
      throw new CannotCopy('The source was written to meanwhile: stop whoever writes to it, and copy again.');
    assertSame(raw, copy.value, reader.events);
  }
  if (!(await there.next()).done)
    throw new CannotCopy(
      'The target was written to meanwhile: it holds more than the source. Stop whoever writes to it, and copy to a new, empty store.',
    );
  if ((await at('target', copyStateOf(target))) !== undefined)
    await at('target', markCopy(target, 'complete'));
  return { written, ...reader.figures() };
}

/** An outage of one of the two is told as that one's. */
async function at<T>(which: 'source' | 'target', asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw isOutage(error) ? new CopyInterrupted(which, error) : error;
  }
}

async function* allOf(
  log: LogSource,
  which: 'source' | 'target' = 'source',
): AsyncGenerator<RawEvent, undefined> {
  const events = log.readAll(START, [''])[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await at(which, events.next());
      if (next.done) return undefined;
      yield next.value;
    }
  } finally {
    await events.return?.();
  }
}

/** The target's events that are ours: beside them are the store's own and other applications'. */
async function* ours(target: LogSource): AsyncGenerator<RawEvent, undefined> {
  for await (const raw of allOf(target, 'target')) if (isOurStream(raw.stream)) yield raw;
  return undefined;
}

/**
 * Says how much of the source a target lacks that holds its beginning, and writes nothing. Throws
 * {@link HoldsMore} for one that goes on behind all of it, {@link CannotCopy} for one that holds anything
 * else of ours, and {@link CopyInterrupted}.
 */
export async function missingFromCopy(
  source: LogSource,
  target: LogSource,
  { isProven = false }: CopyOptions = {},
): Promise<number> {
  const reader = new SourceReader(isProven);
  const there = ours(target);
  let missing = 0;
  for await (const raw of allOf(source)) {
    if (!reader.take(raw)) continue;
    const copy = await there.next();
    if (copy.done) missing += 1;
    else assertSame(raw, copy.value, reader.events);
  }
  let more = 0;
  while (!(await there.next()).done) more += 1;
  if (more > 0) throw new HoldsMore(more);
  return missing;
}

/** Nobody means to copy into a store that others use and that holds nothing of ours yet. */
async function assertNoOthersStore(target: EventLog): Promise<void> {
  let foreign: string | undefined;
  for await (const { stream } of allOf(target, 'target')) {
    if (isOurStream(stream)) return;
    if (!isSystemStream(stream)) foreign ??= stream;
  }
  if (foreign !== undefined && (await at('target', copyStateOf(target))) === undefined)
    throw new CannotCopy(
      `The target is neither empty nor the beginning of the source: it holds another application's streams (such as ${foreign}) ` +
        'and nothing of ours. Copy to a new, empty store.',
    );
}

/**
 * Reads both side by side as far as the target goes, and appends the rest of the source. Answers how many
 * events.
 */
async function bringOver(
  source: LogSource,
  target: EventLog,
  tell: (sentence: string) => void,
  reader: SourceReader,
): Promise<number> {
  const there = ours(target);
  let written = 0;
  let compared = true;
  let run: RawEvent[] = [];
  let bytes = 0;
  const append = async (): Promise<void> => {
    if (run.length === 0) return;
    if (written === 0) await at('target', markCopy(target, 'under way'));
    await at('target', appendRun(target, run));
    if (Math.floor((written + run.length) / TELL_EVERY) > Math.floor(written / TELL_EVERY))
      tell(
        `${written + run.length} events copied, up to revision ${run.at(-1)?.revision} of ${run[0]?.stream} …`,
      );
    written += run.length;
    [run, bytes] = [[], 0];
  };
  for await (const raw of allOf(source)) {
    if (!reader.take(raw)) continue;
    if (compared) {
      const copy = await there.next();
      if (!copy.done) {
        assertSame(raw, copy.value, reader.events);
        continue;
      }
      compared = false;
      if (reader.events > 1)
        tell(`The first ${reader.events - 1} events are there already; going on from there.`);
    }
    const size = raw.data.bytes.length + raw.metadata.bytes.length;
    if (run[0]?.stream !== raw.stream || run.length >= APPEND_EVENTS || bytes + size > APPEND_BYTES)
      await append();
    run.push(raw);
    bytes += size;
  }
  if (compared && !(await there.next()).done) throw new CannotCopy(HOLDS_MORE);
  await append();
  return written;
}

async function appendRun(target: EventLog, run: readonly RawEvent[]): Promise<void> {
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last) return;
  try {
    const { revision } = await target.append(
      first.stream,
      run.map(asNew),
      first.revision - 1,
      APPEND_TIMEOUT_MS,
    );
    if (revision === last.revision) return;
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
  }
  throw new CannotCopy(
    `The target would not take revision ${first.revision} of ${first.stream}: somebody else writes to it, or its stream was deleted. Copy to a new, empty store to which nobody writes.`,
  );
}

function asNew({ id, type, data, metadata }: RawEvent): NewEvent {
  return { id, type, data, metadata };
}

/** Judges the source event by event: whether each can be copied so that it stays what it is. */
class SourceReader {
  readonly #revisions = new Map<string, number>();
  readonly #chains = new Map<string, ChainVerifier>();
  readonly #digest = createHash('sha256');
  #passedOver = 0;
  #foreign = 0;
  events = 0;

  constructor(private readonly isProven: boolean) {}

  /** False: it is the store's own, or another application's. Throws {@link CannotCopy}. */
  take(raw: RawEvent): boolean {
    if (!isOurStream(raw.stream)) {
      if (isSystemStream(raw.stream)) this.#passedOver += 1;
      else this.#foreign += 1;
      return false;
    }
    const where = `${raw.stream} at revision ${raw.revision}`;
    if (raw.revision !== (this.#revisions.get(raw.stream) ?? -1) + 1)
      throw new CannotCopy(
        `${where}: the event before it is gone from the source, and a copy would number the rest anew.`,
      );
    this.#revisions.set(raw.stream, raw.revision);
    const [data, metadata] = [raw.data.value, raw.metadata.value];
    if (typeof data !== 'object' || data === null || (metadata !== undefined && typeof metadata !== 'object'))
      throw new CannotCopy(
        `${where}: the event is neither a JSON object nor bytes, and would not stay what it is.`,
      );
    this.#chain(raw);
    this.#digest.update(wholeText(raw));
    this.events += 1;
    return true;
  }

  figures(): Omit<CopyResult, 'written'> {
    return {
      events: this.events,
      streams: this.#revisions.size,
      chained: this.#chains.size,
      passedOver: this.#passedOver,
      foreign: this.#foreign,
      fingerprint: this.#digest.digest('hex'),
    };
  }

  /**
   * A stream that begins with a hash is chained, and its hashes also prove that what was read is what was
   * written, byte for byte.
   */
  #chain(raw: RawEvent): void {
    const isFirst = raw.revision === 0;
    const metadata = raw.metadata.value;
    const isChained = typeof metadata === 'object' && metadata !== null && 'hash' in metadata;
    if (isFirst && isChained) this.#chains.set(raw.stream, new ChainVerifier(raw.stream));
    const chain = this.#chains.get(raw.stream);
    try {
      chain?.next(raw);
    } catch (error) {
      if (!(error instanceof ChainBroken)) throw error;
      if (this.isProven && raw.stream !== JOURNAL) return chain?.skip(raw);
      throw new CannotCopy(
        `The chain of the source is broken, so there is nothing right to copy: ${error.message}.`,
      );
    }
  }
}

function assertSame(raw: RawEvent, copy: RawEvent, number: number): void {
  if (wholeText(raw) === wholeText(copy)) return;
  const named = ({ type, stream, revision }: RawEvent): string =>
    `${type} (${stream} at revision ${revision})`;
  throw new CannotCopy(
    `The target is neither empty nor the beginning of the source: event ${number} is ${named(copy)} there and ${named(raw)} here` +
      `${named(raw) === named(copy) ? ', with another content' : ''}. Copy to a new, empty store.`,
  );
}

/** Everything an event says, as one text. */
function wholeText({ stream, revision, id, type, data, metadata }: RawEvent): string {
  return `${JSON.stringify([stream, revision, id, type, contentOf(data.value), contentOf(metadata.value)])}\n`;
}

/** Bytes are told from an object that looks like them. */
const contentOf = (value: unknown): unknown =>
  ArrayBuffer.isView(value)
    ? `bytes ${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}`
    : value;

/** What a copy came to, for people. */
export function copiedLines({
  written,
  events,
  streams,
  chained,
  passedOver,
  foreign,
  fingerprint,
}: CopyResult): string[] {
  return [
    `Copied ${written} events${written < events ? `; ${events - written} were there already` : ''}.`,
    `Both logs hold the same ${events} events of ${streams} streams in the same order. ${chained} streams are chained, and every chain holds.`,
    ...(passedOver > 0 ? [`${passedOver} events of the source’s own streams were left where they are.`] : []),
    ...(foreign > 0 ? [`${foreign} events of other applications were left where they are.`] : []),
    `Fingerprint of both: ${fingerprint}`,
    'The read models know places in the old log: let them be made anew before the app is started on the new one.',
  ];
}
