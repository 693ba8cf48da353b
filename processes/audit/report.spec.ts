/** `encore audit report`: the page that it writes of an exported log, with no server and no secret. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { writeLogFile } from '#audit/exported-log/log-file';
import { available, platform } from '#contracts/plain/accounts';
import { JUNO, MILO, open, openAccount, settle, submit } from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { CannotRun } from '../shell/command.js';
import { audit } from './run.js';

const tip = { paymentId: 'pay_tip', amount: '20.00' };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'encore-report-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function reported(story: Story): Promise<{ status: number; page: string }> {
  const [file, page] = [join(folder, 'log.jsonl.gz'), join(folder, 'report.html')];
  await writeLogFile(story.log, file);
  const { status } = await audit(['report', page, '--from-file', file]);
  return { status, page: readFileSync(page, 'utf8') };
}
const told = (): Story => {
  const story = new Story();
  for (const [id, name] of [
    [JUNO, 'juno'],
    [MILO, 'milo'],
  ] as const)
    story.register(id, profileOf(name));
  story.command(openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip));
  return story;
};

it('writes a page of books in order', async () => {
  const { status, page } = await reported(told());
  expect(status).toBe(0);
  expect(page).toContain('The books are in order.');
  expect(page).toMatch(/Available<\/a\s*><b>20\.00<\/b>/);
});

it('writes a page of books that are not in order, and exits with 1', async () => {
  const story = told();
  // The same money a second time, of nobody's payment.
  story.entry({
    type: 'TransferPosted',
    data: {
      transferId: 'trf_forged',
      payerId: MILO,
      recipientId: JUNO,
      amountMinor: 9000,
      currency: 'usd',
      occurredAt: new Date(story.nowMs).toISOString(),
      postings: [{ debit: platform('card-clearing'), credit: available(JUNO), amountMinor: 9000 }],
    },
  } as Parameters<Story['entry']>[0]);
  const { status, page } = await reported(story);
  expect(status).toBe(1);
  expect(page).toContain('The books are not in order.');
  expect(page).toContain('<a href="#e5">journal at revision 5</a>');
});

it('refuses a name that no browser opens', async () => {
  await expect(audit(['report', join(folder, 'report.txt')])).rejects.toThrow(CannotRun);
});
