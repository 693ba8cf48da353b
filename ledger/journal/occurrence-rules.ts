/**
 * The rule of what a schedule makes due: each occurrence is collected once. One command decides the route of
 * an attempt and records it in the same entry, a refusal too: of two who work on one attempt, the second is
 * told what the first one was. A route once recorded has ended before another attempt may choose.
 */
import { available } from '#contracts/plain/accounts';
import type { CollectionRefusal, Occurrence as Cause } from '#contracts/events/journal';
import { CARD_MIN_MINOR } from '#contracts/plain/money';
import { Rejected } from '../rejection.js';
import type { Command } from './commands.js';
import { ask, entry, repeat, type Decision } from './decision.js';
import { idFrom } from './keys.js';
import { assertDebitsAllowed, partiesProblem } from './payment-rules.js';
import { findPayment } from './payment-state.js';
import { findItem, isQuestion, type Known, type Question } from './find.js';
import {
  isElsewhere,
  type Books,
  type NonResident,
  type KeptEntry,
  type Occurrence,
  type PastEntry,
  type Route,
} from './state.js';

const REFUSAL = {
  RecipientNotFound: 'recipient_not_found',
  PayerNotFound: 'payer_not_found',
  SamePerson: 'same_person',
} as const satisfies Record<string, CollectionRefusal>;

const findOccurrence = (id: string, known: Known): Occurrence | Question | undefined =>
  findItem(id, known.books.occurrences, occurrenceFrom, known);

export function collectOccurrence(command: Command<'CollectOccurrence'>, known: Known): Decision {
  const { books } = known;
  const { occurrenceId, attempt, scheduleKind: kind, scheduleId, dueAt, savedCard, byCardOnly } = command;
  const { payerId, recipientId, amountMinor, currency, note } = command;
  const key = `occurrence:${occurrenceId}:${attempt}`;
  const before = findOccurrence(occurrenceId, known);
  if (isQuestion(before)) return ask(before);
  for (const route of before?.routes ?? []) {
    if (route.attempt === attempt) return { ...repeat(key, route.entry), route } as Decision;
    if ('refused' in route) {
      if (route.attempt > attempt) throw new Rejected('AttemptSuperseded', { occurrenceId, attempt });
      continue;
    }
    const payment = 'paymentId' in route ? findPayment(route.paymentId, known) : undefined;
    if (isQuestion(payment)) return ask(payment);
    if (!payment || payment.status === 'settled') return { ...repeat(key, route.entry), route } as Decision;
    if (payment.status !== 'canceled')
      throw new Rejected('OccurrenceUnderWay', { occurrenceId, attempt: route.attempt });
    if (route.attempt > attempt) throw new Rejected('AttemptSuperseded', { occurrenceId, attempt });
  }

  const occurrence: Cause = { occurrenceId, kind, scheduleId, dueAt, attempt };
  const refused = (code: CollectionRefusal): Decision =>
    entry(key, {
      type: 'CollectionRefused',
      data: { payerId, recipientId, amountMinor, currency, code, occurrence },
    });
  assertDebitsAllowed(payerId, books);
  const problem = partiesProblem(command, books);
  if (problem) return refused(REFUSAL[problem]);
  const terms = { payerId, recipientId, amountMinor, currency, note, occurrence };
  const covered = books.balanceOf(available(payerId)) ?? 0;
  if (covered >= amountMinor && byCardOnly !== true) {
    const postings = [{ debit: available(payerId), credit: available(recipientId), amountMinor }];
    return entry(key, {
      type: 'TransferPosted',
      data: { transferId: idFrom('trf', key), ...terms, postings },
    });
  }
  if (savedCard === undefined)
    throw new Rejected('NoFunding', { occurrenceId, available: covered, asked: amountMinor });
  // A card takes no less than the provider's least sum.
  if (savedCard === 'none' || amountMinor < CARD_MIN_MINOR) return refused('no_funding');
  return entry(key, {
    type: 'PaymentOpened',
    data: { paymentId: idFrom('pay', key), ...terms, method: 'card', savedCard },
  });
}

/** Applies an entry that decides an attempt at an occurrence. */
export function evolveOccurrences(occurrence: Cause, route: Route, books: Books): void {
  const { occurrenceId } = occurrence;
  books.occurrences.set(
    occurrenceId,
    nextOccurrence(route, books.occurrences.get(occurrenceId), books.residency.floor === 0),
  );
}

/** `allKnown`: nothing of the journal's past is out of memory, so that no earlier attempt can be. */
function nextOccurrence(
  route: Route,
  known: Occurrence | NonResident | undefined,
  allKnown: boolean,
): Occurrence | NonResident {
  const last = route.entry;
  if (known && !isElsewhere(known)) return { ...known, routes: [...known.routes, route], last };
  if (!known && (allKnown || route.attempt === 1)) return { status: 'routed', routes: [route], last };
  return { status: 'elsewhere', last };
}

/** The route that an entry records. */
export function routeOf(event: PastEntry['event'], last: KeptEntry): Route | undefined {
  if (event.type === 'TransferPosted' && event.data.occurrence)
    return { attempt: event.data.occurrence.attempt, entry: last, transferId: event.data.transferId };
  if (event.type === 'PaymentOpened' && event.data.occurrence)
    return { attempt: event.data.occurrence.attempt, entry: last, paymentId: event.data.paymentId };
  if (event.type === 'CollectionRefused')
    return { attempt: event.data.occurrence.attempt, entry: last, refused: event.data.code };
  return undefined;
}

/** Folds an occurrence's entries, as the archive read them from the log, in order. */
export function occurrenceFrom(past: readonly PastEntry[]): Occurrence | undefined {
  const routes = past.flatMap(({ event, last }) => routeOf(event, last) ?? []);
  const last = routes.at(-1)?.entry;
  return last && { status: 'routed', routes, last };
}
