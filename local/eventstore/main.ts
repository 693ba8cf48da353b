/**
 * A stand-in for EventStoreDB: one node that speaks its gRPC protocol to the unmodified client and keeps what it
 * acknowledges. `node dist/local/eventstore/main.js --port N --data DIR [--host ADDRESS]` (port 0 takes a free one) serves
 * 127.0.0.1, or that address, without TLS and prints `{"ready":true,"port":N}` when it does. It stops rather than leave less
 * than `--keep-free` bytes on the disk.
 */
import { parseArgs } from 'node:util';

import { FolderInUse } from './folder-claim.js';
import { EventStoreServer } from './server.js';
import { Store } from './store.js';

const DRAIN_MS = 3_000;
const KEEP_FREE_BYTES = 64 * 1024 * 1024;

function stop(sentence: string): never {
  process.stderr.write(`eventstore: ${sentence}\n`);
  process.exit(1);
}

function readArguments(): { port: number; host: string; data: string; keepFree: number } {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '2113' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      'keep-free': { type: 'string', default: String(KEEP_FREE_BYTES) },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) stop(`--port must be a number from 0 to 65535, not ${values.port}.`);
  if (!values.data) stop('Give the folder to keep events in with --data.');
  const keepFree = Number(values['keep-free']);
  if (!Number.isInteger(keepFree) || keepFree < 0) stop(`--keep-free must be a number of bytes, not ${values['keep-free']}.`);
  return { port, host: values.host, data: values.data, keepFree };
}

function openStore(data: string, keepFree: number): Store {
  try {
    return Store.open(data, keepFree, (error) =>
      stop(`A commit to ${data} failed (${error.message}); nothing after it was acknowledged. Make room and start again.`),
    );
  } catch (error) {
    if (error instanceof FolderInUse) stop(error.message);
    stop(`The data folder ${data} cannot be opened: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

async function main(): Promise<void> {
  const { port, host, data, keepFree } = readArguments();
  const store = openStore(data, keepFree);
  const server = new EventStoreServer(store);
  let listening: number;
  try {
    listening = await server.listen(port, host);
  } catch (error) {
    await store.close();
    const { code, message } = error as NodeJS.ErrnoException;
    stop(
      code === 'EADDRINUSE'
        ? `Port ${port} is in use. Stop what listens there, or give another port with --port.`
        : `Port ${port} cannot be listened on: ${message}.`,
    );
  }
  let stopping = false;
  const shutDown = (): void => {
    if (stopping) return;
    stopping = true;
    process.stderr.write('eventstore: finishing appends, then stopping.\n');
    server
      .drain(DRAIN_MS)
      .then(() => store.close())
      .then(() => process.exit(0))
      .catch((error: unknown) => stop(`Stopping failed: ${error instanceof Error ? error.message : String(error)}.`));
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  // Last: whoever reads this line may send a signal at once.
  process.stdout.write(`${JSON.stringify({ ready: true, port: listening })}\n`);
}

process.on('unhandledRejection', (error) => {
  stop(`A commit or a call failed unexpectedly (${error instanceof Error ? error.message : String(error)}).`);
});

await main();
