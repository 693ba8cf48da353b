/**
 * The audit's report as an auditor opens it: a file, with no server behind it. Of books in order and not in
 * order it is readable and whole at every width in both schemes, with its entries reached by links and by
 * search.
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

/** As many as verify has: no column beside them is taller, so no check has more room than it asks for. */
const MANY_CHECKS = { ...IN_ORDER, checks: [...IN_ORDER.checks, ...IN_ORDER.checks] };

beforeAll(() => {
  for (const [name, report] of [
    ['in-order', IN_ORDER],
    ['not-in-order', NOT_IN_ORDER],
    ['many-checks', MANY_CHECKS],
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
  await guest.sees('The books are in order.', '13 of 13 hold');
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
  await guest.sees('The books are not in order.', '10 of 13 hold', 'What does not hold');
  await looksRight(guest, 'audit-report-not-in-order');
  await guest.page.getByRole('link', { name: 'journal at revision 598112' }).first().click();
  await guest.sees('A check found this entry wrong: see What does not hold.');
});

it('gives each of many checks the room that its words need', async () => {
  const { page } = await opened('many-checks');
  for (const width of [360, 768, 1000, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    const crowded = await page.locator('.checks li').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        const isWithin = [...row.children].every((part) => {
          const box = part.getBoundingClientRect();
          return box.top >= top && box.bottom <= bottom;
        });
        return isWithin ? [] : [row.textContent];
      }),
    );
    expect([width, crowded]).toEqual([width, []]);
  }
});

it('is read without its script', async () => {
  const guest = await guests.open('Auditor', { device: 'phone', javaScriptEnabled: false });
  await guest.page.goto(new URL('in-order.html', guest.url).href);
  await guest.page.getByRole('link', { name: '611,538' }).click();
  await guest.sees('Entry 611,538');
  expect(await guest.page.getByRole('textbox').isVisible()).toBe(false);
});
