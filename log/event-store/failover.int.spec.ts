/**
 * A log on the event store's three nodes whose leader is lost in every way: who appends, who only follows,
 * and who asks for certainty. The whole stack is lost its leader in test/e2e/failover.drill.spec.ts.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { START } from '#contracts/log';
import { ThreeNodes } from '#test/support/three-nodes';
import { EsdbLog } from '../esdb.js';
import { NO_STREAM, OutcomeUnknown, WrongExpectedRevision, type NewEvent } from '../event-log.js';

const PACE = Number(process.env['PACE'] ?? 0.3);
/** How soon after another leader stands it is written to and read from. */
const AFTER_A_LEADER_MS = 8_000;
const FAULTS = ['kill', 'end', 'freeze', 'cut-off'] as const;

let nodes: ThreeNodes;
beforeAll(async () => {
  nodes = await ThreeNodes.start({ pace: PACE });
});
afterEach(async () => void (await nodes.repair()), 60_000);
afterAll(() => nodes.stop());

const event = (): NewEvent => ({ id: randomUUID(), type: 'Counted', data: {}, metadata: { version: 1 } });
const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

/** Sends an append unchanged until it is answered. */
async function appendStubbornly(log: EsdbLog, stream: string, revision: number): Promise<void> {
  for (const events = [event()]; ; await moment())
    try {
      await log.append(stream, events, revision, 5_000);
      return;
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
    }
}

/** Follows a stream through whatever ends a subscription; `seen` is when each revision came. */
function followed(log: EsdbLog, stream: string) {
  const seen: number[] = [];
  const leaving = new AbortController();
  const following = (async () => {
    for (let after = START; !leaving.signal.aborted; await moment())
      try {
        for await (const item of log.follow(after, [stream], leaving.signal))
          if (item.kind === 'event' && item.event.revision === seen.length) {
            after = item.event.position;
            seen.push(performance.now());
          }
      } catch {
        // The connection broke: it is followed again.
      }
  })();
  return { seen, stop: () => (leaving.abort(), following) };
}

it('is found from the address of a node that follows, where no other is named', async () => {
  const { leader } = await nodes.repair();
  const follower = ([1, 2, 3] as const).find((id) => id !== leader)!;
  const log = EsdbLog.connect(nodes.urlOf(follower));
  const stream = `spec-${randomUUID()}`;
  await appendStubbornly(log, stream, NO_STREAM);
  let last;
  while (!last) last = await log.lastOf(stream).catch(() => undefined);
  expect(last.revision).toBe(0);
  await log.close();
});

describe('a leader that is lost', () => {
  it.each(FAULTS)(
    'by %s is followed by another for writers and for those who only follow',
    async (fault) => {
      const [writer, reader] = [EsdbLog.connect(nodes.url), EsdbLog.connect(nodes.url)];
      const stream = `spec-${randomUUID()}`;
      const follower = followed(reader, stream);
      let revision = NO_STREAM;
      for (let n = 0; n < 3; n++) await appendStubbornly(writer, stream, revision++);
      while (follower.seen.length < 3) await moment();
      const { leader } = await nodes.report();
      await nodes.make(fault, 'leader');
      const stands = nodes.leaderOtherThan(leader).then(() => performance.now());
      await appendStubbornly(writer, stream, revision++);
      const writtenAt = performance.now();
      while (follower.seen.length < 4) await moment();
      const stoodAt = await stands;
      const cost = { writtenMs: writtenAt - stoodAt, shownMs: follower.seen[3]! - stoodAt };
      if (process.env['TELL']) process.stdout.write(`${fault}: ${JSON.stringify(cost)}\n`);
      expect(Math.max(...Object.values(cost))).toBeLessThan(AFTER_A_LEADER_MS);
      for (let n = 0; n < 3; n++) await appendStubbornly(writer, stream, revision++);
      expect((await writer.lastOf(stream))?.revision).toBe(6);
      await follower.stop();
      await Promise.all([writer.close(), reader.close()]);
    },
    90_000,
  );

  it.each(['kept', 'lost'] as const)(
    'with an append that was %s leaves it open until another leader says so',
    async (unanswered) => {
      const log = EsdbLog.connect(nodes.url);
      const stream = `spec-${randomUUID()}`;
      await appendStubbornly(log, stream, NO_STREAM);
      const { leader } = await nodes.report();
      await nodes.make('cut-off', 'leader', { unanswered });
      const events = [event()];
      await expect(log.append(stream, events, 0, 5_000)).rejects.toBeInstanceOf(OutcomeUnknown);
      const rival = EsdbLog.connect(nodes.url);
      await nodes.leaderOtherThan(leader);
      const theirs = event();
      const rivals = await (async () => {
        for (;;)
          try {
            return await rival.append(stream, [theirs], 0, 5_000);
          } catch (error) {
            if (error instanceof WrongExpectedRevision) return undefined;
            await moment();
          }
      })();
      const ours = await (async () => {
        for (;;)
          try {
            return await log.append(stream, events, 0, 5_000);
          } catch (error) {
            if (error instanceof WrongExpectedRevision) return undefined;
            await moment();
          }
      })();
      expect([rivals?.revision, ours?.revision]).toEqual(
        unanswered === 'kept' ? [undefined, 1] : [1, undefined],
      );
      expect((await log.lastOf(stream))?.id).toBe(unanswered === 'kept' ? events[0]!.id : theirs.id);
      await Promise.all([log.close(), rival.close()]);
    },
    90_000,
  );

  it('has no word that counts while it is cut off, though it answers reads', async () => {
    const log = EsdbLog.connect(nodes.url);
    const other = EsdbLog.connect(nodes.url);
    const stream = `spec-${randomUUID()}`;
    await appendStubbornly(log, stream, NO_STREAM);
    await log.witness().confirm();
    const { leader } = await nodes.report();
    await nodes.make('cut-off', 'leader');
    await nodes.leaderOtherThan(leader);
    await appendStubbornly(other, stream, 0);
    // Whatever is confirmed from here on is of the new leader.
    for (;;) {
      const witness = log.witness();
      const last = await log.lastOf(stream).catch(() => undefined);
      const isCertain = await witness.confirm().then(
        () => true,
        () => false,
      );
      if (!isCertain) {
        await moment();
        continue;
      }
      expect(last?.revision).toBe(1);
      break;
    }
    await Promise.all([log.close(), other.close()]);
  }, 90_000);
});

describe('with certificates, a user, and one name for all nodes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'named-nodes-'));
  let secure: ThreeNodes;
  beforeAll(async () => {
    secure = await ThreeNodes.start({
      pace: PACE,
      flags: ['--development-certificate', join(folder, 'certificate')],
      env: { STAND_IN_USERS: 'ledger:hush-hush' },
    });
  });
  afterEach(async () => void (await secure.repair()), 60_000);
  afterAll(async () => {
    await secure.stop();
    rmSync(folder, { recursive: true });
  });

  /** The name is looked up and leads to this one node, which names the others. */
  const named = (node: 1 | 2 | 3): string =>
    `esdb+discover://ledger:hush-hush@localhost:${secure.portOf(node)}?tls=true&tlsCAFile=${encodeURIComponent(join(folder, 'certificate', 'authority.pem'))}`;

  it.each(['leader', 'follower'] as const)(
    'a lost leader is followed by another, where the name led to a %s',
    async (which) => {
      const { leader } = await secure.repair();
      const seed = ([1, 2, 3] as const).find((id) => (id === leader) === (which === 'leader'))!;
      const [writer, reader] = [EsdbLog.connect(named(seed)), EsdbLog.connect(named(seed))];
      const stream = `spec-${randomUUID()}`;
      const follower = followed(reader, stream);
      await appendStubbornly(writer, stream, NO_STREAM);
      while (follower.seen.length < 1) await moment();
      await secure.make('kill', 'leader');
      await appendStubbornly(writer, stream, 0);
      while (follower.seen.length < 2) await moment();
      expect((await writer.lastOf(stream))?.revision).toBe(1);
      await follower.stop();
      await Promise.all([writer.close(), reader.close()]);
    },
    90_000,
  );
});
