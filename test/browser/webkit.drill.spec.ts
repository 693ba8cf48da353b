/**
 * The engine of Safari, where this machine has it: a stranger pays on a tip page, and whoever is paid has it
 * on an open page; every screen is drawn, and none is wider than the window. All other suites are Chromium's.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasWebKit, WebKitWindow } from '#test/support/browser/webkit';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const SCREENS: Readonly<Record<string, string>> = {
  '/': 'Recent Activity',
  '/payments': 'Payments',
  '/history': 'Transaction History',
  '/subscriptions': 'Subscriptions',
  '/scheduled-payments': 'Scheduled Payments',
  '/bank-accounts': 'Bank Accounts & Payouts',
  '/treasury': 'Treasury',
  '/messages': 'Messages',
  '/my-qr': 'My QR Code',
  '/profile': 'Profile',
};

(hasWebKit ? describe : describe.skip)('in the engine of Safari', () => {
  const stack = useStack(['all']);
  const windows: WebKitWindow[] = [];
  let juno: Person;
  let hers: WebKitWindow;
  let stranger: WebKitWindow;

  beforeAll(async () => {
    juno = await Person.signUp(stack().url, 'Juno');
    await juno.put('/api/tip-page/handle', { handle: 'juno_show' });
    await juno.put('/api/tip-page/published', { isPublished: true });
    for (let each = 0; each < 2; each += 1) windows.push(await WebKitWindow.open());
    [hers, stranger] = windows as [WebKitWindow, WebKitWindow];
    await hers.goto(stack().url);
    for (const { key, value } of await juno.jar.getCookies(stack().url)) await hers.giveCookie(key, value);
  });
  afterAll(() => Promise.all(windows.map((window) => window.close())));

  it('a stranger pays by card, has a receipt, and it arrives on a page that nobody touches', async () => {
    await hers.goto(stack().url);
    await hers.sees('No transactions yet');
    await stranger.goto(`${stack().url}/@juno_show`);
    await stranger.press('$20');
    await stranger.press('Card');
    await stranger.sees('Pay $20.00');
    await stranger.within('iframe');
    await stranger.fill('#number', '4242424242424242');
    await stranger.fill('#expiry', '1230');
    await stranger.fill('#cvc', '123');
    await stranger.fill('#postal', '10001');
    await stranger.within(null);
    await stranger.press('Pay $20.00');
    await stranger.sees('has your $20.00');
    await hers.sees('+$20.00 from a guest');
    expect(await hers.text()).toContain('A guest');
  });

  it.each(Object.entries(SCREENS))('%s is drawn, and no wider than the window', async (path, words) => {
    await hers.goto(`${stack().url}${path}`);
    await hers.sees(words);
    expect(await hers.run(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await hers.text()).not.toMatch(/could not be loaded|Something went wrong|Page Not Found/);
  });
});
