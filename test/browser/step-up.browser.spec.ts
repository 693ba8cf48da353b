/**
 * Step-up on the screen: what moves money is confirmed in a sheet that says it word for word, by a passkey or
 * by another sign-in, which the form survives; and a log-out leaves nothing behind in any tab.
 */
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { CurrentUser } from '#contracts/api/users';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { logOut } from '#test/support/browser/log-out';
import { looksRight } from '#test/support/browser/looks';
import { GOOD_BANK, ROUTING } from '#test/support/payee';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { ageSignIns } from '#test/support/sign-in-age';
import { useStack } from '#test/support/stack';

const stack = useStack(['all'], { env: { CARE_EVERY_SECONDS: '1' } });
const guests = useGuests(stack);
// axe takes seconds where the machine has much to do, and a test here looks more than once.
jest.setTimeout(240_000);

let juno: Guest;
let junoId = '';

beforeAll(async () => {
  const provider = new CardProviderWorld(stack);
  juno = await guests.open('Juno');
  const [fan] = await Promise.all([Person.signUp(stack().url, 'Wren'), juno.join()]);
  await provider.control('POST', '/test/balance/top_up', { amount: 100_000, currency: 'usd' });
  const me = await juno.context.request.get(new URL('/api/auth/user', juno.url).href);
  junoId = CurrentUser.parse(await me.json()).id;
  await provider.card((await fan.pay(junoId, '200.00')).clientSecret);
  await provider.delivered();
  await juno.goto('/bank-accounts');
  await press('Add Your First Account');
  const form = dialog('Add Bank Account');
  for (const [label, text] of Object.entries({
    'Account holder name': 'Juno Valastro',
    'Bank name': 'Harbor & Main',
    'Routing number': ROUTING,
    'Account number': GOOD_BANK,
  }))
    await form.getByLabel(label, { exact: true }).fill(text);
  await press('Add Account', form);
  await gone(form);
});

const main = (): Locator => juno.page.getByRole('main');
const press = (name: string, within: Locator = main()): Promise<void> =>
  juno.press(within.getByRole('button', { name, exact: true }));
const dialog = (name: string): Locator => juno.page.getByRole('dialog', { name });
const gone = (what: Locator): Promise<void> => what.waitFor({ state: 'detached' });
const payouts = (): Locator => juno.page.getByRole('list', { name: 'Payouts' }).getByRole('listitem');

/** Writes a payout into its form and sends it; answers the form. */
async function askForPayout(amount: string): Promise<Locator> {
  await press('Request Payout');
  const form = dialog('New Payout');
  await form.getByRole('spinbutton', { name: 'Amount' }).fill(amount);
  await press('Request Payout', form);
  return form;
}

describe('a payout with a sign-in of long ago', () => {
  const bySignIn = () => dialog('Sign in again to confirm');
  beforeAll(async () => ageSignIns(stack().env.DATABASE_URL, junoId));

  it('asks for another one, and changes nothing when that is not wanted', async () => {
    const form = await askForPayout('120');
    await bySignIn().getByText('Pay out $120.00 to ').waitFor();
    await looksRight(juno, 'step-up-sign-in');
    await press('Cancel', bySignIn());
    await juno.toast('Not Confirmed', 'You did not confirm this. Nothing has changed.');
    await gone(bySignIn());
    expect(await form.getByRole('spinbutton', { name: 'Amount' }).inputValue()).toBe('120');
    expect(await payouts().count()).toBe(0);
  });

  it('survives the sign-in, and is made once, under its own key', async () => {
    const keys = new Set<string | undefined>();
    juno.page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/payouts'))
        keys.add(request.headers()['idempotency-key']);
    });
    await press('Request Payout', dialog('New Payout'));
    await press('Sign in again to confirm', bySignIn());
    await juno.page.waitForURL(/\/identity\/interaction\//);
    await juno.signIn('/bank-accounts');
    const resumed = dialog('Confirm what you asked for');
    await resumed.getByText('Pay out $120.00 to ').waitFor();
    await looksRight(juno, 'step-up-resumed');
    await press('Confirm', resumed);
    await juno.toast('Payout Requested', 'Finish verifying your account to receive this payout.');
    await gone(resumed);
    await payouts().filter({ hasText: '$120.00' }).waitFor();
    expect([await payouts().count(), keys.size]).toEqual([1, 1]);
    expect(await juno.page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('120');
  });
});

describe('a payout of somebody with a passkey', () => {
  beforeAll(async () => {
    const authenticator = await juno.context.newCDPSession(juno.page);
    await authenticator.send('WebAuthn.enable');
    await authenticator.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await juno.goto('/profile');
    await press('Add a Passkey');
    await juno.toast('Passkey Added');
    const asks = juno.page.getByRole('switch', { name: 'Ask for my passkey before money moves' });
    await juno.press(asks);
    await asks.and(juno.page.locator(':checked')).waitFor();
  });

  it('is shown whole, and made once its words are signed', async () => {
    await ageSignIns(stack().env.DATABASE_URL, junoId);
    await juno.goto('/bank-accounts');
    const form = await askForPayout('20');
    const sheet = dialog('Confirm with your passkey');
    await sheet.getByText('Pay out $20.00 to ').waitFor();
    await sheet.getByText(/This request ends in \d:\d\d\./).waitFor();
    await looksRight(juno, 'step-up');
    await press('Confirm with passkey', sheet);
    await juno.toast('Payout Requested');
    await gone(form);
    await payouts().filter({ hasText: '$20.00' }).waitFor();
    expect(await payouts().count()).toBe(2);
  });
});

describe('after a log-out', () => {
  it('no tab shows or keeps anything of the user', async () => {
    const other = await juno.context.newPage();
    await other.goto(new URL('/profile', juno.url).href);
    await other.getByText(`@${juno.username}`).filter({ visible: true }).first().waitFor();
    await juno.goto('/profile');
    await logOut(juno);
    await other.getByRole('heading', { name: 'Professional Payment Platform' }).waitFor();
    expect(await other.getByText(juno.username).count()).toBe(0);
    const kept = await other.evaluate(async () => ({
      session: Object.keys(sessionStorage).filter((place) => place !== 'encore.scroll'),
      local: Object.keys(localStorage),
      databases: (await indexedDB.databases()).map(({ name }) => name),
      caches: await caches.keys(),
    }));
    expect(kept).toEqual({ session: [], local: [], databases: [], caches: [] });
    await other.close();
  });
});
