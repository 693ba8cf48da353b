/**
 * Every screen with real data, on a phone, in the light and the dark, for somebody who wants less motion: axe
 * finds nothing, nothing moves or jumps, and at no width anything scrolls sideways, is cut off or lies on
 * something else. Some of them on a desktop that is dark from the start; in a whole run all. With
 * SCREENSHOTS=on (`make screenshots`) each is photographed into docs/screenshots.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { z } from 'zod';
import { Demo } from '#local/demo/chapter';
import { setUpDemo } from '#local/demo/demo';
import { PASSWORD, PEOPLE } from '#local/demo/people';
import { axeFindings } from '#test/support/browser/accessibility';
import { DEVICES, type Device } from '#test/support/browser/devices';
import { useGuests, type Guest, type Scheme } from '#test/support/browser/guest';
import { layoutShift, smallTargets } from '#test/support/browser/layout';
import { comesToRest, isWhole, looksRight, screenWidths } from '#test/support/browser/looks';
import { motionSeen } from '#test/support/browser/motion';
import { answerCashApp, enterCard, paymentForm } from '#test/support/browser/payment-form';
import { screenshot, takesScreenshots } from '#test/support/browser/screenshots';
import { clockStands } from '#test/support/browser/standing-clock';
import { CardProviderWorld, DECLINED, intentOf, VISA } from '#test/support/payer';
import { Person } from '#test/support/person';
import { isWholeRun } from '#test/support/sample';
import { useStack } from '#test/support/stack';
import { demoBalance, demoPayouts, demoSettings } from '#test/support/told-demo';

// Only a picture needs a receipt that is proven.
const stack = useStack(takesScreenshots ? ['all', 'transparency'] : ['all'], {
  env: { CARE_EVERY_SECONDS: '1', SCHEDULES_EVERY_SECONDS: '1' },
});
const guests = useGuests(stack);
const WITHIN_MS = 240_000;
let odalysId = '';
const JUMPS_LITTLE = 0.1;
/** As high as a sheet of paper is for its width, and wide enough for what only a desktop has. */
const PAPER = { width: 900, height: 1273 };

beforeAll(async () => {
  const settings = demoSettings(stack());
  await setUpDemo(settings, new AbortController().signal);
  await new CardProviderWorld(stack).delivered();
  const demo = new Demo(settings.publicUrl, new Date(), settings.till, new AbortController().signal);
  await demoPayouts(demo);
  odalysId = (await demo.person('odalys')).id;
}, WITHIN_MS);

/** A receipt of the demo's is in the next head that is signed: each minute. */
async function proven(receipt: Locator): Promise<void> {
  const [tick, again] = [
    receipt.getByText('In the published books'),
    receipt.getByRole('button', { name: 'Look again' }),
  ];
  for (;;) {
    await tick.or(again).first().waitFor();
    if (await tick.isVisible()) return;
    await again.click();
    await receipt.page().waitForTimeout(2000);
  }
}

interface Screen {
  readonly name: string;
  readonly path: () => string;
  /** What it is about must be there; a page that only waits is no picture of it. */
  readonly shows: (guest: Guest) => Promise<unknown>;
}
const screen = (name: string, path: string | (() => string), shows: Screen['shows']): Screen => ({
  name,
  path: typeof path === 'string' ? () => path : path,
  shows,
});

/** What the demo has left Juno with, as the screen writes it. */
const junosBalance = `$${demoBalance('juno').replace(/\B(?=(\d{3})+\.)/g, ',')}`;

const SIGNED_OUT: readonly Screen[] = [
  screen('landing', '/', (guest) => guest.heading('Professional Payment Platform')),
  screen('not-found', '/no-such-page', (guest) => guest.heading('404 Page Not Found')),
  screen('sign-in', '/api/login', (guest) => guest.page.getByRole('button', { name: 'Sign in' }).waitFor()),
];
const SIGNED_IN: readonly Screen[] = [
  screen('home', '/', async (guest) => {
    await guest.sees(junosBalance);
    await guest.page.getByRole('list', { name: 'Recent Activity' }).getByRole('listitem').first().waitFor();
  }),
  screen(
    'payments',
    () => `/payments?recipientId=${odalysId}&amount=20.00`,
    (guest) => guest.sees('Odalys Ferrante', 'Continue with $20.00'),
  ),
  screen('history', '/history', (guest) => guest.heading('Transaction History')),
  screen('history-everything', '/history?account=available', async (guest) => {
    await guest.sees('Every move of your available balance', /^Balance \$/);
  }),
  screen('statements', '/history/statements', (guest) => guest.sees(/^\d+ entries, not closed yet$/)),
  screen(
    'statement',
    () => `/history/statements?month=${new Date().toISOString().slice(0, 7)}`,
    (guest) => guest.sees('Balance so far', /^Balance \$/),
  ),
  screen('profile', '/profile', (guest) =>
    guest.page.getByRole('switch', { name: 'Privacy mode' }).waitFor(),
  ),
  screen('messages', '/messages', (guest) => guest.sees('While you were away', 'Today')),
  screen('my-qr', '/my-qr', (guest) => guest.heading('My QR Code')),
  screen('bank', '/bank-accounts', (guest) => guest.heading(/Bank/)),
  screen('treasury', '/treasury', (guest) => guest.heading('Treasury')),
  screen('subscriptions', '/subscriptions', (guest) => guest.heading('Subscriptions')),
  screen('scheduled', '/scheduled-payments', (guest) => guest.heading(/Scheduled/)),
  screen(
    'tip',
    () => `/tip/${odalysId}?amount=20&description=For%20the%20encore`,
    (guest) =>
      guest.page.getByRole('button', { name: 'Continue to Secure Payment', disabled: false }).waitFor(),
  ),
  screen(
    'checkout',
    () => `/checkout?amount=20&recipientId=${odalysId}&description=For%20the%20encore`,
    (guest) => enterCard(guest.page, VISA),
  ),
];
/** Whatever they leave in the lists, the screens above have been looked at by then. */
const PAYING: readonly Screen[] = [
  screen(
    'error-payment-failed',
    () => `/checkout?amount=21&recipientId=${odalysId}&description=For%20the%20encore`,
    async (guest) => {
      await enterCard(guest.page, DECLINED);
      await guest.press(guest.page.getByRole('button', { name: 'Pay $21.00' }));
      await guest.toast('Payment Failed', 'Your card was declined.');
    },
  ),
  // By Cash App one comes back to a page of its own.
  screen(
    'receipt',
    () => `/checkout?amount=20&recipientId=${odalysId}&paymentMethod=cashapp`,
    async (guest) => {
      await paymentForm(guest.page)
        .getByText(/you continue in Cash App/)
        .waitFor();
      await guest.press(guest.page.getByRole('button', { name: 'Pay $20.00' }));
      await answerCashApp(guest.page, 'Authorize');
      await guest.heading('Payment Successful');
    },
  ),
];

async function judge(guest: Guest, { name, path, shows }: Screen): Promise<void> {
  await guest.goto(path());
  await shows(guest);
  await comesToRest(guest);
  await screenshot(guest, name);
  const { page, device, scheme } = guest;
  const found = {
    axe: await axeFindings(page, scheme === 'dark' ? 'colours' : 'everything'),
    moves: await motionSeen(page),
    jumps: (await layoutShift(page)) > JUMPS_LITTLE,
    small: device === 'phone' && scheme === 'light' ? await smallTargets(page) : [],
  };
  expect({ name, ...found }).toEqual({ name, axe: [], moves: [], jumps: false, small: [] });
  // What it is at a width it is in whatever colours.
  await isWhole(guest, name, scheme === 'light' ? screenWidths() : []);
  if (scheme === 'light') expect(await coloursInTheDark(guest)).toEqual([]);
}

/** What is hard to read on the same page when it turns dark. */
async function coloursInTheDark(guest: Guest): Promise<string[]> {
  const { page } = guest;
  await page.emulateMedia({ colorScheme: 'dark' });
  await comesToRest(guest);
  const findings = await axeFindings(page, 'colours');
  await page.emulateMedia({ colorScheme: 'light' });
  return findings;
}

const WINDOWS: readonly (readonly [Device, Scheme])[] = [
  ['phone', 'light'],
  ['phone', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
  ['tablet', 'light'],
  ['tablet', 'dark'],
];
// Phone and desktop and each scheme once; all pairs where they are photographed, which takes minutes.
const LOOKED_AT = WINDOWS.filter(
  ([device, scheme]) =>
    takesScreenshots || (device !== 'tablet' && (device === 'phone') === (scheme === 'light')),
);

/**
 * Of each layout that only a desktop has: without the shell, in columns, a list with its months beside it, a
 * form.
 */
const ON_DESKTOP = new Set(['landing', 'home', 'history', 'checkout', 'receipt']);
const judgedOn =
  (device: Device) =>
  ({ name }: Screen): boolean =>
    takesScreenshots || isWholeRun || device === 'phone' || ON_DESKTOP.has(name);

/** What opens over a screen on a phone, and stands beside it on a desktop. */
const SHEETS: readonly Screen[] = [
  screen('menu', '/profile', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Menu' }));
    await guest.page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Log Out' }).waitFor();
  }),
  screen('history-months', '/history', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Months' }));
    await guest.page
      .getByRole('dialog', { name: 'Months' })
      .getByText('Transactions', { exact: true })
      .waitFor();
  }),
];
/**
 * What a screen becomes, and others have judged: pictures of it are taken here, where there is something to
 * be seen in it.
 */
const ALSO_PHOTOGRAPHED: readonly Screen[] = [
  screen('history-receipt', '/history', async (guest) => {
    await guest.press(guest.page.getByRole('link', { name: 'Lantern Hall' }).first());
    const receipt = guest.page.getByRole('dialog', { name: 'Receipt' });
    await receipt.getByText('Added to your balance').waitFor();
    await proven(receipt);
  }),
  screen('history-receipt-pending', '/history', async (guest) => {
    const message = 'The proof of this receipt follows within two minutes.';
    await guest.page.route(/\/api\/transactions\/[^/]+\/proof$/, (route) =>
      route.fulfill({ json: { state: 'pending', message } }),
    );
    await guest.press(guest.page.getByRole('link', { name: 'Odalys Ferrante' }).first());
    await guest.sees(message);
    await guest.page.unrouteAll();
  }),
  screen('history-found', '/history?q=night&method=card', async (guest) => {
    await guest.page.locator('mark').first().waitFor();
  }),
  screen('history-nothing-found', '/history?q=nobody+of+that+name', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Filters' }));
    await guest.sees('No transactions found', 'Sent');
  }),
  screen('recipient-phone', '/payments', async (guest) => {
    await guest.press(guest.page.getByRole('tab', { name: 'Phone' }));
    await guest.page.getByRole('textbox', { name: 'Phone number' }).fill('(212) 555-0123');
  }),
  screen('recipient-qr', '/payments', async (guest) => {
    await guest.press(guest.page.getByRole('tab', { name: 'QR' }));
    await guest.page.getByRole('button', { name: 'Scan QR Code', exact: true }).waitFor();
  }),
  screen(
    'checkout-cashapp',
    () => `/checkout?amount=20&recipientId=${odalysId}&paymentMethod=cashapp`,
    (guest) =>
      paymentForm(guest.page)
        .getByText(/you continue in Cash App/)
        .waitFor(),
  ),
  screen('payments-subscription', '/payments', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Subscription', exact: true }));
    await guest.page.getByRole('button', { name: 'Create Subscription' }).waitFor();
  }),
  screen('payments-scheduled', '/payments', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Scheduled', exact: true }));
    await guest.page.getByLabel('Date and time').waitFor();
  }),
  screen('mail', '/inbox', async ({ page }) => {
    await page
      .getByRole('link', { name: /^Payment received/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Payment received' }).waitFor();
    // As a mail program shows it, without the inbox around it.
    await page.goto(`${page.url()}/html`);
    await page.getByText(/paid you \$/).waitFor();
  }),
  screen('mail-new-device', '/inbox', async ({ page }) => {
    await page
      .getByRole('link', { name: /sign-in|signed in/i })
      .first()
      .click();
    await page.goto(`${page.url()}/html`);
    await page
      .getByText(/signed in|sign-in/i)
      .first()
      .waitFor();
  }),
  ...(['Your picture', 'Can’t use your passkey?', 'Signed in', 'Your data'] as const).map((title, at) =>
    screen(`profile-${['picture', 'recovery', 'sessions', 'own-data'][at]!}`, '/profile', async (guest) => {
      await comesToRest(guest);
      const heading = guest.page.getByRole('heading', { name: title, exact: true });
      await heading.waitFor();
      await heading.evaluate((element) => {
        element.scrollIntoView({ block: 'start' });
        window.scrollBy(0, -24);
      });
    }),
  ),
  screen('wallet-menu', '/treasury', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'More for Spring tour' }));
    await guest.page.getByRole('menuitem', { name: 'Close Wallet' }).waitFor();
  }),
  screen('wallet-rename', '/treasury', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'More for Spring tour' }));
    await guest.press(guest.page.getByRole('menuitem', { name: 'Rename Wallet' }));
    await guest.page.getByRole('dialog', { name: 'Rename Wallet' }).waitFor();
  }),
  screen('wallet-close', '/treasury', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'More for Spring tour' }));
    await guest.press(guest.page.getByRole('menuitem', { name: 'Close Wallet' }));
    await guest.page.getByRole('dialog', { name: 'Close this wallet?' }).waitFor();
  }),
  screen('wallet-withdraw', '/treasury', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Withdraw from Spring tour' }));
    await guest.page.getByRole('dialog', { name: 'Withdraw' }).waitFor();
  }),
];
/** A desktop has no menu that they could stand in. */
const NOTIFICATIONS = screen('notifications', '/profile', async (guest) => {
  await guest.press(guest.page.getByRole('button', { name: 'Notifications', exact: true }));
  await guest.page
    .getByRole('dialog', { name: 'Notifications' })
    .getByText('Nothing new since you came.')
    .waitFor();
});

/** Juno's windows, open from the first look to the last. */
const windowsOfJuno = new Map<string, Guest>();

describe.each(LOOKED_AT)('on a %s in the %s', (device, scheme) => {
  let visitor: Guest;
  let juno: Guest;
  beforeAll(async () => {
    // Whoever wants less motion gets the page as it ends up.
    const how = { device, scheme, reducedMotion: 'reduce' } as const;
    visitor = await guests.open('Visitor', how);
    juno = await guests.open('Juno', how);
    await juno.enter('/', { email: PEOPLE.juno.email, password: PASSWORD });
    windowsOfJuno.set(`${device} ${scheme}`, juno);
  }, WITHIN_MS);

  const judged = judgedOn(device);
  it.each(SIGNED_OUT.filter(judged))('a visitor can read and use $name', (each) => judge(visitor, each));
  it.each(SIGNED_IN.filter(judged))('somebody signed in can read and use $name', (each) => judge(juno, each));
  const isJudged = ({ name, path, shows }: Screen, devices?: readonly Device[]) =>
    it(
      `somebody signed in can read and use ${name}`,
      async () => {
        await juno.goto(path());
        await shows(juno);
        await looksRight(juno, name, { devices });
      },
      WITHIN_MS,
    );
  if (device === 'phone' && scheme === 'light') {
    for (const each of SHEETS) isJudged(each, ['phone']);
    if (takesScreenshots) for (const each of ALSO_PHOTOGRAPHED) isJudged(each);
  }
  if (device === 'desktop' && scheme === 'dark') isJudged(NOTIFICATIONS, ['desktop']);
});

/**
 * What is on a screen for seconds, or needs a story of its own: others have judged it, or what is like it.
 */
if (takesScreenshots)
  describe('what comes and goes', () => {
    let world: CardProviderWorld;
    let fan: Person;
    let juno: Guest;
    const button = (guest: Guest, name: string | RegExp): Locator => guest.page.getByRole('button', { name });
    const opened = async (firstName: string, device: Device = 'phone'): Promise<Guest> => {
      const guest = await guests.open(firstName, { device });
      await clockStands(guest.page);
      await guest.page.addInitScript(() => Object.assign(window, { print: () => undefined }));
      return guest;
    };
    const asks = async (guest: Guest, method: string, path: string, data: object): Promise<unknown> => {
      const to = new URL(path, guest.url);
      const answer = await guest.context.request.fetch(to.href, {
        method,
        data,
        headers: { origin: to.origin },
      });
      expect([path, answer.status()]).toEqual([path, 200]);
      return answer.json();
    };
    const Made = z.object({ id: z.string() });
    const tips = async (toUserId: string, amount: string): Promise<string> => {
      const { clientSecret } = await fan.pay(toUserId, amount, { description: 'For the encore' });
      await world.card(clientSecret);
      return intentOf(clientSecret);
    };
    const INTENTS = /\/v1\/payment_intents\//;

    beforeAll(async () => {
      world = new CardProviderWorld(stack);
      [fan, juno] = await Promise.all([Person.signUp(stack().url, 'Robin'), opened('Juno')]);
      await juno.enter('/', { email: PEOPLE.juno.email, password: PASSWORD });
    }, WITHIN_MS);

    const isPhotographed = (name: string, shows: () => Promise<unknown>, devices?: readonly Device[]) =>
      it(
        name,
        async () => {
          await shows();
          await looksRight(juno, name, { devices });
        },
        WITHIN_MS,
      );

    it(
      'a receipt and a month on paper',
      async () => {
        const onPaper = await opened('Juno', 'desktop');
        await onPaper.enter('/', { email: PEOPLE.juno.email, password: PASSWORD });
        const printed = async (name: string, print: Locator): Promise<void> => {
          // Of what has not been read yet there is nothing to print.
          await comesToRest(onPaper);
          await onPaper.press(print);
          await onPaper.page.setViewportSize(PAPER);
          await onPaper.page.emulateMedia({ media: 'print' });
          // A printer leaves its margins; a window has none.
          await onPaper.page.evaluate(() => Object.assign(document.body.style, { margin: '20mm 18mm' }));
          await onPaper.page.locator('.encore-printed').waitFor();
          await screenshot(onPaper, name);
          await onPaper.page.emulateMedia({ media: 'screen' });
          await onPaper.page.setViewportSize(DEVICES.desktop.viewport);
        };
        await onPaper.goto('/history');
        await printed('printed-month', button(onPaper, /^Print \w+ \d{4}$/));
        await onPaper.goto('/history');
        await onPaper.press(onPaper.page.getByRole('link', { name: 'Lantern Hall' }).first());
        await printed(
          'printed-receipt',
          onPaper.page.getByRole('dialog', { name: 'Receipt' }).getByRole('button', { name: 'Print' }),
        );
      },
      WITHIN_MS,
    );

    it(
      'a tip that comes in, what is kept of it, and something done',
      async () => {
        const atDesk = await opened('Juno', 'desktop');
        await atDesk.enter('/', { email: PEOPLE.juno.email, password: PASSWORD });
        const listens = juno.page.waitForResponse(
          (answer) => new URL(answer.url()).pathname === '/api/events',
        );
        await juno.goto('/');
        await listens;
        const { id } = Made.parse(
          await (await juno.context.request.get(new URL('/api/auth/user', juno.url).href)).json(),
        );
        await tips(id, '25.00');
        for (const each of [juno, atDesk])
          await each.toast('Payment received', '+$25.00 from Robin Valastro: “For the encore”');
        await looksRight(juno, 'home-tip-arrives');
        await juno.press(button(juno, 'Menu, new notifications'));
        const told = (guest: Guest): Locator =>
          guest.page.getByRole('list', { name: 'Notifications' }).getByText('Robin Valastro');
        await told(juno).first().waitFor();
        await button(juno, 'Dismiss').click();
        await looksRight(juno, 'notifications-told', { devices: ['phone'] });
        await atDesk.press(button(atDesk, /^Notifications/));
        await told(atDesk).first().waitFor();
        await button(atDesk, 'Dismiss').click();
        await looksRight(atDesk, 'notifications-told', { devices: ['desktop'] });

        await juno.goto('/treasury');
        await juno.press(button(juno, 'New Wallet'));
        const form = juno.page.getByRole('dialog', { name: 'New Wallet' });
        await form.getByLabel('Wallet name').fill('Winter residency');
        await juno.press(form.getByRole('button', { name: 'Create Wallet' }));
        await juno.toast(
          'Treasury Wallet Created',
          'Your new treasury wallet has been created successfully.',
        );
        await form.waitFor({ state: 'detached' });
        await looksRight(juno, 'treasury-wallet-created');
      },
      WITHIN_MS,
    );

    isPhotographed('home-private', async () => {
      await asks(juno, 'PUT', '/api/settings', { privacyModeEnabled: true });
      await juno.goto('/');
      await button(juno, 'Show amounts').waitFor();
    });
    isPhotographed('tip-invalid-link', async () => {
      await asks(juno, 'PUT', '/api/settings', { privacyModeEnabled: false });
      await juno.goto(`/tip/${odalysId}`);
      await juno.toast('Invalid Tip Link');
    });
    isPhotographed('tip-error', async () => {
      await juno.goto('/tip/usr_nobody?amount=5');
      await juno.toast('Tip Error', 'This person cannot receive tips. Please check the link.');
    });
    isPhotographed('payment-error', async () => {
      await juno.goto('/checkout?amount=5&recipientId=usr_nobody');
      await juno.toast('Payment Error');
    });
    isPhotographed('payment-nothing-to-confirm', async () => {
      await juno.goto('/checkout?paymentId=pay_nothing');
      await juno.sees('Nothing to confirm');
    });
    isPhotographed('payment-none', async () => {
      await juno.goto('/payment-success');
      await juno.sees('No payment to show');
    });
    isPhotographed('payment-unknown', async () => {
      juno.expectFault(/net::ERR_FAILED/);
      await juno.goto(`/checkout?amount=12.50&recipientId=${odalysId}&description=For%20the%20encore`);
      await enterCard(juno.page, VISA);
      await juno.page.route(INTENTS, (route) => route.abort());
      await juno.press(button(juno, 'Pay $12.50'));
      await juno.sees(/we cannot tell yet whether you were charged/);
      await button(juno, 'Dismiss').click();
    });
    it.each([
      ['payment-processing', 'Payment Processing'],
      ['payment-not-confirmed', 'Payment Not Confirmed'],
    ])(
      '%s',
      async (name, title) => {
        const { page } = juno;
        await page.unroute(INTENTS);
        await juno.goto(`/checkout?amount=12.50&recipientId=${odalysId}&paymentMethod=cashapp`);
        await paymentForm(page)
          .getByText(/you continue in Cash App/)
          .waitFor();
        await juno.press(button(juno, 'Pay $12.50'));
        await page.getByRole('heading', { name: 'Cash App' }).waitFor();
        await page.route(INTENTS, async (route) => {
          if (title === 'Payment Not Confirmed') return route.abort();
          const response = await route.fetch();
          const intent = z.looseObject({}).parse(await response.json());
          return route.fulfill({ response, json: { ...intent, status: 'processing' } });
        });
        await answerCashApp(page, 'Authorize');
        await juno.heading(title);
        await looksRight(juno, name);
      },
      WITHIN_MS,
    );

    it(
      'a newcomer’s pages, and those of somebody who had more taken back than there was',
      async () => {
        const newcomer = await opened('Robin');
        await newcomer.join();
        await newcomer.sees('No transactions yet');
        await looksRight(newcomer, 'home-new');
        await newcomer.goto('/history');
        await newcomer.sees('No transactions yet');
        await looksRight(newcomer, 'history-empty');
        await newcomer.goto('/profile');
        await newcomer.press(button(newcomer, 'Delete My Account'));
        await newcomer.page.getByRole('dialog', { name: 'Delete your account?' }).waitFor();
        await looksRight(newcomer, 'profile-delete');
        const { id } = Made.parse(
          await (await newcomer.context.request.get(new URL('/api/auth/user', newcomer.url).href)).json(),
        );
        const payment_intent = await tips(id, '20.00');
        await world.delivered();
        const { id: walletId } = Made.parse(
          await asks(newcomer, 'POST', '/api/treasury/wallets', { displayName: 'Taxes' }),
        );
        await asks(newcomer, 'POST', '/api/treasury/transfer', { walletId, amount: '15.00' });
        await world.stripe.refunds.create({ payment_intent });
        await world.delivered();
        await newcomer.goto('/');
        await newcomer.sees('You owe');
        await looksRight(newcomer, 'home-owing');
      },
      WITHIN_MS,
    );
  });

describe.each(LOOKED_AT)('on a %s in the %s', (device, scheme) => {
  it.each(PAYING.filter(judgedOn(device)))('somebody who pays can read and use $name', (each) =>
    judge(windowsOfJuno.get(`${device} ${scheme}`)!, each),
  );
});
