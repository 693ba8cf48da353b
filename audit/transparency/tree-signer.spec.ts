/** The process that signs heads: what it publishes, and what it never signs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { JOURNAL } from '#contracts/events/journal';
import { openCheckpoint, openJournalNote } from '#log/transparency/checkpoint';
import { leafOf } from '#log/transparency/leaf';
import { leafHash } from '#log/transparency/merkle';
import { signerFrom, verifierFrom } from '#log/transparency/note';
import { checkReceipt, receiptFile } from '#log/transparency/receipt';
import { GrowingTree } from '#log/transparency/tiles';
import { proofOf, TreeFolder } from '#log/transparency/tree-folder';
import { ChainedLog } from '#test/support/chained-log';
import { MemoryLog } from '#test/support/memory-log';
import { beginEpoch } from './epoch.js';
import { TreeSigner, type SignerState } from './tree-signer.js';

const signer = signerFrom('encore.example/transparency', '11'.repeat(32));
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'encore-tree-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function signing(log: MemoryLog, folder: string, more: { everyMs?: number; lookAgainMs?: number } = {}) {
  const states: SignerState[] = [];
  const tree = new TreeSigner({
    log,
    folder,
    signer,
    everyMs: more.everyMs ?? 5,
    lookAgainMs: more.lookAgainMs ?? 5,
    lostAfterMs: 0,
    onState: (state) => void states.push(state),
  });
  ends.push(() => tree.stop());
  tree.start();
  return { tree, states };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}

const stoppedBecause = async (tree: TreeSigner): Promise<string> => {
  await until(() => tree.state.status === 'stopped');
  return tree.state.status === 'stopped' ? tree.state.why : '';
};

const rootOver = (log: MemoryLog): Buffer => {
  const tree = new GrowingTree();
  for (const event of log.all) tree.append(leafHash(leafOf(event)));
  return tree.root();
};

/** A folder in which the tree of so many events was signed, by a process that has ended. */
async function signedOf(log: MemoryLog, folder = folderOf()): Promise<string> {
  const { tree } = signing(log, folder);
  await until(
    () =>
      tree.state.status === 'live' &&
      tree.head?.size === log.all.filter(({ stream }) => !stream.startsWith('others')).length,
  );
  await tree.stop();
  return folder;
}

describe('the process that signs heads', () => {
  it('publishes the tree over our streams in the order of the log, and where the journal ended', async () => {
    const log = new ChainedLog().fill(700);
    log.put('others-stream', { id: crypto.randomUUID(), type: 'Y', data: {}, metadata: {} });
    const folder = await signedOf(log);
    const head = (await new TreeFolder(folder).head())!;
    const ours = new MemoryLog();
    ours.all.push(...log.all.slice(0, 700));
    expect(head.size).toBe(700);
    expect(head.root.equals(rootOver(ours))).toBe(true);
    const last = log.all.slice(0, 700).findLast(({ stream }) => stream === JOURNAL)!;
    expect(head.note.journal).toEqual({ revision: last.revision, hash: leafOf(last).toString('base64url') });
  });

  it('signs what comes, and each entry of the journal has its proof then', async () => {
    const log = new ChainedLog().fill(10);
    const folder = folderOf();
    const { tree } = signing(log, folder);
    await until(() => tree.head?.size === 10);
    expect(await proofOf(folder, 300)).toBe('pending');
    log.fill(600);
    await until(() => tree.head?.size === 610);
    for (const revision of [0, 6, 7, 300]) {
      const proof = await proofOf(folder, revision);
      if (typeof proof === 'string') throw new Error(proof);
      const file = receiptFile(proof, {
        transactionId: 'pay_1',
        revision,
        address: 'https://encore.example/transparency',
      });
      expect(checkReceipt(file, signer.verifier.text).size).toBe(610);
      expect(() => checkReceipt({ ...file, index: file.index + 1 }, signer.verifier.text)).toThrow();
      expect(() =>
        checkReceipt({ ...file, leaf: Buffer.alloc(32).toString('base64') }, signer.verifier.text),
      ).toThrow(/does not lead/);
    }
    // Partial tiles of former heads go once the whole tile is there.
    expect(existsSync(join(folder, 'tile/0/000'))).toBe(true);
    expect(existsSync(join(folder, 'tile/0/000.p'))).toBe(false);
    expect(await proofOf(join(folder, 'none'), 0)).toBe('none');
  });

  it('signs at once when a month is closed', async () => {
    const log = new ChainedLog().fill(3);
    const { tree } = signing(log, folderOf(), { everyMs: 3_600_000 });
    await until(() => tree.head?.size === 3);
    log.add(JOURNAL, 'PaymentCanceled');
    log.add(JOURNAL, 'MonthClosed');
    await until(() => tree.head?.size === 5);
  });

  it('goes on where it was after a restart and after a cut connection', async () => {
    const log = new ChainedLog().fill(300);
    const folder = await signedOf(log);
    log.fill(300);
    const { tree } = signing(log, folder);
    await until(() => tree.head?.size === 600);
    log.breakConnections();
    log.fill(10);
    await until(() => tree.head?.size === 610);
    expect(tree.head!.root.equals(rootOver(log))).toBe(true);
  });

  it.each<[string, (log: ChainedLog) => void, RegExp]>([
    [
      'an event of the past was changed and chained again',
      (log) => {
        const [first] = log.all.splice(0);
        log.all.push(first!);
        log.reindex();
        const other = new ChainedLog();
        other.add(JOURNAL, 'Forged');
        other.fill(620);
        log.all.splice(0, 1, ...other.all);
      },
      /is not what the log yields|are not those of the signed head/,
    ],
    [
      'an event was removed',
      (log) => void log.all.splice(400, 1),
      /The journal has revision|not what the log yields|not those of/,
    ],
    [
      'its tail was cut off',
      (log) => void log.all.splice(500),
      /The log ends after 500 events, and the signed head has 600/,
    ],
    [
      'the last event was replaced',
      (log) => {
        log.all.splice(-1);
        log.reindex();
        log.put('settings-usr_milo', {
          id: crypto.randomUUID(),
          type: 'Z',
          data: {},
          metadata: { hash: 'x' },
        });
      },
      /The first 600 events of the log are not those of the signed head: up to settings-usr_milo at revision 0/,
    ],
  ])('never signs a log in which %s', async (_what, tamper, sentence) => {
    const log = new ChainedLog().fill(600);
    const folder = await signedOf(log);
    const before = readFileSync(join(folder, 'checkpoint'), 'utf8');
    tamper(log);
    const { tree } = signing(log, folder);
    expect(await stoppedBecause(tree)).toMatch(sentence);
    expect(readFileSync(join(folder, 'checkpoint'), 'utf8')).toBe(before);
  });

  it('writes a tile again that is gone, and stops at one that was changed', async () => {
    const log = new ChainedLog().fill(600);
    const folder = await signedOf(log);
    rmSync(join(folder, 'tile/0/001'));
    rmSync(join(folder, 'journal-leaves'));
    await signedOf(log, folder);
    expect(existsSync(join(folder, 'tile/0/001'))).toBe(true);
    expect(await proofOf(folder, 100)).toMatchObject({ size: 600 });
    const bytes = readFileSync(join(folder, 'tile/0/001'));
    bytes[5]! ^= 1;
    writeFileSync(join(folder, 'tile/0/001'), bytes);
    expect(await stoppedBecause(signing(log, folder).tree)).toMatch(
      /^tile\/0\/001 is not what the log yields/,
    );
  });

  it('does not sign with another key over the tree of the first', async () => {
    const log = new ChainedLog().fill(3);
    const folder = await signedOf(log);
    const other = new TreeSigner({
      log,
      folder,
      signer: signerFrom('encore.example/transparency', '22'.repeat(32)),
      everyMs: 5,
    });
    ends.push(() => other.stop());
    other.start();
    expect(await stoppedBecause(other)).toMatch(/holds the tree of another key/);
  });

  it('begins a new tree, under another name, only by its operator’s act', async () => {
    const log = new ChainedLog().fill(30);
    const folder = await signedOf(log);
    log.all.splice(20);
    expect(await stoppedBecause(signing(log, folder).tree)).toMatch(/ends after 20 events/);
    for (const end of ends.splice(1)) await end();
    expect(await beginEpoch(folder)).toBe(2);
    const { tree } = signing(log, folder);
    await until(() => tree.head?.size === 20);
    expect(tree.head?.origin).toBe('encore.example/transparency/epoch-2');
    const former = readFileSync(join(folder, 'epoch-1/checkpoint'), 'utf8');
    expect(readFileSync(join(folder, 'epoch-1/verifier-key'), 'utf8').trim()).toBe(signer.verifier.text);
    expect(openCheckpoint(former, signer.verifier)).toMatchObject({
      origin: 'encore.example/transparency',
      size: 30,
    });
  });

  it('waits for a store that is away', async () => {
    const log = new ChainedLog().fill(5);
    log.setReachable(false);
    const { tree } = signing(log, folderOf());
    await until(() => tree.state.status === 'waiting');
    log.setReachable(true);
    await until(() => tree.head?.size === 5);
  });

  it('waits all through an outage, however often it asks the store meanwhile', async () => {
    const log = new ChainedLog().fill(5);
    const { tree, states } = signing(log, folderOf());
    await until(() => tree.head?.size === 5);
    log.setReachable(false);
    await until(() => tree.state.status === 'waiting');
    const asked = log.followed;
    await until(() => log.followed > asked + 2);
    log.setReachable(true);
    await until(() => tree.state.status === 'live');
    // Why it waits may change.
    const said = states.map(({ status }) => status).filter((status, at, all) => status !== all[at - 1]);
    expect(said).toEqual(['comparing', 'live', 'waiting', 'comparing', 'live']);
  });

  it('signs the note of the journal’s end each time, and the head only when it has grown', async () => {
    const log = new ChainedLog().fill(5);
    const folder = folderOf();
    const { tree } = signing(log, folder);
    await until(() => tree.head?.size === 5);
    const key = verifierFrom(readFileSync(join(folder, 'verifier-key'), 'utf8'));
    const noteAt = (): number =>
      openJournalNote(readFileSync(join(folder, 'journal'), 'utf8'), key).signedAt.getTime();
    const [first, checkpoint] = [noteAt(), readFileSync(join(folder, 'checkpoint'), 'utf8')];
    await until(() => noteAt() > first);
    expect(readFileSync(join(folder, 'checkpoint'), 'utf8')).toBe(checkpoint);
  });
});
