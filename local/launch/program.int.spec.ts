/** A program of the stack that is stopped before it serves, or whose starter is killed while it makes it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { processStamp } from './process-stamp.js';
import { RunningProgram, Warden, repositoryRoot, type Program } from './program.js';

let folder: string;
let warden: Warden;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'encore-program-'));
  warden = new Warden(join(repositoryRoot(), 'dist/local/launch/warden.js'));
});
afterAll(async () => {
  await warden.dismiss();
  rmSync(folder, { recursive: true });
});

const sleeper = (prepare: () => Promise<void>): Program => ({
  name: 'sleeper',
  command: process.execPath,
  args: ['-e', 'console.log("up", JSON.stringify(process.env)); setInterval(() => {}, 1000)'],
  env: {},
  cwd: folder,
  ready: /up/,
  readyWithinMs: 10_000,
  stopSignal: 'SIGTERM',
  logFile: join(folder, 'sleeper.log'),
  prepare,
});

describe('a program that is stopped while it is being prepared', () => {
  it('waits for the preparation to end, which may run a process of its own', async () => {
    let end = (): void => undefined;
    const prepared = new Promise<void>((resolve) => (end = resolve));
    const running = new RunningProgram(
      sleeper(() => prepared),
      warden,
    );
    const started = running.start();
    started.catch(() => undefined);
    let isStopped = false;
    const stopped = running.stop().then(() => (isStopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isStopped).toBe(false);
    end();
    await stopped;
    await expect(started).rejects.toThrow('sleeper was stopped before it served.');
    expect(running.pid).toBeUndefined();
  });

  it('is stopped all the same where preparing it fails', async () => {
    const running = new RunningProgram(
      sleeper(() => Promise.reject(new Error('There is no room.'))),
      warden,
    );
    const started = running.start();
    started.catch(() => undefined);
    await running.stop();
    await expect(started).rejects.toThrow('There is no room.');
  });
});

describe('a program whose starter was killed before it noted it', () => {
  it('is ended by the warden, which knows it by its environment', async () => {
    const alone = new Warden(join(repositoryRoot(), 'dist/local/launch/warden.js'));
    const running = new RunningProgram(
      sleeper(() => Promise.resolve()),
      alone,
    );
    await running.start();
    expect(running.output()).toContain(JSON.stringify(alone.environment).slice(1, -1));

    // Made with that environment, and not noted.
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      env: alone.environment,
      stdio: 'ignore',
      detached: true,
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    expect(processStamp(child.pid!)).toBeDefined();
    await Promise.all([alone.dismiss(), running.stop(), ended]);
    expect(processStamp(child.pid!)).toBeUndefined();
  });
});
