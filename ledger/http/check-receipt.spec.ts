/**
 * Receipts that outlive the app: the page's own script and the Python program of the docs, held against ours.
 */
import { execFile } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReceiptFile } from '#contracts/api/receipt-proof';
import { signCheckpoint } from '#log/transparency/checkpoint';
import { inclusionProof, leafHash } from '#log/transparency/merkle';
import { signerFrom } from '#log/transparency/note';
import { checkReceipt } from '#log/transparency/receipt';
import { GrowingTree, hashesFromTiles, tilePath } from '#log/transparency/tiles';
import { hasPython, pythonOf } from '#test/support/docs-python';
import { CHECK_RECEIPT_SCRIPT, checkReceiptPage } from './check-receipt-page.js';

const signer = signerFrom('encore.example/transparency', '11'.repeat(32));
const other = signerFrom('encore.example/transparency', '22'.repeat(32));
const leafAt = (n: number): Buffer => leafHash(Buffer.from(`entry ${n}`));

/** The receipt of one entry of a tree. */
async function receiptOf(index: number, size: number): Promise<ReceiptFile> {
  const tree = new GrowingTree();
  const tiles = new Map<string, Buffer>();
  for (let n = 0; n < size; n += 1)
    for (const { tile, bytes } of tree.append(leafHash(leafAt(n)))) tiles.set(tilePath(tile), bytes);
  for (const { tile, bytes } of tree.partialTiles()) tiles.set(tilePath(tile), bytes);
  const hashes = hashesFromTiles((tile) => Promise.resolve(tiles.get(tilePath(tile))!), size);
  const head = { origin: 'encore.example/transparency', size, root: tree.root() };
  return {
    format: 'encore-receipt/1',
    transactionId: 'pay_1',
    revision: 5,
    leaf: leafAt(index).toString('base64'),
    index,
    path: (await inclusionProof(hashes, index, size)).map((hash) => hash.toString('base64')),
    checkpoint: signCheckpoint(head, signer),
    verifierKey: signer.verifier.text,
    address: 'https://encore.example/transparency',
  };
}

interface Case {
  readonly what: string;
  readonly receipt: ReceiptFile;
  readonly key: string;
  readonly holds: boolean;
}

/** Good receipts, and each way in which one can be wrong. */
async function cases(): Promise<Case[]> {
  const key = signer.verifier.text;
  const good = await receiptOf(300, 700);
  const [first = '', ...others] = good.path;
  const flipped = Buffer.from(first, 'base64');
  flipped[0]! ^= 1;
  const hashed = {
    ...good,
    checkpoint: good.checkpoint.replace(
      /^(.*\n\d+\n)(.)/,
      (_all, head: string, letter: string) => head + (letter === 'A' ? 'B' : 'A'),
    ),
  };
  const wrong: [string, ReceiptFile, string?][] = [
    ['another leaf', { ...good, leaf: leafAt(301).toString('base64') }],
    ['another place', { ...good, index: 301 }],
    ['a place outside of the tree', { ...good, index: 700 }],
    ['a changed path', { ...good, path: [flipped.toString('base64'), ...others] }],
    ['a shorter path', { ...good, path: others }],
    ['a longer path', { ...good, path: [...good.path, first] }],
    ['a changed root', hashed],
    ['a changed size', { ...good, checkpoint: good.checkpoint.replace('\n700\n', '\n701\n') }],
    ['another key', good, other.verifier.text],
    ['no signature', { ...good, checkpoint: `${good.checkpoint.split('\n\n')[0]}\n\n` }],
    ['a damaged key', good, key.replace(/\+[0-9a-f]{8}\+/, '+00000000+')],
  ];
  return [
    ...(await Promise.all(
      (
        [
          [0, 1],
          [0, 2],
          [6, 7],
          [255, 256],
          [256, 257],
          [300, 700],
          [699, 700],
        ] as const
      ).map(async ([index, size]): Promise<Case> => ({
        what: `entry ${index} of ${size}`,
        receipt: await receiptOf(index, size),
        key,
        holds: true,
      })),
    )),
    ...wrong.map(([what, receipt, wrongKey = key]): Case => ({ what, receipt, key: wrongKey, holds: false })),
  ];
}

let all: Case[];
beforeAll(async () => {
  all = await cases();
});
const judged = (verdicts: readonly boolean[]): string[] =>
  all.flatMap(({ what, holds }, n) => (verdicts[n] === holds ? [] : [what]));

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

describe('a receipt', () => {
  it('holds, or does not, by our own check', async () => {
    expect(
      judged(
        await Promise.all(
          all.map(({ receipt, key }) => succeeds(Promise.resolve().then(() => checkReceipt(receipt, key)))),
        ),
      ),
    ).toEqual([]);
  });

  it('holds, or does not, by the script of the page', async () => {
    const page = pageScript(webcrypto);
    expect(judged(await Promise.all(all.map(({ receipt, key }) => succeeds(page(receipt, key)))))).toEqual(
      [],
    );
    expect(await page(all[5]!.receipt, all[5]!.key)).toMatchObject({
      size: 700,
      origin: 'encore.example/transparency',
      isSigned: true,
    });
  });

  it('is told to be half checked where a browser cannot check the signature', async () => {
    const subtle = {
      digest: (name: string, bytes: Uint8Array<ArrayBuffer>) => webcrypto.subtle.digest(name, bytes),
      importKey: () => Promise.reject(new Error('Unrecognized name')),
    };
    const page = pageScript({ subtle });
    expect(await page(all[5]!.receipt, all[5]!.key)).toMatchObject({ size: 700, isSigned: undefined });
    await expect(page({ ...all[5]!.receipt, index: 1 }, all[5]!.key)).rejects.toThrow(/is not in the books/);
  });
});

type Check = (receipt: unknown, key: string) => Promise<{ size: number; isSigned: boolean | undefined }>;

const pageScript = (crypto: object): Check =>
  runInNewContext(`${CHECK_RECEIPT_SCRIPT}; checkReceipt`, {
    crypto,
    atob,
    btoa,
    TextEncoder,
    Uint8Array,
  }) as Check;

describe('the page', () => {
  it('is one file that asks nobody anything', () => {
    const page = checkReceiptPage('abc');
    expect(page.match(/nonce="abc"/g)).toHaveLength(2);
    expect(page).not.toMatch(/fetch\(|XMLHttpRequest|src=|href=|import\(|url\(|\\/);
  });
});

describe('the Python program of the docs', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'encore-receipts-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  (hasPython ? it : it.skip)('says the same of each', async () => {
    writeFileSync(join(folder, 'check_receipt.py'), pythonOf('how-to/check-a-receipt.md'));
    // One process for all of them: it imports the program and checks each.
    writeFileSync(join(folder, 'cases.json'), JSON.stringify(all.map(({ receipt, key }) => [receipt, key])));
    const program = [
      'import json, check_receipt',
      'def holds(receipt, key):',
      '    try: check_receipt.check(receipt, key)',
      '    except (AssertionError, ValueError): return False',
      '    return True',
      'print(json.dumps([holds(*one) for one in json.load(open("cases.json"))]))',
    ].join('\n');
    const { stdout } = await promisify(execFile)('python3', ['-c', program], { cwd: folder });
    expect(judged(JSON.parse(stdout) as boolean[])).toEqual([]);
    writeFileSync(join(folder, 'receipt.json'), JSON.stringify(all[5]!.receipt));
    const said = await promisify(execFile)('python3', ['check_receipt.py', 'receipt.json'], { cwd: folder });
    expect(said.stdout).toBe(
      'pay_1 is in the books: one of 700 events signed by encore.example/transparency\n',
    );
  });
});
