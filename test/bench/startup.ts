/**
 * Bench (d): how long a ledger takes from nothing to ready over a journal of a million entries, and how much
 * memory it holds for the million accounts that they opened. A process of its own is measured, so that
 * filling leaves no trace in it. Our own reading and the event store client's take turns, so that what else
 * the machine does falls on both.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { available } from '#contracts/plain/accounts';
import { JOURNAL } from '#contracts/events/journal';
import { EsdbLog } from '#log/esdb';
import type { EventLog, NewEvent } from '#log/event-log';
import { GENESIS } from '#log/chain';
import { record, type Tip } from '#log/record';
import { repositoryRoot } from '#local/launch/program';
import { startMeasured } from './measured-store.js';
import { median, type Row } from './measure.js';

const ENTRIES = Number(process.env.BENCH_STARTUP_ENTRIES ?? '1000000');
const EVENTS_PER_APPEND = 500;
const APPENDS_UNDER_WAY = 3;
const STARTS = 3;
const MIB = 1024 * 1024;

/** What test/bench/open-journal.ts prints. */
export const OpeningReport = z.object({
  seconds: z.number(),
  cpuSeconds: z.number(),
  rssBytes: z.number(),
  heapBytes: z.number(),
  accounts: z.number(),
});
export type OpeningReport = z.infer<typeof OpeningReport>;

/** Writes a chained journal that opens so many accounts. */
async function fill(log: EventLog, entries: number): Promise<void> {
  let tip: Tip = { revision: -1, hash: GENESIS, recordedAtMs: 0 };
  const underWay = new Set<Promise<unknown>>();
  for (let written = 0; written < entries;) {
    const { revision: expected } = tip;
    const events: NewEvent[] = [];
    for (; events.length < EVENTS_PER_APPEND && written < entries; written += 1) {
      const userId = `usr_${written.toString(36).padStart(26, '0')}`;
      const account = available(userId);
      const provenance = { correlationId: 'bench', key: `account:${userId}` };
      const recording = record(
        JOURNAL,
        { type: 'AccountOpened', data: { account, userId } },
        provenance,
        tip,
        Date.now(),
      );
      events.push(recording.event);
      ({ tip } = recording);
    }
    const append = log.append(JOURNAL, events, expected, 30_000).finally(() => underWay.delete(append));
    underWay.add(append);
    // Alone until the connection is there: later ones keep their order on it.
    if (expected === -1) await append;
    if (underWay.size >= APPENDS_UNDER_WAY) await Promise.race(underWay);
  }
  await Promise.all(underWay);
}

/** Opens the journal in a process of its own. */
async function open(url: string, reading: 'lean' | 'client'): Promise<OpeningReport> {
  const script = join(repositoryRoot(), 'dist/test/bench/open-journal.js');
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, url, reading]);
  const opened = OpeningReport.parse(JSON.parse(stdout));
  if (opened.accounts !== ENTRIES)
    throw new Error(`${opened.accounts} accounts were opened, not ${ENTRIES}.`);
  return opened;
}

export async function benchStartup(): Promise<Row[]> {
  const stack = await startMeasured(['eventstore'], { mustBeEmpty: true });
  const url = stack.env.EVENTSTORE_URL ?? '';
  const log = EsdbLog.connect(url);
  try {
    await fill(log, ENTRIES);
    const opened: OpeningReport[] = [];
    const byClient: OpeningReport[] = [];
    for (let n = 0; n < STARTS; n += 1) {
      byClient.push(await open(url, 'client'));
      opened.push(await open(url, 'lean'));
    }
    const of = `${ENTRIES.toLocaleString('en')} entries`;
    const [seconds, clientSeconds] = [opened, byClient].map((all) =>
      median(all.map((one) => one.seconds)),
    ) as [number, number];
    // What else the machine does takes less from this than from the time.
    const [cpuSeconds, clientCpuSeconds] = [opened, byClient].map((all) =>
      median(all.map((one) => one.cpuSeconds)),
    ) as [number, number];
    const rss = median(opened.map((one) => one.rssBytes)) / MIB;
    const heap = median(opened.map((one) => one.heapBytes)) / MIB;
    return [
      {
        bench: 'start-up from zero',
        of,
        value: Number(seconds.toFixed(1)),
        unit: 's',
        note:
          `${Math.round(ENTRIES / seconds)} entries/s, chain checked; goal: 60 s; ` +
          `read by the client ${Math.round(ENTRIES / clientSeconds)} entries/s, ` +
          `${(clientSeconds / seconds).toFixed(2)} times as long; ` +
          `${Math.round(ENTRIES / cpuSeconds)} a second of a core, ` +
          `by the client ${Math.round(ENTRIES / clientCpuSeconds)}`,
      },
      {
        bench: 'memory of a ledger',
        of: `${ENTRIES.toLocaleString('en')} accounts`,
        value: Math.round(rss),
        unit: 'MiB',
        note: `resident after a collection, of which ${Math.round(heap)} MiB JavaScript heap; goal: 1024 MiB`,
      },
    ];
  } finally {
    await log.close();
    await stack.stop();
  }
}
