/**
 * Go's packages `sumdb/note` and `sumdb/tlog` check our signed head, tree, tiles, receipts and proofs of
 * growth: programs that share no code with ours. They are Debian's, unpacked into a folder of ours; that is
 * 80 MB, so `make prove PART=anchors` does it and not `make test`. The last line counts.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { anchorFrom } from '#audit/transparency/anchor';
import { proveConsistency } from '#audit/transparency/proofs';
import { TreeSigner } from '#audit/transparency/tree-signer';
import { cacheFolder, unpackDebianPackages } from '#local/debian/package';
import { repositoryRoot } from '#local/launch/program';
import { leafOf } from '#log/transparency/leaf';
import { signerFrom } from '#log/transparency/note';
import { proofOf } from '#log/transparency/tree-folder';
import { ChainedLog } from '#test/support/chained-log';

/** Tiles of three levels. */
const EVENTS = 66_000;
const OLD_SIZES = [1, 255, 256, 257, 40_000, 65_536, 65_999];
const REVISIONS = [0, 1, 170, 171, 20_000, 43_690, 43_999];
const PACKAGES = ['golang-1.19-go', 'golang-1.19-src', 'golang-golang-x-mod-dev'];

const Verdict = z.object({ passed: z.number(), wrong: z.array(z.string()) });

/** Go, unpacked from its packages; nothing is installed. */
async function unpackedGo(): Promise<string> {
  const folder = cacheFolder('go-1.19');
  if (!existsSync(join(folder, 'usr/lib/go-1.19/bin/go'))) await unpackDebianPackages(PACKAGES, folder);
  return folder;
}

async function published(log: ChainedLog, folder: string): Promise<void> {
  const signer = signerFrom('encore.example/transparency', '9d'.repeat(32));
  const tree = new TreeSigner({ log, folder, signer, everyMs: 3_600_000 });
  tree.start();
  while (tree.state.status !== 'live') {
    if (tree.state.status === 'stopped') throw new Error(tree.state.why);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await tree.stop();
}

async function goSays(go: string, work: string, given: object): Promise<z.infer<typeof Verdict>> {
  const command = spawn(
    join(go, 'usr/lib/go-1.19/bin/go'),
    ['run', join(repositoryRoot(), 'test/anchors/check.go')],
    {
      env: {
        PATH: process.env.PATH,
        HOME: work,
        GOROOT: join(go, 'usr/lib/go-1.19'),
        GOPATH: join(go, 'usr/share/gocode'),
        GOCACHE: join(work, 'cache'),
        GO111MODULE: 'off',
        CGO_ENABLED: '0',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  command.stdin.end(JSON.stringify(given));
  return Verdict.parse(JSON.parse(await text(command.stdout)));
}

const base64 = (hash: Buffer): string => hash.toString('base64');

async function check(work: string): Promise<z.infer<typeof Verdict>> {
  const go = await unpackedGo();
  const log = new ChainedLog().fill(EVENTS);
  const folder = join(work, 'tree');
  await published(log, folder);
  const { head, file } = await anchorFrom(folder);
  const receipts = await Promise.all(
    REVISIONS.map(async (revision) => {
      const proof = await proofOf(folder, revision);
      if (typeof proof === 'string') throw new Error(`Revision ${revision} has no proof: ${proof}`);
      return { index: proof.index, leaf: base64(proof.leaf), path: proof.path.map(base64) };
    }),
  );
  const growths = [];
  for (const size of OLD_SIZES) growths.push(await proveConsistency(log, { size }, head));
  return goSays(go, work, {
    verifierKey: file.verifierKey,
    checkpoint: file.checkpoint,
    folder,
    leaves: log.all.map((event) => base64(leafOf(event))),
    receipts,
    growths,
  });
}

const work = mkdtempSync(join(tmpdir(), 'encore-go-'));
try {
  const { passed, wrong } = await check(work);
  for (const what of wrong) console.log(`Go says otherwise: ${what}`);
  console.log(`${passed} passed, ${wrong.length} failed`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
