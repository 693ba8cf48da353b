/**
 * A stand-in for EventStoreDB: one node that speaks its gRPC protocol to the unmodified client and keeps what
 * it acknowledges. `node dist/local/stand-ins/eventstore/main.js --port N --data DIR [--host ADDRESS]` (port
 * 0 takes a free one) serves 127.0.0.1, or that address, and prints `{"ready":true,"port":N}` when it does.
 * It stops rather than leave less than `--keep-free` bytes on the disk.
 *
 * It speaks in the clear unless it is given a certificate: `--certificate FILE --key FILE`, or
 * `--development-certificate DIR`, made there at the first start for this machine's names and each `--name
 * HOST`. With a certificate, STAND_IN_USERS (or the file that STAND_IN_USERS_FILE names), a `name:password`
 * to a line, says who is let in. Variables that begin with EVENTSTORE_ are the real one's; those that would
 * end it at its start end this one too.
 *
 * To clients that ask for its cluster it says that it is at `--advertise HOST:PORT` and leads. With `--leader
 * HOST:PORT` it names another node that does. It replicates nothing: what it is given itself, it keeps for
 * itself.
 *
 * With `--three-nodes` it is three nodes for failover, on three ports over the one log: `--port N` and the
 * two behind it. It prints all of them, and the port on which faults are made (`--fault-port N`; without it,
 * a free one). `--pace 0.1` makes elections and timeouts ten times faster than the real one's.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { developmentCertificate } from './development-certificate.js';
import { refusedEnvironment } from './environment.js';
import { listenForFaults } from './fault-control.js';
import { FolderInUse } from './folder-claim.js';
import { dropNobody } from './following.js';
import type { Access, Identity } from './grpc.js';
import { EventStoreServer, type Address, type ClusterInfo } from './server.js';
import { Store } from './store.js';
import { beginLog } from './system-events.js';
import { CLUSTER_TIMES, ThreeNodes, type ClusterTimes } from './three-nodes.js';
import { Users } from './users.js';

/** How long answers may take to leave when it stops. */
const DRAIN_MS = 1_000;
const KEEP_FREE_BYTES = 64 * 1024 * 1024;

function stop(sentence: string): never {
  process.stderr.write(`eventstore: ${sentence}\n`);
  process.exit(1);
}

/**
 * The setting `name` of the environment, or what is in the file that `name_FILE` names; else an empty string.
 */
function setting(name: string): string {
  const file = process.env[`${name}_FILE`];
  return process.env[name] || (file ? readFileSync(file, 'utf8').trim() : '');
}

interface Arguments {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly keepFree: number;
  readonly identity: Identity | undefined;
  readonly cluster: ClusterInfo;
  readonly three: { readonly faultPort: number; readonly times: ClusterTimes } | undefined;
}

function addressFrom(option: string, text: string | undefined): Address | undefined {
  if (text === undefined) return undefined;
  const [, address, port] = /^([^:\s]+):(\d{1,5})$/.exec(text) ?? [];
  if (address === undefined || !(Number(port) > 0) || Number(port) > 65_535)
    stop(`${option} must be a host and a port, such as eventstore:2113, not ${text}.`);
  return { address, port: Number(port) };
}

function readArguments(): Arguments {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '2113' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      'keep-free': { type: 'string', default: String(KEEP_FREE_BYTES) },
      certificate: { type: 'string' },
      key: { type: 'string' },
      'development-certificate': { type: 'string' },
      name: { type: 'string', multiple: true, default: [] },
      advertise: { type: 'string' },
      leader: { type: 'string' },
      'three-nodes': { type: 'boolean', default: false },
      'fault-port': { type: 'string', default: '0' },
      pace: { type: 'string', default: '1' },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    stop(`--port must be a number from 0 to 65535, not ${values.port}.`);
  if (!values.data) stop('Give the folder to keep events in with --data.');
  const keepFree = Number(values['keep-free']);
  if (!Number.isInteger(keepFree) || keepFree < 0)
    stop(`--keep-free must be a number of bytes, not ${values['keep-free']}.`);
  const { certificate, key, 'development-certificate': folder, name } = values;
  if ((certificate === undefined) !== (key === undefined)) stop('--certificate and --key go together.');
  if (folder !== undefined && certificate !== undefined)
    stop('Give either --certificate or --development-certificate.');
  let identity: Identity | undefined;
  try {
    if (folder !== undefined) identity = developmentCertificate(folder, name);
    else if (certificate !== undefined && key !== undefined)
      identity = { certificate: readFileSync(certificate), key: readFileSync(key) };
  } catch (error) {
    stop(`The certificate cannot be used: ${wordsOf(error)}.`);
  }
  const cluster = {
    advertised: addressFrom('--advertise', values.advertise),
    leader: addressFrom('--leader', values.leader),
  };
  const three = values['three-nodes'] ? threeNodesFrom(values['fault-port'], values.pace) : undefined;
  if (three && (cluster.advertised ?? cluster.leader))
    stop('Three nodes say themselves where they are and who leads: leave out --advertise and --leader.');
  return { port, host: values.host, data: values.data, keepFree, identity, cluster, three };
}

function threeNodesFrom(faultPort: string, pace: string): Arguments['three'] {
  if (!(Number.isInteger(Number(faultPort)) && Number(faultPort) >= 0 && Number(faultPort) <= 65_535))
    stop(`--fault-port must be a number from 0 to 65535, not ${faultPort}.`);
  if (!(Number(pace) > 0)) stop(`--pace must be a number above 0, such as 0.1, not ${pace}.`);
  const times = Object.entries(CLUSTER_TIMES).map(([name, ms]) => [name, (ms as number) * Number(pace)]);
  return { faultPort: Number(faultPort), times: Object.fromEntries(times) as ClusterTimes };
}

function accessWith(identity: Identity | undefined): Access {
  try {
    const list = setting('STAND_IN_USERS');
    if (list === '') return { identity };
    // Clients send no credentials in the clear, so nobody would get in.
    if (!identity)
      stop('STAND_IN_USERS needs a certificate: --certificate and --key, or --development-certificate.');
    const users = Users.from(list);
    return {
      identity,
      admit: (path, headers) => users.admit(path, headers),
      admitToAll: (headers, readers) => users.admitToAll(headers, readers),
    };
  } catch (error) {
    stop(`STAND_IN_USERS cannot be used: ${wordsOf(error)}.`);
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function openStore(data: string, keepFree: number): Store {
  try {
    return Store.open(data, keepFree, (error) =>
      stop(
        `A commit to ${data} failed (${error.message}); nothing after it was acknowledged. Make room and start again.`,
      ),
    );
  } catch (error) {
    if (error instanceof FolderInUse) stop(error.message);
    stop(`The data folder ${data} cannot be opened: ${wordsOf(error)}.`);
  }
}

/** What was started: what it says when it serves, and how it ends in order. */
interface Service {
  readonly says: Readonly<Record<string, unknown>>;
  drain(): Promise<void>;
}

async function serve(store: Store, options: Arguments, access: Access): Promise<Service> {
  const { port, host, cluster, three } = options;
  if (!three) {
    const server = new EventStoreServer(store, access, cluster);
    return { says: { port: await server.listen(port, host) }, drain: () => server.drain(DRAIN_MS) };
  }
  const nodes = new ThreeNodes(store, access, host, three.times);
  const ports = await nodes.listen(port);
  const faults = await listenForFaults(nodes, three.faultPort);
  return {
    says: { port: ports[0], ports, faultPort: faults.port },
    drain: async () => {
      faults.server.close();
      await nodes.drain();
    },
  };
}

function whyNotServed(error: unknown, wanted: number): string {
  const { code, message, syscall, port = wanted } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use. Stop what listens there, or give another port with --port.`;
  if (syscall !== undefined) return `Port ${port} cannot be listened on: ${message}.`;
  return `The certificate cannot be used: ${wordsOf(error)}.`;
}

async function main(): Promise<void> {
  const refused = refusedEnvironment(process.env);
  if (refused !== undefined) stop(refused);
  const options = readArguments();
  const drops = setting('STAND_IN_DROPS');
  if (drops === 'off') dropNobody();
  else if (drops !== '' && drops !== 'on') stop(`STAND_IN_DROPS is on or off, not ${drops}.`);
  const access = accessWith(options.identity);
  const store = openStore(options.data, options.keepFree);
  await beginLog(store);
  let service: Service;
  try {
    service = await serve(store, options, access);
  } catch (error) {
    await store.close();
    stop(whyNotServed(error, options.port));
  }
  let stopping = false;
  const shutDown = (): void => {
    if (stopping) return;
    stopping = true;
    process.stderr.write('eventstore: finishing appends, then stopping.\n');
    service
      .drain()
      .then(() => store.close())
      .then(() => process.exit(0))
      .catch((error: unknown) => stop(`Stopping failed: ${wordsOf(error)}.`));
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  // Last: whoever reads this line may send a signal at once.
  process.stdout.write(`${JSON.stringify({ ready: true, ...service.says })}\n`);
}

process.on('unhandledRejection', (error) => {
  stop(`A commit or a call failed unexpectedly (${wordsOf(error)}).`);
});

await main();
