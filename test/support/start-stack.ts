/**
 * The stack for specs and benches: any part of it, as the processes of dist/ that `make start` runs, on free
 * ports and with a data folder of its own; the stores in containers, where containers.ts says so. What is
 * left running is ended even when whoever started it is killed.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMIT_NAMES, LIMITS, withinMsOf } from '#contracts/limits';
import { freePort } from '#local/launch/free-port';
import {
  appEnvironment,
  databaseRoles,
  portNames,
  standInsFor,
  STAND_INS,
  stopOrder,
  usesDatabase,
  type Part,
  type StackPlan,
} from '#local/stack/parts';
import { repositoryRoot } from '#local/launch/program';
import { Stack } from '#local/stack/stack';
import { makeTemplate, templateFolder } from '#local/postgres/cluster';
import { secretsOf } from '#local/settings';
import { SHORT_LIVED } from './compiled-programs.js';
import { preparedCluster } from './prepared-cluster.js';
import { ContainedStore, runsInContainer, type StartedPart } from './containers.js';

/**
 * A suite sends in a second, from one address and with one declined card, what people send in an hour.
 * Whichever limit one is about, it names; what is counted from the log holds as anywhere.
 */
const REQUESTS_UNLIMITED = LIMIT_NAMES.filter(
  (name) => LIMITS[name].countedIn !== 'log' && withinMsOf(name) !== undefined,
)
  .map((name) => `${name}=off`)
  .join(' ');

export const START_WITHIN_MS = 120_000;
/** What children may know of the environment the suites run in; above all no URL of somebody else's store. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'XDG_CACHE_HOME'];

/** Programs of a suite live as long as the suite does; those of a bench are as in production. */
const NODE_OPTIONS = process.env.NODE_OPTIONS?.includes(SHORT_LIVED) ? SHORT_LIVED : undefined;

/** Not among `'all'`: a suite that wants them names them. */
const BY_NAME_ONLY: readonly Part[] = ['projections-2', 'workers-2', 'archive', 'transparency'];

export interface StackOptions {
  /** How many ledger processes `'ledgers'` and `'all'` mean; 1 unless told. */
  readonly ledgers?: number;
  /** Further settings for the application's processes and the stand-ins. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Postgres syncs what it writes, as it does for `make start`; only a power cut could tell the difference.
   */
  readonly syncs?: boolean;
}
/** A part by name, all ledgers, or everything. */
export type StackPart = Part | 'ledgers' | 'all';

/** A stack that runs. */
export interface TestStack {
  /** Where a browser would go; answered once `front` was started. */
  readonly url: string;
  /**
   * The settings of the application's processes: DATABASE_URL (the owner's), EVENTSTORE_URL, OIDC_ISSUER and
   * so on. The processes themselves sign in to Postgres as their roles: AUDIT_DATABASE_URL and the others.
   */
  readonly env: Readonly<Record<string, string>>;
  readonly dataFolder: string;
  readonly ports: Readonly<Record<string, number>>;
  /** A part that was started: `kill9()`, `stop()`, `start()`, `restart()`, `pid`, `output()`. */
  part(name: Part): StartedPart;
  /** Starts further parts. */
  start(...wanted: readonly StackPart[]): Promise<void>;
  /** Ends everything at once and removes the data. */
  stop(): Promise<void>;
}

/** Starts parts of the stack; whoever calls this stops it. Suites take `useStack`. */
export async function startStack(
  wanted: readonly StackPart[],
  options: StackOptions = {},
): Promise<TestStack> {
  const root = repositoryRoot();
  const ledgers = options.ledgers ?? 1;
  const dataFolder = mkdtempSync(join(tmpdir(), 'encore-test-'));
  // Postgres runs as another user when the suites run as root, and has to pass this folder.
  chmodSync(dataFolder, 0o711);
  const taken = new Set<number>();
  const ports: Record<string, number> = {};
  for (const name of ['front', ...BY_NAME_ONLY, ...portNames(ledgers)]) {
    ports[name] = await freePort(taken);
    taken.add(ports[name]);
  }
  const publicPort = ports.front ?? 0;
  const given: Record<string, string | undefined> = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    NODE_OPTIONS,
    ...options.env,
  };
  given.LIMITS = [REQUESTS_UNLIMITED, options.env?.LIMITS ?? ''].join(' ').trim();
  for (const name of PASSED_ON) given[name] = process.env[name];
  const isStarted = (part: Part): boolean =>
    standInsFor(given).some((standIn) => standIn === part) && !runsInContainer(part, given);
  const named = wanted.flatMap((name) => partsOf(name, ledgers));
  const prepared =
    named.some(usesDatabase) && isStarted('postgres') ? preparedCluster(root, dataFolder) : undefined;
  const plan: StackPlan = {
    root,
    dataFolder,
    publicPort,
    publicUrl: `http://localhost:${publicPort}`,
    ledgers,
    ports,
    secrets: secretsOf(dataFolder),
    given,
    postgresTemplate: prepared ?? (await postgresTemplate(root)),
    isDatabasePrepared: prepared !== undefined,
    isThrownAway: !options.syncs,
  };
  const stack = new Stack(plan);
  stack.warden.note({ lent: dataFolder });
  const contained = new Map<Part, ContainedStore>();
  const stop = async (): Promise<void> => {
    await stack.quit();
    await Promise.all([...contained.values()].map((store) => store.remove()));
    rmSync(dataFolder, { recursive: true, force: true });
  };
  const start = async (...more: readonly StackPart[]): Promise<void> => {
    // What a URL of the settings takes the place of is not started.
    const replaced = STAND_INS.filter((part) => !standInsFor(given).includes(part));
    const named = new Set<Part>(more.flatMap((name) => partsOf(name, ledgers)));
    for (const part of replaced) named.delete(part);
    const startPart = async (part: Part): Promise<void> => {
      if (!runsInContainer(part, given)) {
        await stack.start(part);
        return;
      }
      const store = new ContainedStore(part, ports[part] ?? 0, plan.secrets.POSTGRES_PASSWORD);
      contained.set(part, store);
      await store.start();
    };
    const isApp = (part: Part): boolean => /^ledger|^projections|^workers|^archive|^transparency/.test(part);
    await Promise.all([...named].filter((part) => !isApp(part)).map(startPart));
    await Promise.all([...named].filter(isApp).map(startPart));
  };
  try {
    await start(...wanted);
  } catch (failure) {
    await stop();
    throw failure;
  }
  const part = (name: Part): StartedPart => contained.get(name) ?? stack.part(name);
  return {
    url: plan.publicUrl,
    env: { ...appEnvironment(plan), ...databaseRoles(plan) },
    dataFolder,
    ports,
    part,
    start,
    stop,
  };
}

function partsOf(wanted: StackPart, ledgers: number): Part[] {
  const all = stopOrder(ledgers)
    .reverse()
    .filter((part) => !BY_NAME_ONLY.includes(part));
  if (wanted === 'all') return all;
  return wanted === 'ledgers' ? all.filter((part) => part.startsWith('ledger-')) : [wanted];
}

// initdb takes a second; copying what it made takes a tenth of that.
async function postgresTemplate(root: string): Promise<string> {
  const folder = templateFolder(root);
  await makeTemplate(folder);
  return folder;
}
