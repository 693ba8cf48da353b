/** What the journal answers to a command. */
import { subjectsOf, type CollectionRefusal } from '#contracts/events/journal';
import { START, type Position } from '#contracts/log';
import type { Decision } from './decision.js';
import { routeOf } from './occurrence-rules.js';
import type { Landing, Route } from './state.js';

/** What an execution answers. A repeat carries the original's place. */
export interface Receipt {
  readonly key: string;
  /** The entry's revision in the journal; -1 for a repeat of something older than what is kept. */
  readonly revision: number;
  /** Where read models must stand to show it (at the least). */
  readonly position: Position;
  readonly repeated: boolean;
  /** What the entry is about, by id; undefined where it is about nothing, or older than what is kept. */
  readonly subject?: string | undefined;
  /** Of CollectOccurrence: what it became, by this attempt or by the one that succeeded before it. */
  readonly route?: { readonly attempt: number } & (
    | { readonly transferId: string }
    | { readonly paymentId: string }
    | { readonly refused: CollectionRefusal }
  );
}

/**
 * The receipt of a decision whose batch is durable; `revision` is where its entry was written, if it has one.
 */
export function receiptOf(
  decision: Exclude<Decision, { kind: 'ask' }>,
  revision: number,
  landing: Landing,
): Receipt {
  if (decision.kind === 'entry') {
    const { key, event } = decision;
    const position = landing.position ?? START;
    const route = routeOf(event, { revision, landing, fingerprint: undefined });
    return { key, revision, position, repeated: false, subject: subjectsOf(event)[0], ...routed(route) };
  }
  const { key, of, route } = decision;
  const position = of?.landing.position ?? START;
  const revisionOfIt = of?.revision ?? -1;
  return { key, revision: revisionOfIt, position, repeated: true, subject: of?.subject, ...routed(route) };
}

function routed(route: Route | undefined): Pick<Receipt, 'route'> {
  if (!route) return {};
  const { entry: _, ...taken } = route;
  return { route: taken };
}
