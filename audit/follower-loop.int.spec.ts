/** The archive and the published tree on the event store's three nodes, whose leader is lost in every way. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { JOURNAL } from '#contracts/events/journal';
import { GENESIS, hashOf } from '#log/chain';
import { EsdbLog } from '#log/esdb';
import { NO_STREAM, OutcomeUnknown, type NewEvent } from '#log/event-log';
import { signerFrom } from '#log/transparency/note';
import { ThreeNodes } from '#test/support/three-nodes';
import { Archiver } from './exported-log/archiver.js';
import { TreeSigner } from './transparency/tree-signer.js';

const FAULTS = ['kill', 'end', 'freeze', 'cut-off'] as const;
/** How soon after another leader stands they have what it was given. */
const AFTER_A_LEADER_MS = 8_000;
const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

let nodes: ThreeNodes;
let folder: string;
let lastHash = GENESIS;
beforeAll(async () => {
  nodes = await ThreeNodes.start({ pace: 0.1 });
  folder = mkdtempSync(join(tmpdir(), 'encore-followers-'));
});
afterEach(async () => void (await nodes.repair()), 60_000);
afterAll(async () => {
  await nodes.stop();
  rmSync(folder, { recursive: true, force: true });
});

it.each(FAULTS)(
  'have what the next leader was given soon after it stands, and stop at nothing: %s',
  async (fault) => {
    const logs = [1, 2, 3].map(() => EsdbLog.connect(nodes.url));
    const [writer, archived, published] = logs as [EsdbLog, EsdbLog, EsdbLog];
    let revision = await revisionOf(writer);
    const append = async (): Promise<void> => {
      const { event, hash } = entryBehind(revision, lastHash);
      for (;;)
        try {
          revision = (await writer.append(JOURNAL, [event], revision, 3_000)).revision;
          lastHash = hash;
          return;
        } catch (error) {
          if (!(error instanceof OutcomeUnknown)) throw error;
          await moment();
        }
    };
    for (let n = 0; n < 5; n += 1) await append();

    const states: string[] = [];
    const note = (who: string) => (state: { status: string; why?: string }) =>
      void states.push(`${who} ${state.status} ${state.why ?? ''}`);
    const archiver = new Archiver({
      log: archived,
      folder: join(folder, 'archive'),
      onState: note('archive'),
    });
    const tree = new TreeSigner({
      log: published,
      folder: join(folder, 'tree'),
      signer: signerFrom('encore.example/transparency', '11'.repeat(32)),
      everyMs: 20,
      onState: note('tree'),
    });
    archiver.start();
    tree.start();
    const haveAll = async (): Promise<void> => {
      while (archiver.head?.journal?.revision !== revision || tree.head?.size !== revision + 1)
        await moment();
    };
    await haveAll();

    const { leader } = await nodes.report();
    await nodes.make(fault, 'leader');
    const stands = nodes.leaderOtherThan(leader).then(() => performance.now());
    await append();
    await haveAll();
    const shownAt = performance.now();
    expect(shownAt - (await stands)).toBeLessThan(AFTER_A_LEADER_MS);
    if (process.env['TELL'])
      process.stdout.write(`${fault}: ${Math.round(shownAt - (await stands))} ms; ${states.join('; ')}\n`);
    expect(states.filter((state) => state.includes('stopped'))).toEqual([]);
    await Promise.all([archiver.stop(), tree.stop()]);
    await Promise.all(logs.map((log) => log.close()));
  },
  90_000,
);

/** The next entry, chained to the one before: an archive takes no other. */
function entryBehind(revision: number, before: string): { event: NewEvent; hash: string } {
  const [id, type, data] = [randomUUID(), 'X', {}];
  const metadata = { version: 1, recordedAt: '2026-11-01T00:00:00.000Z', correlationId: 'c' };
  const hash = hashOf(before, {
    stream: JOURNAL,
    revision: revision + 1,
    id,
    type,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  });
  return { event: { id, type, data, metadata: { ...metadata, hash } }, hash };
}

async function revisionOf(log: EsdbLog): Promise<number> {
  for (;;)
    try {
      return (await log.lastOf(JOURNAL))?.revision ?? NO_STREAM;
    } catch {
      await moment();
    }
}
