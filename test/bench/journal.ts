/**
 * Bench (a): durable journal entries a second, one event an entry, through the journal's public `execute`,
 * with hash chain, encryption of the note and validation on; alternating in one run with a baseline that is
 * about the least a ledger on SQL can do: one prepared function call that locks and updates two balances and
 * inserts two entries, fsync on.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { EsdbLog } from '#log/esdb';
import { Journal } from '#ledger/journal/journal';
import { migrate } from '#log/migrations';
import { Vault } from '#log/vault';
import { VAULT } from '#processes/migrations';
import { startMeasured } from './measured-store.js';
import { median, percentile, type Row } from './measure.js';
import { peopleWithMoney, START_MINOR } from './people-with-money.js';

const USERS = 1_000;
const CALLERS = [1, 16, 64, 256];
const BASELINE_CLIENTS = 20;
const ROUNDS = 3;
const ROUND_MS = 4_000;

const BASELINE_SCHEMA = `
  drop schema if exists baseline cascade;
  create schema baseline;
  create table baseline.accounts (id int primary key, balance_minor bigint not null);
  create table baseline.entries (id bigserial primary key, transfer_id uuid not null, account_id int not null, amount_minor bigint not null, note text, created_at timestamptz not null default now());
  insert into baseline.accounts select n, ${START_MINOR} from generate_series(0, ${USERS - 1}) n;
  create function baseline.post(id uuid, payer int, recipient int, amount bigint, note text) returns bigint language plpgsql as $$
  declare left_over bigint;
  begin
    perform 1 from baseline.accounts where accounts.id in (payer, recipient) order by accounts.id for update;
    update baseline.accounts set balance_minor = balance_minor - amount where accounts.id = payer returning balance_minor into left_over;
    if left_over < 0 then raise exception 'insufficient funds'; end if;
    update baseline.accounts set balance_minor = balance_minor + amount where accounts.id = recipient;
    insert into baseline.entries (transfer_id, account_id, amount_minor, note) values (id, payer, -amount, note), (id, recipient, amount, note);
    return left_over;
  end $$;`;

/** What one round of callers did: entries a second, and how long each call took, in milliseconds. */
interface Round {
  readonly perSecond: number;
  readonly latencies: number[];
}

/** Callers that each send the next command when the last is answered, for a while. */
async function round(callers: number, call: () => Promise<unknown>): Promise<Round> {
  const latencies: number[] = [];
  const started = performance.now();
  const until = started + ROUND_MS;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < until) {
        const at = performance.now();
        await call();
        latencies.push(performance.now() - at);
      }
    }),
  );
  return { perSecond: (latencies.length / (performance.now() - started)) * 1000, latencies };
}

export async function benchJournal(): Promise<Row[]> {
  const stack = await startMeasured(['postgres', 'eventstore']);
  const pool = new pg.Pool({ connectionString: stack.env.DATABASE_URL, max: BASELINE_CLIENTS });
  const log = EsdbLog.connect(stack.env.EVENTSTORE_URL!);
  try {
    await migrate(stack.env.DATABASE_URL!, [VAULT]);
    const vault = Vault.open(pool, stack.env.ENCORE_MASTER_KEY!);
    const never = {
      find: () => Promise.reject(new Error('Every key of this bench is new')),
      entriesOf: () => Promise.reject(new Error('No payments here')),
    };
    const batches: number[] = [];
    const journal = await Journal.open(log, {
      archive: never,
      observe: (seen) => seen.kind === 'appended' && batches.push(seen.entries),
    });
    const { transfer } = await peopleWithMoney(journal, vault, USERS);
    const pick = () => Math.floor(Math.random() * USERS);

    await pool.query(BASELINE_SCHEMA);
    const baseline = async (): Promise<void> => {
      const from = pick();
      const to = (from + 1 + Math.floor(Math.random() * (USERS - 1))) % USERS;
      await pool.query({
        name: 'post',
        text: 'select baseline.post($1, $2, $3, $4, $5)',
        values: [randomUUID(), from, to, 1, 'Loved the second set, thank you'],
      });
    };

    await round(64, transfer);
    await round(BASELINE_CLIENTS, baseline);
    const ours = new Map(CALLERS.map((callers) => [callers, [] as Round[]]));
    const theirs: Round[] = [];
    for (let n = 0; n < ROUNDS; n++)
      for (const callers of CALLERS) {
        batches.length = 0;
        ours.get(callers)!.push(await round(callers, transfer));
        if (callers === 16 || callers === 256) theirs.push(await round(BASELINE_CLIENTS, baseline));
      }
    await journal.close();

    const baselinePerSecond = median(theirs.map(({ perSecond }) => perSecond));
    const rows: Row[] = [];
    for (const [callers, rounds] of ours) {
      const latencies = rounds.flatMap((one) => one.latencies);
      const perSecond = median(rounds.map((one) => one.perSecond));
      rows.push({
        bench: 'journal entries/s',
        of: `${callers} callers`,
        value: Math.round(perSecond),
        unit: '/s',
        note: `${(perSecond / baselinePerSecond).toFixed(1)} × baseline; p50 ${percentile(latencies, 50).toFixed(1)} ms, p99 ${percentile(latencies, 99).toFixed(1)} ms`,
      });
    }
    const latencies = theirs.flatMap((one) => one.latencies);
    rows.push({
      bench: 'baseline: SQL function',
      of: `${BASELINE_CLIENTS} clients`,
      value: Math.round(baselinePerSecond),
      unit: '/s',
      note: `p50 ${percentile(latencies, 50).toFixed(1)} ms, p99 ${percentile(latencies, 99).toFixed(1)} ms`,
    });
    return rows;
  } finally {
    await log.close();
    await pool.end();
    await stack.stop();
  }
}
