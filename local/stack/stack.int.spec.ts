/**
 * The launcher against real stores: nothing acknowledged is lost by a kill, and nothing outlives its starter.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { processStamp } from '#local/launch/process-stamp';
import { repositoryRoot } from '#local/launch/program';
import { useStack } from '#test/support/stack';
import { startStack } from '#test/support/start-stack';

async function query<T extends pg.QueryResultRow>(url: string | undefined, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('Postgres and Redis of the local stack', () => {
  const stack = useStack(['postgres', 'redis'], { syncs: true });

  it('keep what they acknowledged when they are killed', async () => {
    const { env } = stack();
    await query(env.DATABASE_URL, 'create table notes (words text)');
    await query(env.DATABASE_URL, `insert into notes values ('settled')`);
    await stack().part('postgres').kill9();
    await stack().part('postgres').start();
    expect(await query(env.DATABASE_URL, 'select words from notes')).toEqual([{ words: 'settled' }]);

    const port = stack().ports.redis;
    const before = new Redis({ port, retryStrategy: () => null });
    await before.set('due', 'tomorrow');
    // Redis syncs its log once a second; what a process wrote survives that process at once.
    before.disconnect();
    await stack().part('redis').kill9();
    await stack().part('redis').start();
    const after = new Redis({ port });
    expect(await after.get('due')).toBe('tomorrow');
    await after.quit();
  });

  it('are set up to lose nothing: Postgres syncs, Redis refuses rather than forgets', async () => {
    expect(await query(stack().env.DATABASE_URL, 'show fsync')).toEqual([{ fsync: 'on' }]);
    const redis = new Redis({ port: stack().ports.redis });
    expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    expect(await redis.config('GET', 'bind')).toEqual(['bind', '127.0.0.1']);
    await redis.quit();
  });
});

describe('a stack', () => {
  it('leaves no process and no folder behind when it is stopped', async () => {
    const stack = await startStack(['postgres', 'redis']);
    const pids = [stack.part('postgres').pid, stack.part('redis').pid].map(Number);
    await stack.stop();
    expect(pids.map(processStamp)).toEqual([undefined, undefined]);
    expect(existsSync(stack.dataFolder)).toBe(false);
  });

  it('ends with its starter, also when that one is killed', async () => {
    const program = `
      const { RunningProgram, Warden } = await import('./dist/local/launch/program.js');
      const warden = new Warden('./dist/local/launch/warden.js');
      const running = new RunningProgram({ name: 'sleeper', command: process.execPath, args: ['-e', 'console.log("up"); setInterval(() => {}, 1000)'],
        env: process.env, cwd: '.', ready: /up/, readyWithinMs: 10000, stopSignal: 'SIGTERM', logFile: process.argv[1] }, warden);
      await running.start();
      console.log(running.pid);
      setInterval(() => {}, 1000);`;
    const logFile = join(process.env.TMPDIR ?? '/tmp', `encore-sleeper-${process.pid}.log`);
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program, logFile], {
      cwd: repositoryRoot(),
      env: { PATH: process.env.PATH },
    });
    const pid = await new Promise<number>((resolve) =>
      starter.stdout.once('data', (text) => resolve(Number(String(text)))),
    );
    expect(processStamp(pid)).toBeDefined();
    starter.kill('SIGKILL');
    const until = Date.now() + 10_000;
    while (processStamp(pid) !== undefined && Date.now() < until) await pause(20);
    expect(processStamp(pid)).toBeUndefined();
    execFileSync('rm', ['-f', logFile]);
  });
});
