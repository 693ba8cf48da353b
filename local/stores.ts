/**
 * The stores of a data folder for a command: those of the stack that runs, or started for as long as it
 * takes.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder, endOrphans, readLock, refuseIfRunning, removeLock, writeLock } from './launch/lock.js';
import { stillRuns } from './launch/process-stamp.js';
import { repositoryRoot } from './launch/program.js';
import { KeptPorts, localSettings, secretsOf, type LocalSettings } from './settings.js';
import {
  appEnvironment,
  databaseRoles,
  portNames,
  standInsFor,
  type StackPlan,
  type StandIn,
} from './stack/parts.js';
import { Stack } from './stack/stack.js';

/** What a verb needs to be there. */
export const STORES: readonly StandIn[] = ['postgres', 'eventstore'];

function planFor(settings: LocalSettings, ports: Readonly<Record<string, number>>): StackPlan {
  const { dataFolder, port, publicUrl, ledgers } = settings;
  return {
    root: repositoryRoot(),
    dataFolder,
    publicPort: port,
    publicUrl,
    ledgers,
    ports,
    secrets: secretsOf(dataFolder),
    given: process.env,
  };
}

/** Whether a stack runs on the data folder. */
export function isRunning({ dataFolder }: LocalSettings): boolean {
  const lock = readLock(dataFolder);
  return lock !== undefined && stillRuns(lock.up);
}

/**
 * The environment of a command over the stack of the data folder that `given` names; Postgres is signed in to
 * as the auditor or as its owner. `stopped` is a data folder on which nothing runs, `missing` one without
 * data. Throws BadLocalSetting.
 */
export function environmentOf(
  given: StackPlan['given'],
  role: 'audit' | 'owner',
): { readonly env: Record<string, string> } | { readonly stopped: string } | { readonly missing: string } {
  const settings = localSettings(given, repositoryRoot());
  const { dataFolder } = settings;
  if (!existsSync(join(dataFolder, 'secrets.json'))) return { missing: dataFolder };
  if (!isRunning(settings)) return { stopped: dataFolder };
  const plan = { ...planFor(settings, new KeptPorts(dataFolder).kept), given };
  const { AUDIT_DATABASE_URL } = databaseRoles(plan);
  const env = appEnvironment(plan);
  return {
    env: {
      ...env,
      ...(role === 'audit' && AUDIT_DATABASE_URL && { DATABASE_URL: AUDIT_DATABASE_URL }),
      // A day's certificate is signed with it.
      ...(role === 'audit' && { TRANSPARENCY_KEY: given.TRANSPARENCY_KEY ?? plan.secrets.TRANSPARENCY_KEY }),
    },
  };
}

/** Runs a verb of `operate` where nothing has to be started for it. Answers its exit code. */
export async function operateAsItIs(settings: LocalSettings, words: readonly string[]): Promise<number> {
  const kept = new KeptPorts(settings.dataFolder);
  const ports = isRunning(settings)
    ? kept.kept
    : await kept.take(portNames(settings.ledgers), [settings.port]);
  return operate(planFor(settings, ports), words);
}

/**
 * Runs a verb of `operate` on a stack that is stopped, with its stores alone; `prepare` is done before they
 * start. While it lasts the data folder is locked as by a stack that runs. Throws AlreadyRuns and
 * BadLocalSetting.
 */
export async function operateOnStopped(
  settings: LocalSettings,
  words: readonly string[],
  { parts = STORES, prepare }: { readonly parts?: readonly StandIn[]; readonly prepare?: () => void } = {},
): Promise<number> {
  const { dataFolder, publicUrl, port, ledgers } = settings;
  // What came before may have taken its time: what somebody has started meanwhile is no orphan.
  refuseIfRunning(dataFolder);
  await endOrphans(dataFolder, console.error);
  claimFolder(dataFolder, publicUrl);
  const plan = planFor(settings, await new KeptPorts(dataFolder).take(portNames(ledgers), [port]));
  const stack = new Stack(plan);
  // Ctrl-C reaches the verb, too, which ends with its own sentence.
  const wait = (): void => undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, wait);
  try {
    prepare?.();
    const missing = parts.filter((part) => standInsFor(process.env).includes(part));
    await Promise.all(missing.map((part) => stack.start(part)));
    writeLock(dataFolder, publicUrl, stack.noted());
    if (parts.includes('postgres')) await stack.prepareDatabase();
    return await operate(plan, words);
  } finally {
    await stack.stop();
    removeLock(dataFolder);
  }
}

function operate(plan: StackPlan, words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [join(plan.root, 'dist/processes/operate.js'), ...words], {
    env: { ...appEnvironment(plan), ...databaseRoles(plan) },
    stdio: 'inherit',
  });
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
