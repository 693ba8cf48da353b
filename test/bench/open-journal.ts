/**
 * Opens the journal of the store in argv, read in the way in argv, says how long it took and what it holds,
 * as one line of JSON, and ends. For startup.ts.
 */
import { EsdbLog } from '#log/esdb';
import { Journal } from '#ledger/journal/journal';
import type { OpeningReport } from './startup.js';

const [, , url, reading] = process.argv;
if (url === undefined || (reading !== 'lean' && reading !== 'client') || !globalThis.gc)
  throw new Error('Usage: node --expose-gc open-journal.js <event store URL> lean|client');

const nothingIsAsked = () => Promise.reject(new Error('Nothing is asked of the past here'));
const log = EsdbLog.connect(url, 'EVENTSTORE_URL', { reading });
const began = performance.now();
const beganCpu = process.cpuUsage();
const journal = await Journal.open(log, { archive: { find: nothingIsAsked, entriesOf: nothingIsAsked } });
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(beganCpu);
globalThis.gc();
const { rss, heapUsed } = process.memoryUsage();
const opened: OpeningReport = {
  seconds,
  cpuSeconds: (user + system) / 1e6,
  rssBytes: rss,
  heapBytes: heapUsed,
  accounts: journal.resident().accounts,
};
process.stdout.write(`${JSON.stringify(opened)}\n`, () => process.exit(0));
