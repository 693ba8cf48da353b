/**
 * A tip that comes in while its recipient looks on, told by the stream of changes; and what is left of it in
 * the history.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/conformance/stripe-process';
import { axeFindings } from '#test/support/browser/accessibility';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { logOut } from '#test/support/browser/log-out';
import { layoutShift, sidewaysCulprits } from '#test/support/browser/layout';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const guests = useGuests(stack);
const WITHIN_MS = 120_000;
let juno: Guest;
let junoId = '';
let fan: Person;

/** The fan tips from elsewhere: Juno's window is not touched. */
async function tips(amount: string): Promise<void> {
  const { clientSecret } = await fan.pay(junoId, amount);
  await new CardProviderWorld(stack).card(clientSecret);
}
const main = () => juno.page.getByRole('main');
const recent = () => juno.page.getByRole('list', { name: 'Recent Activity' }).getByRole('listitem');

/**
 * However late a frame comes, for what moves it is 20 ms after the last one: a busy machine, too, shows all
 * of the way.
 */
const framesPassSlowly = (): Promise<void> =>
  juno.page.evaluate(() => {
    const really = window.requestAnimationFrame.bind(window);
    let last = performance.now();
    window.requestAnimationFrame = (act) =>
      really((nowMs) => {
        const hasRested = nowMs - last > 2_000;
        last = hasRested ? nowMs : Math.min(nowMs, last + 20);
        act(last);
      });
  });

/** What the balance has shown since now, one after another. */
async function figuresOfBalance(): Promise<() => Promise<string[]>> {
  const figure = main().getByText('Available balance').locator('xpath=following::*[@aria-hidden="true"][1]');
  const shown = await figure.evaluateHandle((element) => {
    const figures: string[] = [];
    new MutationObserver(() => figures.push(element.textContent ?? '')).observe(element, {
      subtree: true,
      characterData: true,
    });
    return figures;
  });
  return () => shown.jsonValue();
}

beforeAll(async () => {
  juno = await guests.open('Juno', { reducedMotion: 'no-preference' });
  fan = await Person.signUp(stack().url, 'Wren');
  await juno.join();
  const person = await juno.context.request.get(new URL('/api/auth/user', juno.url).href);
  junoId = String(Reflect.get(Object(await person.json()), 'id'));
}, WITHIN_MS);

describe('a tip that comes in', () => {
  it('is told, is the first row and is in the balance, on a page that nobody touched', async () => {
    await juno.sees('No transactions yet');
    await tips('20.00');
    await juno.toast('Payment received', '+$20.00 from Wren Valastro');
    await recent().filter({ hasText: 'Wren ValastroLess than an hour ago+$20.00' }).waitFor();
    await main().getByText('$20.00', { exact: true }).first().waitFor({ state: 'attached' });
    await juno.page.getByRole('heading', { name: 'Earnings' }).waitFor();
    expect(await axeFindings(juno.page)).toEqual([]);
    expect(await sidewaysCulprits(juno.page)).toEqual([]);
  });

  it('opens above the others, and counts into the balance', async () => {
    await framesPassSlowly();
    const figures = await figuresOfBalance();
    await tips('5.50');
    await recent().first().filter({ hasText: '+$5.50' }).waitFor();
    expect(await recent().evaluateAll((rows) => rows.map((row) => row.getAttribute('data-arrived')))).toEqual(
      ['true', 'false'],
    );
    await main().getByText('$25.50', { exact: true }).first().waitFor({ state: 'attached' });
    await eventually(async () => (await figures()).at(-1) === '$25.50', 'the balance to have counted');
    expect((await figures()).length).toBeGreaterThan(2);
  });

  it('waits in the menu until it was looked at', async () => {
    await juno.page.getByRole('button', { name: 'Menu, new notifications' }).click();
    const told = juno.page.getByRole('list', { name: 'Notifications' }).getByRole('listitem');
    await told.first().filter({ hasText: '+$5.50' }).waitFor();
    await eventually(async () => (await told.count()) === 2, 'both tips in the list');
    expect(await axeFindings(juno.page)).toEqual([]);
    await juno.page.keyboard.press('Escape');
    await juno.page.getByRole('button', { name: 'Menu', exact: true }).waitFor();
  });
});

describe('the history', () => {
  it('has the tips in their month, does not jump, and opens a receipt from a line', async () => {
    await juno.goto('/history');
    await juno.sees('+$25.50');
    expect(await layoutShift(juno.page)).toBeLessThan(0.1);
    await juno.page.getByRole('link', { name: 'Wren Valastro' }).first().click();
    const receipt = juno.page.getByRole('dialog', { name: 'Receipt' });
    await receipt.getByText('Added to your balance').waitFor();
    await receipt.getByText('Juno Valastro').waitFor();
    expect(await axeFindings(juno.page)).toEqual([]);
    // In a window too low for all of it, what is below the stage scrolls, and no scrollbar stands beside the
    // stage.
    const { width, height } = juno.page.viewportSize()!;
    await juno.page.setViewportSize({ width, height: 640 });
    const scrolls = await receipt.evaluate((paper) =>
      [paper, ...paper.children].map(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight),
    );
    expect(scrolls).toEqual([false, false, true]);
    await juno.page.setViewportSize({ width, height });
    await receipt.getByRole('button', { name: 'Close' }).click();
    await receipt.waitFor({ state: 'hidden' });
    await eventually(() => juno.at === '/history', 'the receipt to leave the address');
  });

  it('is searched and filtered by the server', async () => {
    await juno.goto('/history');
    await juno.page.getByRole('button', { name: 'Filters' }).click();
    await juno.page.getByRole('button', { name: 'Sent' }).click();
    await juno.sees('No transactions found');
    await juno.page.getByRole('button', { name: 'Show all' }).click();
    await juno.page.getByRole('textbox', { name: 'Search' }).fill('WRE');
    await juno.page.waitForURL(/q=WRE/);
    await juno.sees('+$25.50');
    await juno.page.getByRole('textbox', { name: 'Search' }).fill('nobody of that name');
    await juno.sees('No transactions found');
  });

  it('gives a month as a file', async () => {
    await juno.goto('/history');
    await juno.page.getByRole('button', { name: 'Months' }).click();
    const download = juno.page.waitForEvent('download');
    await juno.page.getByRole('button', { name: /as CSV$/ }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^encore-\d{4}-\d\d\.csv$/);
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(Buffer.from(chunk));
    const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`,Received,Wren Valastro,${fan.username},,Card,Completed,5.50,0.00,0.00,pay_`);
  });

  it('has the balance at once for whoever wants less motion', async () => {
    await juno.page.emulateMedia({ reducedMotion: 'reduce' });
    await juno.goto('/');
    await juno.sees('$25.50');
    const figures = await figuresOfBalance();
    await tips('2.00');
    await eventually(async () => (await figures()).length > 0, 'the balance to change');
    await recent().first().filter({ hasText: '+$2.00' }).waitFor();
    expect(await figures()).toEqual(['$27.50']);
  });

  it('loses its stream when its person signs out, and asks nothing any more', async () => {
    const asked: string[] = [];
    await juno.goto('/profile');
    await logOut(juno);
    await juno.heading('Professional Payment Platform');
    // What the landing page itself asks for is on its way.
    await juno.page.waitForLoadState('networkidle');
    juno.page.on('request', (request) => asked.push(request.url()));
    await tips('1.00');
    await new CardProviderWorld(stack).delivered();
    expect(asked).toEqual([]);
  });
});
