/**
 * A batch: what one append takes of the commands that wait, each decided on a draft of the books as the ones
 * before it leave them, and the entries encoded and chained.
 */
import { recordedFingerprint } from '#contracts/plain/fingerprint';
import type { Limits } from '#contracts/limits';
import { UnreadableEvent } from '#contracts/events/index';
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import type { NewEvent } from '#log/event-log';
import { record, type KeyedProvenance, type Recording, type Tip } from '#log/record';
import { Rejected } from '../rejection.js';
import { doesNotApply } from './applicable.js';
import { admit, decide, evolve } from './books.js';
import type { RecordingClock } from './clock.js';
import type { Decision } from './decision.js';
import { refuse, resolve, type Queue, type QueuedCommand } from './queue.js';
import { receiptOf } from './receipt.js';
import type { Question } from './find.js';
import type { Books, Landing } from './state.js';

type FinalDecision = Exclude<Decision, { kind: 'ask' }>;

type Verdict =
  | { readonly waiting: QueuedCommand; readonly decision: FinalDecision; readonly revision: number }
  | { readonly waiting: QueuedCommand; readonly refusal: Rejected };

/** An entry of ours: what the resident window keeps of it when it has landed. */
interface NewEntry {
  readonly event: JournalEvent;
  readonly key: string;
  readonly revision: number;
  readonly recordedAtMs: number;
}

export interface Batch {
  readonly verdicts: readonly Verdict[];
  /** The books as the batch will leave them. */
  readonly draft: Books;
  readonly events: readonly NewEvent[];
  readonly entries: readonly NewEntry[];
  /** The end of the journal before it, and after it. */
  readonly from: Tip;
  readonly tip: Tip;
  readonly landing: Landing;
}

/** One append may hold 1 MiB; half of it keeps its latency low. */
const MAX_BYTES = 512 * 1024;
const MAX_ENTRIES = 512;

/** Whoever is told of commands that come to no entry. */
interface Attendants {
  /** This command waits for the archive's answer to a question. */
  readonly ask: (waiting: QueuedCommand, question: Question) => void;
  /** This command was refused though no rule speaks against it: what it brings cannot be booked. */
  readonly alarm: (waiting: QueuedCommand, error: unknown) => void;
}

/**
 * Cuts the next batch, to follow `from`; undefined where no command comes to a verdict. Nothing that one
 * command brings can stop the others: it is refused alone.
 */
export function cut(
  queue: Queue,
  from: { readonly books: Books; readonly tip: Tip },
  clock: RecordingClock,
  { ask, alarm }: Attendants,
  limits: Limits,
): Batch | undefined {
  const draft = from.books.draft();
  const landing: Landing = { position: undefined };
  const verdicts: Verdict[] = [];
  const events: NewEvent[] = [];
  const entries: NewEntry[] = [];
  const { nowMs, storeNowMs } = clock;
  let { tip } = from;
  let bytes = 0;

  const decideOn = (waiting: QueuedCommand): void => {
    const judged = judge(waiting, draft, tip, { nowMs, storeNowMs, limits });
    if (judged.kind === 'ask') return ask(waiting, judged.question);
    if (judged.kind === 'failed') {
      alarm(waiting, judged.error);
      return refuse(waiting, judged.error);
    }
    if (judged.kind === 'refused') {
      if (judged.refusal.reason === 'DoesNotApply') alarm(waiting, judged.refusal);
      return void verdicts.push({ waiting, refusal: judged.refusal });
    }
    if (judged.kind === 'entry') {
      const { event, key } = judged.decision;
      ({ tip } = judged.recording);
      bytes += judged.recording.bytes;
      events.push(judged.recording.event);
      entries.push({ event, key, revision: tip.revision, recordedAtMs: tip.recordedAtMs });
      if (waiting.history) admit(waiting.history, draft);
      const { fingerprint: given } = waiting.context;
      const fingerprint = given === undefined ? undefined : recordedFingerprint(given);
      evolve(event, { ...tip, key, fingerprint, landing }, draft);
    }
    verdicts.push({ waiting, decision: judged.decision, revision: tip.revision });
  };
  queue.take(() => events.length >= MAX_ENTRIES || bytes >= MAX_BYTES, decideOn);
  if (verdicts.length === 0) return undefined;
  return { verdicts, draft, events, entries, from: from.tip, tip, landing };
}

type CommandJudgement =
  | {
      readonly kind: 'entry';
      readonly decision: Extract<FinalDecision, { kind: 'entry' }>;
      readonly recording: Recording;
    }
  | { readonly kind: 'repeat'; readonly decision: Extract<FinalDecision, { kind: 'repeat' }> }
  | { readonly kind: 'refused'; readonly refusal: Rejected }
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'failed'; readonly error: unknown };

/** One command's verdict. What throws here has changed nothing, and is that command's alone. */
function judge(
  waiting: QueuedCommand,
  draft: Books,
  tip: Tip,
  { nowMs, storeNowMs, limits }: Pick<RecordingClock, 'nowMs' | 'storeNowMs'> & { readonly limits: Limits },
): CommandJudgement {
  const { command, context, history } = waiting;
  try {
    // A payer's key is judged by the store's clock: ours being late is not their fault.
    const decision = decide(command, context, draft, storeNowMs, history, limits);
    if (decision.kind === 'ask') return decision;
    if (decision.kind === 'repeat') return { kind: 'repeat', decision };
    const provenance = { ...context, key: decision.key };
    return { kind: 'entry', decision, recording: recordingOf(decision.event, provenance, tip, nowMs) };
  } catch (error) {
    return error instanceof Rejected ? { kind: 'refused', refusal: error } : { kind: 'failed', error };
  }
}

/** Throws Rejected for an entry that no reader could read. */
function recordingOf(event: JournalEvent, provenance: KeyedProvenance, tip: Tip, nowMs: number): Recording {
  try {
    return record(JOURNAL, event, provenance, tip, nowMs);
  } catch (error) {
    throw error instanceof UnreadableEvent ? doesNotApply(event.type, error) : error;
  }
}

/** Answers a batch that is durable. */
export function answerAll({ verdicts, landing }: Batch): void {
  for (const verdict of verdicts)
    if ('refusal' in verdict) refuse(verdict.waiting, verdict.refusal);
    else resolve(verdict.waiting, receiptOf(verdict.decision, verdict.revision, landing));
}

export const commandsOf = ({ verdicts }: Batch): QueuedCommand[] => verdicts.map(({ waiting }) => waiting);
