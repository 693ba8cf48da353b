/**
 * The audit's report as an auditor opens it: a file, with no server behind it. Of books in order and not in order it is
 * readable and whole at every width in both schemes, with its entries reached by links and by search.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { reportPage } from '#audit/report-page/page';
import { archivo } from '#processes/audit/font';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { looksRight } from '#test/support/browser/looks';
import { IN_ORDER, NOT_IN_ORDER } from '#test/support/report-example';

const folder = mkdtempSync(join(tmpdir(), 'encore-report-'));
const guests = useGuests(() => ({ url: pathToFileURL(`${folder}/`).href }));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  for (const [name, report] of [
    ['in-order', IN_ORDER],
    ['not-in-order', NOT_IN_ORDER],
  ] as const)
    writeFileSync(join(folder, `${name}.html`), reportPage(report, archivo()));
});

const opened = async (name: string): Promise<Guest> => {
  const guest = await guests.open('Auditor', { device: 'desktop' });
  await guest.page.goto(new URL(`${name}.html`, guest.url).href);
  return guest;
};

it('shows books in order, and each entry by its link or by search', async () => {
  const guest = await opened('in-order');
  const { page } = guest;
  await guest.sees('The books are in order.', '12 of 12 hold');
  await looksRight(guest, 'audit-report');
  const card = (revision: string) => page.getByRole('article', { name: `Entry ${revision}`, exact: true });
  expect([await card('611,540').isVisible(), await card('598,112').isVisible()]).toEqual([true, false]);
  await page.getByRole('link', { name: '598,112' }).click();
  await card('598,112').waitFor();
  expect(await card('611,540').isVisible()).toBe(false);
  const search = page.getByRole('textbox', { name: 'Entry, payment or account' });
  await search.fill('trf_93kx7');
  await guest.sees('1 of them has that.');
  await search.press('Enter');
  await card('611,539').waitFor();
  await page.getByRole('link', { name: 'On the way to banks' }).click();
  await guest.sees('1 of them has that.');
  expect(await page.getByRole('row').count()).toBeGreaterThan(1);
  expect(await page.getByRole('link', { name: '611,539' }).isVisible()).toBe(false);
});

it('shows what does not hold first, and leads to the entry', async () => {
  const guest = await opened('not-in-order');
  await guest.sees('The books are not in order.', '9 of 12 hold', 'What does not hold');
  await looksRight(guest, 'audit-report-not-in-order');
  await guest.page.getByRole('link', { name: 'journal at revision 598112' }).first().click();
  await guest.sees('A check found this entry wrong: see What does not hold.');
});

it('is read without its script', async () => {
  const guest = await guests.open('Auditor', { device: 'phone', javaScriptEnabled: false });
  await guest.page.goto(new URL('in-order.html', guest.url).href);
  await guest.page.getByRole('link', { name: '611,538' }).click();
  await guest.sees('Entry 611,538');
  expect(await guest.page.getByRole('textbox').isVisible()).toBe(false);
});
