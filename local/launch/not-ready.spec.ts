/** What `make start` tells of an app that is open and does not do all that it should. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { reasonsNotReady } from './not-ready.js';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** A process that gives one list of reasons after the other, and then the last one. */
async function processWith(...answers: readonly string[][]): Promise<number> {
  const left = [...answers];
  const server = createServer((_, response) => {
    const reasons = left.length > 1 ? left.shift() : left[0];
    response.writeHead(503).end(JSON.stringify({ ready: false, reasons }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
const reasonsOf = (ports: readonly number[], settlesWithinMs = 50): Promise<readonly string[]> =>
  reasonsNotReady(ports, new AbortController().signal, settlesWithinMs);

describe('the list of reasons why an open app is not ready', () => {
  it('has the reasons of every process, not only the ledger’s', async () => {
    const stopped = ['The projector has stopped.'];
    expect(await reasonsOf([await processWith([]), await processWith(stopped)])).toEqual(stopped);
  });

  it('says a reason once, however many processes give it', async () => {
    const away = ['Redis does not answer.'];
    expect(await reasonsOf([await processWith(away), await processWith(away)])).toEqual(away);
  });

  it('leaves out what settles during the start, and processes that do not answer', async () => {
    // As long as it likes: it ends with the first look that finds no reason.
    const ports = [await processWith(['It is starting.'], []), 1];
    expect(await reasonsOf(ports, 60_000)).toEqual([]);
  });
});
