/**
 * A log moved from one event store to another by the finance tool, the second with TLS and a password, and
 * read models made from it.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { userStream } from '#contracts/events/user';
import { START } from '#contracts/log';
import { EsdbLog } from '#log/esdb';
import { markCopy } from '#log/copy-mark';
import type { RawEvent } from '#log/event-log';
import { Vault } from '#log/vault';
import { openReadPool } from '#projections/engine/database';
import { Projected } from '#projections/engine/read-your-writes';
import { balanceOf } from '#projections/balances/queries';
import { startEventStore, type RunningEventStore } from '#test/conformance/eventstore-process';
import { JUNO, MILO, open, openAccount, settle, submit, transfer } from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { useStack } from '#test/support/stack';
import { startStack, type TestStack } from '#test/support/start-stack';
import { Story } from '#test/support/story';
import { copyLog } from './copy-log.js';

const stack = useStack(['postgres', 'eventstore', 'projections']);
const folder = mkdtempSync(join(tmpdir(), 'copy-'));
const tip = { paymentId: 'pay_tip', amount: '2000.00' };

let target: RunningEventStore;
let targetUrl: string;
let here: EsdbLog;
let there: EsdbLog;
let db: pg.Pool;
let moved: TestStack | undefined;

beforeAll(async () => {
  const certificate = join(folder, 'certificate');
  target = await startEventStore({
    flags: ['--development-certificate', certificate],
    env: { STAND_IN_USERS: 'mover:hush-hush' },
  });
  const authority = encodeURIComponent(join(certificate, 'authority.pem'));
  targetUrl = `esdb://mover:hush-hush@localhost:${target.port}?tls=true&tlsCAFile=${authority}`;
  writeFileSync(join(folder, 'target'), `${targetUrl}\n`);
  here = EsdbLog.connect(stack().env.EVENTSTORE_URL!);
  there = EsdbLog.connect(targetUrl);
  db = openReadPool(stack().env.DATABASE_URL!, 2);

  const vault = Vault.open(db, stack().env.ENCORE_MASTER_KEY!);
  const story = new Story();
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
  for (let n = 0; n < 600; n += 1) {
    story.command(transfer('1.00', JUNO, MILO, `trf_${n}`));
    if (n % 50 === 0) story.switch(JUNO, 'biometricEnabled', n % 100 === 0);
  }
  await copyLog(story.log, here, () => undefined);
  // The store keeps streams of its own among ours.
  await here.storeTime();
});
afterAll(async () => {
  await moved?.stop();
  await Promise.all([here.close(), there.close(), db.end()]);
  await target.stop();
  rmSync(folder, { recursive: true });
});

/** Runs the finance tool to its end. */
const audit = (
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ status: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const command = [join(process.cwd(), 'dist/processes/audit.js'), ...args];
    execFile(
      process.execPath,
      command,
      { env: { ...process.env, ...stack().env, ...env } },
      (error, out, err) => {
        resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
      },
    );
  });

async function ours(log: EsdbLog): Promise<Omit<RawEvent, 'position' | 'createdAt'>[]> {
  const events = [];
  for await (const { position: _, createdAt: __, ...event } of log.readAll(START, ['']))
    if (!event.stream.startsWith('$')) events.push(event);
  return events;
}

const TO_TARGET = ['copy', '--to-file', join(folder, 'target')];

describe('the log of the embedded store', () => {
  it('is copied to another one: what an interrupted copy left there is kept, and both audits agree', async () => {
    const source = await ours(here);
    // As a copy that was killed leaves it: some of it, cut somewhere.
    for (const { stream, revision, id, type, data, metadata } of source.slice(0, 7))
      await there.append(
        stream,
        [{ id, type, data: data as object, metadata: metadata as object }],
        revision - 1,
        10_000,
      );
    await markCopy(there, 'under way');
    const half = await audit(['verify', '--events-only'], { EVENTSTORE_URL: targetUrl });
    expect(half.status).toBe(1);
    expect(half.out).toContain('This log is a copy that is not complete: go on with the copy');
    const copied = await audit(TO_TARGET);
    expect(copied.err).toBe('The first 7 events are there already; going on from there.\n');
    expect(copied.out).toContain(`Copied ${source.length - 7} events; 7 were there already.`);
    expect(copied.out).toContain(
      `Both logs hold the same ${source.length} events of 4 streams in the same order.`,
    );
    expect(copied.status).toBe(0);
    expect(await ours(there)).toEqual(source);

    const [before, after] = await Promise.all([
      audit(['verify', '--events-only']),
      audit(['verify', '--events-only'], { EVENTSTORE_URL: targetUrl }),
    ]);
    expect(after).toEqual(before);
    expect(after).toEqual({ status: 0, out: expect.stringContaining('The books are in order.'), err: '' });
  });

  const startThere = (): Promise<TestStack> =>
    startStack(['projections'], {
      env: {
        EVENTSTORE_URL: targetUrl,
        DATABASE_URL: stack().env.DATABASE_URL!,
        ENCORE_MASTER_KEY: stack().env.ENCORE_MASTER_KEY!,
      },
    });

  it('is not followed on with rows of the old store: the projections name the step that was forgotten', async () => {
    await stack().part('projections').stop();
    moved = await startThere();
    const readyz = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${moved!.ports.projections}/readyz`)).text();
    let told = await readyz();
    while (!told.includes('The projector has stopped')) told = await readyz();
    expect(told).toMatch(/The log is another one than the read models were made from: .*step 6 of docs/);
    await moved.stop();
  });

  it('serves the app from there: read models made anew from the copy are what the log says', async () => {
    const before = await balanceOf(db, JUNO);
    await db.query('drop schema read cascade');
    moved = await startThere();
    const projected = Projected.listen(stack().env.DATABASE_URL!);
    try {
      const last = await there.lastOf('journal');
      expect(await projected.waitFor(last!.position, 30_000)).toBe(true);
    } finally {
      await projected.close();
    }
    expect(await balanceOf(db, JUNO)).toEqual(before);
    expect(before.availableMinor).toBe(140_000);
    const verified = await audit(['verify'], { EVENTSTORE_URL: targetUrl });
    expect(verified).toEqual({ status: 0, out: expect.stringContaining('The books are in order.'), err: '' });
  });

  it('is not copied to a store that holds something else, with a word on what, and the command says how it is called', async () => {
    const other = await startEventStore();
    try {
      const log = EsdbLog.connect(other.url);
      await log.append(
        'orders',
        [{ id: crypto.randomUUID(), type: 'Ordered', data: {}, metadata: {} }],
        -1,
        10_000,
      );
      const refused = await audit(['copy', '--to', other.url]);
      expect(refused).toEqual({
        status: 1,
        out: expect.stringMatching(/^The target is neither empty nor the beginning/),
        err: '',
      });
      expect(await ours(log)).toHaveLength(1);
      await log.close();
    } finally {
      await other.stop();
    }
    const words = async (...args: string[]): Promise<string> => {
      const { status, out, err } = await audit(['copy', ...args]);
      return `${status} ${out}${err}`;
    };
    expect(await words('--from', targetUrl)).toMatch(
      /^2 Say where to copy to: --to URL, or --to-file FILE\./,
    );
    expect(await words('--to-file', join(folder, 'none'))).toMatch(/^2 .*none cannot be read\./);
    const wrong = await words('--to', `${targetUrl}&tlsVerifyCert=false`);
    expect(wrong).toBe('2 --to has the option "tlsVerifyCert", which is not known.\n');
    expect(await words('--to', 'esdb://127.0.0.1:1?tls=false')).toMatch(
      /^2 The target could not be reached, and the copy is not complete: .* Run the same command again/,
    );
  });
});
