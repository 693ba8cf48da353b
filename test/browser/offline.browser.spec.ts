/**
 * A network that is gone, slow, or takes a request and loses its answer. The app says so, keeps what was
 * written, and whatever is sent again because of it is done once.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CDPSession } from 'playwright-core';
import { z } from 'zod';
import { TreasuryWallet } from '#contracts/api/treasury';
import { eventually } from '#test/conformance/stripe-process';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { looksRight } from '#test/support/browser/looks';
import { enterCard, paymentForm } from '#test/support/browser/payment-form';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld, VISA } from '#test/support/payer';
import { Payee } from '#test/support/payee';
import { json, Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const guests = useGuests(stack);
const WITHIN_MS = 120_000;
const UNANSWERED = 'No answer came, so this may have been done or not. Try again: it is never done twice.';
const NOT_REACHED = 'The server cannot be reached. Check your connection and try again.';
const Manifest = z.object({
  name: z.string(),
  start_url: z.string(),
  display: z.string(),
  icons: z.array(z.object({ src: z.string(), sizes: z.string(), type: z.string() })),
});

const provider = new CardProviderWorld(stack);
let fan: Person;
let juno: Payee;
let guest: Guest;
let line: CDPSession;
const evidence = useEvidence(stack);

beforeAll(async () => {
  const { url } = stack();
  fan = await Person.signUp(url, 'Milo');
  juno = await Payee.signUp(url, provider);
  await juno.earn(fan, '100.00');
  // Her own window; what its network does on purpose is no fault of the page.
  guest = await guests.open('Juno', { serviceWorkers: 'allow' });
  guest.expectFault(/net::ERR_|Failed to fetch/);
  await guest.enter('/', { email: juno.person.email, password: guest.password });
  line = await guest.context.newCDPSession(guest.page);
}, WITHIN_MS);

/**
 * The next answers of these calls are lost on their way: the server has done what was asked. Answers how to
 * end that.
 */
async function loseAnswers(...wanted: readonly RegExp[]): Promise<() => Promise<void>> {
  const losing = [...wanted];
  const line = await guest.context.newCDPSession(guest.page);
  line.on('Fetch.requestPaused', ({ requestId, request: { method, url } }) => {
    const found = losing.findIndex((each) => each.test(`${method} ${url}`));
    const isLost = found !== -1;
    if (isLost) losing.splice(found, 1);
    // Whoever has left the page meanwhile does not wait for an answer any more.
    const gone = () => undefined;
    if (isLost) line.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' }).catch(gone);
    else line.send('Fetch.continueRequest', { requestId }).catch(gone);
  });
  const patterns = ['*/api/*', '*/v1/payment_intents/*'].map((urlPattern) => ({
    urlPattern,
    requestStage: 'Response' as const,
  }));
  await line.send('Fetch.enable', { patterns });
  return async () => {
    await line.detach();
    expect(losing).toEqual([]);
  };
}

const button = (name: string) => guest.page.getByRole('button', { name, exact: true });
const intents = async (): Promise<string[]> => {
  const statuses: string[] = [];
  for await (const { status } of provider.stripe.paymentIntents.list({ limit: 100 })) statuses.push(status);
  return statuses;
};
const paidByJuno = async (): Promise<string[]> =>
  (await juno.person.transactions())
    .filter(({ type }) => type === 'payment_sent')
    .map(({ amount, status }) => `${amount} ${status}`);
async function settled(): Promise<void> {
  await provider.delivered();
  await evidence.shown();
}

describe('a payment', () => {
  it(
    'whose opening lost its answer is filled in again, and is one payment when it is sent once more',
    async () => {
      const keepAnswers = await loseAnswers(/^POST .*\/api\/create-payment-intent$/);
      await guest.goto(`/checkout?amount=5&recipientId=${fan.id}&description=Thanks`);
      await guest.toast('Payment Error', NOT_REACHED);
      await keepAnswers();
      await guest.arriveAt('/payments');
      await guest.sees('Milo Valastro');
      await guest.press(button('Continue with $5.00'));
      await guest.arriveAt('/checkout');
      await enterCard(guest.page, VISA);
      expect(await intents()).toHaveLength(2);
    },
    WITHIN_MS,
  );

  it(
    'whose confirmation lost its answer is asked after: it was paid, and is not paid again',
    async () => {
      // The provider's frame sends the confirmation, the page asks how the payment stands: neither hears an
      // answer.
      const confirm = {
        route: 'POST /v1/payment_intents/:id/confirm',
        when: 'after',
        what: 'close',
        times: 100,
      };
      await provider.control('POST', '/test/switches', { faults: [confirm] });
      const keepAnswers = await loseAnswers(/^GET .*\/v1\/payment_intents\//);
      await guest.press(button('Pay $5.00'));
      await guest.sees(/The connection was lost, so we cannot tell yet whether you were charged\./);
      await keepAnswers();
      await provider.control('DELETE', '/test/switches');
      await guest.press(button('Pay $5.00'));
      await guest.toast('Payment Successful', 'Payment processed successfully!');
      await guest.arriveAt('/');
      await settled();
      expect(await intents()).toEqual(['succeeded', 'succeeded']);
      expect(await paidByJuno()).toEqual(['5.00 completed']);
    },
    WITHIN_MS,
  );
});

describe('a transfer', () => {
  const wallet = async (): Promise<TreasuryWallet | undefined> =>
    z.array(TreasuryWallet).parse(json(await juno.person.get('/api/treasury/wallets')))[0];
  const dialog = () => guest.page.getByRole('dialog', { name: 'Add Funds' });
  const send = () => guest.press(dialog().getByRole('button', { name: 'Add Funds', exact: true }));
  async function fill(amount: string): Promise<void> {
    await guest.press(button('Add Funds to Tour'));
    await dialog().getByRole('spinbutton', { name: 'Amount' }).fill(amount);
  }

  it(
    'is not sent without a network, and what was written stays until there is one',
    async () => {
      await juno.person.post('/api/treasury/wallets', { displayName: 'Tour' });
      await guest.goto('/treasury');
      await fill('10');
      await guest.context.setOffline(true);
      await send();
      await dialog().getByText(NOT_REACHED).waitFor();
      await guest.sees('You are offline. What you see may be out of date.');
      expect((await wallet())?.balance).toBe('0.00');
      await guest.context.setOffline(false);
      await send();
      await guest.toast('Transfer Initiated', 'Your fund transfer has been initiated.');
      expect((await wallet())?.balance).toBe('10.00');
    },
    WITHIN_MS,
  );

  it(
    'whose answer was lost is one transfer, also when the page is loaded again and it is written anew',
    async () => {
      await fill('20');
      const keepAnswers = await loseAnswers(/^POST .*\/api\/treasury\/transfer$/);
      await send();
      await dialog().getByText(UNANSWERED).waitFor();
      expect((await wallet())?.balance).toBe('30.00');
      await keepAnswers();
      await guest.page.reload();
      await fill('20');
      await send();
      await guest.toast('Transfer Initiated');
      expect((await wallet())?.balance).toBe('30.00');
    },
    WITHIN_MS,
  );

  it(
    'over a slow network is sent once, however often the button is pressed',
    async () => {
      const slow = { offline: false, latency: 700, downloadThroughput: 40_000, uploadThroughput: 40_000 };
      await line.send('Network.emulateNetworkConditions', slow);
      await fill('5');
      const sent: string[] = [];
      guest.page.on('request', (request) => {
        if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
      });
      await dialog().getByRole('button', { name: 'Add Funds', exact: true }).dblclick();
      // The toast may still be that of the transfer before.
      await dialog().waitFor({ state: 'detached' });
      await guest.toast('Transfer Initiated');
      await line.send('Network.emulateNetworkConditions', {
        ...slow,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      });
      expect(sent).toEqual(['/api/treasury/transfer']);
      expect((await wallet())?.balance).toBe('35.00');
      await evidence.holds();
    },
    WITHIN_MS,
  );
});

describe('an outage of the event store', () => {
  const NOTICE = 'What you see may be out of date, and payments may have to wait. Nothing is lost.';
  const PUT_OFF = /^(?:This could not be finished right now|It is not certain yet)/;
  const dialog = () => guest.page.getByRole('dialog', { name: 'Add Funds' });
  const send = () => guest.press(dialog().getByRole('button', { name: 'Add Funds', exact: true }));

  it(
    'is said above every page, also for a visitor; a transfer is put off, and done once when it is over',
    async () => {
      guest.expectFault(/503/);
      const balance = async (): Promise<string | undefined> =>
        z.array(TreasuryWallet).parse(json(await juno.person.get('/api/treasury/wallets')))[0]?.balance;
      await guest.goto('/treasury');
      await guest.heading('Treasury');
      const before = await balance();
      await stack().part('eventstore').kill9();
      // An open page learns of it by the stream of changes.
      await guest.sees(NOTICE);
      await looksRight(guest, 'out-of-date');
      await guest.press(button('Add Funds to Tour'));
      await dialog().getByRole('spinbutton', { name: 'Amount' }).fill('5');
      await send();
      await dialog().getByText(PUT_OFF).waitFor();
      const visitor = await guests.open('Visitor');
      visitor.expectFault(/401/);
      await visitor.goto('/');
      await visitor.sees(NOTICE);

      await stack().part('eventstore').start();
      await guest.page.getByText(NOTICE).waitFor({ state: 'detached' });
      await visitor.page.getByText(NOTICE).waitFor({ state: 'detached' });
      await send();
      await guest.toast('Transfer Initiated', 'Your fund transfer has been initiated.');
      expect(Number(await balance())).toBe(Number(before) + 5);
      await evidence.holds();
    },
    WITHIN_MS,
  );
});

describe('the app', () => {
  it(
    'opens without a network, says that there is none, and is there again once there is one',
    async () => {
      const { page, context } = guest;
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      await guest.goto('/history');
      await guest.heading('Transaction History');
      await page.waitForFunction(() => localStorage.getItem('encore.at-hand') !== null);
      await context.setOffline(true);
      await page.reload();
      await guest.heading('You Are Offline');
      await guest.sees(/^Your balance was \$\d/);
      await page.getByRole('img', { name: /^QR code to pay @/ }).waitFor();
      await looksRight(guest, 'offline');
      await context.setOffline(false);
      // It looks by itself; where the worker hears of the network later than the page, by hand.
      const history = page.getByRole('heading', { name: 'Transaction History' });
      await eventually(async () => {
        if (await history.isVisible()) return true;
        await button('Try again')
          .click({ timeout: 1000 })
          .catch(() => undefined);
        return false;
      }, 'the history to be back');
    },
    WITHIN_MS,
  );

  it(
    'says on the checkout page that the card provider cannot be reached, and goes on when it can',
    async () => {
      const { page } = guest;
      const script = (url: URL): boolean => url.pathname.startsWith('/v3');
      await page.route(script, (route) => route.abort());
      await guest.goto(`/checkout?amount=5&recipientId=${fan.id}`);
      await guest.sees('The card provider cannot be reached. You have not been charged.');
      await looksRight(guest, 'checkout-unreachable');
      await page.unroute(script);
      await button('Try again').click();
      await paymentForm(page).getByLabel('Card number').waitFor();
    },
    WITHIN_MS,
  );

  it('keeps nothing of anybody: the start page and what it loads, each named by what is in it', async () => {
    const kept = await guest.page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return all.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(kept.length).toBeGreaterThan(5);
    expect(
      kept.filter((path) => !/^\/assets\/[\w.-]+-[\w-]{7,12}\.(?:js|css|html|woff2)$/.test(path)),
    ).toEqual([]);
  });

  it('can be installed: the browser finds nothing that is missing', async () => {
    const { errors, url, data = '{}' } = await line.send('Page.getAppManifest');
    expect({ url, errors }).toEqual({ url: new URL('/manifest.webmanifest', guest.url).href, errors: [] });
    const { name, start_url, display, icons } = Manifest.parse(JSON.parse(data));
    expect({ name, start_url, display }).toEqual({ name: 'Encore', start_url: '/', display: 'standalone' });
    const pictures = icons.filter(({ type }) => type === 'image/png');
    const sizes = pictures.map(({ src, sizes: said }) =>
      guest.page.evaluate(
        async ([path, size]) => {
          const picture = Object.assign(new Image(), { src: path });
          await picture.decode();
          return [size, `${picture.naturalWidth}x${picture.naturalHeight}`];
        },
        [src, said] as const,
      ),
    );
    for (const [said, is] of await Promise.all(sizes)) expect(is).toBe(said);
    // What a browser asks for before it offers to install.
    expect(pictures.map(({ sizes: said }) => said)).toEqual(expect.arrayContaining(['192x192', '512x512']));
    const { installabilityErrors } = await line.send('Page.getInstallabilityErrors');
    // The windows of suites are all private ones; a browser without a window does not look.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
  });
});
