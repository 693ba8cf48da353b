/** What an auditor and a witness see who keep a signed head: every change of what came before it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { JOURNAL } from '#contracts/events/journal';
import { checkConsistency, leafHash, rootFromInclusion } from '#log/transparency/merkle';
import { openNote, signerFrom, verifierFrom } from '#log/transparency/note';
import { TreeFolder } from '#log/transparency/tree-folder';
import { ChainedLog } from '#test/support/chained-log';
import { anchorFrom } from './anchor.js';
import { checkAnchors } from './check-anchors.js';
import { beginEpoch } from './epoch.js';
import { proveConsistency, proveEntry } from './proofs.js';
import { TreeSigner } from './tree-signer.js';
import { Witness } from './witness.js';

const signer = signerFrom('encore.example/transparency', '11'.repeat(32));
const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'encore-anchors-'));
  folders.push(folder);
  return folder;
}

/** Signs what the log has, once. */
async function signed(log: ChainedLog, folder = newFolder()): Promise<string> {
  const tree = new TreeSigner({ log, folder, signer, everyMs: 60_000, lostAfterMs: 0 });
  tree.start();
  while (tree.state.status !== 'live') {
    if (tree.state.status === 'stopped') throw new Error(tree.state.why);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await tree.stop();
  return folder;
}

/** The same events with one of them written anew, and everything behind it chained again. */
function rechained(log: ChainedLog, at: number): ChainedLog {
  const forged = new ChainedLog();
  log.all.forEach(({ stream, type, data, id }, n) =>
    forged.add(stream, type, n === at ? { forged: true } : (data.value as object), id),
  );
  return forged;
}

describe('an anchor', () => {
  it('fits the log that it was signed over, also when that has grown', async () => {
    const log = new ChainedLog().fill(300);
    const anchor = await anchorFrom(await signed(log));
    log.fill(50);
    expect(await checkAnchors(log, [anchor])).toEqual({
      name: 'signed heads',
      figure: '1 over 300 of 350 events',
      findings: [],
    });
  });

  it('shows a history that was changed and chained again, and where a note was', async () => {
    const log = new ChainedLog().fill(300);
    const anchor = await anchorFrom(await signed(log));
    const { findings } = await checkAnchors(rechained(log, 3), [anchor]);
    expect(findings).toHaveLength(2);
    expect(findings.join('\n')).toMatch(
      /The first 300 events, up to settings-usr_juno at revision 99, are not those/,
    );
    expect(findings.join('\n')).toMatch(/journal at revision 199: the hash was \S{43} by the note/);
    expect(findings.join('\n')).not.toMatch(/rebuild/i);
  });

  it('shows a change outside of the journal', async () => {
    const log = new ChainedLog().fill(300);
    const anchor = await anchorFrom(await signed(log));
    expect((await checkAnchors(rechained(log, 2), [anchor])).findings).toHaveLength(1);
  });

  it('shows a tail that was cut off', async () => {
    const log = new ChainedLog().fill(300);
    const anchor = await anchorFrom(await signed(log));
    log.all.splice(200);
    log.reindex();
    expect((await checkAnchors(log, [anchor])).findings).toEqual([
      'The log has 200 events, and encore.example/transparency was signed over 300: its end is missing. Run: encore operate recover',
      expect.stringMatching(
        /^The journal ends at revision 133, and at .* it ended at 199\. Run: encore operate recover$/,
      ),
    ]);
  });

  it('is refused when it was changed, and when another key signed it', async () => {
    const folder = await signed(new ChainedLog().fill(3));
    const { file } = await anchorFrom(folder);
    const kept = join(newFolder(), 'anchor.json');
    writeFileSync(kept, JSON.stringify(file));
    expect((await anchorFrom(kept)).head.size).toBe(3);
    const other = signerFrom('encore.example/transparency', '22'.repeat(32)).verifier.text;
    await expect(anchorFrom(kept, other)).rejects.toThrow(/no signature of encore.example/);
    writeFileSync(kept, JSON.stringify({ ...file, checkpoint: file.checkpoint.replace('\n3\n', '\n4\n') }));
    await expect(anchorFrom(kept)).rejects.toThrow(/does not hold/);
    writeFileSync(kept, '{}');
    await expect(anchorFrom(kept)).rejects.toThrow(/is no anchor/);
    await expect(anchorFrom(join(kept, 'nowhere'))).rejects.toThrow(/There is nothing at/);
    await expect(anchorFrom(newFolder())).rejects.toThrow(/No head of a tree is published/);
  });
});

describe('a proof from the log itself', () => {
  it('leads from an entry, by revision or by id, to the signed root', async () => {
    const log = new ChainedLog().fill(700);
    const anchor = await anchorFrom(await signed(log));
    log.fill(3);
    const settings = log.all.find(({ stream }) => stream !== JOURNAL)!;
    for (const name of [{ revision: 0 }, { revision: 400 }, { id: settings.id }]) {
      const proof = await proveEntry(log, name, anchor);
      const bytes = (hash: string): Buffer => Buffer.from(hash, 'base64');
      expect(rootFromInclusion(leafHash(bytes(proof.leaf)), proof.index, 700, proof.path.map(bytes))).toEqual(
        anchor.head.root,
      );
    }
    await expect(proveEntry(log, { id: 'nothing' }, anchor)).rejects.toThrow(
      /No event of this log has the id nothing/,
    );
    await expect(proveEntry(log, { id: log.all.at(-1)!.id }, anchor)).rejects.toThrow(/take a newer one/);
    await expect(proveEntry(rechained(log, 5), { revision: 400 }, anchor)).rejects.toThrow(
      /are not those over which encore.example\/transparency was signed/,
    );
  });

  it('shows that one head extends another', async () => {
    const log = new ChainedLog().fill(700);
    const proof = await proveConsistency(log, { size: 300 }, { size: 650 });
    const head = (size: number, root: string) => ({ size, root: Buffer.from(root, 'base64') });
    checkConsistency(
      head(300, proof.oldRoot),
      head(650, proof.newRoot),
      proof.path.map((hash) => Buffer.from(hash, 'base64')),
    );
    await expect(proveConsistency(log, { size: 300, root: Buffer.alloc(32) }, { size: 650 })).rejects.toThrow(
      /are not those that were signed/,
    );
    await expect(proveConsistency(log, { size: 2 }, { size: 1 })).rejects.toThrow(/cannot extend/);
    await expect(proveConsistency(log, { size: 2 }, { size: 701 })).rejects.toThrow(
      /has 700 events and not 701/,
    );
  });
});

describe('a witness', () => {
  const witness = (folder: string) =>
    new Witness({
      folder,
      signer: signerFrom('witness.example/one', '33'.repeat(32), 'witness'),
      treeKey: verifierFrom(signer.verifier.text),
      now: () => new Date(1_700_000_000_000),
    });

  it('signs what extends what it saw, with the time, and remembers it', async () => {
    const log = new ChainedLog().fill(300);
    const tree = await signed(log);
    const state = newFolder();
    const first = await witness(state).look(new TreeFolder(tree));
    const key = signerFrom('witness.example/one', '33'.repeat(32), 'witness').verifier;
    expect(openNote(first.cosigned, key).cosignedAt).toEqual(new Date(1_700_000_000_000));
    log.fill(400);
    await signed(log, tree);
    expect((await witness(state).look(new TreeFolder(tree))).size).toBe(700);
    expect((await witness(state).seen())?.size).toBe(700);
    expect(await witness(state).look(new TreeFolder(tree))).toMatchObject({ size: 700 });
  });

  it('refuses another past, signed with the right key', async () => {
    const log = new ChainedLog().fill(300);
    const state = newFolder();
    await witness(state).look(new TreeFolder(await signed(log)));
    const before = readFileSync(join(state, 'seen'), 'utf8');
    const forged = rechained(log, 3);
    await expect(witness(state).look(new TreeFolder(await signed(forged)))).rejects.toThrow(
      /Two roots of one size/,
    );
    forged.fill(50);
    await expect(witness(state).look(new TreeFolder(await signed(forged)))).rejects.toThrow(
      /does not extend the one of 300 that was seen: the past was changed/,
    );
    const shorter = new ChainedLog();
    for (const { stream, type, data } of log.all.slice(0, 200))
      shorter.add(stream, type, data.value as object);
    await expect(witness(state).look(new TreeFolder(await signed(shorter)))).rejects.toThrow(
      /the past was cut off/,
    );
    expect(readFileSync(join(state, 'seen'), 'utf8')).toBe(before);
  });

  it('refuses a head that another key signed', async () => {
    const tree = await signed(new ChainedLog().fill(3));
    const other = new Witness({
      folder: newFolder(),
      signer: signerFrom('witness.example/one', '33'.repeat(32), 'witness'),
      treeKey: signerFrom('encore.example/transparency', '22'.repeat(32)).verifier,
    });
    await expect(other.look(new TreeFolder(tree))).rejects.toThrow(/The published head is refused/);
  });

  it('admits the tree of a new epoch only when its operator names it', async () => {
    const log = new ChainedLog().fill(30);
    const tree = await signed(log);
    const state = newFolder();
    await witness(state).look(new TreeFolder(tree));
    log.all.splice(20);
    log.reindex();
    await beginEpoch(tree);
    await signed(log, tree);
    const name = 'encore.example/transparency/epoch-2';
    await expect(witness(state).look(new TreeFolder(tree))).rejects.toThrow(`admit it: --admit ${name}`);
    await expect(witness(state).look(new TreeFolder(tree), 'another/name')).rejects.toThrow(
      /is .*epoch-2 and not another/,
    );
    expect(await witness(state).look(new TreeFolder(tree), name)).toMatchObject({ origin: name, size: 20 });
    log.fill(10);
    await signed(log, tree);
    expect(await witness(state).look(new TreeFolder(tree))).toMatchObject({ origin: name, size: 30 });
  });
});
