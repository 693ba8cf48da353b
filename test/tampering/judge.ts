/** What shows a tampering: the checks of verify that fail, and a head that was signed over the honest log. */
import { verifyEvents } from '#audit/verify';
import type { Forger } from './forger.js';
import { headOf, type Head } from './head.js';

export interface TamperingEvidence {
  /** The checks that fail, in their order. */
  readonly checks: readonly string[];
  /** What they say. */
  readonly findings: readonly string[];
  /** Whether the log no longer fits the head of the honest one. */
  readonly byHead: boolean;
}

export async function shownOf({ log }: Forger, honest: Head): Promise<TamperingEvidence> {
  log.reindex();
  const failed = (await verifyEvents(log)).filter(({ findings }) => findings.length > 0);
  const now = headOf(log.all, honest.size);
  return {
    checks: failed.map(({ name }) => name),
    findings: failed.flatMap(({ findings }) => findings),
    byHead: now.size !== honest.size || now.root !== honest.root,
  };
}
