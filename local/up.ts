/**
 * `make start`: starts what has no URL in the environment, then the application's own processes and one
 * front, waits until the app answers, says where to open it, keeps everything running, and stops it all in
 * order.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { runLocalCommand } from './command.js';
import { isDemoComplete, signInList, setUpDemo } from './demo/demo.js';
import { answers, isFree } from './launch/free-port.js';
import { claimFolder, endOrphans, refuseIfRunning, removeLock, writeLock } from './launch/lock.js';
import { ProgramFailed, repositoryRoot, type RunningProgram } from './launch/program.js';
import { reasonsNotReady } from './launch/not-ready.js';
import { refuseHalfRestored } from './restore-note.js';
import {
  BadLocalSetting,
  KeptPorts,
  localSettings,
  secretsOf,
  type LocalSettings,
  type Secrets,
} from './settings.js';
import { appParts, portNames, standInsFor, type Part } from './stack/parts.js';
import { Stack } from './stack/stack.js';

const ANSWERS_WITHIN_MS = 60_000;
/** The ports at which the app's processes say what is amiss with them. */
const WITH_READINESS = ['ledger-1-internal', 'projections', 'workers', 'archive', 'transparency'];
const FIRST_BACK_OFF_MS = 250;
const LONGEST_BACK_OFF_MS = 15_000;
/** A child that ends this often within the time below will not get better by starting it again. */
const ENDS_TOO_MANY = 6;
const ENDS_WITHIN_MS = 60_000;

/**
 * The card provider's stand-in as an account in a sandbox is: it takes 25 calls a second, says later what it
 * keeps of a payment, holds card money for two days, wants to know where payers come back to, and its
 * webhooks come in no order.
 */
const LIKE_AN_ACCOUNT = {
  STAND_IN_SWITCHES: JSON.stringify({
    rateLimits: { total: 25, endpoint: 25 },
    needsReturnUrl: true,
    balanceTransactionMs: 1_000,
    chargeFundsPendingMs: 2 * 24 * 3_600_000,
    webhooks: { shuffle: true },
  }),
  STRIPE_REQUESTS_PER_SECOND: '25',
  STRIPE_REQUESTS_PER_ENDPOINT: '25',
};

const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);
const warn = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

async function up(): Promise<void> {
  const begun = Date.now();
  const root = repositoryRoot();
  const settings = localSettings(process.env, root);
  const { dataFolder, publicUrl, port, ledgers } = settings;

  refuseIfRunning(dataFolder);
  refuseHalfRestored(dataFolder);
  await endOrphans(dataFolder, warn);
  if (!(await isFree(port)) || (await answers(port, '::1')))
    throw new BadLocalSetting(
      `Port ${port} is in use by another program. Choose another: make start PORT=${port + 1}`,
    );
  claimFolder(dataFolder, publicUrl);

  const first = secretsOf(dataFolder);
  const ports = await new KeptPorts(dataFolder).take(portNames(ledgers), [port]);
  const stack = new Stack({
    root,
    dataFolder,
    publicPort: port,
    publicUrl,
    ledgers,
    ports,
    secrets: first,
    given: { ...LIKE_AN_ACCOUNT, ...process.env },
  });
  const noteChildren = (): void => writeLock(dataFolder, publicUrl, stack.noted());

  let stopping: Promise<void> | undefined;
  const leaving = new AbortController();
  const halted = (): Promise<void> | undefined => stopping;
  const stop = (code: number): Promise<void> => {
    leaving.abort();
    stopping ??= (async () => {
      await stack.stop();
      removeLock(dataFolder);
      process.exit(code);
    })();
    return stopping;
  };
  let asked = 0;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      asked += 1;
      if (asked === 1) say('\nStopping … (again to stop at once)');
      if (asked === 2) void stack.quit();
      void stop(0);
    });
  // A terminal that is gone cannot be written to, which is no reason to leave children behind.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  const start = async (part: Part): Promise<void> => {
    if (stopping) return;
    await stack.start(part, (running) => {
      const ends: number[] = [];
      running.onLost = (how) => void revive(part, running, how, ends);
    });
    noteChildren();
  };
  const revive = async (part: Part, running: RunningProgram, how: string, ends: number[]): Promise<void> => {
    for (let words = how; !stopping;) {
      const now = Date.now();
      ends.push(now);
      const recent = ends.filter((at) => at > now - ENDS_WITHIN_MS).length;
      if (recent >= ENDS_TOO_MANY) {
        warn(
          `${part} ${words}, for the ${recent}th time within a minute. Stopping everything. ${running.lastWords()}`,
        );
        return stop(1);
      }
      const backOffMs = Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (recent - 1));
      warn(`${part} ${words}; starting it again. Its log: ${running.program.logFile}`);
      await pause(backOffMs);
      if (stopping) return;
      try {
        await running.start();
        noteChildren();
        return;
      } catch (failure) {
        words = failure instanceof Error ? failure.message : String(failure);
      }
    }
  };

  try {
    const standIns = standInsFor(process.env);
    say(`Starting Encore${standIns.length > 0 ? ` with ${standIns.join(', ')}` : ''} …`);
    await Promise.all([...standIns, 'front' as const].map(start));
    await Promise.all(appParts(ledgers).map(start));
    if (halted()) return halted();
    await waitUntilItAnswers(port, () => halted() !== undefined);
  } catch (failure) {
    if (halted()) return halted();
    warn(failure instanceof ProgramFailed ? failure.message : String(failure));
    return await stop(1);
  }
  if (halted()) return halted();
  say(`
  Encore is open:  ${publicUrl}${standInsFor(process.env).includes('mail') ? `\n  All its mail is in:  ${publicUrl}/inbox` : ''}

  Your data is in ${dataFolder}, logs are in ${dataFolder}/logs.
  Ctrl-C stops everything; \`make start\` goes on where you left off. (Started in ${((Date.now() - begun) / 1000).toFixed(1)} s.)
`);
  const readyPorts = WITH_READINESS.map((name) => Number(ports[name]));
  void reasonsNotReady(readyPorts, leaving.signal).then((reasons) => {
    if (reasons.length === 0 || leaving.signal.aborted) return;
    warn(`  It is open, but not all of it works. ${reasons.map(withLocalCommand).join(' ')}\n`);
  });
  // The demo lives at the stand-ins for sign-in and cards; a real one of either has no place for made-up
  // people.
  if (
    settings.demo &&
    (['identity', 'stripe'] as const).every((part) => standInsFor(process.env).includes(part))
  )
    await demo(settings, { port: ports.stripe, secrets: first }, leaving.signal);
}

/** Sets up the demo where it is not complete, while the app serves already, and prints who can sign in. */
async function demo(
  { dataFolder, publicUrl }: LocalSettings,
  provider: { readonly port: number | undefined; readonly secrets: Secrets },
  signal: AbortSignal,
): Promise<void> {
  if (!isDemoComplete(dataFolder)) {
    say('  The demo is being set up: people who perform, their fans, and some weeks of their money …');
    const { STRIPE_SECRET_KEY: secretKey, STRIPE_PUBLISHABLE_KEY: publishableKey } = provider.secrets;
    const till = { apiUrl: `http://127.0.0.1:${provider.port}`, secretKey, publishableKey };
    try {
      await setUpDemo({ dataFolder, publicUrl, till }, signal);
    } catch (failure) {
      if (signal.aborted) return;
      const why = failure instanceof Error ? failure.message : String(failure);
      warn(
        `  The demo is not complete: ${why}\n  The next start goes on with it. Without it: make start ENCORE_DEMO=off`,
      );
      return;
    }
  }
  say(signInList());
}

async function waitUntilItAnswers(port: number, givenUp: () => boolean): Promise<void> {
  const until = Date.now() + ANSWERS_WITHIN_MS;
  let last = 'nothing';
  while (!givenUp()) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) });
      last = `${answer.status} ${(await answer.text()).slice(0, 400)}`;
      if (answer.ok) return;
    } catch (failure) {
      last = failure instanceof Error ? failure.message : String(failure);
    }
    if (Date.now() > until)
      throw new ProgramFailed(`The app is not ready after ${ANSWERS_WITHIN_MS / 1000} s. It says: ${last}`);
    await pause(50);
  }
}

/** The operator's command has a shorter name here, and needs the stack to be down. */
const withLocalCommand = (reason: string): string =>
  reason.replace('Run: encore operate recover', 'Stop this with Ctrl-C, and run: make recover');

await runLocalCommand(up);
