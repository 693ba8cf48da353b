/** Ports that no program listens on. */
import { connect, createServer } from 'node:net';

// Below the range that systems hand out to outgoing connections, so that none of those takes a port between
// the moment it is picked and the moment it is listened on.
const FIRST = 20_000;
const COUNT = 12_000;

/** Whether the port can be listened on, on 127.0.0.1. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** A port on 127.0.0.1 that is free now and is none of `taken`. */
export async function freePort(taken: ReadonlySet<number> = new Set()): Promise<number> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (!taken.has(port) && (await isFree(port))) return port;
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
