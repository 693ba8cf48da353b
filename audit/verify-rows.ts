/**
 * Holds the live read models against the log: every row against a replay into temporary tables, and the
 * table of balances against the books' fold, which shares no code with the projections.
 */
import type pg from 'pg';
import { positionText, START, type Position } from '#contracts/log';
import type { EventLog } from '#log/event-log';
import { inTransaction, SNAPSHOT } from '#log/transaction';
import { trialBalance } from '#projections/balances/queries';
import { greatest, readCheckpoints } from '#projections/engine/checkpoints';
import { compareWithLog } from '#projections/engine/last-event';
import { knowsParking, listParked } from '#projections/engine/parking';
import type { ReadModel } from '#projections/engine/read-model';
import { plainMessage } from '#projections/engine/database';
import { isOutage } from '#contracts/outage';
import {
  comparisonText,
  isSame,
  placeText,
  compareWithReplay,
  type ShownRows,
  type TableComparison,
} from '#projections/engine/rebuild';
import type { Check } from './report.js';

/** The table of balances and the position at which it stood, in one snapshot. */
interface BalancesSeen {
  readonly position: Position;
  readonly balances: ReadonlyMap<string, number>;
}

/** What the live read models say now; undefined when there are none yet. */
export async function readBalances(db: pg.Pool): Promise<BalancesSeen | undefined> {
  return inTransaction(
    db,
    async (client) => {
      const checkpoints = await readCheckpoints(client);
      const lines = checkpoints.length === 0 ? [] : await trialBalance(client);
      if (checkpoints.length === 0) return undefined;
      return {
        position: greatest(checkpoints),
        balances: new Map(lines.map(({ account, balanceMinor }) => [account, balanceMinor])),
      };
    },
    SNAPSHOT,
  );
}

/**
 * The table of balances against the books' fold at the same position; `folded` is absent when the log has no
 * such place.
 */
export function checkBalances(seen: BalancesSeen, folded: ReadonlyMap<string, number> | undefined): Check {
  const name = 'balances table = folded books';
  if (!folded)
    return {
      name,
      figure: `at ${positionText(seen.position)}`,
      findings: [
        `The read models stand at ${positionText(seen.position)}, and the log holds no event there: it lacks what they have seen.`,
      ],
    };
  const accounts = [...new Set([...seen.balances.keys(), ...folded.keys()])].sort();
  const said = (balance: number | undefined): string =>
    balance === undefined ? 'is missing' : `is ${balance}`;
  return {
    name,
    figure: `${accounts.length} accounts at ${seen.position.commit === START.commit ? 'the start' : positionText(seen.position)}`,
    findings: accounts
      .filter((account) => seen.balances.get(account) !== folded.get(account))
      .map(
        (account) =>
          `${account} ${said(seen.balances.get(account))} in the table and ${said(folded.get(account))} in the books`,
      ),
  };
}

/** Whether the events that the checkpoints stand at are those of this log. */
export async function checkLastEvents(db: pg.Pool, log: EventLog): Promise<Check> {
  const checkpoints = await readCheckpoints(db);
  const compared = await compareWithLog(log, checkpoints);
  return {
    name: 'rows made from this log',
    figure: `${checkpoints.length} checkpoints`,
    findings: compared.kind === 'same' ? [] : [compared.why],
  };
}

/** The streams at which the rows stand still; no line where there is none. */
export async function checkParked(db: pg.Pool): Promise<Check[]> {
  const parked = (await knowsParking(db)) ? await listParked(db) : [];
  if (parked.length === 0) return [];
  return [
    {
      name: 'no stream parked in the rows',
      figure: `${parked.length} streams`,
      findings: parked.map(
        ({ stream, revision, eventType, reason }) =>
          `${stream} at revision ${revision} (${eventType}): ${reason} See \`encore operate quarantine\`.`,
      ),
    },
  ];
}

interface RowsToCompare {
  readonly databaseUrl: string;
  readonly log: EventLog;
  readonly models: readonly ReadModel[];
  /** Whether findings show the texts of rows that differ: names, addresses, notes. */
  readonly shows?: ShownRows | undefined;
}

/** Every live row against a replay. A log that cannot be replayed is a finding, not an error. */
export async function checkRows({ databaseUrl, log, models, shows = 'ids' }: RowsToCompare): Promise<Check> {
  const name = 'live rows = replay';
  try {
    const { tables, events, position } = await compareWithReplay({ databaseUrl, log, models, shows });
    const rows = tables.reduce((sum, { liveRows }) => sum + liveRows, 0);
    return {
      name,
      figure: `${rows} rows in ${tables.length} tables, ${events} events to ${placeText(position)}`,
      findings: [
        ...otherVersions(tables, models),
        ...tables
          .filter((compared) => !isSame([compared]))
          .flatMap((compared) => [
            `${compared.table}: ${comparisonText(compared)}`,
            ...compared.samples.map((sample) => `    ${sample}`),
          ]),
      ],
    };
  } catch (error) {
    if (isOutage(error)) throw error;
    return { name, figure: 'not replayed', findings: [`The log cannot be replayed: ${plainMessage(error)}`] };
  }
}

/**
 * Tables that another build made cannot be held against this build's replay; that is said, not passed over.
 */
const otherVersions = (compared: readonly TableComparison[], models: readonly ReadModel[]): string[] =>
  models
    .flatMap(({ tables }) => tables)
    .filter((table) => !compared.some((done) => done.table === table))
    .map(
      (table) =>
        `${table}: the live table is of another version than this build's; start the projections of this build first.`,
    );
