/** What is said where the event store cannot be used: over the wire, with TLS and users. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '#local/launch/free-port';
import { developmentCertificate } from '#local/stand-ins/eventstore/development-certificate';
import { startEventStore, type RunningEventStore } from '#test/conformance/eventstore-process';
import { START } from '#contracts/log';
import { EsdbLog } from '../esdb.js';

const folder = mkdtempSync(join(tmpdir(), 'trouble-'));
const certificate = join(folder, 'certificate');
const other = join(folder, 'other');
const authority = (of: string): string => join(of, 'authority.pem');
const trusting = (of: string): string => `tls=true&tlsCAFile=${encodeURIComponent(authority(of))}`;

let secure: RunningEventStore;
let plain: RunningEventStore;
/** Shows a certificate that is made for other names than it is reached by. */
let misnamed: RunningEventStore;
/** It takes connections and never says a word, as a frozen node does. */
const silent = createServer((socket) => void held.add(socket.on('error', () => undefined)));
const held = new Set<Socket>();
beforeAll(async () => {
  developmentCertificate(other, []);
  writeFileSync(join(folder, 'users'), 'ledger:hush-hush\nreader:hush-hush ordinary\n');
  secure = await startEventStore({
    flags: ['--development-certificate', certificate],
    env: { STAND_IN_USERS_FILE: join(folder, 'users') },
  });
  plain = await startEventStore();
  misnamed = await startEventStore({
    flags: ['--host', '127.0.0.2', '--development-certificate', certificate],
  });
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  silent.close();
  for (const socket of held) socket.destroy();
  await Promise.all([secure, plain, misnamed].map((store) => store.stop()));
  rmSync(folder, { recursive: true });
});

/** The sentence at this URL, and what the same says of the error that a read of the log ends with. */
async function sayings(url: string): Promise<{ sentence: string; isOutage: boolean } | undefined> {
  const log = EsdbLog.connect(url, 'EVENTSTORE_URL', { readSilenceMs: 3_000 });
  try {
    const reading = async (): Promise<unknown> => {
      for await (const _ of log.readAll(START, [''])) return undefined;
      return undefined;
    };
    const error = await reading().catch((failure: unknown) => failure);
    const trouble = await log.trouble();
    expect(await EsdbLog.troubleBehind(error)).toBe(trouble?.sentence);
    return trouble;
  } finally {
    await log.close();
  }
}

describe('an event store that cannot be used', () => {
  it.each([
    [
      'another password',
      () => `esdb://ledger:other-words@localhost:${secure.port}?${trusting(certificate)}`,
      'The event store does not know the user "ledger" with the password that EVENTSTORE_URL has: correct them there, or make the user at the event store.',
    ],
    [
      'a user whom it does not know',
      () => `esdb://nobody:hush-hush@localhost:${secure.port}?${trusting(certificate)}`,
      'The event store does not know the user "nobody" with the password that EVENTSTORE_URL has: correct them there, or make the user at the event store.',
    ],
    [
      'no user',
      () => `esdb://localhost:${secure.port}?${trusting(certificate)}`,
      'The event store lets in only users, and EVENTSTORE_URL names none: write user:password@ before its host.',
    ],
    [
      'a user who may not read $all',
      () => `esdb://reader:hush-hush@localhost:${secure.port}?${trusting(certificate)}`,
      'The user "reader" of EVENTSTORE_URL may not read $all, which Encore reads: an administrator of the event store puts the user into the group $admins, or allows it in the metadata of $all (an event of type $metadata in the stream $$$all) with {"$acl":{"$r":["$admins","reader"]}}.',
    ],
    [
      'a certificate that nobody vouches for',
      () => `esdb://ledger:hush-hush@localhost:${secure.port}?tls=true`,
      /^The certificate that the event store at localhost:\d+ shows \(for .*, issued by .*\) is vouched for by nobody whom this process trusts: name the file with its authority’s certificate in EVENTSTORE_URL as tlsCAFile=…\.$/,
    ],
    [
      'another authority',
      () => `esdb://ledger:hush-hush@localhost:${secure.port}?${trusting(other)}`,
      /^The certificate that the event store at localhost:\d+ shows .* is not vouched for by what is in the file .*other\/authority\.pem, which EVENTSTORE_URL names as tlsCAFile: put its authority’s certificate there\.$/,
    ],
    [
      'a certificate for other names',
      () => `esdb://127.0.0.2:${misnamed.port}?${trusting(certificate)}`,
      /^The certificate that the event store at 127\.0\.0\.2:\d+ shows is for .*localhost.*, not for 127\.0\.0\.2: write one of these names into EVENTSTORE_URL, or give the event store a certificate for 127\.0\.0\.2\.$/,
    ],
    [
      'TLS at the event store alone',
      () => `esdb://ledger:hush-hush@localhost:${secure.port}?tls=false`,
      /^EVENTSTORE_URL says tls=false, and the event store at localhost:\d+ speaks TLS only: leave tls=false out, and name its authority’s certificate as tlsCAFile=…\.$/,
    ],
    [
      'TLS in the URL alone',
      () => `esdb://ledger:hush-hush@localhost:${plain.port}?${trusting(certificate)}`,
      /^EVENTSTORE_URL asks for TLS, and the event store at localhost:\d+ speaks without it: write tls=false into the URL, or give the event store a certificate\.$/,
    ],
    [
      'a cluster of which one node speaks TLS',
      () => `esdb://127.0.0.1:1,localhost:${secure.port}?tls=false&maxDiscoverAttempts=2`,
      /^EVENTSTORE_URL says tls=false, and the event store at localhost:\d+ speaks TLS only/,
    ],
  ])('by %s is told in one sentence, without the password', async (_, url, sentence) => {
    const said = await sayings(url());
    expect(said).toEqual({
      sentence: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
      isOutage: false,
    });
    expect(said?.sentence).not.toMatch(/hush-hush|other-words/);
  });

  it('is reported as an outage when nothing answers', async () => {
    const free = await freePort();
    expect(await sayings(`esdb://ledger:hush-hush@127.0.0.1:${free}?tls=false`)).toEqual({
      sentence: `No event store answers at 127.0.0.1:${free} (ECONNREFUSED): start it, or correct EVENTSTORE_URL.`,
      isOutage: true,
    });
    // One of two is not more than half, though it leads by its own word.
    expect(await sayings(`esdb://127.0.0.1:${plain.port},127.0.0.1:${free}?tls=false`)).toEqual({
      sentence: `Of 2 nodes of the event store these do not answer: 127.0.0.1:${free}. One leads only where more than half do: start them, or correct EVENTSTORE_URL.`,
      isOutage: true,
    });
    const { port } = silent.address() as AddressInfo;
    expect(await sayings(`esdb://127.0.0.1:${port}?tls=false`)).toEqual({
      sentence: `No event store answers at 127.0.0.1:${port} (no answer): start it, or correct EVENTSTORE_URL.`,
      isOutage: true,
    });
  });
});

it('reports nodes that advertise an address this process cannot reach', async () => {
  const free = await freePort();
  const store = await startEventStore({ flags: ['--advertise', `127.0.0.1:${free}`] });
  expect(await sayings(`esdb://127.0.0.1:${store.port},localhost:${store.port}?tls=false`)).toEqual({
    sentence: `The nodes of the event store say that they are at 127.0.0.1:${free}, and nothing answers there: let them advertise addresses that this process can reach (EVENTSTORE_ADVERTISE_HOST_TO_CLIENT_AS).`,
    isOutage: true,
  });
  await store.stop();
});

describe('an event store that can be used', () => {
  it('reports no trouble: without TLS, as an admin, and as a user who may read $all', async () => {
    expect(await sayings(`esdb://localhost:${plain.port}?tls=false`)).toBeUndefined();
    const admin = `esdb://ledger:hush-hush@localhost:${secure.port}?${trusting(certificate)}`;
    expect(await sayings(admin)).toBeUndefined();
    const client = EventStoreDBClient.connectionString(admin);
    const allowed = { $acl: { $r: ['$admins', 'reader'] } };
    await client.appendToStream('$$$all', jsonEvent({ type: '$metadata', data: allowed }));
    await client.dispose();
    expect(
      await sayings(`esdb://reader:hush-hush@localhost:${secure.port}?${trusting(certificate)}`),
    ).toBeUndefined();
  });

  it('checks the password at the leader: a node that has just joined may not know the users yet', async () => {
    writeFileSync(join(folder, 'no-users-yet'), 'admin:hush-hush\n');
    const joining = await startEventStore({
      flags: ['--development-certificate', certificate, '--leader', `127.0.0.1:${secure.port}`],
      env: { STAND_IN_USERS_FILE: join(folder, 'no-users-yet') },
    });
    const nodes = `127.0.0.1:${joining.port},127.0.0.1:${secure.port}`;
    expect(await sayings(`esdb://ledger:hush-hush@${nodes}?${trusting(certificate)}`)).toBeUndefined();
    expect(await sayings(`esdb://ledger:other-words@${nodes}?${trusting(certificate)}`)).toMatchObject({
      sentence: expect.stringMatching(/^The event store does not know the user "ledger" with the password/),
      isOutage: false,
    });
    await joining.stop();
  });

  it('is not asked about an error of something else', async () =>
    expect(await EsdbLog.troubleBehind(new Error('Postgres does not answer.'))).toBeUndefined());
});
