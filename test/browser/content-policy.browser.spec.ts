/**
 * The policy of production's pages in a browser: what the card provider publishes as its origins loads and is
 * called, and everything else that is somehow written into a page does not. No server is asked: each address
 * is answered here.
 */
import type { AddressInfo } from 'node:net';
import helmet from '@fastify/helmet';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { STRIPE_PUBLISHED_ORIGINS } from '#contracts/provider-origins';
import { contentSecurity, furtherHeaders, pageNonce } from '#ledger/http/content-security';
import { openBrowser } from '#test/support/chromium';

const HOME = 'https://encore.example';
const SCRIPT = 'https://js.stripe.com/endive/stripe.js';
const ELSEWHERE = 'https://evil.example';
const ORIGINS = {
  publicUrl: HOME,
  stripeScriptUrl: SCRIPT,
  stripeApiUrl: undefined,
  stripeOrigins: STRIPE_PUBLISHED_ORIGINS,
};

const server = fastify();
let browser: Browser;

beforeAll(async () => {
  await server.register(helmet, contentSecurity(ORIGINS));
  server.get('/', (_, reply) =>
    reply
      .headers(furtherHeaders(ORIGINS))
      .type('text/html')
      .send(`<!doctype html><body><script nonce="${pageNonce(reply)}" src="${SCRIPT}"></script></body>`),
  );
  await server.listen({ host: '127.0.0.1', port: 0 });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server.close();
});

/** A page of production's with its policy; every other address answers whatever asks. */
async function openPage(): Promise<Page> {
  const { port } = server.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  const home = { headers: Object.fromEntries(answer.headers), body: await answer.text() };
  const page = await browser.newPage();
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url === `${HOME}/`) return route.fulfill({ status: 200, ...home });
    const asked = route.request().resourceType();
    const body =
      asked === 'script' ? `globalThis.ran = [...(globalThis.ran ?? []), ${JSON.stringify(url)}]` : 'ok';
    const contentType = { script: 'text/javascript', image: 'image/svg+xml' }[asked] ?? 'text/html';
    const headers = { 'access-control-allow-origin': '*' };
    return route.fulfill({ status: 200, contentType, headers, body });
  });
  await page.goto(`${HOME}/`);
  return page;
}

/** What a page's own script tries; answers what the policy stopped, by directive. */
const stoppedBy = (
  page: Page,
  kind: 'script' | 'frame' | 'call' | 'picture',
  url: string,
): Promise<string | null> =>
  page.evaluate(
    async ([tried, address]) => {
      const stopped = new Promise<string>((resolve) =>
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective)),
      );
      const loaded = new Promise<null>((resolve) => {
        if (tried === 'call') {
          fetch(address).then(
            () => resolve(null),
            () => undefined,
          );
          return;
        }
        const element = document.createElement({ script: 'script', frame: 'iframe', picture: 'img' }[tried]);
        element.addEventListener('load', () => resolve(null));
        // A picture that cannot be drawn was asked for all the same.
        if (tried === 'picture') element.addEventListener('error', () => setTimeout(() => resolve(null)));
        element.setAttribute('src', address);
        document.body.append(element);
      });
      // A frame that is stopped loads an empty page as well.
      return tried === 'frame'
        ? Promise.race([
            stopped,
            loaded.then(() => new Promise<null>((resolve) => setTimeout(resolve, 0, null))),
          ])
        : Promise.race([stopped, loaded]);
    },
    [kind, url] as const,
  );

describe('a page of production', () => {
  it('loads the card provider’s script, its frames, and what they call', async () => {
    const page = await openPage();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'ran') as unknown)).toEqual([SCRIPT]);
    for (const [kind, url] of [
      ['script', 'https://b.js.stripe.com/more.js'],
      ['frame', 'https://js.stripe.com/endive/fields.html'],
      ['frame', 'https://hooks.stripe.com/3d_secure'],
      ['call', 'https://api.stripe.com/v1/payment_intents/pi_1'],
    ] as const)
      expect([url, await stoppedBy(page, kind, url)]).toEqual([url, null]);
    await page.close();
  });

  it.each([
    ['script', `${ELSEWHERE}/a.js`, 'script-src-elem'],
    ['script', 'https://js.stripe.com.evil.example/v3/', 'script-src-elem'],
    ['script', 'http://js.stripe.com.evil.example/v3/', 'script-src-elem'],
    ['script', 'data:text/javascript,globalThis.ran="data"', 'script-src-elem'],
    ['frame', `${ELSEWHERE}/`, 'frame-src'],
    ['frame', `${HOME}/`, 'frame-src'],
    ['call', `${ELSEWHERE}/steal`, 'connect-src'],
    ['call', 'https://stripe.com/steal', 'connect-src'],
    ['picture', `${ELSEWHERE}/pixel.svg`, 'img-src'],
  ] as const)('stops a %s from %s', async (kind, url, directive) => {
    const page = await openPage();
    expect(await stoppedBy(page, kind, url)).toBe(directive);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'ran') as unknown)).toEqual([SCRIPT]);
    await page.close();
  });

  it('runs nothing that is written into it, sends no form elsewhere and takes no other base', async () => {
    const page = await openPage();
    const stopped = await page.evaluate(async () => {
      const seen: string[] = [];
      const all = new Promise<void>((resolve) =>
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          seen.push(effectiveDirective);
          if (seen.length === 5) resolve();
        }),
      );
      const into = document.createElement('div');
      into.setAttribute('id', 'into');
      document.body.append(into);
      into.innerHTML = `<img src="data:image/png,x" onerror="globalThis.ran = 'attribute'"><b style="color:red">b</b>
        <base href="https://evil.example/"><form action="https://evil.example/" method="post"></form>`;
      const script = document.createElement('script');
      script.textContent = `globalThis.ran = 'inline'`;
      into.append(script);
      into.querySelector('form')!.submit();
      await all;
      return seen.sort();
    });
    expect(stopped).toEqual([
      'base-uri',
      'form-action',
      'script-src-attr',
      'script-src-elem',
      'style-src-attr',
    ]);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'ran') as unknown)).toEqual([SCRIPT]);
    await page.close();
  });
});
