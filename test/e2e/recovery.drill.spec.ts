/**
 * The event store is put back to an older backup while provider and Postgres went on. `operate recover` wins
 * back what was lost: all of it with an archive, what the provider proves without; the rest is listed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TreasuryWallet } from '#contracts/api/treasury';
import { JOURNAL } from '#contracts/events/journal';
import { START } from '#contracts/log';
import { repositoryRoot } from '#local/launch/program';
import { EsdbLog } from '#log/esdb';
import { json } from '#test/support/person';
import { eventually } from '#test/conformance/stripe-process';
import { Evidence, useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const work = mkdtempSync(join(tmpdir(), 'encore-recovery-'));
const archive = join(work, 'archive');
const stack = useStack(['all'], { env: { LOG_LEVEL: 'error' } });
const APP = ['workers', 'projections', 'ledger-1'] as const;
const WALLETS = '/api/treasury/wallets';

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;

beforeAll(async () => {
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
  await tip('20.00');
});
afterAll(async () => {
  rmSync(work, { recursive: true, force: true });
});

async function tip(amount: string): Promise<void> {
  await provider.card((await milo.pay(juno.id, amount)).clientSecret);
  await provider.delivered();
  await evidence.shown();
}
const storeFolder = (): string => join(stack().dataFolder, 'eventstore');
const stopApp = async (): Promise<void> => {
  for (const part of APP) await stack().part(part).stop();
};
const startApp = async (): Promise<void> => {
  for (const part of [...APP].reverse()) await stack().part(part).start();
};
/** Everything of ours in the log: what it is and where it stands. */
async function logged(): Promise<string[]> {
  const log = EsdbLog.connect(stack().env.EVENTSTORE_URL!);
  const lines: string[] = [];
  for await (const { stream, revision, id, metadata } of log.readAll(START, ['']))
    if (!stream.startsWith('$')) lines.push(`${stream} ${revision} ${id} ${metadata.bytes.toString()}`);
  await log.close();
  return lines;
}
/** The app goes on meanwhile, and waits for the event store. */
async function backUp(): Promise<void> {
  await stack().part('eventstore').stop();
  rmSync(join(work, 'backup'), { recursive: true, force: true });
  cpSync(storeFolder(), join(work, 'backup'), { recursive: true });
  await stack().part('eventstore').start();
  const ready = `http://127.0.0.1:${stack().ports['ledger-1-internal']}/readyz`;
  await eventually(
    async () => ((await (await fetch(ready)).json()) as { writes?: string }).writes === 'open',
    'writes to be taken',
  );
}
async function restore(): Promise<void> {
  await stopApp();
  await stack().part('eventstore').stop();
  rmSync(storeFolder(), { recursive: true, force: true });
  cpSync(join(work, 'backup'), storeFolder(), { recursive: true });
  await stack().part('eventstore').start();
}
const operate = (...words: string[]) => evidence.run('processes/operate.js', ...words);
/** Begins a recovery and kills it as soon as it has written something. */
async function killedOnceItWrote(): Promise<void> {
  const before = (await logged()).length;
  const command = [
    join(repositoryRoot(), 'dist/processes/operate.js'),
    'recover',
    '--report',
    join(work, 'killed.txt'),
  ];
  const recovery = spawn(process.execPath, command, {
    env: { ...process.env, ...stack().env },
    stdio: 'ignore',
  });
  const hasEnded = once(recovery, 'exit');
  while ((await logged()).length === before && recovery.exitCode === null) await pause(5);
  recovery.kill('SIGKILL');
  expect(await hasEnded).toEqual([null, 'SIGKILL']);
}
const ended = (value: unknown) => ({
  status: 0,
  out: expect.stringContaining(String(value)),
  err: expect.anything(),
});

describe('with an archive', () => {
  it('has every event again, hash for hash, and nobody is closed to anything', async () => {
    await backUp();
    await tip('5.00');
    expect((await juno.post(WALLETS, { displayName: 'Strings' })).status).toBe(200);
    const before = await logged();
    const withArchive = new Evidence(() => ({ env: { ...stack().env, ENCORE_ARCHIVE: archive } }));
    expect(await withArchive.run('processes/operate.js', 'archive')).toMatchObject({ status: 0 });
    await restore();
    expect((await logged()).length).toBeLessThan(before.length);
    const report = join(work, 'with.txt');
    const done = await withArchive.run('processes/operate.js', 'recover', '--report', report);
    expect(done).toEqual(ended('Nothing is known to be lost: no new epoch was begun.'));
    expect(readFileSync(report, 'utf8')).toContain(
      'Users closed to debits until: encore operate reopen USER: none.',
    );
    expect(await logged()).toEqual(before);
    await startApp();
    await evidence.holds();
    expect((await juno.me()).earnings).toBe('25.00');
    await withArchive.close();
  }, 180_000);
});

describe('without an archive', () => {
  it('has what the provider proves, lists the rest, and closes whom it concerns until an operator’s act', async () => {
    await backUp();
    await tip('30.00');
    const opened = await juno.post(WALLETS, { displayName: 'Tour' });
    const { id: walletId } = TreasuryWallet.parse(json(opened));
    expect((await juno.post('/api/treasury/transfer', { walletId, amount: '10.00' })).status).toBe(200);
    await milo.saveCard(provider);
    const cards = await milo.cards();
    expect(cards).toHaveLength(1);
    const bank = { accountHolderName: 'Juno Vale', bankName: 'First Bank', accountType: 'checking' };
    const numbers = { accountNumber: '000123456789', routingNumber: '110000000' };
    expect((await juno.post('/api/bank-accounts', { ...bank, ...numbers })).status).toBe(200);
    await provider.delivered();
    await evidence.shown();
    const { data: before } = await provider.stripe.refunds.list();
    const { data: accounts } = await provider.stripe.accounts.list();
    await restore();

    await killedOnceItWrote();
    const report = join(work, 'without.txt');
    // A provider that is in trouble: it refuses calls as too many, and drops a connection more often than a
    // click waits for.
    const trouble = [
      { route: 'GET /v1/charges', when: 'before', what: 'rate_limit', times: 2 },
      { route: 'GET /v1/payment_intents', when: 'before', what: 'close', times: 3 },
    ];
    await provider.control('POST', '/test/switches', { faults: trouble });
    const done = await operate('recover', '--report', report);
    // Of the one payment, what the run that was killed had not written yet.
    expect(done).toEqual(ended('payments, 0 payouts.'));
    const lines = readFileSync(report, 'utf8');
    expect(lines).toMatch(new RegExp(`wallets  missing  id=${walletId}`));
    expect(lines).toMatch(/wallet_transactions  missing/);
    expect(lines).toContain(`    ${juno.id}`);
    expect(lines).not.toContain('Tour');
    expect(lines).toMatch(/bank_accounts  missing/);
    await startApp();
    // Under the ids that the provider knows them by: the card is there, and what was verified need not be
    // again.
    expect(await milo.cards()).toEqual(cards);
    expect((await juno.post('/api/bank-accounts', { ...bank, ...numbers })).status).toBe(200);
    expect((await provider.stripe.accounts.list()).data).toHaveLength(accounts.length);
    expect((await juno.me()).earnings).toBe('55.00');
    const epochs = (await evidence.journal()).filter(({ type }) => type === 'EpochBegun');
    expect(epochs.map(({ stream }) => stream)).toEqual([JOURNAL]);

    // Nothing is closed to whom nothing was lost; Juno is paid and pays nobody.
    const wallet = TreasuryWallet.parse(json(await juno.post(WALLETS, { displayName: 'Tour again' })));
    const funded = await juno.post('/api/treasury/transfer', { walletId: wallet.id, amount: '1.00' });
    expect(funded.status).toBe(409);
    await tip('1.00');
    expect((await juno.me()).earnings).toBe('56.00');
    expect(await operate('reopen', juno.id)).toMatchObject({
      status: 0,
      out: expect.stringContaining('may use their money again'),
    });
    expect((await juno.post('/api/treasury/transfer', { walletId: wallet.id, amount: '1.00' })).status).toBe(
      200,
    );

    expect((await provider.stripe.refunds.list()).data).toEqual(before);
    const verified = await evidence.run('processes/audit.js', 'verify');
    expect(verified.out).toContain('epochs after the first');
    await evidence.holds();
  }, 180_000);

  it('writes nothing more when it is run again', async () => {
    await stopApp();
    const before = (await logged()).length;
    expect((await operate('recover', '--report', join(work, 'again.txt'))).status).toBe(0);
    expect(await logged()).toHaveLength(before);
    await startApp();
    await evidence.holds();
  }, 120_000);
});
