/**
 * `make start` from the outside: one terminal, its Ctrl-C, its kill -9, and what is there when it is started
 * again.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Terminal } from '#test/support/terminal';
import { OWN_MONEY_MINOR } from './demo/own-money.js';
import { freePort } from './launch/free-port.js';
import type { Lock } from './launch/lock.js';
import { processStamp } from './launch/process-stamp.js';

const WITHIN_MS = 180_000;
const dataFolder = mkdtempSync(join(tmpdir(), 'encore-up-'));
chmodSync(dataFolder, 0o711);

async function eventually(isSo: () => boolean): Promise<void> {
  for (const until = Date.now() + WITHIN_MS; !isSo(); await pause(25))
    if (Date.now() > until) throw new Error('It took too long.');
}
const lock = (): Lock => JSON.parse(readFileSync(join(dataFolder, 'stack.json'), 'utf8')) as Lock;
const kept = (file: string): unknown => JSON.parse(readFileSync(join(dataFolder, file), 'utf8'));

/** What the card provider's stand-in says, by the platform's own key. */
async function provider(path: string): Promise<unknown> {
  const { stripe } = kept('ports.json') as { stripe: number };
  const { STRIPE_SECRET_KEY: key } = kept('secrets.json') as { STRIPE_SECRET_KEY: string };
  return (
    await fetch(`http://127.0.0.1:${stripe}${path}`, { headers: { authorization: `Bearer ${key}` } })
  ).json();
}

describe('make start', () => {
  let port = '';
  let terminal: Terminal;
  beforeAll(async () => {
    port = String(await freePort());
    terminal = new Terminal('up', { PORT: port, ENCORE_DATA: dataFolder });
    await terminal.until(/Encore is open/);
  }, WITHIN_MS);
  afterAll(async () => {
    terminal.signal('SIGTERM');
    await terminal.end();
    rmSync(dataFolder, { recursive: true, force: true });
  }, WITHIN_MS);

  it('says where to open the app, and the app is there', async () => {
    expect(terminal.shown).toContain(`http://localhost:${port}\n`);
    expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200);
    const signIn = await fetch(`http://localhost:${port}/api/login`, { redirect: 'manual' });
    expect(signIn.headers.get('location')).toContain(`http://localhost:${port}/identity/auth?`);
  });

  it('sets up the demo while the app serves, and prints who can sign in', async () => {
    await terminal.until(/Their password: .+\n[^]*juno@valastro\.example/);
    expect(terminal.shown).toContain('The demo is being set up');
    expect(kept('demo.json')).toMatchObject({ chapters: expect.arrayContaining(['sign-ups', 'tips']) });
  });

  it('has no money of the platform’s at the card provider but what the demo brings along', async () => {
    const { data } = (await provider('/v1/balance_transactions?type=topup')) as { data: { net: number }[] };
    expect(data.map(({ net }) => net)).toEqual([OWN_MONEY_MINOR]);
  });

  it('refuses to start twice on the same data, or on a port in use, and names the process and the port', async () => {
    const again = new Terminal('up', { PORT: String(await freePort()), ENCORE_DATA: dataFolder });
    expect(await again.end()).toBe(1);
    expect(again.shown).toContain(`as process ${terminal.pid}, at http://localhost:${port}`);
    const elsewhere = new Terminal('up', { PORT: port, ENCORE_DATA: join(dataFolder, 'other') });
    expect(await elsewhere.end()).toBe(1);
    expect(elsewhere.shown.trim()).toBe(
      `Port ${port} is in use by another program. Choose another: make start PORT=${Number(port) + 1}`,
    );
    const reset = new Terminal('reset', { ENCORE_DATA: dataFolder });
    expect(await reset.end()).toBe(1);
    expect(existsSync(join(dataFolder, 'secrets.json'))).toBe(true);
  });

  it('starts a part again that was killed, and says so', async () => {
    const before = lock().children.find(({ name }) => name === 'ledger-1');
    process.kill(Number(before?.pid), 'SIGKILL');
    await terminal.until(/ledger-1 was ended by SIGKILL; starting it again\./);
    await eventually(() => {
      const now = lock().children.find(({ name }) => name === 'ledger-1');
      return now !== undefined && now.pid !== before?.pid;
    });
    expect((await fetch(`http://localhost:${port}/healthz`)).status).toBe(200);
  });

  it(
    'leaves no process behind when it is killed, and goes on with the same data and ports',
    async () => {
      const { children } = lock();
      expect(children.length).toBeGreaterThanOrEqual(9);
      const [ports, secrets] = [kept('ports.json'), kept('secrets.json')];
      terminal.signal('SIGKILL');
      expect(await terminal.end()).toBe('SIGKILL');
      await eventually(() => children.every(({ pid, stamp }) => processStamp(pid) !== stamp));
      terminal = new Terminal('up', { PORT: port, ENCORE_DATA: dataFolder });
      await terminal.until(/Their password: /);
      expect(terminal.shown).not.toContain('The demo is being set up');
      expect(kept('ports.json')).toEqual(ports);
      expect(kept('secrets.json')).toEqual(secrets);
      const { data: topUps } = (await provider('/v1/balance_transactions?type=topup')) as { data: object[] };
      expect(topUps).toHaveLength(1);
    },
    2 * WITHIN_MS,
  );

  it(
    'ends in good order on Ctrl-C, with nothing left behind',
    async () => {
      const { children } = lock();
      terminal.signal('SIGINT');
      expect(await terminal.end()).toBe(0);
      expect(children.map(({ name, pid, stamp }) => (processStamp(pid) === stamp ? name : 'gone'))).toEqual(
        children.map(() => 'gone'),
      );
      expect(existsSync(join(dataFolder, 'stack.json'))).toBe(false);
    },
    WITHIN_MS,
  );
});
