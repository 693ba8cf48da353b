/**
 * The central act, phone and desktop at once: from the code on the poster to the performer's page, and there
 * to paid, by a stranger with the phone's wallet, Cash App or a card, or by one tap of whoever has an
 * account; the performer, who touches nothing, sees each. Then what becomes of the receipt.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SetupIntentAnswer } from '#contracts/api/payment-methods';
import { CurrentUser } from '#contracts/api/users';
import { axeFindings } from '#test/support/browser/accessibility';
import type { FakeCamera } from '#test/support/browser/camera';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { inEveryWindow } from '#test/support/browser/looks';
import { answerBank, answerCashApp, enterCard, FIELDS } from '#test/support/browser/payment-form';
import { smallPng } from '#test/support/browser/picture';
import { eventually } from '#test/conformance/stripe-process';
import { ASKS_THE_PAYER, CardProviderWorld, DECLINED, VISA } from '#test/support/payer';
import { Person } from '#test/support/person';
import { codeOn, readCode } from '#test/support/printed-code';
import { ageSignIns } from '#test/support/sign-in-age';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const guests = useGuests(stack);
const WITHIN_MS = 120_000;
const PAGE = '/@junoplays';
/** A phone's own, which its owner has just looked at. */
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

let juno: Guest;
/** Has an account, a balance, a saved card and a camera. */
let milo: Guest;
let miloId = '';
let camera: FakeCamera;
/** What any phone's camera reads from the poster. */
let onPoster = '';

async function put(guest: Guest, path: string, data: object): Promise<number> {
  return (await guest.context.request.put(new URL(path, guest.url).href, { data })).status();
}
const button = (guest: Guest, name: string | RegExp) => guest.page.getByRole('button', { name });
const press = (guest: Guest, name: string | RegExp): Promise<void> => guest.press(button(guest, name));
const choose = (guest: Guest, amount: string): Promise<void> =>
  guest.page.getByRole('radio', { name: amount, exact: true }).check({ force: true });

/** Waits for the receipt of this sum. */
async function receipt(guest: Guest, amount: string): Promise<void> {
  await guest.page.waitForURL(/\/@junoplays\/paid\/[A-Za-z0-9_-]{22}(\?|$)/);
  await guest.heading(`Juno has your $${amount}`);
}

/** How often this guest has put a finger on the page since, on all pages and in all frames. */
async function countTaps(guest: Guest): Promise<() => number> {
  let taps = 0;
  await guest.context.exposeFunction('encoreTapped', () => {
    taps += 1;
  });
  await guest.context.addInitScript(() =>
    addEventListener('pointerdown', ({ isTrusted }) => {
      if (isTrusted) (window as unknown as { encoreTapped: () => void }).encoreTapped();
    }),
  );
  return () => taps;
}

/** The performer's home, which nobody touches, shows who tipped how much. */
const junoSees = (who: string, amount: string): Promise<void> =>
  juno.page
    .getByRole('list', { name: 'Recent Activity' })
    .getByRole('listitem')
    .filter({ hasText: who })
    .filter({ hasText: `+$${amount}` })
    .first()
    .waitFor();

async function hasBalanceAndCard(guest: Guest): Promise<string> {
  const provider = new CardProviderWorld(stack);
  const me = await guest.context.request.get(new URL('/api/auth/user', guest.url).href);
  const { id } = CurrentUser.parse(await me.json());
  const fan = await Person.signUp(stack().url, 'Odalys');
  await provider.card((await fan.pay(id, '300.00')).clientSecret);
  const setup = await guest.context.request.post(new URL('/api/setup-intent', guest.url).href, { data: {} });
  await provider.saveCard(SetupIntentAnswer.parse(await setup.json()).clientSecret);
  await provider.delivered();
  return id;
}

beforeAll(async () => {
  [juno, { guest: milo, camera }] = await Promise.all([
    guests.open('Juno', { device: 'desktop' }),
    guests.openWithCamera('Milo'),
  ]);
  await Promise.all([juno.join('/'), milo.join('/payments')]);
  miloId = await hasBalanceAndCard(milo);
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
    await inEveryWindow(fan, 'public-tip-nobody');
    const owner = await juno.context.request.get(new URL(PAGE, juno.url).href);
    expect([owner.status(), await owner.text()]).toEqual([200, expect.stringContaining('Preview: only you')]);
    expect(await put(juno, '/api/tip-page/published', { isPublished: true })).toBe(200);
    await fan.goto(PAGE);
    await fan.heading('Juno Valastro');
    await inEveryWindow(fan, 'public-tip');
    expect(await axeFindings(fan.page)).toEqual([]);
  });

  it('says without script what is to be done', async () => {
    const plain = await guests.open('Nell', { javaScriptEnabled: false });
    await plain.goto(PAGE);
    await plain.sees('Juno Valastro', /Paying needs JavaScript/);
  });
});

describe('a tip page in privacy mode', () => {
  it('shows the handle, as long as it may be, and neither name nor picture', async () => {
    const asa = await guests.open('Asa', { device: 'desktop' });
    await asa.join('/');
    const handle = 'the_lanterns_of_the_old_harbor';
    const page = `/@${handle}`;
    expect(await put(asa, '/api/tip-page/handle', { handle })).toBe(200);
    const picture = await asa.context.request.put(new URL('/api/user/picture', asa.url).href, {
      data: smallPng({ width: 200, height: 200, rgb: Buffer.alloc(200 * 200 * 3, 99) }),
      headers: { 'content-type': 'image/png' },
    });
    expect(picture.status()).toBe(200);
    expect(await put(asa, '/api/tip-page/published', { isPublished: true })).toBe(200);
    const fan = await guests.open('Lior');
    await fan.goto(page);
    const shown = await fan.page.locator('.face img').getAttribute('src');
    expect(await put(asa, '/api/settings', { privacyModeEnabled: true })).toBe(200);
    await fan.goto(page);
    await fan.heading(`@${handle}`);
    expect(await fan.page.locator('.face img').count()).toBe(0);
    expect((await fan.context.request.get(new URL(shown!, fan.url).href)).status()).toBe(404);
    await inEveryWindow(fan, 'public-tip-private');
  });
});

describe('the code on the poster', () => {
  it(
    'is the page’s address to any camera, and opens the page in the app’s scanner too',
    async () => {
      const poster = await juno.context.request.get(
        new URL('/api/tip-page/print?kind=poster&paper=a4', juno.url).href,
      );
      const code = codeOn(await poster.body());
      onPoster = readCode(code);
      expect(onPoster).toBe(new URL(PAGE, juno.url).href);
      await milo.page.getByRole('tab', { name: 'QR' }).click();
      camera.showsPicture(code);
      await press(milo, 'Scan QR Code');
      await milo.arriveAt(PAGE);
      await milo.heading('Juno Valastro');
    },
    WITHIN_MS,
  );
});

describe('a guest', () => {
  it(
    'whose camera read the poster pays by the phone’s wallet in two taps, and the performer sees it by itself',
    async () => {
      const wren = await guests.open('Wren');
      const taps = await countTaps(wren);
      await wren.goto(onPoster);
      await wren.page.getByLabel('Note').fill('For the encore');
      await wren.page.getByLabel('From', { exact: true }).fill('Wren');
      await press(wren, 'Pay with Google Pay');
      await wren.sees(/USD 10\.00/);
      await press(wren, 'Confirm on this phone');
      await receipt(wren, '10.00');
      await inEveryWindow(wren, 'public-tip-paid');
      expect(taps()).toBe(2);
      // On paper there is no velvet: a browser prints what is drawn, and no ground.
      await wren.page.emulateMedia({ media: 'print' });
      const heading = wren.page.getByRole('heading', { level: 1 });
      expect(await heading.evaluate((text) => getComputedStyle(text).color)).toBe('rgb(0, 0, 0)');
      expect(await wren.page.locator('.beam').isVisible()).toBe(false);
      await wren.page.emulateMedia({ media: null });
      await wren.sees(/For the encore/);
      await junoSees('Wren', '10.00');
    },
    WITHIN_MS,
  );

  it(
    'pays by Cash App, another amount, and stays anonymous',
    async () => {
      const nell = await guests.open('Nell');
      await nell.goto(PAGE);
      await choose(nell, 'Other');
      await nell.page.getByLabel('Amount in dollars').fill('1e3');
      await nell.sees(/must be a plain number/);
      await inEveryWindow(nell, 'public-tip-other');
      await nell.page.getByLabel('Amount in dollars').fill('7.50');
      await nell.page.getByRole('switch', { name: 'Stay anonymous' }).check();
      await inEveryWindow(nell, 'public-tip-anonymous');
      // Whoever has chosen the colours of all pages sees where the switch stands, too.
      const anonymous = nell.page.getByRole('switch', { name: 'Stay anonymous' });
      await nell.page.emulateMedia({ forcedColors: 'active' });
      for (const isOn of [false, true]) {
        await anonymous.setChecked(isOn);
        const [ground, thumb] = await anonymous.evaluate((input) =>
          [undefined, '::before'].map((part) => getComputedStyle(input, part).backgroundColor),
        );
        expect(thumb).not.toBe(ground);
      }
      const grounds = await nell.page
        .locator('.presets label')
        .evaluateAll((labels) => labels.map((label) => getComputedStyle(label).backgroundColor));
      expect(grounds.filter((ground) => ground !== grounds[0])).toEqual([grounds.at(-1)]);
      await nell.page.emulateMedia({ forcedColors: 'none' });
      // Without a place to break, wider than any phone.
      await nell.page.getByLabel('Note').fill(`https://music.example/track/${'b7Wq3'.repeat(14)}`);
      await press(nell, 'Cash App');
      await answerCashApp(nell.page, 'Authorize');
      await receipt(nell, '7.50');
      await inEveryWindow(nell, 'public-tip-paid-link');
      await nell.sees('A guest');
      await junoSees('A guest', '7.50');
    },
    WITHIN_MS,
  );

  it(
    'who closes the wallet has paid nothing, and whose card is declined pays by another that the bank asks about',
    async () => {
      const petra = await guests.open('Petra', { device: 'desktop', scheme: 'dark' });
      await petra.goto(PAGE);
      await choose(petra, '$5');
      await petra.page.getByLabel('From', { exact: true }).fill('Petra');
      await press(petra, 'Pay with Google Pay');
      await press(petra, 'Close');
      await petra.sees('Canceled. You were not charged.');
      // The evening comes while the page is open, or goes: the button stays readable on it.
      for (const [scheme, colour] of [
        ['light', 'rgb(0, 0, 0)'],
        ['dark', 'rgb(255, 255, 255)'],
      ] as const) {
        await petra.page.emulateMedia({ colorScheme: scheme });
        await petra.page.waitForFunction((ground) => {
          const button = document.querySelector('#wallets button');
          return button !== null && getComputedStyle(button).backgroundColor === ground;
        }, colour);
      }
      await press(petra, 'Card');
      await enterCard(petra.page, DECLINED);
      await press(petra, 'Pay $5.00');
      await petra.sees('Your card was declined. You were not charged.');
      await inEveryWindow(petra, 'public-tip-declined');
      await enterCard(petra.page, ASKS_THE_PAYER);
      await press(petra, 'Pay $5.00');
      await answerBank(petra.page, 'Complete');
      await receipt(petra, '5.00');
      await junoSees('Petra', '5.00');
    },
    WITHIN_MS,
  );

  it(
    'who leaves Cash App and pays by card cannot be charged at both',
    async () => {
      const otis = await guests.open('Otis');
      const chooses = async (): Promise<void> => {
        await otis.goto(PAGE);
        await otis.page.getByLabel('From', { exact: true }).fill('Otis');
        await choose(otis, '$5');
      };
      await chooses();
      await press(otis, 'Cash App');
      await otis.page.getByRole('heading', { name: 'Cash App' }).waitFor();
      const leftBehind = otis.page.url();
      await chooses();
      await press(otis, 'Card');
      await enterCard(otis.page, VISA);
      await press(otis, 'Pay $5.00');
      await receipt(otis, '5.00');
      await junoSees('Otis', '5.00');
      // There is nothing to authorize any more: Cash App leads back at once.
      await otis.page.goto(leftBehind);
      await receipt(otis, '5.00');
    },
    WITHIN_MS,
  );

  it(
    'whose network fails is told so, and pays once when it is back',
    async () => {
      const imani = await guests.open('Imani', { scheme: 'dark' });
      imani.expectFault(/net::ERR_INTERNET_DISCONNECTED/);
      await imani.goto(PAGE);
      await imani.page.getByLabel('From', { exact: true }).fill('Imani');
      await choose(imani, '$20');
      await press(imani, 'Card');
      await enterCard(imani.page, VISA);
      await imani.context.setOffline(true);
      await press(imani, 'Pay $20.00');
      await imani.sees(/press again: you are not charged twice/);
      await inEveryWindow(imani, 'public-tip-offline');
      await imani.context.setOffline(false);
      await press(imani, 'Pay $20.00');
      await receipt(imani, '20.00');
      await junoSees('Imani', '20.00');
      await imani.goto(PAGE);
      await choose(imani, '$20');
      await imani.sees('You tipped Juno this much a moment ago. This would be a second tip.');
    },
    WITHIN_MS,
  );

  it(
    'whose card fields do not come is told so, and may pay another way',
    async () => {
      const pia = await guests.open('Pia');
      await pia.goto(PAGE);
      await pia.page.route(FIELDS, () => undefined);
      await choose(pia, '$5');
      await press(pia, 'Card');
      await press(pia, 'Pay $5.00');
      await pia.sees('The card’s fields have not loaded yet. Wait a moment, or pay another way.');
      await inEveryWindow(pia, 'public-tip-no-fields');
      expect(await axeFindings(pia.page, 'everything')).toEqual([]);
      await pia.page.unrouteAll({ behavior: 'ignoreErrors' });
    },
    WITHIN_MS,
  );

  it(
    'who left an address is mailed when the money comes back, and the receipt says so',
    async () => {
      const rosa = await guests.open('Rosa');
      await rosa.goto(PAGE);
      await choose(rosa, '$20');
      await rosa.page.getByLabel('From', { exact: true }).fill('Rosa');
      await press(rosa, 'Pay with Google Pay');
      await press(rosa, 'Confirm on this phone');
      await receipt(rosa, '20.00');
      const address = rosa.page.url();
      await rosa.page.getByLabel('Send it to my email').fill('rosa@example.com');
      await press(rosa, 'Send the receipt');
      await rosa.sees(/On its way/);
      const { stripe } = new CardProviderWorld(stack);
      const [last] = (await stripe.paymentIntents.list({ limit: 1 })).data;
      await stripe.refunds.create({ payment_intent: last!.id });
      const mail = rosa.page.getByRole('link', { name: /^Payment returned.*rosa@example\.com/ });
      await eventually(async () => {
        await rosa.goto('/inbox');
        return (await mail.count()) === 1;
      }, 'the mail about the returned money');
      await mail.click();
      await rosa.page.goto(`${rosa.page.url()}/html`);
      await rosa.sees(/Banks take 5 to 10 days/);
      await inEveryWindow(rosa, 'mail-returned');
      await rosa.page.goto(address);
      await rosa.heading('Your $20.00 was returned');
      await inEveryWindow(rosa, 'public-tip-returned');
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

describe('whoever is signed in', () => {
  /** A tip by something of Milo's own, with the receipt that it ends with. */
  async function tips(from: string, amount: string): Promise<void> {
    await press(milo, `${from} · $${amount}`);
    await milo.page.waitForURL(/\/@junoplays\/paid\/(pay|trf)_/);
    await milo.heading(`Juno has your $${amount}`);
    await junoSees('Milo Valastro', amount);
  }

  it(
    'pays from the balance or by a saved card in one tap, and has a receipt',
    async () => {
      const taps = await countTaps(milo);
      await milo.goto(PAGE);
      await milo.sees('Visa ••4242 · $10.00', 'Balance · $10.00');
      await inEveryWindow(milo, 'public-tip-own');
      // Whoever has one thing to pay with has one button, as wide as the others.
      const alone = await milo.page.evaluate(() => {
        document.querySelector('#own button + button')?.remove();
        const [own, button] = ['#own', '#own button'].map((place) => document.querySelector(place)!);
        return [own!.clientWidth, button!.getBoundingClientRect().width];
      });
      expect(alone[1]).toBe(alone[0]);
      await milo.goto(PAGE);
      await milo.sees('Balance · $10.00');
      await tips('Balance', '10.00');
      await milo.page.getByRole('definition').filter({ hasText: 'Balance' }).waitFor();
      expect(taps()).toBe(1);
      await inEveryWindow(milo, 'public-tip-own-paid');
      await milo.press(milo.page.getByRole('link', { name: 'Tip Juno again' }));
      await milo.sees('You tipped Juno this much a moment ago. This would be a second tip.');
      await choose(milo, '$20');
      await tips('Visa ••4242', '20.00');
      await milo.press(milo.page.getByRole('link', { name: 'See it in your history' }));
      await milo.page.getByRole('dialog', { name: 'Receipt' }).getByText('$20.00').first().waitFor();
    },
    WITHIN_MS,
  );

  it(
    'pays by a saved card what they left at Cash App, and cannot be charged at both',
    async () => {
      await milo.goto(PAGE);
      await choose(milo, '$5');
      await press(milo, 'Cash App');
      await milo.page.getByRole('heading', { name: 'Cash App' }).waitFor();
      const leftBehind = milo.page.url();
      await milo.goto(PAGE);
      await choose(milo, '$5');
      await tips('Visa ••4242', '5.00');
      await milo.page.goto(leftBehind);
      await milo.heading('Not paid');
    },
    WITHIN_MS,
  );

  it(
    'signs in again where the sum asks for it, and finds the tip as it was',
    async () => {
      await ageSignIns(stack().env.DATABASE_URL, miloId);
      await milo.goto(PAGE);
      await choose(milo, 'Other');
      await milo.page.getByLabel('Amount in dollars').fill('60');
      await milo.page.getByLabel('Note').fill('Play it again');
      await press(milo, 'Balance · $60.00');
      await milo.page.waitForURL(/\/identity\/interaction\//);
      await milo.signIn(PAGE);
      expect(await milo.page.getByLabel('Note').inputValue()).toBe('Play it again');
      await tips('Balance', '60.00');
      await milo.sees('“Play it again”');
    },
    WITHIN_MS,
  );

  it(
    'confirms with the passkey where they asked for that',
    async () => {
      const authenticator = await milo.context.newCDPSession(milo.page);
      await authenticator.send('WebAuthn.enable');
      await authenticator.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
      await milo.goto('/profile');
      await press(milo, 'Add a Passkey');
      await milo.toast('Passkey Added');
      const asks = milo.page.getByRole('switch', { name: 'Ask for my passkey before money moves' });
      await milo.press(asks);
      await asks.and(milo.page.locator(':checked')).waitFor();
      await ageSignIns(stack().env.DATABASE_URL, miloId);
      await milo.goto(PAGE);
      await choose(milo, 'Other');
      await milo.page.getByLabel('Amount in dollars').fill('51');
      await tips('Visa ••4242', '51.00');
    },
    WITHIN_MS,
  );

  it(
    'whose session has ended meanwhile loses nothing, and goes on as a guest',
    async () => {
      await milo.goto(PAGE);
      await choose(milo, '$20');
      await milo.page.getByLabel('Note').fill('Good night');
      await milo.page.getByLabel('From', { exact: true }).fill('Milo');
      await milo.sees('Balance · $20.00');
      await milo.context.clearCookies();
      await press(milo, 'Balance · $20.00');
      await milo.sees(/You are signed out now, and nothing was paid/, 'Sign in again');
      await inEveryWindow(milo, 'public-tip-signed-out');
      await press(milo, 'Card');
      await enterCard(milo.page, VISA);
      await press(milo, 'Pay $20.00');
      await receipt(milo, '20.00');
      await milo.sees('“Good night”', 'Send it to my email');
    },
    WITHIN_MS,
  );
});

describe('a page that was taken back', () => {
  it('pays nobody any more, and its receipts stay', async () => {
    const address = milo.page.url();
    expect(await put(juno, '/api/tip-page/published', { isPublished: false })).toBe(200);
    milo.expectFault(/status of 404/);
    await milo.goto(PAGE);
    await milo.heading('Nobody here');
    await milo.page.goto(address);
    await milo.heading('Juno has your $20.00');
  });
});
