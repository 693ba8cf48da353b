/**
 * The processes themselves, with the real log, database and vault: the projections, the rebuild command and
 * the audit.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { userStream } from '#contracts/events/user';
import { START, type Position } from '#contracts/log';
import { EsdbLog } from '#log/esdb';
import { Vault } from '#log/vault';
import { JUNO, MILO, open, openAccount, settle, submit, transfer } from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { useStack } from '#test/support/stack';
import { Story } from '#test/support/story';
import { balanceOf } from '#projections/balances/queries';
import { openReadPool } from '#projections/engine/database';
import { Projected } from '#projections/engine/read-your-writes';
import { transactionsOf } from '#projections/transactions/queries';
import { userByEmail } from '#projections/users/queries';

const stack = useStack(['postgres', 'eventstore', 'projections']);
const tip = { paymentId: 'pay_tip', amount: '20.00' };

let log: EsdbLog;
let keys: pg.Pool;
let db: pg.Pool;
let projected: Projected;
let vault: Vault;
const story = new Story();
let copied = 0;
/** More than a live follower lives through, and less than an append may hold. */
const BURST = 600;

beforeAll(async () => {
  const { env } = stack();
  log = EsdbLog.connect(env.EVENTSTORE_URL!);
  keys = openReadPool(env.DATABASE_URL!);
  // One of these specs restarts Postgres under it.
  keys.on('error', () => undefined);
  vault = Vault.open(keys, env.ENCORE_MASTER_KEY!);
  db = openReadPool(env.DATABASE_URL!, 4);
  projected = Projected.listen(env.DATABASE_URL!);
});
afterAll(async () => {
  await projected.close();
  await Promise.all([log.close(), keys.end(), db.end()]);
});

/** Writes what the story holds into the real log, and returns the position of the last event there. */
async function copy(): Promise<Position> {
  let position: Position = START;
  for (const { stream, revision, id, type, data, metadata } of story.log.all.slice(copied)) {
    const event = { id, type, data: data as object, metadata: metadata as object };
    ({ position } = await log.append(stream, [event], revision - 1, 10_000));
    copied += 1;
  }
  return position;
}

const health = async (path: string): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`http://127.0.0.1:${stack().ports.projections}${path}`);
  return { status: answer.status, text: await answer.text() };
};

/** Runs a command of dist/ to its end. */
const run = (
  script: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ status: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const command = [join(process.cwd(), 'dist', script), ...args];
    execFile(
      process.execPath,
      command,
      { env: { ...process.env, ...stack().env, ...env } },
      (error, out, err) => {
        resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
      },
    );
  });

describe('the read side as processes', () => {
  it('shows a settled tip to both, with names that only the vault opens', async () => {
    for (const [userId, subject] of [
      [JUNO, 'juno'],
      [MILO, 'milo'],
    ] as const) {
      const profile = await vault.seal(userId, JSON.stringify(profileOf(subject)));
      story.write(userStream(userId), {
        type: 'UserRegistered',
        data: { userId, issuer: 'spec', subject, profile },
      });
    }
    story.command(openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip));
    expect(await projected.waitFor(await copy(), 20_000)).toBe(true);
    expect(await balanceOf(db, JUNO)).toEqual({ availableMinor: 2000, receivedMinor: 2000 });
    expect((await transactionsOf(db, MILO)).lines[0]).toMatchObject({
      status: 'completed',
      counterpartyUsername: 'juno',
    });
    expect((await userByEmail(db, 'juno@example.org', JUNO))?.id).toBe(JUNO);
  });

  it('says how it is on a port of its own', async () => {
    expect(await health('/healthz')).toEqual({ status: 200, text: '{"alive":true}' });
    expect(await health('/readyz')).toEqual({ status: 200, text: '{"ready":true,"reasons":[]}' });
    const metrics = (await health('/metrics')).text;
    expect(metrics).toContain(`\nencore_projection_position ${projected.reached.commit}\n`);
    expect(metrics).toMatch(/^encore_events_projected_total 7$/m);
    expect(metrics).toMatch(/^encore_projection_events_behind 0$/m);
    expect(metrics).toMatch(/^encore_projection_journal_revision 4$/m);
    expect(metrics).toMatch(/^encore_projection_stopped 0$/m);
    expect((await health('/elsewhere')).status).toBe(404);
  });

  it('goes on where it was after kill -9, counting no cent twice', async () => {
    const projections = stack().part('projections');
    await projections.kill9();
    story.command(transfer('5.00', JUNO, MILO));
    const position = await copy();
    await projections.start();
    expect(await projected.waitFor(position, 20_000)).toBe(true);
    expect(await balanceOf(db, JUNO)).toEqual({ availableMinor: 1500, receivedMinor: 2000 });
  });

  it('comes back by itself when the event store or the database restarts', async () => {
    await stack().part('eventstore').kill9();
    await stack().part('eventstore').start();
    await stack().part('postgres').restart();
    story.command(transfer('1.00', JUNO, MILO, 'trf_2'));
    expect(await projected.waitFor(await copy(), 30_000)).toBe(true);
    expect((await balanceOf(db, JUNO)).availableMinor).toBe(1400);
  });

  it('is audited: the log by itself, and every live row against it', async () => {
    const whole = await run('processes/audit.js', ['verify']);
    expect(whole.err).toBe('');
    expect(whole.out).toMatch(/^live rows = replay +ok +\d+ rows in \d+ tables, 9 events/m);
    expect(whole.out).toMatch(/\nThe books are in order.\n$/);
    expect(whole.status).toBe(0);
    const events = await run('processes/audit.js', ['verify', '--events-only'], { DATABASE_URL: '' });
    expect(events.out).not.toMatch(/live rows/);
    expect(events.status).toBe(0);
  });

  it('says by itself that a balance was changed, and goes on', async () => {
    expect((await health('/metrics')).text).toMatch(/^encore_shadow_differences 0$/m);
    await db.query(`update balances set balance_minor = 1 where account = 'user/usr_juno/available'`);
    // After a start every account is compared at once.
    await stack().part('projections').kill9();
    await stack().part('projections').start();
    let ready = await health('/readyz');
    while (!ready.text.includes('degraded')) ready = await health('/readyz');
    expect(ready.status).toBe(200);
    expect(ready.text).toContain(
      'user/usr_juno/available has 1 minor units in the table, and 1400 by its entries.',
    );
    expect((await health('/metrics')).text).toMatch(/^encore_shadow_differences 1$/m);
  });

  it('is audited and found wrong when a balance was changed; a rebuild mends it under the running projector', async () => {
    const found = await run('processes/audit.js', ['verify']);
    expect(found.status).toBe(1);
    expect(found.out).toMatch(/user\/usr_juno\/available is 1 in the table and is 1400 in the books/);
    expect((await run('processes/rebuild.js', ['--compare-only'])).status).toBe(1);
    const rebuilt = await run('processes/rebuild.js', []);
    expect(rebuilt.status).toBe(0);
    expect(rebuilt.out).toMatch(/The rebuilt read models are live./);
    story.command(transfer('1.00', JUNO, MILO, 'trf_3'));
    expect(await projected.waitFor(await copy(), 20_000)).toBe(true);
    expect((await balanceOf(db, JUNO)).availableMinor).toBe(1300);
    expect((await run('processes/rebuild.js', ['--compare-only'])).status).toBe(0);
  });

  it('says in one sentence why an audit cannot be done, and exits 2', async () => {
    const lines = async (args: string[], env: Record<string, string> = {}): Promise<string> => {
      const { status, out, err } = await run('processes/audit.js', args, env);
      expect({ status, out }).toEqual({ status: 2, out: '' });
      expect(err.trimEnd().split('\n')).toHaveLength(1);
      return err;
    };
    expect(await lines([])).toMatch(/^Say what to audit: /);
    expect(await lines(['forge'])).toMatch(/"forge" is not something the audit does/);
    expect(await lines(['verify', '--quickly'])).toMatch(/"--quickly" is not an option of verify/);
    expect(await lines(['verify'], { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' })).toMatch(
      /^The audit could not be done: /,
    );
    expect(await lines(['verify'], { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/encore' })).toMatch(
      /ECONNREFUSED/,
    );
    expect(await lines(['verify'], { EVENTSTORE_URL: '' })).toMatch(/^EVENTSTORE_URL is not set/);
  });

  it('takes it for no outage when a burst has the store drop it, tells it at info, and counts it', async () => {
    const drops = async (): Promise<number> =>
      Number(/^encore_log_follower_drops_total (\d+)$/m.exec((await health('/metrics')).text)?.[1]);
    const before = await drops();
    // The balance that was changed and mended is looked at again within seconds.
    while ((await health('/readyz')).text.includes('degraded')) await pause(100);
    const { availableMinor } = await balanceOf(db, JUNO);
    for (let n = 0; n < BURST; n += 1) story.command(transfer('0.01', JUNO, MILO, `trf_burst_${n}`));
    const events = story.log.all.slice(copied).map(({ id, type, data, metadata }) => ({
      id,
      type,
      data: data as object,
      metadata: metadata as object,
    }));
    const first = story.log.all[copied]!;
    const { position } = await log.append(first.stream, events, first.revision - 1, 10_000);
    copied += events.length;
    const answers = new Set<string>();
    let isThere = false;
    const arrival = projected.waitFor(position, 20_000).then(() => (isThere = true));
    while (!isThere) answers.add((await health('/readyz')).text);
    await arrival;
    // On a busy machine all of it may take more than a second.
    answers.delete('{"ready":false,"reasons":["The read models are catching up with the log."]}');
    expect([...answers]).toEqual(['{"ready":true,"reasons":[]}']);
    expect(await drops()).toBeGreaterThan(before);
    expect((await balanceOf(db, JUNO)).availableMinor).toBe(availableMinor - BURST);
    const told = stack()
      .part('projections')
      .output()
      .split('\n')
      .filter((line) => line.includes('Consumer too slow'));
    expect(told.filter((line) => !line.startsWith('{"level":30,'))).toEqual([]);
  });

  it('is not ready, and says why, when an event cannot be read', async () => {
    const bad = { id: crypto.randomUUID(), type: 'CryptoSettled', data: {}, metadata: { version: 1 } };
    await log.append(
      'journal',
      [bad],
      story.log.all.filter(({ stream }) => stream === 'journal').length - 1,
      10_000,
    );
    // Wait on the condition: the projector stops, the process stays.
    let ready = await health('/readyz');
    while (ready.status === 200) ready = await health('/readyz');
    expect(ready.status).toBe(503);
    expect((JSON.parse(ready.text) as { reasons: string[] }).reasons[0]).toMatch(
      /^The projector has stopped and passes over nothing\. Mend the cause and start it again\. CryptoSettled at revision 608 of journal cannot be read/,
    );
    expect((await health('/healthz')).status).toBe(200);
    expect((await health('/metrics')).text).toMatch(/^encore_projection_stopped 1$/m);
    const audit = await run('processes/audit.js', ['verify']);
    expect(audit.out).toMatch(/^every event readable +FAILED/m);
    expect(audit.status).toBe(1);
  });
});
