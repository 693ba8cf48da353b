/**
 * A month closed on the real stack stays as it was told, byte by byte: webhooks that come late are entries of
 * the month in which they come, and somebody who is forgotten is an id in it as before. A few payments are
 * late in `make test`, a thousand in `make prove PART=whole`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { monthAfter, monthOf, spanOfMonth } from '#contracts/plain/months';
import { sideBySide } from '#ledger/recovery/provider-recovery';
import { Journal } from '#ledger/journal/journal';
import { StreamRunner } from '#ledger/streams/runner';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { ProviderAccount } from '#ledger/stripe/provider-account';
import { user } from '#ledger/users/user.decider';
import { EsdbLog } from '#log/esdb';
import { Vault } from '#log/vault';
import { LedgerClient } from '#workers/ledger-client';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { profileOf } from '#test/support/plain-vault';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';

const LATE = sampled(1_000, 25);
const DAY_MS = 86_400_000;
const [PAYER, PERFORMER, LEAVER] = ['usr_payer', 'usr_performer', 'usr_leaver'] as const;
const BY = { correlationId: 'closed-month' } as const;
/** The month before this one. */
const MONTH = monthAfter(monthOf(Date.now(), 'UTC'), -1);

// No ledger yet: the month is written first.
const stack = useStack(['eventstore', 'postgres', 'redis', 'stripe', 'identity', 'projections']);
const evidence = useEvidence(stack);
const provider = new CardProviderWorld(stack);

/** A month whose payments are paid at the provider, which has told nobody yet. */
async function lastMonth(): Promise<void> {
  const log = EsdbLog.connect(stack().env.EVENTSTORE_URL!);
  const now = new Date(spanOfMonth(MONTH, 'UTC').fromMs + 5 * DAY_MS);
  const noArchive = () => Promise.reject(new Error('Everything is in memory here'));
  const journal = await Journal.open(log, {
    archive: { find: noArchive, entriesOf: noArchive },
    window: { ms: Infinity, entries: Infinity },
    clock: () => now,
  });
  try {
    await write(log, journal);
  } finally {
    await Promise.all([journal.close(), log.close()]);
  }
}

async function write(log: EsdbLog, journal: Journal): Promise<void> {
  const { env } = stack();
  const vault = Vault.open(evidence.db, env.ENCORE_MASTER_KEY!);
  const account = new ProviderAccount({ secretKey: env.STRIPE_SECRET_KEY!, apiUrl: env.STRIPE_API_URL });
  await journal.execute({ type: 'FoundLedger', ...(await account.current()) }, BY);
  const streams = new StreamRunner(log);
  for (const userId of [PAYER, PERFORMER, LEAVER]) {
    const profile = await vault.seal(userId, JSON.stringify(profileOf(userId)));
    const registered = { type: 'Register', userId, issuer: 'spec', subject: userId, profile } as const;
    await streams.execute(user, userId, registered, { ...BY, actorId: userId });
    await journal.execute({ type: 'OpenAccount', userId }, BY);
  }
  const seal = new OwnershipSeal(await vault.sealKey(), () => journal.ledgerId);
  await sideBySide(
    Array.from({ length: LATE }, (_, n) => n),
    (n) => pay(journal, seal, `pay_late_${n}`, n % 5 === 0 ? LEAVER : PAYER),
  );
}

async function pay(journal: Journal, seal: OwnershipSeal, paymentId: string, payerId: string): Promise<void> {
  const key = `${payerId}:${paymentId}`;
  const sum = { amountMinor: 500, currency: 'usd' };
  const terms = { paymentId, payerId, recipientId: PERFORMER, method: 'card' } as const;
  const asked = { ...BY, key, fingerprint: paymentId, actorId: payerId };
  await journal.execute({ type: 'OpenPayment', ...terms, ...sum }, asked);
  const { id: intentId } = await provider.stripe.paymentIntents.create({
    amount: sum.amountMinor,
    currency: sum.currency,
    confirm: true,
    payment_method: 'pm_card_visa',
    allowed_payment_method_types: ['card'],
    return_url: 'https://encore.example/payment-success',
    metadata: seal.ofPayment({ ...terms, key }, sum),
  });
  await journal.execute({ type: 'SubmitPayment', paymentId, intentId }, BY);
}

beforeAll(async () => {
  await provider.control('POST', '/test/switches', { webhooks: { paused: true } });
  await lastMonth();
  await stack().start('ledgers', 'front');
}, 600_000);

/** As long as the test may take: a thousand webhooks take a minute and more. */
async function allDelivered(): Promise<void> {
  while ((await provider.control('GET', '/test/webhooks')).owed !== 0) {
    await provider.control('POST', '/test/webhooks/send_now');
    await pause(100);
  }
}

async function exported(name: string): Promise<Buffer> {
  const out = join(stack().dataFolder, name);
  const end = await evidence.run('processes/encore.js', 'audit', 'month', '--month', MONTH, '--out', out);
  expect(end).toMatchObject({ status: 0, err: '' });
  return readFileSync(out);
}

describe('a closed month', () => {
  it(`is the same file, to the byte, after ${LATE} late webhooks and a forgetting`, async () => {
    const close = () => evidence.run('processes/encore.js', 'audit', 'close', '--month', MONTH);
    expect(await close()).toMatchObject({ status: 0, out: expect.stringContaining(`${MONTH} is closed.`) });
    const before = await exported('before');
    const told = before.toString();
    expect(told).toContain(LEAVER);
    expect(told.match(/"type":"PaymentOpened"/g)).toHaveLength(LATE);

    await provider.control('DELETE', '/test/switches');
    await allDelivered();
    await evidence.shown();
    const { ENCORE_INTERNAL_TOKEN: token = '' } = stack().env;
    const ledger = new LedgerClient(`http://127.0.0.1:${stack().ports['ledger-1-internal']}`, token);
    await ledger.ask({ type: 'ForgetUser', userId: LEAVER }, 'closed-month');

    const journal = await evidence.journal();
    const late = journal.filter(({ type }) => type === 'PaymentSettled');
    expect(late).toHaveLength(LATE);
    const { untilMs } = spanOfMonth(MONTH, 'UTC');
    for (const { metadata } of late) expect(Date.parse(metadata.recordedAt)).toBeGreaterThanOrEqual(untilMs);
    expect(journal.at(-1)).toMatchObject({ type: 'AccountClosed', data: { userId: LEAVER } });

    expect((await exported('after')).equals(before)).toBe(true);
    expect(await close()).toMatchObject({ err: expect.stringContaining('is closed already') });
    await evidence.holds();
  }, 600_000);
});
