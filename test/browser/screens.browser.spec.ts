/**
 * Every screen with real data, on a phone and a desktop, in the light and the dark, for somebody who wants less motion: axe finds
 * nothing, nothing moves or jumps, and at every width nothing scrolls sideways, is cut off or lies on something else. With SCREENSHOTS=on (`make screenshots`) each is photographed into docs/screenshots.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Demo } from '#local/demo/chapter';
import { tellDemo } from '#local/demo/demo';
import { PASSWORD, PEOPLE } from '#local/demo/people';
import { axeFindings } from '#test/support/browser/accessibility';
import { useGuests, type Device, type Guest, type Scheme } from '#test/support/browser/guest';
import { layoutShift } from '#test/support/browser/layout';
import { comesToRest, isWhole, looksRight } from '#test/support/browser/looks';
import { motionSeen } from '#test/support/browser/motion';
import { answerCashApp, enterCard, paymentForm } from '#test/support/browser/payment-form';
import { screenshot, takesScreenshots } from '#test/support/browser/screenshots';
import { CardProviderWorld, DECLINED, VISA } from '#test/support/payer';
import { useStack } from '#test/support/stack';
import { demoBalance, demoPayouts } from '#test/support/told-demo';

const stack = useStack(['all'], { env: { CARE_EVERY_SECONDS: '1', SCHEDULES_EVERY_SECONDS: '1' } });
const guests = useGuests(stack);
const WITHIN_MS = 240_000;
let odalysId = '';
const JUMPS_LITTLE = 0.1;

beforeAll(async () => {
  const { url: publicUrl, dataFolder, env } = stack();
  const { STRIPE_API_URL: apiUrl = '', STRIPE_SECRET_KEY: secretKey = '', STRIPE_PUBLISHABLE_KEY: publishableKey = '' } = env;
  const till = { apiUrl, secretKey, publishableKey };
  await tellDemo({ dataFolder, publicUrl, till }, new AbortController().signal);
  await new CardProviderWorld(stack()).delivered();
  const demo = new Demo(publicUrl, new Date(), till, new AbortController().signal);
  await demoPayouts(demo);
  odalysId = (await demo.person('odalys')).id;
}, WITHIN_MS);

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
  // The latest rows change as the windows before this one pay.
  screen('home', '/', (guest) => guest.sees(junosBalance, /^[+-]\$(?:4|10|15|2[01])\.00$/)),
  screen('payments', '/payments', (guest) => guest.heading('Payments')),
  screen('history', '/history', (guest) => guest.heading('Transaction History')),
  screen('profile', '/profile', (guest) => guest.page.getByRole('switch', { name: 'Privacy mode' }).waitFor()),
  screen('my-qr', '/my-qr', (guest) => guest.heading('My QR Code')),
  screen('bank', '/bank-accounts', (guest) => guest.heading(/Bank/)),
  screen('treasury', '/treasury', (guest) => guest.heading('Treasury')),
  screen('subscriptions', '/subscriptions', (guest) => guest.heading('Subscriptions')),
  screen('scheduled', '/scheduled-payments', (guest) => guest.heading(/Scheduled/)),
  screen(
    'tip',
    () => `/tip/${odalysId}?amount=20&description=For%20the%20encore`,
    (guest) => guest.page.getByRole('button', { name: 'Continue to Secure Payment', disabled: false }).waitFor(),
  ),
  screen(
    'checkout',
    () => `/checkout?amount=20&recipientId=${odalysId}&description=For%20the%20encore`,
    (guest) => enterCard(guest.page, VISA),
  ),
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
  const { page } = guest;
  const found = {
    axe: await axeFindings(page, guest.scheme === 'dark' ? 'colours' : 'everything'),
    moves: await motionSeen(page),
    jumps: (await layoutShift(page)) > JUMPS_LITTLE,
  };
  expect({ name, ...found }).toEqual({ name, axe: [], moves: [], jumps: false });
  // What it is at a width it is in whatever colours.
  await isWhole(guest, name, guest.scheme === 'light' ? undefined : []);
}

const WINDOWS: readonly (readonly [Device, Scheme])[] = [
  ['phone', 'light'],
  ['phone', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
];
// Each device and each scheme once; all four pairs where they are photographed, which takes minutes.
const LOOKED_AT = WINDOWS.filter(([device, scheme]) => takesScreenshots || (device === 'phone') === (scheme === 'light'));

/** What opens over a screen on a phone, and stands beside it on a desktop. */
const SHEETS: readonly Screen[] = [
  screen('menu', '/profile', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Menu' }));
    await guest.page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Log Out' }).waitFor();
  }),
  screen('history-months', '/history', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Months' }));
    await guest.page.getByRole('dialog', { name: 'Months' }).getByText('Transactions', { exact: true }).waitFor();
  }),
];
/** What a screen becomes, and others have judged: pictures of it are taken here, where there is something to be seen in it. */
const ALSO_PHOTOGRAPHED: readonly Screen[] = [
  screen('history-receipt', '/history', async (guest) => {
    await guest.press(guest.page.getByRole('link', { name: 'Lantern Hall' }).first());
    await guest.page.getByRole('dialog', { name: 'Receipt' }).getByText('Added to your balance').waitFor();
  }),
  screen('history-nothing-found', '/history?q=nobody+of+that+name', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Filters' }));
    await guest.sees('No transactions found', 'Sent');
  }),
  screen('payments-subscription', '/payments', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Subscription', exact: true }));
    await guest.page.getByRole('button', { name: 'Create Subscription' }).waitFor();
  }),
  screen('payments-scheduled', '/payments', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Scheduled', exact: true }));
    await guest.page.getByLabel('Date and time').waitFor();
  }),
  screen('wallet-withdraw', '/treasury', async (guest) => {
    await guest.press(guest.page.getByRole('button', { name: 'Withdraw from Spring tour' }));
    await guest.page.getByRole('dialog', { name: 'Withdraw' }).waitFor();
  }),
];
/** A desktop has no menu that they could stand in. */
const NOTIFICATIONS = screen('notifications', '/profile', async (guest) => {
  await guest.press(guest.page.getByRole('button', { name: 'Notifications', exact: true }));
  await guest.page.getByRole('dialog', { name: 'Notifications' }).getByText('Nothing new since you came.').waitFor();
});

describe.each(LOOKED_AT)('on a %s in the %s', (device, scheme) => {
  let visitor: Guest;
  let juno: Guest;
  beforeAll(async () => {
    // Whoever wants less motion gets the page as it ends up.
    const how = { device, scheme, reducedMotion: 'reduce' } as const;
    visitor = await guests.open('Visitor', how);
    juno = await guests.open('Juno', how);
    await juno.signIn('/', { email: PEOPLE.juno.email, password: PASSWORD });
  }, WITHIN_MS);

  it.each(SIGNED_OUT)('a visitor can read and use $name', (each) => judge(visitor, each));
  it.each(SIGNED_IN)('somebody signed in can read and use $name', (each) => judge(juno, each));
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
