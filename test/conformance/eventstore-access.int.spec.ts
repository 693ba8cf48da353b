/**
 * Who reaches the event store's stand-in, and who does not: TLS and Basic authentication, with the unmodified
 * client.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AccessDeniedError,
  EventStoreDBClient,
  jsonEvent,
  NotLeaderError,
  UnavailableError,
  type AppendResult,
  type Credentials,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownEnvironment, startEventStore, type RunningEventStore } from './eventstore-process.js';

const folder = mkdtempSync(join(tmpdir(), 'eventstore-access-'));
const certificate = join(folder, 'certificate');
const authority = encodeURIComponent(join(certificate, 'authority.pem'));
const USERS = 'ledger:p@ss:word\n\n auditor:hush-hush\n';
const LEDGER: Credentials = { username: 'ledger', password: 'p@ss:word' };

let running: RunningEventStore;
const opened: EventStoreDBClient[] = [];
beforeAll(async () => {
  writeFileSync(join(folder, 'users'), USERS);
  running = await startEventStore({
    flags: ['--development-certificate', certificate],
    env: { STAND_IN_USERS_FILE: join(folder, 'users') },
  });
});
afterAll(async () => {
  await Promise.all(opened.map((client) => client.dispose()));
  await running.stop();
  rmSync(folder, { recursive: true });
});

function connect(
  who: string,
  { host = '127.0.0.1', port = running.port, options = `tls=true&tlsCAFile=${authority}` } = {},
) {
  const client = EventStoreDBClient.connectionString(`esdb://${who}${host}:${port}?${options}`);
  opened.push(client);
  return client;
}

const event = () => jsonEvent({ type: 'Entered', data: { by: 'somebody' } });
const append = (client: EventStoreDBClient, credentials?: Credentials): Promise<AppendResult> =>
  client.appendToStream('door', event(), credentials ? { credentials } : {});

async function read(client: EventStoreDBClient): Promise<number> {
  let count = 0;
  for await (const _ of client.readStream('door')) count += 1;
  return count;
}

async function follow(client: EventStoreDBClient): Promise<string> {
  for await (const { event } of client.subscribeToAll())
    if (!event!.streamId.startsWith('$')) return event!.type;
  return '';
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('This should have been refused');
    },
    (error: unknown) => error,
  );

describe('an event store with a certificate and users', () => {
  it('lets in whom it knows, by name and by address, in every way of appending and reading', async () => {
    const auditor = connect('auditor:hush-hush@');
    const ledger = connect(`${LEDGER.username}:${encodeURIComponent(LEDGER.password)}@`, {
      host: 'localhost',
    });
    expect((await append(ledger)).success).toBe(true);
    expect((await append(auditor, LEDGER)).nextExpectedRevision).toBe(1n);
    expect(await read(auditor)).toBe(2);
    expect(await follow(auditor)).toBe('Entered');
  });

  it('refuses who has another password, no name or none at all, and writes nothing', async () => {
    const known = connect('auditor:hush-hush@');
    const before = await read(known);
    for (const who of ['auditor:hush@', 'nobody:hush-hush@', '']) {
      const stranger = connect(who);
      for (const use of [append, read, follow, (client: EventStoreDBClient) => client.deleteStream('door')])
        expect(await rejection(use(stranger))).toBeInstanceOf(AccessDeniedError);
      expect(await rejection(append(stranger, { username: 'auditor', password: 'admin' }))).toBeInstanceOf(
        AccessDeniedError,
      );
      // The words are for whoever reads a log; they do not repeat what was tried.
      const { message } = (await rejection(read(stranger))) as Error;
      expect(message).toMatch(/does not know this user with this password|lets in only whom it knows/);
      expect(message).not.toContain('hush');
    }
    expect(await read(known)).toBe(before);
    // One call may show credentials of its own.
    expect((await append(connect(''), LEDGER)).success).toBe(true);
  });

  it('is not talked to by a client that does not trust its certificate, nor in the clear', async () => {
    for (const options of ['tls=true', 'tls=false']) {
      const error = await rejection(append(connect('auditor:hush-hush@', { options })));
      expect(error instanceof UnavailableError || (error as { code?: number }).code === 14).toBe(true);
    }
  });

  it('keeps its certificate, the key for its owner only, and shows it again after a restart', async () => {
    const kept = readFileSync(join(certificate, 'server.pem'), 'utf8');
    expect(statSync(join(certificate, 'server.key')).mode & 0o777).toBe(0o600);
    await running.kill('SIGTERM');
    // As somebody's own certificate this time; without users everybody comes in who trusts it.
    const files = [
      '--certificate',
      join(certificate, 'server.pem'),
      '--key',
      join(certificate, 'server.key'),
    ];
    running = await startEventStore({ folder: running.folder, flags: files });
    expect(await read(connect(''))).toBeGreaterThan(0);
    expect(readFileSync(join(certificate, 'server.pem'), 'utf8')).toBe(kept);
  });
});

describe('an event store does not start', () => {
  const words = (env: Record<string, string>, ...flags: string[]): Promise<string> =>
    new Promise((resolve) => {
      const main = [
        'dist/local/stand-ins/eventstore/main.js',
        '--port',
        '0',
        '--data',
        join(folder, 'none'),
        ...flags,
      ];
      execFile(process.execPath, main, { env: { ...ownEnvironment, ...env } }, (error, _, stderr) =>
        resolve(`${error?.code}: ${stderr.trim()}`),
      );
    });

  it('with users but no certificate, with users it cannot read, or with half a certificate', async () => {
    expect(
      await Promise.all([
        words({ STAND_IN_USERS: 'ledger:hush-hush' }),
        words({ STAND_IN_USERS: 'ledger:hush-hush\nhush-hush' }, '--development-certificate', certificate),
        words({}, '--certificate', join(certificate, 'server.pem')),
        words({}, '--certificate', join(folder, 'users'), '--key', join(folder, 'users')),
      ]),
    ).toEqual([
      '1: eventstore: STAND_IN_USERS needs a certificate: --certificate and --key, or --development-certificate.',
      '1: eventstore: STAND_IN_USERS cannot be used: line 2 of the users must be name:password.',
      '1: eventstore: --certificate and --key go together.',
      expect.stringMatching(/^1: eventstore: The certificate cannot be used: /),
    ]);
  });

  it('with a variable that ends the real one, and with seeds of a cluster that it is told it is not', async () => {
    expect(
      await Promise.all([
        words({ EVENTSTORE_USERS_FILE: join(folder, 'users') }),
        words({ EVENTSTORE_CLUSTER_SIZE: '1', EVENTSTORE_GOSSIP_SEED: 'second:2113,third:2113' }),
      ]),
    ).toEqual([
      expect.stringMatching(/^1: eventstore: EVENTSTORE_USERS_FILE is no option of EventStoreDB/),
      expect.stringMatching(
        /^1: eventstore: EVENTSTORE_CLUSTER_SIZE is 1 and EVENTSTORE_GOSSIP_SEED names 2/,
      ),
    ]);
  });
});

describe('a node that names another as the leader', () => {
  it('sends clients that look for the leader there, by whichever node they ask, and keeps nothing of what they write', async () => {
    const leading = await startEventStore();
    const node = await startEventStore({ flags: ['--leader', `localhost:${leading.port}`] });
    try {
      const seeds = connect('', {
        host: `127.0.0.1:${node.port},localhost`,
        port: node.port,
        options: 'tls=false',
      });
      await append(seeds);
      const [there, here] = [leading, node].map(({ port }) => connect('', { port, options: 'tls=false' }));
      expect(await read(there!)).toBe(1);
      await expect(read(here!)).rejects.toThrow(/door/);
      // A call that asks for the leader is refused, and sends its client there.
      const asking = { requiresLeader: true } as const;
      for (const use of [
        (client: EventStoreDBClient) => client.appendToStream('door', event(), asking),
        (client: EventStoreDBClient) =>
          client.appendToStream('door', event(), { ...asking, credentials: LEDGER }),
        (client: EventStoreDBClient) => client.deleteStream('door', asking),
        (client: EventStoreDBClient) => client.readStream('door', asking)[Symbol.asyncIterator]().next(),
      ]) {
        const client = connect('', { port: node.port, options: 'tls=false' });
        const error = await rejection(Promise.resolve(use(client)));
        expect(error).toBeInstanceOf(NotLeaderError);
        expect(error).toMatchObject({ leader: { address: 'localhost', port: leading.port } });
        expect(await read(client)).toBe(1);
      }
    } finally {
      await Promise.all([leading.stop(), node.stop()]);
    }
  });

  it('is told where both are as a host and a port', async () => {
    for (const option of ['--leader', '--advertise'])
      await expect(startEventStore({ flags: [option, 'eventstore'] })).rejects.toThrow(
        `${option} must be a host and a port, such as eventstore:2113, not eventstore.`,
      );
  });
});
