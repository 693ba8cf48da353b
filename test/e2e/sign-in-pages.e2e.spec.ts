/**
 * The sign-in pages in a real browser: by keyboard, in the dark, on a small phone, and with JavaScript
 * switched off.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#test/support/chromium';
import { useStack } from '#test/support/stack';

const stack = useStack(['identity', 'front']);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
});

type Options = NonNullable<Parameters<Browser['newPage']>[0]>;

async function signInPage(options: Options = {}): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 }, ...options });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Failed to load.*(?:404|500)/.test(message.text()))
      faults.push(message.text());
  });
  const { OIDC_ISSUER = '', OIDC_CLIENT_ID = '' } = stack().env;
  const query = new URLSearchParams({
    client_id: OIDC_CLIENT_ID,
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: `${stack().url}/api/login/callback`,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  await page.goto(`${OIDC_ISSUER}/auth?${query.toString()}`, { waitUntil: 'load' });
  return { page, faults };
}
/** The page gives the focus once it has been read, which may be after it was shown. */
const hasFocus = (page: Page, id: string) =>
  page.waitForFunction((wanted) => document.activeElement?.id === wanted, id);
let people = 0;

describe('the sign-in pages', () => {
  it('take a person through by keyboard alone, from an error to the app', async () => {
    const { page, faults } = await signInPage();
    await hasFocus(page, 'email');
    await page.getByRole('link', { name: 'Create an account' }).press('Enter');
    await page.waitForURL(/sign-up$/);
    await hasFocus(page, 'firstName');
    people += 1;
    for (const text of ['Juno', 'Valastro', `juno${people}`, `juno${people}@valastro.example`, 'too short']) {
      await page.keyboard.type(text);
      if (text !== 'too short') await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.waitForSelector('[aria-invalid]');
    expect(await page.title()).toBe('Not yet: Create an account – Encore');
    // The one field that is wrong has the focus, and says why to whoever cannot see it.
    await hasFocus(page, 'password');
    const described = String(
      await page.getByLabel('Password', { exact: true }).getAttribute('aria-describedby'),
    ).split(' ');
    expect(await page.locator(`#${described[0]}`).innerText()).toBe(
      'Use at least 12 characters. This one has 9.',
    );
    expect(await page.getByLabel('First name').inputValue()).toBe('Juno');
    await page.keyboard.type('correct horse battery');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/api\/login\/callback\?code=/);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('show and hide the password by a button, which says whether it is pressed', async () => {
    const { page } = await signInPage();
    const password = page.getByLabel('Password', { exact: true });
    await password.fill('correct horse');
    const show = page.getByRole('button', { name: 'Show password' });
    await show.click();
    expect(await password.getAttribute('type')).toBe('text');
    expect(await show.getAttribute('aria-pressed')).toBe('true');
    await show.click();
    expect(await password.getAttribute('type')).toBe('password');
    await page.close();
  });

  it('work without JavaScript, and hide the buttons that need it', async () => {
    const { page } = await signInPage({ javaScriptEnabled: false });
    expect(await page.locator('.show').isVisible()).toBe(false);
    await page.getByLabel('Email').fill('nobody@valastro.example');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForSelector('#password-error');
    expect(await page.getByLabel('Email').inputValue()).toBe('nobody@valastro.example');
    await page.close();
  });

  it('use dark colours when the system does, and the app’s font', async () => {
    const colours = async (colorScheme: 'light' | 'dark'): Promise<string> => {
      const { page } = await signInPage({ colorScheme });
      const seen = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await page.waitForFunction(() => document.fonts.check('16px "Archivo Variable"'));
      await page.close();
      return seen;
    };
    expect(await colours('light')).toBe('rgb(247, 244, 245)');
    expect(await colours('dark')).toBe('rgb(20, 12, 15)');
  });

  it.each([320, 390, 900, 1440])('never scroll sideways at %i pixels', async (width) => {
    const { page } = await signInPage({ viewport: { width, height: 700 } });
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForSelector('[aria-invalid]');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.close();
  });
});
