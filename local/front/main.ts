/**
 * The one listener that browsers reach:
 *
 *     node dist/local/front/main.js --port N [--identity PORT] [--inbox PORT] --ledger PORT [--ledger PORT …]
 *
 * /identity goes to the identity provider, /inbox to the mail server's pages, everything else to the ledgers
 * in turn. Listens on 127.0.0.1 and, where there is one, ::1. Prints {"ready":true,"port":N} when it serves.
 */
import type { Server } from 'node:http';
import { parseArgs } from 'node:util';
import { boundedServer } from './bounded-server.js';
import { front } from './front.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '3000' },
    identity: { type: 'string' },
    inbox: { type: 'string' },
    ledger: { type: 'string', multiple: true, default: [] },
  },
});

const handler = front({
  identity: values.identity === undefined ? undefined : Number(values.identity),
  inbox: values.inbox === undefined ? undefined : Number(values.inbox),
  ledgers: values.ledger.map(Number),
});

function listen(port: number, host: string): Promise<Server> {
  const server = boundedServer(handler);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

async function main(): Promise<void> {
  const servers = [await listen(Number(values.port), '127.0.0.1')];
  const address = servers[0]?.address();
  const port = typeof address === 'object' && address !== null ? address.port : Number(values.port);
  try {
    servers.push(await listen(port, '::1'));
  } catch (failure) {
    const { code } = failure as NodeJS.ErrnoException;
    // A machine without IPv6 resolves localhost to 127.0.0.1 alone.
    if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw failure;
  }
  process.stdout.write(`${JSON.stringify({ ready: true, port })}\n`);

  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.once(name, () => {
      // Requests under way may finish, for a moment; streams of events never would.
      setTimeout(() => process.exit(0), 2_000).unref();
      for (const server of servers) {
        server.close(() => {
          if (servers.every((one) => !one.listening)) process.exit(0);
        });
        server.closeIdleConnections();
      }
    });
}

await main();
