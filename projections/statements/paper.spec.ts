/** A month on paper: the code and the file that prove it. */
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { ReceiptFile } from '#contracts/api/receipt-proof';
import { codeOn, readCode, squaresIn } from '#test/support/printed-code';
import { personalPaper, whatOf, type PaperEvidence } from './paper.js';
import type { AccountLineView } from './queries.js';
import { statementPdf } from './pdf.js';

const HASH = Buffer.alloc(32, 0x5c);
const entry = {
  closedAt: new Date('2026-11-01T00:00:05Z'),
  revision: 417,
  hash: HASH.toString('base64url'),
};
const file: ReceiptFile = {
  format: 'encore-receipt/1',
  transactionId: 'month-2026-10',
  revision: 417,
  leaf: HASH.toString('base64'),
  index: 900,
  path: [],
  checkpoint: 'encore.example/transparency\n1000\n',
  verifierKey: 'encore.example/transparency+0+AAAA',
  address: 'https://encore.example/transparency',
};
const checkUrl = `https://encore.example/check-receipt#${entry.hash}`;

const paperWith = (proof: PaperEvidence | undefined, accountName = 'available') =>
  personalPaper({
    name: 'Juno Valastro',
    username: 'junoplays',
    accountName,
    userId: 'usr_7h2kq9',
    timeZone: 'UTC',
    month: {
      month: '2026-10',
      openingMinor: 61_240,
      receivedMinor: 0,
      sentMinor: 0,
      closingMinor: 61_240,
      entryCount: 0,
    },
    lines: [],
    proof,
    host: 'encore.example',
    now: new Date('2026-11-02T09:00:00Z'),
  });

/** Everything that a PDF holds, unpacked. */
const unpacked = (pdf: Buffer): string =>
  [...pdf.toString('latin1').matchAll(/stream\r?\n/g)]
    .map((match) => {
      try {
        return inflateSync(pdf.subarray(match.index + match[0].length)).toString('latin1');
      } catch {
        return '';
      }
    })
    .join('\n');

describe('A month’s statement on paper', () => {
  it('has a code that opens the page of proofs, and the proof as a file in it', async () => {
    const pdf = await statementPdf(paperWith({ entry, published: { checkUrl, file } }));
    expect(readCode(codeOn(pdf))).toBe(checkUrl);
    expect(pdf.toString('latin1')).toContain('encore-proof-2026-10.json');
    expect(unpacked(pdf)).toContain(JSON.stringify(file, null, 2));
  });

  it('has no code where nothing is published, and says nothing of one', async () => {
    const paper = paperWith({ entry });
    expect(paper.proof?.says).not.toMatch(/code|file/);
    expect(squaresIn(await statementPdf(paper))).toEqual([]);
    expect(paperWith(undefined).proof).toBeUndefined();
  });

  it('says of a month without entries that it has none', () => {
    expect(paperWith({ entry }).proof?.says).toMatch(
      /^This month has no entries\. The entry below closed the month/,
    );
    expect(paperWith({ entry }).proof?.says).not.toMatch(/0 lines/);
  });

  it('calls what a month ends with its closing balance only once the month is closed, as the screen does', () => {
    expect(paperWith({ entry }).closing).toBe('Closing balance');
    expect(paperWith(undefined).closing).toBe('Balance so far');
  });

  it('keeps the long name of a wallet within its column', async () => {
    const pdf = unpacked(await statementPdf(paperWith(undefined, 'M'.repeat(100))));
    const lefts = [...pdf.matchAll(/1 0 0 1 (-?[\d.]+) [\d.]+ Tm/g)].map(([, x]) => Number(x));
    expect(lefts.length).toBeGreaterThan(20);
    expect(Math.min(...lefts)).toBeGreaterThanOrEqual(45);
  });

  it('writes the long id of a line smaller, and cuts what is longer than any id', async () => {
    const signsBeside = async (what: string): Promise<number> => {
      const line = { date: 'Oct 2', what, amountMinor: 1000, balanceMinor: 62_240 };
      const pdf = unpacked(await statementPdf({ ...paperWith(undefined), lines: [line] }));
      const written = [...pdf.matchAll(/<([0-9a-f]+)>[^<\]]*\]? ?(?=.*TJ)/g)].map(
        ([, hex]) => hex!.length / 4,
      );
      return written.reduce((sum, signs) => sum + signs, 0);
    };
    const none = await signsBeside('');
    for (let width = 30; width < 50; width += 3) {
      const id = `PaymentSettled pay_${'m0vgb5cdha84zj305bey7gdpv0'.repeat(2).slice(0, width - 19)}`;
      expect([width, (await signsBeside(id)) - none]).toEqual([width, id.length]);
    }
    expect((await signsBeside('M'.repeat(500))) - none).toBeLessThan(60);
  });

  it('names a debt that was written off as that: the account goes on', () =>
    expect(whatOf({ type: 'DebtWrittenOff', amountMinor: 2_000 } as AccountLineView)).toBe(
      'Debt written off',
    ));

  it('has the same bytes whenever it is drawn', async () => {
    const paper = paperWith({ entry, published: { checkUrl, file } });
    expect((await statementPdf(paper)).equals(await statementPdf(paper))).toBe(true);
  });
});
