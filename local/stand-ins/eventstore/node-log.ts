/**
 * The log as one node of several has it. All nodes share one store; what a node shows ends where it was told
 * last, and what becomes of an append depends on what the node is: a leader that the others confirm commits
 * it, a follower forwards it, a leader that is cut off takes it and cannot commit it.
 */
import type { ProposedEvent, StoredAppend } from './events.js';
import {
  NO_STREAM,
  type ExpectedRevision,
  type Log,
  type Outcome,
  type Slice,
  type StreamView,
} from './store.js';

/** What becomes of an append at a node, now. */
export type Route =
  | 'commit'
  /** It is taken by a leader without followers: not committed, not answered in time. */
  | 'hold'
  /** It is forwarded to a leader that is gone. */
  | 'lose'
  | 'refuse'
  | { readonly forwardTo: NodeLog };

/** What happens to a node in the moment when it has taken an append, which it then does not answer. */
interface FaultAtAppend {
  /** Whether the others have been given the append before: it is committed. */
  readonly isKept: boolean;
  readonly occur: () => void;
}

/** How long appends wait for what never comes, in milliseconds. */
export interface Patience {
  readonly commitMs: number;
  readonly forwardMs: number;
}

/** How a node follows the log: at once, not at all, or this many milliseconds behind. */
export type Following = 'at once' | 'not at all' | number;

type Done = (outcome: Outcome) => void;

interface HeldAppend {
  readonly name: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly ProposedEvent[];
  readonly answer: Done;
}

/** A stream as a leader knows it that has taken appends without committing them. */
interface HeldStream {
  /** The last revision that is committed, as far as the node knows. */
  readonly committed: number;
  readonly ids: Buffer[];
}

export class NodeLog implements Log {
  /** Called with what the node is told of, in order. */
  onWritten: (appends: readonly StoredAppend[]) => void = () => undefined;
  /** What happens with the next append. */
  faultAtAppend: FaultAtAppend | undefined;
  private following: Following = 'at once';
  /** The last position that is shown; undefined: all there is. */
  private until: number | undefined;
  /** Up to where a node that follows from behind has waited long enough. */
  private due = 0;
  private advancing = false;
  private held: HeldAppend[] = [];
  private heldStreams = new Map<string, HeldStream>();
  private readonly unanswered = new Set<Done>();

  constructor(
    private readonly store: Log,
    private readonly route: () => Route,
    private readonly patience: Patience,
  ) {}

  disk(): ReturnType<Log['disk']> {
    return this.store.disk();
  }

  get lastPosition(): number {
    return Math.min(this.store.lastPosition, this.end);
  }

  private get end(): number {
    return this.until ?? Infinity;
  }

  /** Whether the node has taken appends that it could not commit: its log is not that of the others. */
  get hasTakenMore(): boolean {
    return this.held.length > 0;
  }

  isBehind(): boolean {
    return this.until !== undefined;
  }

  settled(): Promise<void> {
    return this.store.settled();
  }

  view(name: string, until = Infinity): StreamView {
    return this.store.view(name, Math.min(until, this.end));
  }

  isDeleted(name: string, until = Infinity): boolean {
    return this.store.isDeleted(name, Math.min(until, this.end));
  }

  event(name: string, revision: number, until = Infinity): ReturnType<Log['event']> {
    return this.store.event(name, revision, Math.min(until, this.end));
  }

  sliceAll(from: number, backwards: boolean, until = Infinity): Slice[] {
    return this.store.sliceAll(from, backwards, Math.min(until, this.end));
  }

  sliceStream(
    name: string,
    from: number,
    bounds: { first: number; last: number },
    backwards: boolean,
  ): Slice[] {
    return this.store.sliceStream(name, from, bounds, backwards);
  }

  append(name: string, expected: ExpectedRevision, events: readonly ProposedEvent[], done: Done): void {
    const fault = events.length > 0 ? this.faultAtAppend : undefined;
    if (fault) {
      this.faultAtAppend = undefined;
      if (fault.isKept) this.store.append(name, expected, events, () => undefined);
      else this.hold(name, expected, events, done);
      fault.occur();
      if (fault.isKept) this.leaveUnanswered(done, this.patience.commitMs);
      return;
    }
    this.take(
      done,
      (target, answer) => target.append(name, expected, events, answer),
      () => this.hold(name, expected, events, done),
    );
  }

  remove(name: string, expected: ExpectedRevision, forGood: boolean, done: Done): void {
    this.take(
      done,
      (target, answer) => target.remove(name, expected, forGood, answer),
      () => this.leaveUnanswered(done, this.patience.commitMs),
    );
  }

  /** Something was committed. */
  noticeWritten(appends: readonly StoredAppend[]): void {
    if (this.until === undefined) this.onWritten(appends);
    else if (typeof this.following === 'number') this.advanceLater(this.following);
  }

  follow(following: Following): void {
    this.following = following;
    if (following === 'at once') this.advance();
    else {
      this.until ??= this.store.lastPosition;
      if (following !== 'not at all') this.advanceLater(following);
    }
  }

  /** Shows at once all there is: who leads knows everything that is committed. */
  catchUp(): void {
    this.following = 'at once';
    while (this.until !== undefined) this.step();
  }

  /** Refuses to wait any longer for what was taken and not committed: whether it is written is unknown. */
  giveUpWaiting(): void {
    for (const answer of this.unanswered) answer({ kind: 'timed-out' });
  }

  /** Commits what was taken meanwhile: the followers are back, and nobody else has led. */
  commitHeld(): void {
    const { held } = this;
    this.forgetHeld();
    for (const { name, expected, events, answer } of held) this.store.append(name, expected, events, answer);
  }

  forgetHeld(): void {
    this.held = [];
    this.heldStreams.clear();
  }

  private take(done: Done, go: (target: Log, answer: Done) => void, hold: () => void): void {
    const route = this.route();
    if (route === 'refuse') setImmediate(done, { kind: 'not-ready' });
    else if (route === 'hold') hold();
    else if (route === 'lose') this.leaveUnanswered(done, this.patience.forwardMs);
    else if (route === 'commit') {
      go(this.store, (outcome) => {
        // Only a leader that still has its followers knows that it is committed.
        if (this.route() === 'commit') done(outcome);
        else this.leaveUnanswered(done, this.patience.commitMs);
      });
    } else {
      const answer = this.leaveUnanswered(done, this.patience.forwardMs);
      go(route.forwardTo, (outcome) => {
        // The answer comes back over the connection to the leader, unless that is gone.
        if (typeof this.route() === 'object') answer(outcome);
      });
    }
  }

  /** Answers in time that nobody knows, unless the answer is given before. */
  private leaveUnanswered(done: Done, withinMs: number): Done {
    const answer = (outcome: Outcome): void => {
      if (!this.unanswered.delete(answer)) return;
      clearTimeout(timer);
      done(outcome);
    };
    const timer = setTimeout(() => answer({ kind: 'timed-out' }), withinMs);
    this.unanswered.add(answer);
    return answer;
  }

  /** Judges as a leader does that knows only of itself, and takes what it would write. */
  private hold(name: string, expected: ExpectedRevision, events: readonly ProposedEvent[], done: Done): void {
    const view = this.view(name);
    if (view.state === 'deleted') {
      setImmediate(done, { kind: 'stream-deleted' });
      return;
    }
    const stream = this.heldStreams.get(name) ?? { committed: view.last, ids: [] };
    const head = stream.committed + stream.ids.length;
    const after = expected === 'no_stream' ? NO_STREAM : expected;
    if (typeof after === 'number' && after !== head) {
      const outcome = this.outcomeBelow(name, stream, after, events);
      if (outcome === 'repeated') this.leaveUnanswered(done, this.patience.commitMs);
      else setImmediate(done, outcome);
      return;
    }
    this.heldStreams.set(name, stream);
    for (const { id } of events) stream.ids.push(id);
    const answer = this.leaveUnanswered(done, this.patience.commitMs);
    this.held.push({ name, expected, events, answer });
  }

  private outcomeBelow(
    name: string,
    stream: HeldStream,
    after: number,
    events: readonly ProposedEvent[],
  ): Outcome | 'repeated' {
    const head = stream.committed + stream.ids.length;
    const last = after + events.length;
    const found = (revision: number): Buffer | undefined => {
      if (revision > stream.committed) return stream.ids[revision - stream.committed - 1];
      const event = this.event(name, revision);
      return event?.append.id(event.index);
    };
    const isRepeat =
      last <= head &&
      events.length > 0 &&
      events.every(({ id }, index) => found(after + 1 + index)?.equals(id));
    if (!isRepeat) return { kind: 'wrong-expected-revision', current: head };
    if (last > stream.committed) return 'repeated';
    const event = this.event(name, last);
    return { kind: 'written', revision: last, position: event?.append.positionOf(event.index) };
  }

  private advanceLater(ms: number): void {
    const position = this.store.lastPosition;
    setTimeout(() => {
      this.due = Math.max(this.due, position);
      this.advance();
    }, ms);
  }

  private advance(): void {
    if (this.advancing) return;
    this.advancing = true;
    const next = (): void => {
      this.advancing = this.step();
      if (this.advancing) setImmediate(next);
    };
    next();
  }

  /** Shows some more. False: that is all for now. */
  private step(): boolean {
    if (this.until === undefined || this.following === 'not at all') return false;
    const limit = this.following === 'at once' ? Infinity : this.due;
    const appends = this.store.sliceAll(this.until + 1, false, limit).map(({ append }) => append);
    const last = appends.at(-1);
    if (last) {
      this.until = last.lastPosition;
      this.onWritten(appends);
      return true;
    }
    if (this.following === 'at once') this.until = undefined;
    return false;
  }
}
