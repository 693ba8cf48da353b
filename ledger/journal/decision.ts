/** What a rule answers, in the words that all rules share. */
import { sameFingerprint } from '#contracts/plain/fingerprint';
import type { JournalEvent } from '#contracts/events/journal';
import type { Limits } from '#contracts/limits';
import { Rejected } from '../rejection.js';
import type { KeyedProvenance } from '#log/record';

import { KEY_SKEW_MS, keyTimeMs } from './keys.js';
import { findEntry, isQuestion, type Known, type Question } from './find.js';
import type { KeptEntry, Route } from './state.js';

export type Decision =
  | { readonly kind: 'entry'; readonly key: string; readonly event: JournalEvent }
  /**
   * It has happened already: nothing to write, the same answer. `of` is unknown for what is older than the
   * window.
   */
  | {
      readonly kind: 'repeat';
      readonly key: string;
      readonly of: KeptEntry | undefined;
      /** Of an occurrence: the route that was taken. */
      readonly route?: Route;
    }
  | { readonly kind: 'ask'; readonly question: Question };

export const entry = (key: string, event: JournalEvent): Decision => ({ kind: 'entry', key, event });
export const repeat = (key: string, of: KeptEntry | undefined): Decision => ({ kind: 'repeat', key, of });
export const ask = (question: Question): Decision => ({ kind: 'ask', question });

/** What a rule judges a command by. */
export interface Case extends Known {
  readonly context: KeyedProvenance;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly limits: Limits;
}

/**
 * What a user asks for, under a key of their client's: at most once, and never with another body. `fresh` is
 * the rule for what was not asked before.
 */
export function decideOnce(known: Case, fresh: (key: string) => Decision): Decision {
  const { context, now } = known;
  const { key } = context;
  if (key === undefined) throw new Error('What a user asks needs a key');
  const madeMs = keyTimeMs(key);
  if (madeMs !== undefined && madeMs > now + KEY_SKEW_MS) throw new Rejected('KeyFromTheFuture', { key });
  const before = findEntry(key, known, { madeMs });
  if (isQuestion(before)) return ask(before);
  if (!before) return fresh(key);
  // A recovered entry has none, but names the key: its body is that of whoever made the key.
  if (before.fingerprint !== undefined && !sameFingerprint(before.fingerprint, context.fingerprint))
    throw new Rejected('KeyReused', { key });
  return repeat(key, before);
}
