/** Ports that no program listens on. */
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Below the range that systems hand out to outgoing connections, so that none of those takes a port between
// the moment it is picked and the moment it is listened on.
const FIRST = 20_000;
const COUNT = 12_000;

/** Whether the port can be listened on, on 127.0.0.1. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Whoever picks a port listens on it within this time; until then nobody else picks it. */
const LISTENS_WITHIN_MS = 60_000;

/**
 * Notes, for every program of this machine's user, that a port was picked. False where another has just done
 * so.
 */
function isPickedFirst(port: number): boolean {
  const folder = join(tmpdir(), 'encore-ports');
  const note = join(folder, String(port));
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(note, '', { flag: 'wx' });
    return true;
  } catch {
    const age = Date.now() - (statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age < LISTENS_WITHIN_MS) return false;
    try {
      utimesSync(note, new Date(), new Date());
    } catch {
      // The folder is somebody else's: the port is picked without a note.
    }
    return true;
  }
}

/** A port on 127.0.0.1 that is free now and is none of `taken`. */
export async function freePort(taken: ReadonlySet<number> = new Set()): Promise<number> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (!taken.has(port) && (await isFree(port)) && isPickedFirst(port)) return port;
  }
  throw new Error(`No free port was found between ${FIRST} and ${FIRST + COUNT - 1}.`);
}

/** Whether a program answers on the port. */
export function answers(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
