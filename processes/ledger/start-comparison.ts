/** Compares what this ledger made at the card provider with the log: after each start, until it is done. */
import type pg from 'pg';
import type { Logger } from 'pino';
import type { FoundingGate } from '#ledger/founding/founding';
import type { Journal } from '#ledger/journal/journal';
import { WritesClosed } from '#ledger/rejection';
import { comparisonDone, comparisonDue } from '#ledger/start-gate/comparison-mark';
import type { LostEntries } from '#ledger/start-gate/lost-entries';
import { ProviderComparison } from '#ledger/start-gate/provider-comparison';
import type { StartGate } from '#ledger/start-gate/start-gate';
import type { SealedObjects } from '#ledger/stripe/sealed-objects';
import type { EventLog } from '#log/event-log';
import { plainMessage } from '#projections/engine/database';
import type { Figures } from '../shell/figures.js';

const LOOK_EVERY_MS = 500;
const AGAIN_MS = 2_000;

interface ComparedParts {
  readonly log: EventLog;
  readonly journal: Journal;
  readonly objects: SealedObjects;
  readonly lost: LostEntries;
  readonly pool: pg.Pool;
}

export const comparisonOver = ({ pool, ...parts }: ComparedParts): ProviderComparison =>
  new ProviderComparison({
    ...parts,
    due: (since) => comparisonDue(pool, since),
    done: (since) => comparisonDone(pool, since),
  });

interface Comparing {
  readonly comparison: ProviderComparison;
  readonly gate: StartGate;
  readonly founding: FoundingGate;
  readonly note: Logger;
  readonly isEnding: () => boolean;
}

/** Compares as soon as the gate is open and the provider may be asked; again after a recovery. */
export async function keepComparing({
  comparison,
  gate,
  founding,
  note,
  isEnding,
}: Comparing): Promise<void> {
  let failing: string | undefined;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
  while (!isEnding()) {
    if (comparison.isDone || !gate.isOpen || !founding.isProven) {
      await pause(LOOK_EVERY_MS);
      continue;
    }
    try {
      const looked = await comparison.attempt();
      failing = undefined;
      note.info({ looked }, 'the card provider’s objects of this ledger are compared: all are in the log');
    } catch (error) {
      const why = plainMessage(error);
      if (why !== failing && !(error instanceof WritesClosed))
        note.warn({ why }, 'the card provider’s objects could not be compared; payouts and refunds wait');
      failing = why;
      await pause(AGAIN_MS);
    }
  }
}

export const showComparison = (figures: Figures, comparison: ProviderComparison): void =>
  figures.gauge(
    'encore_provider_compared',
    '1 once the card provider’s objects have been compared with the log after the start; payouts and refunds wait for it',
    () => Number(comparison.isDone),
  );
