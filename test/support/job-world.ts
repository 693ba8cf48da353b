/**
 * Jobs in a world of their own: a clock that is moved by hand, a ledger that answers as told, marks and
 * tries.
 */
import { isDeepStrictEqual } from 'node:util';
import type { InternalAnswer, InternalCommand, LogEnd } from '#contracts/api/internal';
import { backOffMs } from '#workers/jobs/back-off';
import type { BehindKind, JobContext, Mark, MarkName } from '#workers/jobs/context';

export const NOON = new Date('2026-03-10T12:00:00.000Z');

type CommandOf<T extends InternalCommand['type']> = Extract<InternalCommand, { type: T }>;
type Answer = (command: InternalCommand) => InternalAnswer | Promise<InternalAnswer>;

/** Two at a time, as a read model gives them. */
export const pagesOf =
  <T, K extends keyof T>(all: readonly T[], key: K, size = 2) =>
  (after: T | undefined): Promise<readonly T[]> => {
    const from = after ? all.findIndex((one) => one[key] === after[key]) + 1 : 0;
    return Promise.resolve(all.slice(from, from + size));
  };

/** As Redis does it: a mark is moved only from where it still stands. */
export function movedMark(marks: Map<MarkName, Mark>, name: MarkName, from: Mark, to: Mark): boolean {
  const known = marks.get(name);
  if (known === undefined || !isDeepStrictEqual(known, from)) return false;
  marks.set(name, to);
  return true;
}

export class JobWorld {
  nowMs = NOON.getTime();
  /** Where the log ends, and all ends that it holds. */
  log: LogEnd = { revision: 9, hash: 'h9' };
  readonly heads = new Set(['9 h9']);
  readonly asked: InternalCommand[] = [];
  readonly declined: InternalCommand[] = [];
  readonly marks = new Map<MarkName, Mark>();
  readonly behind = new Map<string, Date>();
  readonly tries = new Map<string, { readonly tries: number; readonly againAtMs: number }>();
  readonly #answers = new Map<InternalCommand['type'], Answer>();
  readonly context: JobContext;

  constructor(over: Partial<JobContext> = {}) {
    this.context = { ...this.#contextOf(), ...over };
  }

  /** A mark that was set on the log as it is. */
  mark(name: MarkName, at: Date): void {
    this.marks.set(name, { at, log: this.log });
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  answers<T extends InternalCommand['type']>(
    type: T,
    answer: (command: CommandOf<T>) => InternalAnswer | Promise<InternalAnswer>,
  ): void {
    this.#answers.set(type, (command) => answer(command as CommandOf<T>));
  }

  async #ask(command: InternalCommand): Promise<InternalAnswer> {
    if (command.type === 'FindLogEnd') {
      const { known } = command;
      const isKnown = known !== undefined && this.log.revision >= known.revision && this.#isHeld(known);
      return { looked: 1, failed: [], log: this.log, isKnown };
    }
    this.asked.push(command);
    return (await this.#answers.get(command.type)?.(command)) ?? { looked: 1, failed: [] };
  }

  #isHeld({ revision, hash }: LogEnd): boolean {
    return this.heads.has(`${revision} ${hash}`);
  }

  #behindOf(kind: BehindKind): Map<string, Date> {
    return new Map(
      [...this.behind].flatMap(([name, since]) =>
        name.startsWith(`${kind} `) ? [[name.slice(kind.length + 1), since] as const] : [],
      ),
    );
  }

  #contextOf(): JobContext {
    const none = () => Promise.resolve([]);
    return {
      mail: undefined,
      now: () => new Date(this.nowMs),
      marks: {
        get: (name) => Promise.resolve(this.marks.get(name)),
        set: (name, mark) => Promise.resolve(void this.marks.set(name, mark)),
        move: (name, from, to) => Promise.resolve(movedMark(this.marks, name, from, to)),
        behind: (kind) => Promise.resolve(this.#behindOf(kind)),
        leaveBehind: (kind, id, since) => {
          const name = `${kind} ${id}`;
          if (!this.behind.has(name)) this.behind.set(name, since);
          return Promise.resolve();
        },
        caughtUp: (kind, id) => Promise.resolve(void this.behind.delete(`${kind} ${id}`)),
      },
      ask: (command) => this.#ask(command),
      attempts: {
        due: (names) =>
          Promise.resolve(
            new Map(
              names.flatMap((name) => {
                const { tries = 0, againAtMs = 0 } = this.tries.get(name) ?? {};
                return againAtMs <= this.nowMs ? [[name, tries] as const] : [];
              }),
            ),
          ),
        note: (name) => {
          const tries = (this.tries.get(name)?.tries ?? 0) + 1;
          const againAtMs = this.nowMs + backOffMs(tries, { firstMs: 60_000, longestMs: 900_000 });
          return Promise.resolve(void this.tries.set(name, { tries, againAtMs }));
        },
        done: (name) =>
          Promise.resolve(void this.tries.set(name, { tries: 0, againAtMs: this.nowMs + 26 * 3_600_000 })),
      },
      unappliedCharges: none,
      unresolvedPayments: none,
      unfinishedPayouts: none,
      payoutAccounts: none,
      payoutRetryMs: 300_000,
      usersWithStuckBankAccounts: none,
      halfForgotten: none,
      dueToBeForgotten: () => Promise.resolve([]),
      dueSchedules: none,
      enqueue: () => Promise.resolve(),
      declined: (command) => void this.declined.push(command),
    };
  }
}
