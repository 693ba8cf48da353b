/**
 * The central act: a stranger who has never heard of Encore opens a performer's page and tips, by the phone's wallet,
 * Cash App or a card, without an account; the performer sees it by itself. Then what becomes of the receipt.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { axeFindings } from '#test/support/browser/accessibility';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { answerBank, answerCashApp, enterCard } from '#test/support/browser/payment-form';
import { ASKS_THE_PAYER, DECLINED, VISA } from '#test/support/payer';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const guests = useGuests(stack);
const WITHIN_MS = 120_000;
const PAGE = '/@junoplays';

let juno: Guest;

async function put(guest: Guest, path: string, data: object): Promise<number> {
  return (await guest.context.request.put(new URL(path, guest.url).href, { data })).status();
}
const button = (guest: Guest, name: string | RegExp) => guest.page.getByRole('button', { name });
const press = (guest: Guest, name: string | RegExp): Promise<void> => guest.press(button(guest, name));
const choose = (guest: Guest, amount: string): Promise<void> =>
  guest.page.getByRole('radio', { name: amount, exact: true }).check({ force: true });

/** A picture of what is shown, where somebody wants to look at it. */
async function photograph(guest: Guest, name: string): Promise<void> {
  const folder = process.env['PHOTOGRAPHS'];
  if (folder !== undefined) await guest.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** Waits for the receipt of this sum. */
async function receipt(guest: Guest, amount: string): Promise<void> {
  await guest.page.waitForURL(/\/@junoplays\/paid\/[A-Za-z0-9_-]{22}$/);
  await guest.heading(`Juno has your $${amount}`);
}

beforeAll(async () => {
  juno = await guests.open('Juno', { device: 'desktop' });
  await juno.join('/');
}, WITHIN_MS);

describe('a tip page', () => {
  it('is nobody’s before it is published, and its owner’s preview', async () => {
    expect(await put(juno, '/api/tip-page/handle', { handle: 'junoplays' })).toBe(200);
    const words = {
      stageName: 'Juno Valastro',
      line: 'plays the piano · Lantern Hall tonight',
      isListed: false,
    };
    expect(await put(juno, '/api/tip-page', words)).toBe(200);
    const fan = await guests.open('Wren');
    fan.expectFault(/status of 404/);
    await fan.goto(PAGE);
    await fan.heading('Nobody here');
    await photograph(fan, 'nobody');
    const owner = await juno.context.request.get(new URL(PAGE, juno.url).href);
    expect([owner.status(), await owner.text()]).toEqual([200, expect.stringContaining('Preview: only you')]);
    expect(await put(juno, '/api/tip-page/published', { isPublished: true })).toBe(200);
    await fan.goto(PAGE);
    await fan.heading('Juno Valastro');
    await photograph(fan, 'page-phone-light');
    expect(await axeFindings(fan.page)).toEqual([]);
  });

  it('says without script what is to be done', async () => {
    const plain = await guests.open('Nell', { javaScriptEnabled: false });
    await plain.goto(PAGE);
    await plain.sees('Juno Valastro', /Paying needs JavaScript/);
  });
});

describe('a guest', () => {
  it(
    'pays by the phone’s wallet in two taps, and the performer sees it by itself',
    async () => {
      const wren = await guests.open('Wren');
      await wren.goto(PAGE);
      await wren.page.getByLabel('Note').fill('For the encore');
      await wren.page.getByLabel('From', { exact: true }).fill('Wren');
      await press(wren, 'Pay with Google Pay');
      await wren.sees(/USD 10\.00/);
      await press(wren, 'Confirm on this phone');
      await receipt(wren, '10.00');
      await photograph(wren, 'receipt-phone-light');
      await wren.sees(/For the encore/);
      await juno.sees('Wren', /10\.00/);
    },
    WITHIN_MS,
  );

  it(
    'pays by Cash App, another amount, and stays anonymous',
    async () => {
      const milo = await guests.open('Milo');
      await milo.goto(PAGE);
      await choose(milo, 'Other');
      await milo.page.getByLabel('Amount in dollars').fill('1e3');
      await milo.sees(/must be a plain number/);
      await photograph(milo, 'other-phone-light');
      await milo.page.getByLabel('Amount in dollars').fill('7.50');
      await milo.page.getByRole('switch', { name: 'Stay anonymous' }).check();
      await press(milo, 'Cash App');
      await answerCashApp(milo.page, 'Authorize');
      await receipt(milo, '7.50');
      await milo.sees('A guest');
      await juno.sees('A guest', /7\.50/);
    },
    WITHIN_MS,
  );

  it(
    'whose card is declined pays by another one that the bank asks about, once',
    async () => {
      const petra = await guests.open('Petra', { device: 'desktop', scheme: 'dark' });
      await petra.goto(PAGE);
      await choose(petra, '$5');
      await photograph(petra, 'page-desktop-dark');
      await press(petra, 'Card');
      await enterCard(petra.page, DECLINED);
      await press(petra, 'Pay $5.00');
      await petra.sees(/declined/);
      await photograph(petra, 'declined-desktop-dark');
      await enterCard(petra.page, ASKS_THE_PAYER);
      await press(petra, 'Pay $5.00');
      await answerBank(petra.page, 'Complete');
      await receipt(petra, '5.00');
    },
    WITHIN_MS,
  );

  it(
    'who closes the wallet has paid nothing, and pays by card then',
    async () => {
      const imani = await guests.open('Imani', { scheme: 'dark' });
      await imani.goto(PAGE);
      await photograph(imani, 'page-phone-dark');
      await choose(imani, '$20');
      await press(imani, 'Pay with Google Pay');
      await press(imani, 'Close');
      await press(imani, 'Card');
      await enterCard(imani.page, VISA);
      await photograph(imani, 'card-phone-dark');
      await press(imani, 'Pay $20.00');
      await receipt(imani, '20.00');
    },
    WITHIN_MS,
  );

  it(
    'puts the receipt into the account that they make, once',
    async () => {
      const teo = await guests.open('Teodor');
      await teo.goto(PAGE);
      await press(teo, 'Pay with Google Pay');
      await press(teo, 'Confirm on this phone');
      await receipt(teo, '10.00');
      const address = teo.page.url();
      await press(teo, 'Create an account');
      await teo.page.waitForURL(/\/identity\/interaction\//);
      await teo.signUp('/history');
      await teo.sees(/10\.00/, 'Juno Valastro');
      const thief = await guests.open('Marlow');
      await thief.join('/');
      const token = address.split('/').at(-1);
      const claimed = await thief.context.request.post(new URL('/api/tip-page/claims', thief.url).href, {
        data: { token },
      });
      expect(claimed.status()).toBe(409);
    },
    WITHIN_MS,
  );
});
