/** `operate check-stripe`: what of the account at the card provider is right, missing or unproven. */
import { createInterface } from 'node:readline/promises';
import pg from 'pg';
import { BadSetting } from '#contracts/configuration';
import {
  checkAccount,
  type CheckLine,
  type SecretProof,
  type SecretProofs,
} from '#ledger/stripe/account-check';
import { readAccountFacts } from '#ledger/stripe/account-facts';
import { proveApproval, setUpAccount } from '#ledger/stripe/account-set-up';
import { keyMode } from '#ledger/stripe/key-mode';
import { lastVerified, type WebhookEndpoint } from '#ledger/stripe/verified-webhooks';
import { CannotRun, type Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

const POSTGRES_ANSWERS_WITHIN_MS = 3_000;

/**
 * Checks, and with `--set-up` makes what is missing and can be made; in live mode only once somebody has
 * typed the account's id. 0 when nothing is missing. Throws {@link CannotRun}.
 */
export async function checkStripe(setsUp: boolean): Promise<Verdict> {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_API_URL: apiUrl,
    PUBLIC_URL: publicUrl,
  } = readSettings(['STRIPE_SECRET_KEY', 'STRIPE_API_URL', 'PUBLIC_URL']);
  const access = { secretKey, apiUrl };
  const checked = { secretKey, publishableKey: setting('STRIPE_PUBLISHABLE_KEY'), publicUrl };
  const isLive = keyMode(secretKey) === 'live';
  const before = await readAccountFacts(access);
  const done: string[] = [];
  let approval;
  if (setsUp) {
    if (before.account.kind === 'unknown') throw new CannotRun(`Nothing is set up: ${before.account.why}`);
    if (isLive) await confirm(before.account.value.id);
    done.push(...(await setUpAccount(access, checked, before)));
    if (!isLive) approval = await proveApproval(access);
  }
  const facts = done.length > 0 ? await readAccountFacts(access) : before;
  const lines = checkAccount(facts, checked, await proofsOf(), approval);
  const isComplete = lines.every(({ result }) => result !== 'missing');
  return { status: isComplete ? 0 : 1, lines: [...done, ...lines.map(shown), lastWord(lines)] };
}

const shown = ({ result, about, says }: CheckLine): string => `${result.padEnd(9)}${about}: ${says}`;

function lastWord(lines: readonly CheckLine[]): string {
  const count = (wanted: CheckLine['result']): number =>
    lines.filter(({ result }) => result === wanted).length;
  return `${count('right')} right, ${count('missing')} missing, ${count('unproven')} unproven.`;
}

/** Throws {@link CannotRun} unless the account's id is typed. */
async function confirm(accountId: string): Promise<void> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => asking.once('close', () => resolve('')));
  const question = `These are live keys. To make what is missing in the account ${accountId}, type its id: `;
  const typed = await Promise.race([asking.question(question), ended]);
  asking.close();
  if (typed.trim() !== accountId) throw new CannotRun('Nothing was made: that is not the id of the account.');
}

/** A setting that nobody has made yet is a line of the answer, not a reason to give none. */
function setting(
  name: 'DATABASE_URL' | `STRIPE_${'PUBLISHABLE_KEY' | 'WEBHOOK_SECRET' | 'CONNECT_WEBHOOK_SECRET'}`,
) {
  try {
    return readSettings([name])[name];
  } catch (error) {
    if (error instanceof BadSetting) return undefined;
    throw error;
  }
}

async function proofsOf(): Promise<SecretProofs> {
  const pool = new pg.Pool({
    connectionString: setting('DATABASE_URL') ?? 'postgres://127.0.0.1:1/none',
    connectionTimeoutMillis: POSTGRES_ANSWERS_WITHIN_MS,
    query_timeout: POSTGRES_ANSWERS_WITHIN_MS,
    max: 1,
  });
  pool.on('error', () => undefined);
  const proof = async (endpoint: WebhookEndpoint, secret: string | undefined): Promise<SecretProof> => {
    if (secret === undefined) return 'not set';
    try {
      return (await lastVerified(pool, endpoint, secret)) ?? 'never';
    } catch {
      return 'no answer of Postgres';
    }
  };
  const platform = await proof('platform', setting('STRIPE_WEBHOOK_SECRET'));
  const connect = await proof('connect', setting('STRIPE_CONNECT_WEBHOOK_SECRET'));
  await pool.end().catch(() => undefined);
  return { platform, connect };
}
