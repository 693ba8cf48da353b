/**
 * Streams that cannot be read: each is parked alone, says so, and is released by the operator's word. Live
 * rows and replayed ones are the same throughout.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { QUARANTINE } from '#contracts/events/quarantine';
import { settingsStream, DEFAULT_SETTINGS } from '#contracts/events/settings';
import { GENESIS, hashOf } from '#log/chain';
import type { NewEvent } from '#log/event-log';
import { jsonOrText, StoredContent } from '#log/stored-content';
import { JUNO, MILO, open, openAccount, requestPayout, settle } from '#test/support/journal-spec';
import { profileOf, sealedFor } from '#test/support/plain-vault';
import { Dice } from '#test/simulator/dice';
import { readSides, type ReadSide } from '#test/support/read-side';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';
import { BANK_ACCOUNTS_PARKED, PAYOUT_PARKED, SCHEDULE_PARKED } from '#contracts/plain/parked';
import { balanceOf } from '../balances/queries.js';
import { payoutAnswer } from '../payouts/controller.js';
import { payoutsOf, unfinishedPayouts } from '../payouts/queries.js';
import { subscriptionOf } from '../schedules/controller.js';
import { dueBacklog, dueSchedules } from '../schedules/queries.js';
import { settingsOf } from '../settings/queries.js';
import { userByEmail, userById } from '../users/queries.js';
import { quarantinedOfRows, listParked } from './parking.js';
import { prepareReadModels } from './prepare.js';
import { Projector } from './projector.js';
import { Projected } from './read-your-writes.js';
import { replaceRows, type LostRow } from './replace-rows.js';

const stack = useStack(['postgres']);
const sides = readSides(stack);
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((projector) => projector.stop()));
  await sides.check();
});

const STREAM = settingsStream(JUNO);
const AT = '2026-03-01T21:00:00.000Z';

/** An event as a stranger writes it: unchained unless told. */
const strange = (type: string, data: object, metadata: object = {}): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { version: 1, recordedAt: AT, correlationId: 'x', hash: GENESIS, ...metadata },
});

/** The next event of a stream, chained as the writer does it, whatever it says. */
function chained(side: ReadSide, stream: string, type: string, data: unknown, version = 1): void {
  const before = side.story.log.all.filter((raw) => raw.stream === stream);
  const previous = before.at(-1)?.metadata.value as { hash: string } | undefined;
  const metadata = { version, recordedAt: AT, correlationId: 'x' };
  const link = { stream, revision: before.length, id: randomUUID(), type };
  const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(JSON.stringify(data));
  const hash = hashOf(previous?.hash ?? GENESIS, {
    ...link,
    data: bytes,
    metadata: JSON.stringify(metadata),
  });
  side.story.log.put(stream, {
    id: link.id,
    type,
    data: new StoredContent(bytes, jsonOrText),
    metadata: { ...metadata, hash },
  });
}

async function withTip(): Promise<ReadSide> {
  const side = await sides.open();
  side.story.register(JUNO, profileOf('juno'));
  side.story.register(MILO, profileOf('milo'));
  side.story.command(openAccount(JUNO), openAccount(MILO));
  side.story.switch(JUNO, 'biometricEnabled', true);
  return side;
}

function tip(side: ReadSide, n: number): void {
  const paid = { paymentId: `pay_${n}`, amount: '1.00' };
  side.story.command(open(paid), settle(paid));
}

/** A projector until the rows have all that the log holds. */
async function projected(side: ReadSide): Promise<Projector> {
  const projector = new Projector({
    log: side.story.log,
    databaseUrl: side.databaseUrl,
    models: side.models,
    prepare: () =>
      prepareReadModels({ databaseUrl: side.databaseUrl, log: side.story.log, models: side.models }),
  });
  running.push(projector);
  projector.start();
  const reading = Projected.listen(side.databaseUrl);
  expect(await reading.waitFor(side.story.log.all.at(-1)!.position, 20_000)).toBe(true);
  await reading.close();
  return projector;
}

/** The operator's word. */
function quarantine(side: ReadSide, stream: string, revision: number): void {
  const { id } = side.story.log.all.find((raw) => raw.stream === stream && raw.revision === revision)!;
  side.story.write(QUARANTINE, {
    type: 'EventQuarantined',
    data: { stream, revision, eventId: id, because: 'A test wrote it.', at: AT },
  });
}

/** Each way in which an event of a stream cannot be read. */
const MALFORMED: readonly [string, (side: ReadSide, stream: string, good: object) => void, RegExp][] = [
  ['of an unknown type', (s, stream, good) => chained(s, stream, 'SettingDimmed', good), /does not know/],
  ['of a newer version', (s, stream, good) => chained(s, stream, typeOf(s, stream), good, 2), /of version 2/],
  [
    'with a field of another kind',
    (s, stream) => chained(s, stream, typeOf(s, stream), { userId: 7 }),
    /well formed/,
  ],
  ['that is no JSON', (s, stream) => chained(s, stream, typeOf(s, stream), 'not JSON'), /well formed/],
  [
    'without a hash',
    (s, stream, good) => void s.story.log.put(stream, strange(typeOf(s, stream), good)),
    /not what was written/,
  ],
  [
    'without metadata',
    (s, stream, good) => void s.story.log.put(stream, { ...strange(typeOf(s, stream), good), metadata: {} }),
    /metadata/,
  ],
  [
    'about somebody else',
    (s, stream, good) => chained(s, stream, typeOf(s, stream), { ...good, userId: MILO }),
    /is about usr_milo/,
  ],
  [
    'of another kind of stream',
    (s, stream) => chained(s, stream, 'UserForgotten', { userId: JUNO }),
    /does not belong/,
  ],
];

const typeOf = (side: ReadSide, stream: string): string =>
  side.story.log.all.findLast((raw) => raw.stream === stream)!.type;

describe('an event that cannot be read', () => {
  it.each(MALFORMED)('%s parks its stream alone, and everything else goes on', async (_, write, reason) => {
    const side = await withTip();
    write(side, STREAM, { userId: JUNO, setting: 'privacyModeEnabled' });
    const later = side.story.log.all.at(-1)!;
    // Whatever comes after it in its stream waits, be it as good as may be.
    chained(side, STREAM, 'SettingSwitchedOff', { userId: JUNO, setting: 'transactionAlertsEnabled' });
    side.story.switch(MILO, 'transactionAlertsEnabled', false);
    tip(side, 1);
    const projector = await projected(side);
    expect(projector.state.status).not.toBe('stopped');
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(100);
    expect(await settingsOf(side.db, MILO)).toMatchObject({ transactionAlertsEnabled: false });
    expect(await listParked(side.db)).toMatchObject([
      { stream: STREAM, revision: 1, eventId: later.id, reason: expect.stringMatching(reason) },
    ]);
    expect((await settingsOf(side.db, JUNO)).transactionAlertsEnabled).toBe(true);
    // Fed again from the start: the same.
    await side.feedAgain();
    expect(await listParked(side.db)).toHaveLength(1);
  });

  it('is passed over when an operator says so, and what waited is applied, live as in a replay', async () => {
    const side = await withTip();
    chained(side, STREAM, 'SettingDimmed', { userId: JUNO });
    chained(side, STREAM, 'SettingSwitchedOff', { userId: JUNO, setting: 'transactionAlertsEnabled' });
    tip(side, 1);
    await projected(side);
    expect(await listParked(side.db)).toHaveLength(1);
    quarantine(side, STREAM, 1);
    tip(side, 2);
    while ((await listParked(side.db)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await settingsOf(side.db, JUNO)).toMatchObject({
      ...DEFAULT_SETTINGS,
      biometricEnabled: true,
      transactionAlertsEnabled: false,
    });
    expect((await quarantinedOfRows(side.db)).events).toMatchObject([
      { stream: STREAM, revision: 1, place: 0 },
    ]);
    chained(side, STREAM, 'SettingSwitchedOff', { userId: JUNO, setting: 'biometricEnabled' });
    await projected(side);
    expect((await settingsOf(side.db, JUNO)).biometricEnabled).toBe(false);
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(200);
  });

  it('is released while nobody projects, and left out by tables that are filled anew', async () => {
    const side = await withTip();
    chained(side, STREAM, 'SettingDimmed', { userId: JUNO });
    chained(side, STREAM, 'SettingSwitchedOff', { userId: JUNO, setting: 'transactionAlertsEnabled' });
    await (await projected(side)).stop();
    quarantine(side, STREAM, 1);
    await (await projected(side)).stop();
    expect(await listParked(side.db)).toEqual([]);
    expect((await settingsOf(side.db, JUNO)).transactionAlertsEnabled).toBe(false);
    await side.db.query('drop schema read cascade');
    await projected(side);
    expect(await listParked(side.db)).toEqual([]);
    expect((await settingsOf(side.db, JUNO)).transactionAlertsEnabled).toBe(false);
  });

  it('that was taken out is no loss to a recovery, which compares the rows with the log', async () => {
    const side = await withTip();
    chained(side, STREAM, 'SettingDimmed', { userId: JUNO });
    chained(side, STREAM, 'SettingSwitchedOff', { userId: JUNO, setting: 'transactionAlertsEnabled' });
    quarantine(side, STREAM, 1);
    await (await projected(side)).stop();
    const { databaseUrl, models, story } = side;
    let lost: readonly LostRow[] | undefined;
    const compared = async (found: readonly LostRow[]): Promise<void> => void (lost = found);
    await replaceRows({ databaseUrl, log: story.log, models, compared });
    expect(lost).toEqual([]);
    expect(await listParked(side.db)).toEqual([]);
    expect((await settingsOf(side.db, JUNO)).transactionAlertsEnabled).toBe(false);
  });

  it('parks its stream again where a second one follows it', async () => {
    const side = await withTip();
    chained(side, STREAM, 'SettingDimmed', { userId: JUNO });
    chained(side, STREAM, 'SettingDimmed', { userId: JUNO });
    await projected(side);
    quarantine(side, STREAM, 1);
    while ((await listParked(side.db))[0]?.revision !== 2)
      await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('that the rows cannot take parks its stream, too', async () => {
    const side = await withTip();
    side.story.register(JUNO, profileOf('impostor'));
    side.story.changeProfile(JUNO, profileOf('impostor'));
    side.story.switch(JUNO, 'privacyModeEnabled', true);
    tip(side, 1);
    await projected(side);
    expect(await listParked(side.db)).toMatchObject([
      {
        stream: `user-${JUNO}`,
        revision: 1,
        parkedBy: 'rows',
        reason: expect.stringMatching(/a second time/),
      },
    ]);
    expect((await userById(side.db, JUNO))?.username).toBe('juno');
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(100);
    quarantine(side, `user-${JUNO}`, 1);
    while ((await listParked(side.db)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await userById(side.db, JUNO))?.username).toBe('impostor');
  });

  it('that was edited in place is found by the chain', async () => {
    const side = await withTip();
    const at = side.story.log.all.findIndex(({ stream }) => stream === STREAM);
    const data = StoredContent.of({ userId: JUNO, setting: 'privacyModeEnabled' });
    side.story.log.all[at] = { ...side.story.log.all[at]!, data };
    side.story.log.reindex();
    side.story.switch(JUNO, 'transactionAlertsEnabled', false);
    await projected(side);
    expect(await listParked(side.db)).toMatchObject([
      {
        stream: STREAM,
        revision: 0,
        parkedBy: 'chain',
        reason: expect.stringMatching(/not what was written/),
      },
    ]);
    quarantine(side, STREAM, 0);
    while ((await listParked(side.db)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await settingsOf(side.db, JUNO)).toMatchObject({
      ...DEFAULT_SETTINGS,
      transactionAlertsEnabled: false,
    });
  });

  it('is read by a newer build that knows it: its stream goes on by itself', async () => {
    const side = await withTip();
    chained(side, STREAM, 'SettingSwitchedOff', { userId: JUNO, setting: 'transactionAlertsEnabled' });
    await (await projected(side)).stop();
    // As an older build would have left it.
    await side.db.query(
      `insert into parked_streams values ($1, 1, $2, 'SettingSwitchedOff', 'shape', 'Not known.', now())`,
      [STREAM, side.story.log.all.at(-1)!.id],
    );
    await side.db.query('update stream_tips t set revision = 0, hash = $2 where stream = $1', [
      STREAM,
      (side.story.log.all.at(-2)!.metadata.value as { hash: string }).hash,
    ]);
    await projected(side);
    while ((await listParked(side.db)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await settingsOf(side.db, JUNO)).transactionAlertsEnabled).toBe(false);
  });

  it('in the quarantine itself holds up what comes after it, until that takes it out', async () => {
    const side = await withTip();
    chained(side, STREAM, 'SettingDimmed', { userId: JUNO });
    chained(side, QUARANTINE, 'EventQuarantined', { stream: STREAM });
    quarantine(side, STREAM, 1);
    await projected(side);
    expect((await listParked(side.db)).map(({ stream }) => stream)).toEqual([QUARANTINE, STREAM]);
  });
});

describe('a parked stream', () => {
  const unreadable = (side: ReadSide, stream: string): void =>
    void side.story.log.put(stream, strange('Strange', {}));

  it('of settings: privacy mode and the passkey switch count as on', async () => {
    const side = await withTip();
    side.story.switch(JUNO, 'biometricEnabled', false);
    await side.feed();
    expect(await userByEmail(side.db, 'juno@example.org', MILO)).toBeDefined();
    unreadable(side, STREAM);
    await side.feed();
    expect(await settingsOf(side.db, JUNO)).toEqual({
      biometricEnabled: true,
      privacyModeEnabled: true,
      transactionAlertsEnabled: true,
      isParked: true,
    });
    expect(await userByEmail(side.db, 'juno@example.org', MILO)).toBeUndefined();
    expect(await userById(side.db, JUNO)).toMatchObject({ privacyMode: true, username: 'juno' });
    expect(await userById(side.db, MILO)).toMatchObject({ privacyMode: false });
  });

  it('of a user: nobody else finds them or sees their name, since they may have been forgotten', async () => {
    const side = await withTip();
    unreadable(side, `user-${JUNO}`);
    await side.feed();
    expect(await userByEmail(side.db, 'juno@example.org', MILO)).toBeUndefined();
    expect(await userById(side.db, JUNO)).toMatchObject({ privacyMode: true });
  });

  it('of a payout: no worker takes it up, and its owner is told', async () => {
    const side = await withTip();
    tip(side, 1);
    side.story.command(requestPayout('1.00'));
    await side.feed();
    const [payout] = (await payoutsOf(side.db, JUNO)).lines;
    expect(await unfinishedPayouts(side.db, 10)).toHaveLength(1);
    unreadable(side, `payout-${payout!.id}`);
    await side.feed();
    expect(await unfinishedPayouts(side.db, 10)).toEqual([]);
    expect((await payoutAnswer(side.db, JUNO, payout!)).statusReason).toBe(PAYOUT_PARKED);
  });

  it('of bank accounts: nothing is paid out to them', async () => {
    const side = await withTip();
    tip(side, 1);
    side.story.command(requestPayout('1.00'));
    unreadable(side, `bank-accounts-${JUNO}`);
    await side.feed();
    const [payout] = (await payoutsOf(side.db, JUNO)).lines;
    expect(await unfinishedPayouts(side.db, 10)).toEqual([]);
    expect((await payoutAnswer(side.db, JUNO, payout!)).statusReason).toBe(BANK_ACCOUNTS_PARKED);
  });

  it('of a schedule: nothing of it is due, and its payer is told', async () => {
    const side = await withTip();
    side.story.write('subscription-sub_a', {
      type: 'SubscriptionCreated',
      data: {
        subscriptionId: 'sub_a',
        payerId: MILO,
        recipientId: JUNO,
        amountMinor: 500,
        currency: 'usd',
        frequency: 'weekly',
        firstDueAt: AT,
        fingerprint: 'x',
        at: AT,
      },
    });
    await side.feed();
    const later = new Date('2026-03-02T21:00:00.000Z');
    expect(await dueSchedules(side.db, later, 10)).toHaveLength(1);
    unreadable(side, 'subscription-sub_a');
    await side.feed();
    expect(await dueSchedules(side.db, later, 10)).toEqual([]);
    expect(await dueBacklog(side.db, later)).toMatchObject({ count: 0 });
    expect((await subscriptionOf(side.db, MILO, 'sub_a'))?.standsStill).toBe(SCHEDULE_PARKED);
  });

  it('of passkeys or cards: it is listed as parked, though no row shows it', async () => {
    const side = await withTip();
    unreadable(side, `passkeys-${JUNO}`);
    unreadable(side, `cards-${JUNO}`);
    await side.feed();
    expect((await listParked(side.db)).map(({ stream }) => stream)).toEqual([
      `cards-${JUNO}`,
      `passkeys-${JUNO}`,
    ]);
  });
});

describe('a random history with events that nobody can read', () => {
  it.each(sampled([1, 2], [1]))(
    'has the same rows live as in a replay, parked and released (seed %i)',
    async (seed) => {
      const dice = new Dice(seed);
      const side = await withTip();
      const streams = [STREAM, settingsStream(MILO), `user-${JUNO}`, `user-${MILO}`];
      for (let n = 0; n < 30; n++) {
        const [stream, user] = [dice.one(streams), dice.one([JUNO, MILO])];
        switch (
          dice.one(['strange', 'unknown', 'switch', 'profile', 'tip', 'quarantine', 'prepare'] as const)
        ) {
          case 'strange':
            side.story.log.put(stream, strange('Strange', {}));
            break;
          case 'unknown':
            chained(side, stream, 'Strange', {});
            break;
          case 'switch':
            chained(side, settingsStream(user), 'SettingSwitchedOn', {
              userId: user,
              setting: 'privacyModeEnabled',
            });
            break;
          case 'profile': {
            const profile = sealedFor(user, JSON.stringify(profileOf(`name${n}`)));
            chained(side, `user-${user}`, 'ProfileChanged', { userId: user, profile });
            break;
          }
          case 'tip':
            tip(side, n);
            break;
          case 'quarantine': {
            await side.feed();
            const [parked] = await listParked(side.db);
            if (parked) quarantine(side, parked.stream, parked.revision);
            break;
          }
          case 'prepare':
            await side.feed();
            await prepareReadModels({
              databaseUrl: side.databaseUrl,
              log: side.story.log,
              models: side.models,
            });
        }
        if (dice.chance(0.2)) await side.rebuildsTheSame();
      }
      await side.feed();
      await side.feedAgain();
      for (let parked = await listParked(side.db); parked[0]; parked = await listParked(side.db)) {
        quarantine(side, parked[0].stream, parked[0].revision);
        await side.feed();
        await prepareReadModels({ databaseUrl: side.databaseUrl, log: side.story.log, models: side.models });
      }
      await side.rebuildsTheSame();
    },
  );
});
