/**
 * A process of its own that outlives its starter by a moment, to end what the starter leaves behind. The
 * starter holds the other end of our standard input and writes down every child; when the pipe closes,
 * however that came about (kill -9 included), the children noted last are ended first, and folders that were
 * lent for the run are removed. A starter that was killed while it made a child could not write that one
 * down: it is known by the mark in its environment.
 *
 *   node warden.js MARK
 *   {"started":{"name":"redis","pid":12,"stamp":"…","signal":"SIGTERM"}}   {"ended":12}   {"lent":"/a/temporary/folder"}
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { processesWith, processStamp, stillRuns } from './process-stamp.js';

/** The variable by which every child says which warden watches it. */
export const WATCHED_BY = 'ENCORE_WATCHED_BY';

/** A child process as the warden and the lock file know it. */
export interface ProcessRecord {
  readonly name: string;
  readonly pid: number;
  readonly stamp: string;
  readonly signal: NodeJS.Signals;
}
/** One line on the warden's standard input. */
export type WardenNote =
  | { readonly started: ProcessRecord }
  | { readonly ended: number }
  | { readonly lent: string };

// The longest that a part of ours takes to finish what it has begun.
const PATIENCE_MS = 25_000;
// The starter is gone: nothing waits for the rest.
const PATIENCE_LEFT_ALONE_MS = 5_000;
// A child that was being made has its own environment only once its program has been loaded.
const LOADED_WITHIN_MS = 250;
const LOOK_EVERY_MS = 20;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks the process to end, and after a while ends it with its whole group. */
export async function endProcess(noted: ProcessRecord, patienceMs = PATIENCE_MS): Promise<void> {
  const until = Date.now() + patienceMs;
  signal(noted.pid, noted.signal);
  while (stillRuns(noted) && Date.now() < until) await pause(LOOK_EVERY_MS);
  // What the process itself started and did not end shares its group.
  await killProcess(noted);
}

/** Ends the process and its whole group at once, as a power cut would. */
export async function killProcess(noted: ProcessRecord): Promise<void> {
  signal(-noted.pid, 'SIGKILL');
  while (stillRuns(noted)) await pause(LOOK_EVERY_MS);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already, which is what was wanted.
  }
}

/** Ends the children that the starter could not write down any more. */
async function endUnnoted(mark: string): Promise<void> {
  await pause(LOADED_WITHIN_MS);
  const left = processesWith(WATCHED_BY, mark).flatMap((pid): ProcessRecord[] => {
    const stamp = processStamp(pid);
    // Each of them takes this one as the order to end at once; Postgres would wait for others at SIGTERM.
    return stamp === undefined ? [] : [{ name: 'unnoted', pid, stamp, signal: 'SIGINT' }];
  });
  await Promise.all(left.map((noted) => endProcess(noted, PATIENCE_LEFT_ALONE_MS)));
}

async function watch(mark: string): Promise<void> {
  // Ctrl-C reaches a terminal's whole foreground group; the warden goes last, when its pipe closes.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
  const running = new Map<number, ProcessRecord>();
  const lent = new Set<string>();
  for await (const line of createInterface({ input: process.stdin })) {
    const note = JSON.parse(line) as WardenNote;
    if ('started' in note) running.set(note.started.pid, note.started);
    else if ('ended' in note) running.delete(note.ended);
    else lent.add(note.lent);
  }
  for (const noted of [...running.values()].reverse()) await endProcess(noted, PATIENCE_LEFT_ALONE_MS);
  await endUnnoted(mark);
  for (const folder of lent) rmSync(folder, { recursive: true, force: true });
}

if (process.argv[1]?.endsWith('warden.js')) await watch(process.argv[2] ?? '');
