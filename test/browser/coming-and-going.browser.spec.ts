/**
 * Visitors, people who sign up, sign in and leave, and paths that are none: in a browser, by what can be read
 * there.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { axeFindings } from '#test/support/browser/accessibility';
import { DEVICES } from '#test/support/browser/devices';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { logOut } from '#test/support/browser/log-out';
import { layoutShift } from '#test/support/browser/layout';
import { looksRight } from '#test/support/browser/looks';
import { screenshot, takesScreenshots } from '#test/support/browser/screenshots';
import { clockStands } from '#test/support/browser/standing-clock';
import { noteToasts } from '#test/support/browser/toasts-on-the-way';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const guests = useGuests(stack);
/**
 * Somebody without a session, and what waits for a toast of theirs: one is sent elsewhere half a second after
 * it.
 */
const signedOut = async () => {
  const visitor = await guests.open('Juno');
  return { visitor, toastShown: await noteToasts(visitor.page) };
};
let stranger: ReturnType<typeof signedOut> | undefined;

describe('a visitor', () => {
  it('sees what Encore is, in the spec’s words, and one way in', async () => {
    const visitor = await guests.open('Juno');
    await visitor.goto('/');
    await visitor.heading('Professional Payment Platform');
    await visitor.sees(
      'Secure, professional payment processing for entertainment professionals',
      'Secure authentication powered by professional-grade security',
      'SSL Encrypted',
      'Bank Grade Security',
      'Secure Payments',
      'Privacy First',
    );
    expect(await axeFindings(visitor.page)).toEqual([]);
    expect(await layoutShift(visitor.page)).toBeLessThan(0.1);
    await visitor.page.getByRole('button', { name: 'Get Started' }).click();
    await visitor.page.waitForURL(/\/identity\/interaction\//);
  });

  it('reads it and finds the way in before any script has come', async () => {
    const visitor = await guests.open('Wren', { javaScriptEnabled: false });
    await visitor.goto('/');
    await visitor.heading('Professional Payment Platform');
    await visitor.page.getByRole('link', { name: 'Get Started' }).click();
    await visitor.page.waitForURL(/\/identity\/interaction\//);
  });

  it.each(sampled(['/no-such-page', '/tip', '/checkout/more'], ['/checkout/more']))(
    'is told that %s is no page, and finds the way home',
    async (path) => {
      const { visitor } = await (stranger ??= signedOut());
      await visitor.goto(path);
      await visitor.heading('404 Page Not Found');
      await visitor.sees('Did you forget to add the page to the router?');
      expect(await axeFindings(visitor.page)).toEqual([]);
      await visitor.page.getByRole('link', { name: 'Back to Home' }).click();
      await visitor.arriveAt('/');
      await visitor.heading('Professional Payment Platform');
    },
  );

  const CHECKOUT = '/checkout?amount=5&recipientId=usr_x';
  const OTHERS = ['/payments', '/history', '/profile', '/payment-success', '/subscriptions', '/treasury'];
  it.each(
    sampled(
      [CHECKOUT, ...OTHERS, '/scheduled-payments', '/bank-accounts'],
      [CHECKOUT, '/scheduled-payments'],
    ),
  )('who opens %s is told to log in, and sent there', async (path) => {
    const { visitor, toastShown } = await (stranger ??= signedOut());
    await visitor.goto(path);
    await toastShown('Unauthorized', 'You are logged out. Logging in again...');
    await visitor.page.waitForURL(/\/identity\/interaction\//);
  });

  it('who opens a tip link or somebody’s code page is told so in their words', async () => {
    const { visitor, toastShown } = await (stranger ??= signedOut());
    await visitor.goto('/tip/usr_somebody?amount=5');
    await toastShown('Login Required', 'Please log in to tip someone');
    await visitor.page.waitForURL(/\/identity\/interaction\//);
    await visitor.goto('/my-qr');
    await visitor.sees('Please log in to view your QR code');
    await visitor.page.waitForURL(/\/identity\/interaction\//);
  });
});

describe('a page that is left while it loads', () => {
  it('says that a part could not be loaded only if it stays after all', async () => {
    const visitor = await guests.open('Odalys');
    const { page } = visitor;
    // Of a session that has ended: into the page of a stranger the server writes the landing page itself.
    await visitor.context.addCookies([{ name: 'encore_session', value: 'ended', url: visitor.url }]);
    await page.clock.install({ time: 0 });
    await page.route(/\/assets\/LandingPage-/, () => undefined);
    const asked = page.waitForRequest(/\/assets\/LandingPage-/);
    await visitor.goto('/');
    await asked;
    await page.locator('[data-patient="false"]').waitFor({ state: 'attached' });
    await page.clock.pauseAt(60_000);
    const ended = page.waitForEvent('requestfailed');
    // What a browser does first: some then show the page until the next one answers.
    await page.evaluate(() => {
      window.dispatchEvent(new Event('beforeunload'));
      window.stop();
    });
    await ended;
    await page.clock.runFor(4_000);
    expect(await page.getByRole('heading').allInnerTexts()).toEqual([]);
    expect(visitor.takeFaults()).toEqual([]);

    visitor.expectFault(/dynamically imported module/);
    await page.clock.runFor(1_000);
    await page.clock.resume();
    await visitor.heading('Navigation Error');
  });
});

describe('what a visitor is told before they are sent on', () => {
  let reader: Guest;
  beforeAll(async () => {
    reader = await guests.open('Juno');
    await clockStands(reader.page);
  });

  it('can be read at somebody’s code page', async () => {
    await reader.goto('/my-qr');
    await reader.sees('Please log in to view your QR code');
    await looksRight(reader, 'my-qr-signed-out');
  });

  // The page under it is the shape of one that loads, and never comes to rest.
  if (takesScreenshots)
    it.each([
      ['unauthorized', '/history', 'Unauthorized'],
      ['login-required', '/tip/usr_somebody?amount=5', 'Login Required'],
    ])('can be read as %s', async (name, path, title) => {
      for (const device of ['phone', 'desktop'] as const)
        for (const scheme of ['light', 'dark'] as const) {
          await reader.page.setViewportSize(DEVICES[device].viewport);
          await reader.page.emulateMedia({ colorScheme: scheme });
          await reader.goto(path);
          await reader.toast(title);
          await screenshot(reader, name, { device, scheme });
        }
    });
});

describe('somebody who signs up', () => {
  it('comes back to the page they wanted, and to every page by tabs and menu', async () => {
    const juno = await guests.open('Juno');
    await juno.goto('/profile');
    await juno.page.waitForURL(/\/identity\/interaction\//);
    await juno.signUp('/profile');
    await juno.heading('Profile');
    await juno.sees(`@${juno.username}`, 'Juno Valastro', 'Standard User');
    const tabTo = (name: string) =>
      juno.page.getByRole('link', { name, exact: true }).filter({ visible: true });
    const isCurrent = (name: string) => tabTo(name).and(juno.page.locator('[aria-current="page"]')).waitFor();

    // On a slow line the press is seen at once: the code of the page is still on its way.
    let arrives = (): void => undefined;
    const onItsWay = new Promise<void>((resolve) => (arrives = resolve));
    await juno.page.route(/\/assets\/TreasuryPage-/, async (route) => {
      await onItsWay;
      await route.continue();
    });
    await tabTo('Treasury').click();
    await isCurrent('Treasury');
    // The page before stays in the document, hidden, perhaps with a shape of its own that still waits.
    await juno.page.locator('main .MuiSkeleton-root').filter({ visible: true }).first().waitFor();
    arrives();
    await juno.heading('Treasury');

    for (const [tab, path] of [
      ['Home', '/'],
      ['Payments', '/payments'],
      ['Bank', '/bank-accounts'],
      ['Treasury', '/treasury'],
      ['Profile', '/profile'],
    ] as const) {
      await tabTo(tab).click();
      await juno.arriveAt(path);
      await isCurrent(tab);
    }
    for (const [name, path] of [
      ['My QR Code', '/my-qr'],
      ['History', '/history'],
      ['Subscriptions', '/subscriptions'],
      ['Scheduled', '/scheduled-payments'],
    ] as const) {
      await juno.page.getByRole('button', { name: 'Menu' }).click();
      await juno.page.getByRole('dialog').getByRole('link', { name }).click();
      await juno.arriveAt(path);
      // The button of the menu is the page's own: pressed while the next page takes its place, it does
      // nothing.
      await juno.page.getByRole('heading', { level: 1, name }).waitFor({ state: 'attached' });
    }
  });

  it('keeps what they switch, over a reload and in another browser', async () => {
    const milo = await guests.open('Milo');
    await milo.join('/profile');
    const alerts = milo.page.getByRole('switch', { name: 'Transaction alerts' });
    const privacy = milo.page.getByRole('switch', { name: 'Privacy mode' });
    await alerts.and(milo.page.locator(':checked')).waitFor();
    await privacy.and(milo.page.locator(':not(:checked)')).waitFor();
    const kept = milo.page.waitForResponse(
      (answer) => answer.url().endsWith('/api/settings') && answer.request().method() === 'PUT',
    );
    await privacy.click();
    expect((await kept).status()).toBe(200);
    await milo.page.reload();
    await privacy.and(milo.page.locator(':checked')).waitFor();

    const elsewhere = await guests.open('Milo', { device: 'desktop', scheme: 'dark' });
    await elsewhere.enter('/profile', milo);
    const there = elsewhere.page.getByRole('switch', { name: 'Privacy mode' });
    await there.and(elsewhere.page.locator(':checked')).waitFor();
    expect(await axeFindings(elsewhere.page)).toEqual([]);
    await elsewhere.goto('/');
    await elsewhere.page.getByRole('button', { name: 'Show amounts' }).waitFor();
    expect(await axeFindings(elsewhere.page)).toEqual([]);
  });

  it('leaves by Log Out, is a visitor again, and comes back with their password', async () => {
    const wren = await guests.open('Wren');
    await wren.join('/profile');
    await logOut(wren);
    await wren.heading('Professional Payment Platform');
    const toastShown = await noteToasts(wren.page);
    await wren.goto('/history');
    await toastShown('Unauthorized');
    await wren.page.waitForURL(/\/identity\/interaction\//);
    await wren.signIn('/history');
    await wren.heading('Transaction History');
  });
});
