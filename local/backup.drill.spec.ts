/**
 * `make backup` while the stack runs and `make restore` while it does not, from the outside: what was kept is
 * there again, hash for hash, nobody is signed in, and everybody can sign in.
 */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openArchive } from '#audit/exported-log/archive';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { Terminal } from '#test/support/terminal';
import { freePort } from './launch/free-port.js';

const WITHIN_MS = 240_000;
const home = mkdtempSync(join(tmpdir(), 'encore-backup-'));
chmodSync(home, 0o711);
const dataFolder = join(home, 'data');
const kept = join(home, 'kept');

let port = '';
let stack: Terminal;
const start = async (): Promise<void> => {
  // What the provider keeps of a payment is told at once: a backup is to have all that there is.
  const env = { ENCORE_DEMO: 'off', STAND_IN_SWITCHES: '{}' };
  stack = new Terminal('up', { PORT: port, ENCORE_DATA: dataFolder, ...env });
  await stack.until(/Encore is open/);
};
const stop = async (): Promise<void> => {
  stack.signal('SIGTERM');
  expect(await stack.end()).toBe(0);
};
const run = async (
  program: 'backup' | 'restore' | 'recover',
  env: Record<string, string>,
): Promise<string> => {
  const terminal = new Terminal(program, { ENCORE_DATA: dataFolder, PORT: port, ...env });
  const code = await terminal.end();
  return `${code} ${terminal.shown}`;
};

/** A restore that has noted what it is about to do, and is killed then. */
async function killedHalfWay(from: string): Promise<void> {
  const terminal = new Terminal('restore', { ENCORE_DATA: dataFolder, PORT: port, FROM: from });
  while (!existsSync(join(dataFolder, 'restore.json')) && terminal.ended === undefined) await pause(2);
  terminal.signal('SIGKILL');
  expect(await terminal.end()).toBe('SIGKILL');
}

const read = (file: string): Record<string, string> =>
  JSON.parse(readFileSync(join(dataFolder, file), 'utf8')) as Record<string, string>;

/** Each event of an exported log by what may not change: not its place in a store, nor that store's clock. */
async function eventsIn(folder: string): Promise<string[]> {
  const events: string[] = [];
  for await (const { stream, revision, id, type, data, metadata } of (await openArchive(folder)).events())
    events.push([stream, revision, id, type, data.bytes.toString(), metadata.bytes.toString()].join(' '));
  return events;
}

/** In a browser that the identity provider does not know. */
async function signedInAnew(person: Person): Promise<void> {
  await person.jar.removeAllCookies();
  await person.signIn();
}

let juno: Person;
let milo: Person;
let provider: CardProviderWorld;
beforeAll(async () => {
  port = String(await freePort());
  await start();
  const url = `http://localhost:${port}`;
  juno = await Person.signUp(url, 'Juno');
  milo = await Person.signUp(url, 'Milo');
  const secrets = read('secrets.json');
  const env = { ...secrets, STRIPE_API_URL: `http://127.0.0.1:${read('ports.json').stripe}` };
  provider = new CardProviderWorld(() => ({ url, env }));
  await provider.card((await milo.pay(juno.id, '12.34')).clientSecret!);
  while ((await juno.me()).earnings !== '12.34') await pause(50);
}, WITHIN_MS);
afterAll(async () => {
  stack.signal('SIGTERM');
  await stack.end();
  rmSync(home, { recursive: true, force: true });
}, WITHIN_MS);

describe('a backup', () => {
  it(
    'is made while everything runs, and says what is in it and where the master key is',
    async () => {
      const said = await run('backup', { BACKUP: kept });
      expect(said).toMatch(
        /^0 The log is in .*kept: \d+ events, up to revision \d+ of the journal, every chain verified\.\n/,
      );
      expect(said).toMatch(/2 of edge\.sessions, .* [23] of vault\.data_keys/);
      expect(said).toContain(`The master key is in ${dataFolder}/secrets.json.`);
      expect(readdirSync(kept).sort()).toEqual(['backup.json', 'log', 'tables.log']);
      const { ENCORE_MASTER_KEY } = read('secrets.json');
      expect(readFileSync(join(kept, 'tables.log'), 'utf8')).not.toContain(ENCORE_MASTER_KEY);
      expect(await run('backup', { BACKUP: kept })).toMatch(/^2 .*is not empty: .*Nothing was changed/);
    },
    WITHIN_MS,
  );

  it(
    'that is interrupted leaves nothing that looks like one',
    async () => {
      const other = join(home, 'other');
      const terminal = new Terminal('backup', { ENCORE_DATA: dataFolder, PORT: port, BACKUP: other });
      while (!existsSync(`${other}.unfinished`) && terminal.ended === undefined) await pause(2);
      terminal.signal('SIGKILL');
      await terminal.end();
      // The verb that it had started may still finish, and be about to give a whole one its name.
      expect(await run('restore', { FROM: `${other}.unfinished` })).toMatch(
        /^1 (?:.*is no backup, or one that was|Encore already runs)/,
      );
      // A whole one is then in the way.
      while (existsSync(`${other}.unfinished`) && !existsSync(other)) await pause(50);
      rmSync(other, { recursive: true, force: true });
      expect(await run('backup', { BACKUP: other })).toMatch(/^0 The log is in/);
    },
    WITHIN_MS,
  );

  it('is refused by a restore while the stack runs, with the process that is to be stopped', async () => {
    expect(await run('restore', { FROM: kept })).toMatch(
      /^1 Encore already runs on .*as process \d+.*Stop it first/,
    );
    expect((await juno.me()).earnings).toBe('12.34');
  });
});

describe('a restore', () => {
  it(
    'refuses a backup in which a byte was changed, and one of another master key, and changes nothing',
    async () => {
      await stop();
      const spoilt = join(home, 'spoilt');
      cpSync(kept, spoilt, { recursive: true });
      appendFileSync(join(spoilt, 'log', readdirSync(join(spoilt, 'log'))[0]!), `${'x'.repeat(50)}\n`);
      expect(await run('restore', { FROM: spoilt })).toMatch(
        /^2 .*line \d+: the line is not what was written here/,
      );
      const otherKey = await run('restore', { FROM: kept, ENCORE_MASTER_KEY: 'ab'.repeat(32) });
      expect(otherKey).toMatch(/^2 The data keys of the backup are wrapped by another master key/);
      expect(existsSync(join(dataFolder, 'restore.json'))).toBe(false);
      expect(readdirSync(dataFolder).filter((name) => name.includes('before'))).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'brings everything back, hash for hash, ends all sessions, and people sign in to the same balances',
    async () => {
      const archived = await eventsIn(join(dataFolder, 'archive'));
      const said = await run('restore', { FROM: kept });
      expect(said).toMatch(
        /\nThe log is that of the backup of .*: \d+ events, of which \d+ were written now/,
      );
      expect(said).toMatch(/Nobody is signed in any more/);
      await start();
      expect((await juno.get('/api/auth/user')).status).toBe(401);
      await signedInAnew(juno);
      await signedInAnew(milo);
      while ((await juno.me()).earnings !== '12.34') await pause(50);
      expect((await juno.me()).firstName).toBe('Juno');
      expect((await milo.transactions()).map(({ amount }) => amount)).toEqual(['12.34']);
      await milo.pay(juno.id, '1.00');
      // The archive sees that it is the same log in another store, and goes on with it.
      while ((await eventsIn(join(dataFolder, 'archive'))).length <= archived.length) await pause(50);
      const now = await eventsIn(join(dataFolder, 'archive'));
      expect(now.slice(0, archived.length)).toEqual(archived);
      expect(await eventsIn(join(kept, 'log'))).toEqual(
        archived.slice(0, (await eventsIn(join(kept, 'log'))).length),
      );
    },
    WITHIN_MS,
  );

  it(
    'of an older backup leaves a log in recovery, until what came since is back from the archive, hash for hash',
    async () => {
      await provider.card((await milo.pay(juno.id, '5.00')).clientSecret!);
      while ((await juno.me()).earnings !== '17.34') await pause(50);
      await stop();
      const archived = await eventsIn(join(dataFolder, 'archive'));
      expect(await run('restore', { FROM: kept })).toMatch(/so the log is in recovery/);
      await start();
      await stack.until(
        /It is open, but not all of it works\. [^]*Stop this with Ctrl-C, and run: make recover/,
      );
      await signedInAnew(juno);
      // Rows are served; nothing is written.
      expect((await juno.me()).earnings).toBe('17.34');
      const tip = { toUserId: milo.id, amount: '1.00' };
      expect((await juno.post('/api/create-payment-intent', tip)).status).toBe(503);
      await stop();
      expect(await run('recover', {})).toMatch(/^0 [^]*The log is in recovery no more/);
      await start();
      await signedInAnew(juno);
      expect((await juno.me()).earnings).toBe('17.34');
      expect(await juno.pay(milo.id, '1.00')).toHaveProperty('clientSecret');
      while ((await eventsIn(join(dataFolder, 'archive'))).length <= archived.length) await pause(50);
      expect((await eventsIn(join(dataFolder, 'archive'))).slice(0, archived.length)).toEqual(archived);
    },
    2 * WITHIN_MS,
  );

  it(
    'that is killed and whose backup is gone is given up, or finished with another one',
    async () => {
      await stop();
      const lost = join(home, 'lost');
      cpSync(kept, lost, { recursive: true });
      await killedHalfWay(lost);
      rmSync(lost, { recursive: true });
      const gone = await run('restore', { FROM: lost });
      expect(gone).toMatch(/^1 .*is no backup[^]* is not finished\. [^]*make restore BACK=1/);
      expect(await run('restore', { BACK: '1' })).toMatch(
        /^0 The event store has the data of before[^]* in recovery, stop it and run: make recover/,
      );
      expect(await run('restore', { BACK: '1' })).toMatch(/^1 No restore of .* was interrupted/);
      expect(existsSync(join(dataFolder, 'eventstore'))).toBe(true);
      await start();
      await signedInAnew(juno);
      while ((await juno.me()).earnings !== '17.34') await pause(50);
      await stop();

      cpSync(kept, lost, { recursive: true });
      await killedHalfWay(lost);
      rmSync(lost, { recursive: true });
      expect(await run('restore', { FROM: kept })).toMatch(/^0 [^]*The log is that of the backup/);
      expect(await run('recover', {})).toMatch(/^0 [^]*The log is in recovery no more/);
      await start();
    },
    2 * WITHIN_MS,
  );

  it(
    'that is killed lets nothing start on what it left, and is finished by the same command, without Postgres’ data too',
    async () => {
      await stop();
      rmSync(join(dataFolder, 'postgres'), { recursive: true });
      await killedHalfWay(kept);
      const refused = new Terminal('up', { PORT: port, ENCORE_DATA: dataFolder, ENCORE_DEMO: 'off' });
      expect(await refused.end()).toBe(1);
      expect(refused.shown).toContain(`Run it again: make restore FROM=${kept}`);
      expect(await run('restore', { FROM: kept })).toMatch(/^0 [^]*The log is that of the backup/);
      await start();
      await signedInAnew(juno);
      while ((await juno.me()).earnings !== '12.34') await pause(50);
      // The data keys are those of the backup: without them nobody's name could be read.
      expect((await juno.me()).firstName).toBe('Juno');
    },
    WITHIN_MS,
  );
});
