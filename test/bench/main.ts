/**
 * `make bench`: measures, prints one table, and keeps it with what is to be known of the machine in
 * bench-results/.
 *
 *     node dist/test/bench/main.js [journal] [http] [replay] [startup] [screens] [slow-3g] [followers] [outage] [provider]
 *         [slow-sockets] [audit]
 *
 * EVENTSTORE_URL measures an event store of this machine instead of the stand-in.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '#local/launch/program';
import { benchAudit } from './audit.js';
import { benchFollowers } from './followers.js';
import { benchHttp } from './http.js';
import { benchJournal } from './journal.js';
import type { Row } from './measure.js';
import { benchOutage } from './outage.js';
import { benchProvider } from './provider.js';
import { benchReplay } from './replay.js';
import { BadMeasuredStore, measuredServer } from './measured-store.js';
import { benchScreens } from './screens.js';
import { benchSlow3g } from './slow-3g.js';
import { benchSlowSockets } from './slow-sockets.js';
import { benchStartup } from './startup.js';

const BENCHES: Readonly<Record<string, () => Promise<Row[]>>> = {
  journal: benchJournal,
  http: benchHttp,
  replay: benchReplay,
  startup: benchStartup,
  screens: benchScreens,
  'slow-3g': benchSlow3g,
  followers: benchFollowers,
  outage: benchOutage,
  provider: benchProvider,
  'slow-sockets': benchSlowSockets,
  audit: benchAudit,
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The table: what, of what, how much, and what else is to be said. */
function tableOf(rows: readonly Row[]): string[] {
  const cells = rows.map(({ bench, of, value, unit, note = '' }) => [
    bench,
    of,
    value.toLocaleString('en'),
    unit,
    note,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...cells.map((cell) => cell[column]!.length)));
  return cells.map(([bench, of, value, unit, note]) =>
    `${bench!.padEnd(widths[0]!)}  ${of!.padEnd(widths[1]!)}  ${value!.padStart(widths[2]!)} ${unit!.padEnd(widths[3]!)}  ${note}`.trimEnd(),
  );
}

async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !Object.hasOwn(BENCHES, name));
  if (unknown !== undefined) {
    process.stderr.write(
      `"${unknown}" is not measured here. There is: ${Object.keys(BENCHES).join(', ')}.\n`,
    );
    process.exitCode = 2;
    return;
  }
  let eventStore: string;
  try {
    eventStore = await measuredServer();
  } catch (failure) {
    if (!(failure instanceof BadMeasuredStore)) throw failure;
    process.stderr.write(`${failure.message}\n`);
    process.exitCode = 2;
    return;
  }
  const processors = cpus();
  const machine = {
    cores: processors.length,
    processor: processors[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    loadBefore: loadavg()[0],
    eventStore,
  };
  say(
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, node ${machine.node}, load ${machine.loadBefore?.toFixed(1)}`,
  );
  say(`The event store is ${eventStore}.`);
  const rows: Row[] = [];
  for (const name of asked.length > 0 ? asked : Object.keys(BENCHES)) {
    say(`measuring ${name} …`);
    const measured = await BENCHES[name]!().catch((failure: unknown) => {
      if (!(failure instanceof BadMeasuredStore)) throw failure;
      process.exitCode = 2;
      say(`  ${failure.message}`);
      return [];
    });
    rows.push(...measured);
    for (const line of tableOf(measured)) say(`  ${line}`);
  }
  const at = new Date().toISOString();
  const folder = join(repositoryRoot(), 'bench-results');
  const file = join(folder, `${at.slice(0, 19).replaceAll(':', '-')}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ at, machine, rows }, null, 2)}\n`);
  say('');
  for (const line of tableOf(rows)) say(line);
  say(`\nKept in ${file}`);
}

await main();
