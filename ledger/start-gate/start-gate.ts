/**
 * The gate before the log. Nothing is appended before this process has compared the log with what others have
 * seen of it: rows, archive, and itself, after each reconnect anew, since a store that comes back may be
 * another one. A log that lacks something is in recovery: a row says so to every process, and nothing is
 * appended until an operator has ended it. Streams whose metadata hide events close the gate as well, as long
 * as they do.
 */
import { JOURNAL } from '#contracts/events/journal';
import { METADATA_PREFIXES, ourStreamOfMetadata } from '#contracts/events/our-streams';
import { START } from '#contracts/log';
import { LogUnavailable, OutcomeUnknown, type EventLog, type RawEvent } from '#log/event-log';
import { assertVisible, hiddenBy, HiddenEvents, hidingPart, limitsReaders } from '#log/hidden-events';
import type { LogRecovery } from '#log/log-recovery';
import { WritesClosed } from '../rejection.js';
import {
  lossAgainst,
  refuseRowsGivenUp,
  type KnownEvent,
  type KnownSource,
  type LogLoss,
} from './known-events.js';

const AGAIN_MS = 250;
/** A loss is written down once it was found so often in a row: it closes everything for everybody. */
const FOUND_TIMES = 2;

const LOST_EARLIER =
  'This process still has the books of the log before its recovery. Start it again: it reads the log anew.';

interface StartGateParts {
  readonly log: EventLog;
  /** Who has seen the log from outside of this process. */
  readonly sources: readonly KnownSource[];
  /** What this process has read and written itself, the furthest of the journal and of any stream. */
  readonly own: () => readonly KnownEvent[];
  /** Writes the row that says what the log has lost; answers the one that stands. */
  readonly writeRow: (loss: LogLoss) => Promise<LogRecovery | undefined>;
  /** Told of each change of {@link StartGate.closed}. */
  readonly changed?: (closed: string | undefined) => void;
  /** Told of what kept a comparison from its end. */
  readonly failed?: (error: unknown) => void;
  /** What has to be done before the first append; again until it succeeds. */
  readonly beforeFirst?: () => Promise<void>;
  readonly againMs?: number;
}

export class StartGate {
  /** The log of this connection was compared, and lacked nothing. */
  #isCompared = false;
  /** By stream: what hides its events. */
  readonly #hidden = new Map<string, string>();
  #recovery: LogRecovery | undefined;
  #hadRecovery = false;
  #mustRestart = false;
  #timesFound = 0;
  /** All streams' metadata have been read once. */
  #hasScanned = false;
  #hasOpened = false;
  readonly #ending = new AbortController();
  readonly #waiting = new Set<() => void>();
  #told: string | undefined;
  #failure: string | undefined;

  constructor(private readonly parts: StartGateParts) {}

  get isOpen(): boolean {
    return this.#isCompared && this.closed === undefined;
  }

  /**
   * Why nothing is appended, in a sentence for whoever runs this; undefined while it is open, or not compared
   * yet.
   */
  get closed(): string | undefined {
    const [hidden] = this.#hidden.values();
    if (hidden !== undefined) return hidden;
    if (this.#recovery !== undefined)
      return `The log is in recovery: it has lost something. ${this.#recovery.reason} Run: encore operate recover`;
    return this.#mustRestart ? LOST_EARLIER : undefined;
  }

  /** Why the log is not compared yet; undefined once it is, or while nothing has kept it from that. */
  get waiting(): string | undefined {
    return this.#isCompared || this.#failure === undefined
      ? undefined
      : `The log is not compared yet with what others have seen of it: ${this.#failure}`;
  }

  /** What the log has lost, as far as it is known; undefined while it is not in recovery. */
  get recovery(): LogRecovery | undefined {
    return this.#recovery;
  }

  /** How many streams of ours do not show all their events. */
  get hiddenStreams(): number {
    return this.#hidden.size;
  }

  /** Begins to compare, and goes on until `stop`. */
  start(): void {
    const { health } = this.parts.log;
    const leave = health.onChange(() => {
      if (health.awaySince !== undefined) this.#isCompared = false;
    });
    this.#ending.signal.addEventListener('abort', leave, { once: true });
    void this.#run();
  }

  stop(): void {
    this.#ending.abort();
    this.#wake();
  }

  /** What the row says, whichever process wrote it; undefined: there is none, or none any more. */
  noteRecovery(recovery: LogRecovery | undefined): void {
    const isEnd = this.#recovery !== undefined && recovery === undefined;
    this.#recovery = recovery;
    this.#hadRecovery ||= recovery !== undefined;
    // What was appended meanwhile, and by whom, is not known here.
    if (isEnd) this.#isCompared = false;
    this.#tell();
  }

  /** Something proves that the log has lost what it says: the row is written, and the gate closes. */
  async found(loss: LogLoss): Promise<void> {
    this.#timesFound = 0;
    const hadRecovery = this.#hadRecovery;
    this.noteRecovery({ ...loss, foundAt: new Date() });
    try {
      this.noteRecovery(await this.parts.writeRow(loss));
    } catch (error) {
      // It is compared and found again: nothing is appended meanwhile.
      this.noteRecovery(undefined);
      this.#hadRecovery = hadRecovery;
      throw error;
    }
  }

  /** Throws {@link WritesClosed} while nothing may be appended. A comparison under way is no reason. */
  assertNotClosed(): void {
    const { closed } = this;
    if (closed !== undefined) throw new WritesClosed(closed);
  }

  /** Resolves once the gate is open. */
  async opened(): Promise<void> {
    while (!this.isOpen && !this.#ending.signal.aborted) await this.#change();
  }

  /** Resolves once the gate is known to be closed. */
  async closedOnce(): Promise<void> {
    while (this.closed === undefined) await this.#change();
  }

  /** Resolves once the gate is open or known to be closed. */
  async settled(): Promise<void> {
    while (!this.isOpen && this.closed === undefined && !this.#ending.signal.aborted) await this.#change();
  }

  /** Waits until the gate is open. Throws {@link WritesClosed}; OutcomeUnknown where that takes too long. */
  async pass(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), withinMs);
    });
    try {
      const settled = await Promise.race([this.settled(), late]);
      this.assertNotClosed();
      if (settled === 'late' || !this.isOpen)
        throw new OutcomeUnknown('The log has not been compared with what others have seen of it yet');
    } finally {
      clearTimeout(timer);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const life = new AbortController();
      const leave = (): void => life.abort();
      signal.addEventListener('abort', leave, { once: true });
      try {
        await this.#connected(life.signal);
      } catch (error) {
        this.#failed(error);
      }
      signal.removeEventListener('abort', leave);
      leave();
      // Behind the next connection may be another store.
      this.#isCompared = false;
      this.#tell();
      await this.#again();
    }
  }

  /** One life of the connection: it ends when the store goes, which a subscription is told of first. */
  async #connected(signal: AbortSignal): Promise<void> {
    const seen = new Set<string>();
    void this.#compareUntilOpen(signal);
    for await (const item of this.parts.log.follow(START, METADATA_PREFIXES, signal)) {
      if (item.kind === 'event') {
        const stream = ourStreamOfMetadata(item.event.stream);
        if (stream === undefined) continue;
        seen.add(stream);
        await this.#lookAtMetadata(stream, item.event);
      } else if (item.kind === 'caught-up') {
        for (const stream of this.#hidden.keys())
          if (!seen.has(stream) && stream !== JOURNAL) this.#show(stream);
        this.#hasScanned = true;
        this.#wake();
      }
    }
    if (!signal.aborted) throw new LogUnavailable('The subscription to the log ended');
  }

  async #lookAtMetadata(stream: string, { data }: RawEvent): Promise<void> {
    const part = hidingPart(data.value);
    if (part !== undefined) return this.#hide(stream, hiddenBy(stream, part).message);
    if (!limitsReaders(data.value)) return this.#show(stream);
    await this.#probe(stream);
  }

  /** Whether all of a stream can be read, by reading. */
  async #probe(stream: string): Promise<void> {
    try {
      await assertVisible(this.parts.log, stream);
      this.#show(stream);
    } catch (error) {
      if (!(error instanceof HiddenEvents)) throw error;
      this.#hide(stream, error.message);
    }
  }

  #hide(stream: string, why: string): void {
    this.#hidden.set(stream, why);
    this.#tell();
  }

  #show(stream: string): void {
    if (!this.#hidden.delete(stream)) return;
    this.#isCompared = false;
    this.#tell();
  }

  async #compareUntilOpen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!this.isOpen && this.#recovery === undefined) await this.#compare(signal);
      } catch (error) {
        this.#failed(error);
      }
      await (this.#hasScanned ? this.#again() : Promise.race([this.#again(), this.#change()]));
    }
  }

  async #compare(signal: AbortSignal): Promise<void> {
    // Hidden events look like lost ones.
    await this.#probe(JOURNAL);
    if (this.#hidden.size > 0 || !this.#hasScanned) return;
    const { log, sources, own } = this.parts;
    const itself: KnownSource = { from: 'ledger', known: () => Promise.resolve(own()) };
    const witness = log.witness();
    for (const source of [itself, ...sources]) {
      const loss = await lossAgainst(log, source, source.from === 'rows' ? refuseRowsGivenUp : undefined);
      if (!loss) continue;
      await witness.confirm();
      if (signal.aborted) return;
      return this.#suspect(loss);
    }
    await witness.confirm();
    if (signal.aborted) return;
    this.#timesFound = 0;
    if (!this.#hasOpened) await this.parts.beforeFirst?.();
    if (signal.aborted) return;
    this.#hasOpened = true;
    this.#isCompared = true;
    this.#tell();
  }

  async #suspect(loss: LogLoss): Promise<void> {
    this.#timesFound += 1;
    if (this.#timesFound < FOUND_TIMES) return;
    // The log may hold another history than the one that this process remembers, by an operator's act.
    if (loss.knownFrom !== 'ledger' || !this.#hadRecovery) return this.found(loss);
    this.#mustRestart = true;
    this.#tell();
  }

  #failed(error: unknown): void {
    if (this.#ending.signal.aborted) return;
    this.#failure = error instanceof Error ? error.message : String(error);
    this.parts.failed?.(error);
  }

  #again(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.parts.againMs ?? AGAIN_MS).unref());
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #tell(): void {
    const { closed } = this;
    if (closed !== this.#told) this.parts.changed?.(closed);
    this.#told = closed;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
