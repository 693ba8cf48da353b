/**
 * A Redis that is replaced by its replica, as of a hosted one: the name leads to the new one at once,
 * connections to the old one stay open, and that one takes no writes any more.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { freePort } from '#local/launch/free-port';
import { redis as redisProgram } from '#local/redis/server';
import { JobQueue } from '#workers/queues/job-queue';
import { SharedCallCounter } from '../ledger/shared-calls.js';
import { SharedCounter } from '../ledger/shared-limits.js';
import { queueConnection } from './redis-connection.js';

const WITHIN_MS = 20_000;
const log = pino({ enabled: false });

async function until(what: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + WITHIN_MS; !(await what()); await pause(50))
    if (Date.now() > end) throw new Error('It never came to that.');
}

describe('a Redis whose replica takes its place', () => {
  let folder: string;
  let processes: ChildProcess[];
  let ports: [first: number, second: number];
  let front: Server;
  let sockets: Set<Socket>;
  let leadsTo: number;
  let url: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'encore-redis-'));
    ports = [await freePort(), await freePort()];
    processes = [];
    for (const port of ports) {
      const logFile = join(folder, `${port}.log`);
      const program = await redisProgram({ folder: join(folder, String(port)), port, logFile });
      await program.prepare?.();
      processes.push(spawn(program.command, program.args, { env: program.env, cwd: '/', stdio: 'ignore' }));
    }
    for (const port of ports) {
      const client = new Redis({ port });
      client.on('error', () => undefined);
      await client.ping();
      client.disconnect();
    }
    [leadsTo] = ports;
    sockets = new Set();
    front = createServer((socket) => {
      const behind = connect(leadsTo, '127.0.0.1');
      for (const end of [socket, behind]) {
        sockets.add(end);
        end.on('error', () => undefined);
        end.on('close', () => (socket.destroy(), behind.destroy()));
      }
      socket.on('data', (bytes) => behind.write(bytes));
      behind.on('data', (bytes) => socket.write(bytes));
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    url = `redis://127.0.0.1:${(front.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => front.close(resolve));
    for (const each of processes) {
      const ended = new Promise((resolve) => each.once('exit', resolve));
      if (each.exitCode === null && each.signalCode === null) each.kill('SIGKILL');
      else continue;
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  async function failOver(): Promise<void> {
    const [first, second] = ports;
    const old = new Redis({ port: first });
    await old.replicaof('127.0.0.1', second);
    old.disconnect();
    leadsTo = second;
  }

  /** A queue whose jobs note that they ran. */
  function notingQueue(silentMs?: number): { readonly ran: string[]; readonly queue: JobQueue } {
    const ran: string[] = [];
    const queue = new JobQueue(
      {
        name: 'encore-spec',
        run: (job) => Promise.resolve(void ran.push(job.name)),
        kept: { removeOnComplete: true, removeOnFail: true },
        worker: { concurrency: 1 },
      },
      { connection: queueConnection(url, silentMs), onEnd: () => undefined, onTrouble: () => undefined },
    );
    return { ran, queue };
  }

  async function inTheNew<T>(ask: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis({ port: ports[1] });
    try {
      return await ask(client);
    } finally {
      client.disconnect();
    }
  }

  it('has its jobs run from then on, without a restart of the workers', async () => {
    const { ran, queue } = notingQueue();
    try {
      await queue.start();
      await queue.queue.add('before', {});
      await until(() => ran.includes('before'));
      await failOver();
      // As an alarm does: again and again.
      await until(async () => {
        await queue.queue.add('after', {}).catch(() => undefined);
        return ran.includes('after');
      });
      expect(await inTheNew((client) => client.keys('bull:encore-spec:*'))).not.toEqual([]);
    } finally {
      await queue.close();
    }
  }, 60_000);

  it('runs jobs also when the old one vanishes without closing its connections', async () => {
    const { ran, queue } = notingQueue(1_000);
    try {
      await queue.start();
      await queue.queue.add('before', {});
      await until(() => ran.includes('before'));
      for (const socket of sockets) socket.pause();
      leadsTo = ports[1];
      void queue.queue.add('after', {});
      await until(() => ran.includes('after'));
      expect(ran).toEqual(['before', 'after']);
    } finally {
      await queue.close();
    }
  }, 60_000);

  it('counts for all ledgers together from then on', async () => {
    const calls = new SharedCallCounter(url, 'ledger-1', log);
    const counter = new SharedCounter(url, log, 2_000);
    try {
      await counter.ready();
      await until(async () => {
        await calls.take([{ name: 'all', perSecond: 100 }]);
        return (await counter.add('read-user', 'ada')).share === 1;
      });
      await failOver();
      await until(async () => {
        await calls.take([{ name: 'all', perSecond: 100 }]);
        return inTheNew(async (client) => (await client.exists('encore:provider-calls:ledgers')) === 1);
      });
      await until(async () => (await counter.add('read-user', 'ada')).share === 1);
      expect(counter.isAway).toBe(false);
    } finally {
      calls.close();
      counter.close();
    }
  }, 60_000);
});
