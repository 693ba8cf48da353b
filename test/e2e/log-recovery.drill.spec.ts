/** A log that comes back from an older backup, under rows that went on: nothing is written over it. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CLOSED_HEADER } from '#contracts/plain/headers';
import { clearLogRecovery, readLogRecovery } from '#log/log-recovery';
import { runsInContainer } from '#test/support/containers';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Person, refusal } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all'], { ledgers: 2 });
const WITHIN_MS = 30_000;
const CLOSED =
  'Payments and changes are closed for now, because records have to be put in order first. Nothing was done: please try again later.';
const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;
/** The log of this deployment is a folder of ours. */
const isFolder = (): boolean => !runsInContainer('eventstore', process.env);
const folder = (): string => join(stack().dataFolder, 'eventstore');
const backup = (name: string): string => join(stack().dataFolder, `backup-${name}`);

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const from = Date.now(); !(await isSo()); await new Promise((resolve) => setTimeout(resolve, 100)))
    if (Date.now() - from > WITHIN_MS)
      throw new Error(
        `Waited ${WITHIN_MS} ms in vain for ${what}: ${JSON.stringify(await Promise.all(LEDGERS.map(innerReady)))}`,
      );
}

/** Copies the log's folder while the store is stopped, as a backup does. */
async function keep(name: string): Promise<void> {
  await store().stop();
  rmSync(backup(name), { recursive: true, force: true });
  cpSync(folder(), backup(name), { recursive: true, preserveTimestamps: true });
  await store().start();
}

async function bringBack(name: string): Promise<void> {
  await store().stop();
  rmSync(folder(), { recursive: true });
  cpSync(backup(name), folder(), { recursive: true, preserveTimestamps: true });
  await store().start();
}

const store = () => stack().part('eventstore');
const readyOf = async (url: string) =>
  (await (await fetch(url)).json()) as {
    ready: boolean;
    degraded?: boolean;
    reasons: string[];
    writes?: string;
  };
const at = (name: string, path: string): string => `http://127.0.0.1:${stack().ports[name]}${path}`;
const LEDGERS = ['ledger-1', 'ledger-2'] as const;
const innerReady = (name: string) => readyOf(at(`${name}-internal`, '/readyz'));
const areOpen = async (): Promise<boolean> =>
  (await Promise.all(LEDGERS.map(innerReady))).every(({ writes }) => writes === 'open');
const areRecovering = async (): Promise<boolean> =>
  (await Promise.all(LEDGERS.map(innerReady))).every(({ reasons }) =>
    reasons.some((reason) => reason.startsWith('The log is in recovery')),
  );
const wantsAlerts = (person: Person, transactionAlertsEnabled: boolean) =>
  person.put('/api/settings', { transactionAlertsEnabled });

beforeAll(async () => {
  juno = await Person.signUp(stack().url, 'Juno');
  milo = await Person.signUp(stack().url, 'Milo');
  await juno.pay(milo.id, '20.00');
  await evidence.shown();
});

describe('a log from an older backup under newer rows', () => {
  it('is noticed by running ledgers, although the journal ends where it did', async () => {
    if (!isFolder()) return;
    await keep('older');
    await until('open writes', areOpen);
    // Nothing of the journal's: only another stream is shorter in the backup.
    expect((await wantsAlerts(juno, false)).status).toBe(200);
    await keep('newer');
    await until('open writes', areOpen);
    await bringBack('older');
    await until('recovery', areRecovering);
    expect(await readLogRecovery(evidence.db)).toMatchObject({
      reason: expect.stringContaining(`settings-${juno.id}`),
    });
  });

  it('takes no command, webhook or job, and serves what rows there are', async () => {
    if (!isFolder()) return;
    const before = (await evidence.events()).length;
    const refused = await juno.post('/api/create-payment-intent', { toUserId: milo.id, amount: '1.00' });
    expect(refusal(refused)).toEqual([503, CLOSED]);
    expect(refusal(await wantsAlerts(juno, true))).toEqual([503, CLOSED]);
    const webhook = await juno.post('/api/webhooks/stripe', {});
    expect(webhook.status).toBe(503);
    const page = await juno.get('/api/transactions');
    expect([page.status, page.headers.get(CLOSED_HEADER)]).toEqual([200, 'true']);
    const known = new Person(stack().url, juno.firstName, juno.username, juno.email);
    await known.signIn();
    expect((await known.get('/api/auth/user')).status).toBe(200);
    expect(await readyOf(at('ledger-1', '/readyz'))).toEqual({
      ready: true,
      degraded: true,
      reasons: expect.arrayContaining(['Payments and changes are not taken at the moment.']),
    });
    await until('workers that stand still', async () =>
      (await readyOf(at('workers', '/readyz'))).reasons.some((reason) => reason.includes('in recovery')),
    );
    await until('rows that stay', async () =>
      (await readyOf(at('projections', '/readyz'))).reasons.some((reason) => reason.includes('in recovery')),
    );
    expect((await evidence.events()).length).toBe(before);
  });

  it('takes nothing from an operator either, the row or not', async () => {
    if (!isFolder()) return;
    const commands = [['found'], ['reopen', juno.id]];
    const refused = async (): Promise<void> => {
      for (const words of commands) {
        const { status, err } = await evidence.run('processes/operate.js', ...words);
        expect([words, status]).toEqual([words, 2]);
        expect(err).toMatch(/^The log has lost something\. .* Run first: encore operate recover\n$/);
      }
    };
    await refused();
    for (const name of LEDGERS) await stack().part(name).stop();
    await clearLogRecovery(evidence.db);
    await refused();
    for (const name of LEDGERS) await stack().part(name).start();
    await until('recovery', areRecovering);
  });

  it('is noticed by a ledger that starts over it, too', async () => {
    if (!isFolder()) return;
    await stack().part('ledger-1').stop();
    await stack().part('ledger-2').stop();
    await clearLogRecovery(evidence.db);
    await stack().part('ledger-1').start();
    await stack().part('ledger-2').start();
    await until('recovery', areRecovering);
    const refused = await juno.post('/api/create-payment-intent', { toUserId: milo.id, amount: '1.00' });
    expect(refusal(refused)).toEqual([503, CLOSED]);
  });

  it('is written to again without a new start once the log has what it had', async () => {
    if (!isFolder()) return;
    await bringBack('newer');
    await clearLogRecovery(evidence.db);
    await until('open writes', areOpen);
    expect((await wantsAlerts(juno, true)).status).toBe(200);
    await juno.pay(milo.id, '5.00');
    await evidence.shown();
    await evidence.holds();
  });
});

describe('a log from an older backup of which only the card provider knows more', () => {
  it('pays nothing out and gives nothing back: the first comparison finds the lost payment', async () => {
    if (!isFolder()) return;
    const provider = new CardProviderWorld(stack);
    await keep('before-a-tip');
    await until('open writes', areOpen);
    const { paymentId, clientSecret } = await juno.pay(milo.id, '7.00');
    await provider.card(clientSecret);
    await provider.delivered();
    await evidence.shown();
    const apps = [...LEDGERS, 'projections', 'workers'] as const;
    for (const name of apps) await stack().part(name).stop();
    // Rows that were let go remember nothing.
    await evidence.db.query('drop schema read cascade');
    await keep('after-a-tip');
    await bringBack('before-a-tip');
    for (const name of apps) await stack().part(name).start();
    await until('recovery', areRecovering);
    const { data } = await provider.stripe.paymentIntents.list({ limit: 1 });
    expect(data[0]?.metadata).toMatchObject({ paymentId });
    expect(await readLogRecovery(evidence.db)).toMatchObject({
      knownFrom: 'provider',
      reason: expect.stringContaining(data[0]!.id),
    });
    expect((await provider.stripe.refunds.list({ limit: 1 })).data).toEqual([]);
    await bringBack('after-a-tip');
    await evidence.db.query('drop schema read cascade');
    await clearLogRecovery(evidence.db);
    await until('open writes', areOpen);
    await juno.pay(milo.id, '8.00');
    await evidence.shown();
    await evidence.holds();
  });
});

describe('a journal that is hidden by its metadata', () => {
  it('is not written to, neither by a ledger that runs nor by one that starts', async () => {
    const { EventStoreDBClient, jsonEvent } = await import('@eventstore/db-client');
    const client = EventStoreDBClient.connectionString(stack().env.EVENTSTORE_URL!);
    const before = (await evidence.journal()).length;
    await client.setStreamMetadata('journal', { maxCount: 2 });
    const hidden = async (): Promise<boolean> =>
      (await innerReady('ledger-1')).reasons.some((reason) =>
        reason.startsWith('The metadata of the stream "journal" hides events ($maxCount: 2)'),
      );
    await until('a closed gate', hidden);
    await stack().part('ledger-1').restart();
    await until('a closed gate', hidden);
    const isDeleted = async (): Promise<boolean> =>
      (await innerReady('ledger-1')).reasons.some((reason) => reason.includes('hides events ($tb: '));
    const tip = { toUserId: milo.id, amount: '1.00' };
    expect(refusal(await juno.post('/api/create-payment-intent', tip))).toEqual([503, CLOSED]);
    await client.appendToStream('$$journal', jsonEvent({ type: '$metadata', data: {} }));
    await until('open writes', areOpen);
    expect((await evidence.journal()).length).toBe(before);
    await client.deleteStream('journal');
    await until('a closed gate', isDeleted);
    await stack().part('ledger-1').restart();
    await until('a closed gate', isDeleted);
    expect(refusal(await juno.post('/api/create-payment-intent', tip))).toEqual([503, CLOSED]);
    expect((await juno.get('/api/transactions')).status).toBe(200);
    // The first brings the stream back with a $tb of the store's own.
    await client.appendToStream('$$journal', jsonEvent({ type: '$metadata', data: {} }));
    await client.appendToStream('$$journal', jsonEvent({ type: '$metadata', data: {} }));
    await until('open writes', areOpen);
    expect((await evidence.journal()).length).toBe(before);
    // A ledger that could not write when it started proves next that log and provider belong together.
    await until('payments', async () => {
      const { status } = await juno.post('/api/create-payment-intent', { ...tip, amount: '6.00' });
      return status === 200;
    });
    await client.dispose();
    await evidence.shown();
    await evidence.holds();
  });
});
