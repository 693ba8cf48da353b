/** One user's stream that cannot be read: everybody else goes on, and an operator releases it. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SETTINGS_PARKED } from '#contracts/plain/parked';
import { settingsStream } from '#contracts/events/settings';
import { EsdbLog } from '#log/esdb';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
let log: EsdbLog;

beforeAll(() => {
  log = EsdbLog.connect(stack().env.EVENTSTORE_URL!);
});
afterAll(async () => {
  await log?.close();
});

/** Runs a program of dist/ to its end. */
const run = (script: string, ...args: string[]): Promise<{ status: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, ...stack().env }, timeout: 60_000 };
    execFile(process.execPath, [join(process.cwd(), 'dist', script), ...args], options, (error, out, err) =>
      resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    );
  });

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 250));
};

describe('a settings stream that cannot be read', () => {
  it('stands still alone, guards, says so, and goes on once an operator has taken the event out', async () => {
    const [juno, milo] = [await Person.signUp(stack().url, 'Juno'), await Person.signUp(stack().url, 'Milo')];
    const change = (person: Person, body: object) => person.call('PUT', '/api/settings', body);
    expect((await change(juno, { transactionAlertsEnabled: false })).status).toBe(200);
    const stream = settingsStream(juno.id);
    await log.append(stream, [{ id: randomUUID(), type: 'SettingDimmed', data: {}, metadata: {} }], 0, 5_000);

    await until(async () => (await juno.settings()).notice !== undefined);
    expect(await juno.settings()).toEqual({
      biometricEnabled: true,
      privacyModeEnabled: true,
      transactionAlertsEnabled: false,
      notice: SETTINGS_PARKED,
    });
    const refused = await change(juno, { privacyModeEnabled: true });
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      409,
      { message: SETTINGS_PARKED, code: 'stands_still' },
    ]);
    // Everybody else, and everything else of theirs.
    expect((await change(milo, { privacyModeEnabled: true })).status).toBe(200);
    expect((await milo.settings()).privacyModeEnabled).toBe(true);
    expect((await juno.pay(milo.id, '10.00')).paymentId).toMatch(/^pay_/);

    expect((await run('processes/operate.js', 'quarantine', '--list')).out).toMatch(
      new RegExp(`^parked  ${stream}  1  SettingDimmed  `),
    );
    expect((await run('processes/audit.js', 'verify', '--events-only')).status).toBe(1);
    const wrong = await run('processes/operate.js', 'quarantine', stream, '0', '--because', 'No.');
    expect([wrong.status, wrong.err.trim()]).toEqual([
      2,
      `${stream} stands at revision 1, not at 0: quarantine that one first.`,
    ]);
    const done = await run(
      'processes/operate.js',
      'quarantine',
      stream,
      '1',
      '--because',
      'A test wrote it.',
    );
    expect(done).toMatchObject({ status: 0, err: '' });

    await until(async () => (await juno.settings()).notice === undefined);
    expect((await change(juno, { privacyModeEnabled: true })).status).toBe(200);
    await until(async () => (await juno.settings()).privacyModeEnabled);
    expect(await juno.settings()).toMatchObject({ biometricEnabled: false, transactionAlertsEnabled: false });
    expect((await run('processes/operate.js', 'quarantine', '--list')).out).toMatch(
      /^No stream is parked\.\nquarantined/,
    );
    const audited = await run('processes/audit.js', 'verify');
    expect(audited.out).toMatch(new RegExp(`quarantined events +ok +1: ${stream} at revision 1`));
    expect(audited.status).toBe(0);
  });
});
