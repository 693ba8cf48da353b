/**
 * A busy day is lost and won back, on the stores that `make start` runs: the event store is put back to the
 * backup of the evening before, while the card provider and Postgres went on. Once with an archive, once
 * without. Says how long each recovery took and how much memory it had; PAYMENTS says how many payments the
 * day had.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { JOURNAL } from '#contracts/events/journal';
import { START } from '#contracts/log';
import type { JournalCommand } from '#ledger/journal/commands';
import type { Journal } from '#ledger/journal/journal';
import { sideBySide } from '#ledger/recovery/provider-recovery';
import { StreamRunner } from '#ledger/streams/runner';
import { attemptsToBook, endingsToBook } from '#ledger/stripe/bookings';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { ProviderAccount } from '#ledger/stripe/provider-account';
import { StripeHistory } from '#ledger/stripe/provider-history';
import { user } from '#ledger/users/user.decider';
import { repositoryRoot } from '#local/launch/program';
import { EsdbLog } from '#log/esdb';
import { Vault } from '#log/vault';
import { prepareDatabase } from '#processes/database';
import { openWhole } from '#processes/operate/whole-journal';
import { MASTER_KEY_SETTINGS, masterKeysOf, readSettings } from '#processes/shell/settings';
import { Projected } from '#projections/engine/read-your-writes';
import { CardProviderWorld } from '#test/support/payer';
import { profileOf } from '#test/support/plain-vault';
import { startStack, type TestStack } from '#test/support/start-stack';

const PAYMENTS = Number(process.env['PAYMENTS'] || 100_000);
const PEOPLE = 500;
/** Calls of the provider at a time. */
const CALLS = 24;
/** One payment of so many is given back. */
const REFUNDED_EVERY = 100;
const PROJECTED_WITHIN_MS = 3_600_000;
const BY = { correlationId: 'busy-day' } as const;

let passed = 0;
let failed = 0;
const say = (line: string): void => console.log(line);
function check(what: string, isRight: boolean, why = ''): void {
  if (isRight) passed += 1;
  else {
    failed += 1;
    say(`WRONG: ${what}. ${why}`);
  }
}
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  say(`  ${what}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
  return result;
}

const userOf = (n: number): string => `usr_${String(n % PEOPLE).padStart(6, '0')}`;

interface Day {
  readonly stack: TestStack;
  readonly work: string;
  readonly pool: pg.Pool;
  readonly vault: Vault;
  readonly provider: CardProviderWorld;
}

/** Everybody signs up, and a few payments are made: what the backup has. */
async function eveningBefore(day: Day): Promise<void> {
  const { stack, vault } = day;
  const log = EsdbLog.connect(stack.env['EVENTSTORE_URL']!);
  const journal = await openWhole(log);
  const account = new ProviderAccount(accessOf(stack));
  await journal.execute({ type: 'FoundLedger', ...(await account.current()) }, BY);
  const streams = new StreamRunner(log);
  const people = Array.from({ length: PEOPLE }, (_, n) => userOf(n));
  await sideBySide(people, async (userId) => {
    const profile = await vault.seal(userId, JSON.stringify(profileOf(userId)));
    const registered = { type: 'Register', userId, issuer: 'busy-day', subject: userId, profile } as const;
    await streams.execute(user, userId, registered, { ...BY, actorId: userId });
    await journal.execute({ type: 'OpenAccount', userId }, BY);
  });
  await pay(day, journal, 'evening', 100);
  await journal.close();
  await log.close();
}

/**
 * The day itself: payments are made at the provider as the ledger makes them, and booked as its webhooks have
 * it.
 */
async function busyDay(day: Day): Promise<void> {
  const log = EsdbLog.connect(day.stack.env['EVENTSTORE_URL']!);
  const journal = await openWhole(log);
  await pay(day, journal, 'day', PAYMENTS);
  await journal.close();
  await log.close();
}

async function pay({ stack, vault, provider }: Day, journal: Journal, name: string, count: number) {
  const seal = new OwnershipSeal(await vault.sealKey(), () => journal.ledgerId);
  const since = new Date();
  const bookings = Array.from({ length: count }, (_, n) => ({
    paymentId: `pay_${createHash('sha256').update(`${name} ${n}`).digest('hex').slice(0, 26)}`,
    key: `${userOf(n)}:${name}-${n}`,
    payerId: userOf(n),
    recipientId: userOf(n + 1 + (n % 97)),
    method: 'card' as const,
    amountMinor: 500 + (n % 2_000),
    currency: 'usd',
  }));
  await timed(`${count} payments are made at the provider`, () =>
    callEach(bookings, async (booking, n) => {
      const { amountMinor, currency } = booking;
      const { latest_charge: charge } = await provider.stripe.paymentIntents.create({
        amount: amountMinor,
        currency,
        confirm: true,
        payment_method: 'pm_card_visa',
        allowed_payment_method_types: ['card'],
        return_url: 'https://encore.example/payment-success',
        metadata: seal.ofPayment(booking, { amountMinor, currency }),
      });
      if (n % REFUNDED_EVERY === REFUNDED_EVERY - 1)
        await provider.stripe.refunds.create({ charge: String(charge) });
    }),
  );
  const history = new StripeHistory({ ...accessOf(stack), seal });
  const listed = await timed('they are listed', () => history.payments(since));
  const intents = new Map(listed.map((payment) => [payment.paymentId, payment]));
  await timed('they are booked', () =>
    sideBySide(bookings, async (booking) => {
      const { key, ...terms } = booking;
      const asked = { ...BY, key, fingerprint: booking.paymentId, actorId: booking.payerId };
      await journal.execute({ type: 'OpenPayment', ...terms }, asked);
      const seen = intents.get(booking.paymentId);
      if (seen === undefined) throw new Error(`The provider does not list ${booking.paymentId}.`);
      const { paymentId } = booking;
      const owners = new Map(seen.charges.map(({ chargeId }) => [chargeId, { paymentId }]));
      const submitted: JournalCommand = { type: 'SubmitPayment', paymentId, intentId: seen.intentId };
      for (const command of [submitted, ...attemptsToBook(seen), ...endingsToBook(seen, owners)])
        await journal.execute(command, BY);
    }),
  );
}

async function callEach<T>(items: readonly T[], call: (item: T, n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const n = next++;
      await call(items[n]!, n);
    }
  };
  await Promise.all(Array.from({ length: CALLS }, worker));
}

const accessOf = ({ env }: TestStack) => ({
  secretKey: env['STRIPE_SECRET_KEY']!,
  apiUrl: env['STRIPE_API_URL'],
  isPatient: true,
});

/** How many events are ours, and a hash over all of them in the log's order. */
async function logged({ stack }: Day): Promise<{ readonly events: number; readonly hash: string }> {
  const log = EsdbLog.connect(stack.env['EVENTSTORE_URL']!);
  const hash = createHash('sha256');
  let events = 0;
  for await (const { stream, revision, id, metadata } of log.readAll(START, [''])) {
    if (stream.startsWith('$')) continue;
    hash.update(`${stream} ${revision} ${id} `).update(metadata.bytes);
    events += 1;
  }
  await log.close();
  return { events, hash: hash.digest('hex') };
}

/** Waits until the read models show all of the journal. */
async function shown({ stack }: Day): Promise<void> {
  const log = EsdbLog.connect(stack.env['EVENTSTORE_URL']!);
  const projected = Projected.listen(stack.env['DATABASE_URL']!);
  const last = await log.lastOf(JOURNAL);
  if (last && !(await projected.waitFor(last.position, PROJECTED_WITHIN_MS)))
    throw new Error('The read models have not caught up.');
  await projected.close();
  await log.close();
}

async function balances({ pool }: Day): Promise<string> {
  const { rows } = await pool.query<{ row: string }>(
    `select account || ' ' || balance_minor as row from read.balances where account like 'user/%' order by 1`,
  );
  return rows.map(({ row }) => row).join('\n');
}

const storeFolder = ({ stack }: Day): string => join(stack.dataFolder, 'eventstore');

async function backUp(day: Day): Promise<void> {
  await day.stack.part('eventstore').stop();
  cpSync(storeFolder(day), join(day.work, 'backup'), { recursive: true });
  await day.stack.part('eventstore').start();
}

async function restore(day: Day): Promise<void> {
  await day.stack.part('projections').stop();
  await day.stack.part('eventstore').stop();
  rmSync(storeFolder(day), { recursive: true, force: true });
  cpSync(join(day.work, 'backup'), storeFolder(day), { recursive: true });
  await day.stack.part('eventstore').start();
}

interface CommandEnd {
  readonly status: number | null;
  readonly out: string;
  readonly peakMiB: number;
}

/** Runs a command of dist/ to its end, and looks how much memory it has at most. */
async function run(
  { stack }: Day,
  words: readonly string[],
  more: Record<string, string> = {},
): Promise<CommandEnd> {
  const [script = '', ...args] = words;
  const role = script.endsWith('audit.js') ? { DATABASE_URL: stack.env['AUDIT_DATABASE_URL']! } : {};
  const env = { ...process.env, ...stack.env, ...role, ...more };
  const child = spawn(process.execPath, [join(repositoryRoot(), 'dist', script), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let peakMiB = 0;
  const look = setInterval(() => {
    try {
      const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
      peakMiB = Math.max(peakMiB, Math.round(Number(kib ?? 0) / 1024));
    } catch {
      // It has ended, or this is no Linux.
    }
  }, 250);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const out = await text(child.stdout);
  const status = await ended;
  clearInterval(look);
  return { status, out, peakMiB };
}

async function recovered(day: Day, more: Record<string, string> = {}): Promise<CommandEnd> {
  const end = await timed('recovery', () =>
    run(day, ['processes/operate.js', 'recover', '--report', join(day.work, `report-${passed}.txt`)], more),
  );
  say(`  at most ${end.peakMiB} MiB of memory`);
  // The first lines of the report say how much there was; the lists below may be long.
  for (const line of end.out.split('\n').slice(0, 7)) say(`  | ${line}`);
  for (const line of end.out.split('\n').slice(-5)) say(`  | ${line}`);
  check('the recovery ends well', end.status === 0, end.out.slice(-500));
  const audit = await timed('audit', () => run(day, ['processes/audit.js', 'verify']));
  check('the books are in order', audit.out.includes('The books are in order.'), audit.out.slice(0, 2_000));
  return end;
}

async function live(day: Day): Promise<void> {
  await timed('the evening before', () => eveningBefore(day));
  await backUp(day);
  await timed('the day', () => busyDay(day));
  await timed('its rows are built', async () => {
    await day.stack.start('projections');
    await shown(day);
  });
  const [before, owed] = [await logged(day), await balances(day)];
  say(`The log holds ${before.events} events.`);
  const archive = { ENCORE_ARCHIVE: join(day.work, 'archive') };
  const archived = await timed('it is archived', () =>
    run(day, ['processes/operate.js', 'archive'], archive),
  );
  check('the log is archived', archived.status === 0, archived.out);

  say('Put back to the evening before, with an archive:');
  await restore(day);
  check('the day is lost', (await logged(day)).events < before.events);
  await recovered(day, archive);
  const after = await logged(day);
  check(
    'every event is there again',
    after.hash === before.hash,
    `${after.events} of ${before.events} events`,
  );

  say('Put back to the evening before, without an archive:');
  await day.stack.start('projections');
  await restore(day);
  await recovered(day, { ENCORE_ARCHIVE: '' });
  check('everybody has what they had', (await balances(day)) === owed);
  const { rows } = await day.pool.query<{ sum: string }>(
    'select sum(balance_minor) as sum from read.balances',
  );
  check('the balances add up to zero', rows[0]?.sum === '0', rows[0]?.sum);
}

const work = mkdtempSync(join(tmpdir(), 'encore-busy-day-'));
const stack = await startStack(['eventstore', 'postgres', 'redis', 'stripe'], {
  env: { LOG_LEVEL: 'error' },
});
try {
  say(`A day of ${PAYMENTS} payments.`);
  Object.assign(process.env, stack.env);
  await prepareDatabase(stack.env['DATABASE_URL']!);
  const pool = new pg.Pool({ connectionString: stack.env['DATABASE_URL'], max: 4 });
  const vault = Vault.open(pool, masterKeysOf(readSettings(MASTER_KEY_SETTINGS)));
  const provider = new CardProviderWorld(() => stack);
  // Nobody is there to hear of it.
  await provider.control('POST', '/test/switches', { webhooks: { paused: true } });
  await live({ stack, work, pool, vault, provider });
  await pool.end();
} finally {
  await stack.stop();
  rmSync(work, { recursive: true, force: true });
}
say(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
