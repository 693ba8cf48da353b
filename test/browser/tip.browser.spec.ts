/**
 * The main job as people meet it: an entertainer shows a code; a fan scans it or opens a link and tips, by
 * card or Cash App; both see it. Two browsers at once, one of them with a camera; driven by what can be read
 * on the screen.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Transaction } from '#contracts/api/payments';
import { CurrentUser } from '#contracts/api/users';
import { axeFindings } from '#test/support/browser/accessibility';
import { cameraFails, noCameraApi, type CameraError, type FakeCamera } from '#test/support/browser/camera';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { logOut } from '#test/support/browser/log-out';
import { looksRight } from '#test/support/browser/looks';
import {
  answerBank,
  answerCashApp,
  enterCard,
  FIELDS,
  paymentForm,
} from '#test/support/browser/payment-form';
import { screenshot } from '#test/support/browser/screenshots';
import { noteToasts } from '#test/support/browser/toasts-on-the-way';
import { useEvidence } from '#test/support/evidence';
import {
  ASKS_THE_PAYER,
  CardProviderWorld,
  DECLINED,
  INSUFFICIENT,
  intentOf,
  VISA,
} from '#test/support/payer';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const evidence = useEvidence(stack);
const guests = useGuests(stack);
const WITHIN_MS = 120_000;

let juno: Guest;
let junoId = '';
let milo: Guest;
let camera: FakeCamera;

beforeAll(async () => {
  [juno, { guest: milo, camera }] = await Promise.all([guests.open('Juno'), guests.openWithCamera('Milo')]);
}, WITHIN_MS);

const button = (guest: Guest, name: string) => guest.page.getByRole('button', { name, exact: true });
const press = (guest: Guest, name: string): Promise<void> => guest.press(button(guest, name));

async function read<T extends z.ZodType>(guest: Guest, path: string, schema: T): Promise<z.infer<T>> {
  return schema.parse(await (await guest.context.request.get(new URL(path, guest.url).href)).json());
}
/**
 * What the guest has, once all that the provider said is in the log and shown: the balance, and the list,
 * newest first.
 */
async function standing(guest: Guest): Promise<{ earnings: string; lines: string[] }> {
  await new CardProviderWorld(stack).delivered();
  await evidence.shown();
  const { earnings } = await read(guest, '/api/auth/user', CurrentUser);
  const list = await read(guest, '/api/transactions', z.array(Transaction));
  return { earnings, lines: list.map(({ type, amount, status }) => `${type} ${amount} ${status}`) };
}

/** Presses Pay and waits for the good end. */
async function pays(guest: Guest, amount: string): Promise<void> {
  await press(guest, `Pay $${amount}`);
  await guest.toast('Payment Successful', 'Payment processed successfully!');
  await guest.arriveAt('/');
}

describe('a code', () => {
  it('is what an entertainer has as soon as they have signed up, with a name, an id and a link', async () => {
    await juno.join('/my-qr');
    junoId = (await read(juno, '/api/auth/user', CurrentUser)).id;
    await juno.heading('My QR Code');
    await juno.heading('How It Works');
    const link = `${new URL(juno.url).origin}/tip/${junoId}`;
    await juno.sees(`@${juno.username}`, junoId, link);
    const download = juno.page.waitForEvent('download');
    await press(juno, 'Save');
    expect((await download).suggestedFilename()).toMatch(new RegExp(`${juno.username}.*\\.png$`));
  });

  it(
    'that a fan scans from the entertainer’s screen says whom to tip, and the tip is paid by card',
    async () => {
      await milo.join('/payments');
      await milo.page.getByRole('tab', { name: 'QR' }).click();
      camera.shows(await juno.page.getByRole('img', { name: /QR code/i }).screenshot());
      await press(milo, 'Scan QR Code');
      await milo.page.getByRole('dialog').waitFor({ state: 'detached' });
      await milo.sees('Juno Valastro');
      await press(milo, '$20');
      await milo.page.getByLabel(/Note/).fill('That last song');
      await press(milo, 'Continue with $20.00');
      await milo.arriveAt('/checkout');
      await milo.sees('Juno Valastro', 'Card Payment', /That last song/);
      await enterCard(milo.page, VISA);
      await pays(milo, '20.00');
      expect(await standing(juno)).toEqual({
        earnings: '20.00',
        lines: ['payment_received 20.00 completed'],
      });
      expect(await standing(milo)).toEqual({ earnings: '0.00', lines: ['payment_sent 20.00 completed'] });
    },
    WITHIN_MS,
  );
});

describe('a link', () => {
  it(
    'with an amount takes a stranger through signing up, and on to paying just that',
    async () => {
      const wren = await guests.open('Wren');
      const path = `/tip/${junoId}`;
      const toastShown = await noteToasts(wren.page);
      await wren.goto(`${path}?amount=7.5&description=For%20the%20encore`);
      await toastShown('Login Required', 'Please log in to tip someone');
      await wren.page.waitForURL(/\/identity\/interaction\//);
      await wren.signUp(path);
      await wren.sees('$7.50', junoId, /For the encore/, 'Card Payment');
      await press(wren, 'Continue to Secure Payment');
      await wren.arriveAt('/checkout');
      await enterCard(wren.page, VISA);
      await pays(wren, '7.50');
      expect(await standing(wren)).toEqual({ earnings: '0.00', lines: ['payment_sent 7.50 completed'] });
      expect((await standing(juno)).earnings).toBe('27.50');
    },
    WITHIN_MS,
  );

  it('without an amount is said to be none, and leads to the form with the recipient filled in', async () => {
    await milo.goto(`/tip/${junoId}`);
    await milo.toast('Invalid Tip Link', 'Missing person or amount information');
    await milo.arriveAt('/payments');
    expect(new URL(milo.page.url()).search).toBe('');
    await milo.sees('Juno Valastro');
  });

  it('to nobody says so and leads back', async () => {
    await milo.goto('/tip/usr_nobody?amount=5');
    await milo.toast('Tip Error', 'This person cannot receive tips. Please check the link.');
    await milo.arriveAt('/payments');
  });
});

describe('a card', () => {
  it(
    'that is declined charges nothing and says why; another card then pays the same payment, once',
    async () => {
      const before = await standing(milo);
      await milo.goto(`/checkout?amount=5&recipientId=${junoId}`);
      for (const [card, sentence] of [
        [DECLINED, 'Your card was declined.'],
        [INSUFFICIENT, 'Your card has insufficient funds.'],
      ] as const) {
        await enterCard(milo.page, card);
        await press(milo, 'Pay $5.00');
        await milo.toast('Payment Failed', sentence);
        await milo.sees(/You have not been charged\./);
      }
      expect((await standing(milo)).lines).toEqual(['payment_sent 5.00 failed', ...before.lines]);
      await enterCard(milo.page, VISA);
      await pays(milo, '5.00');
      expect((await standing(milo)).lines).toEqual(['payment_sent 5.00 completed', ...before.lines]);
      expect((await standing(juno)).earnings).toBe('32.50');
    },
    WITHIN_MS,
  );

  it(
    'whose bank asks the payer moves nothing when they fail there, and pays when they complete it',
    async () => {
      await milo.goto(`/checkout?amount=10&recipientId=${junoId}`);
      await enterCard(milo.page, ASKS_THE_PAYER);
      await press(milo, 'Pay $10.00');
      await answerBank(milo.page, 'Fail');
      await milo.toast('Payment Failed');
      expect((await standing(juno)).earnings).toBe('32.50');
      await enterCard(milo.page, ASKS_THE_PAYER);
      await press(milo, 'Pay $10.00');
      await answerBank(milo.page, 'Complete');
      await milo.toast('Payment Successful', 'Payment processed successfully!');
      await milo.arriveAt('/');
      expect((await standing(juno)).earnings).toBe('42.50');
    },
    WITHIN_MS,
  );

  it(
    'for a payment that was canceled meanwhile charges nothing, and the way on is a payment anew',
    async () => {
      const opened = milo.page.waitForResponse((answer) =>
        answer.url().endsWith('/api/create-payment-intent'),
      );
      await milo.goto(`/checkout?amount=6&recipientId=${junoId}`);
      const { clientSecret } = z.object({ clientSecret: z.string() }).parse(await (await opened).json());
      await enterCard(milo.page, VISA);
      await new CardProviderWorld(stack).stripe.paymentIntents.cancel(intentOf(clientSecret));
      milo.expectFault(/400 \(Bad Request\)/);
      await press(milo, 'Pay $6.00');
      await milo.sees(/was canceled\. You have not been charged\./);
      await looksRight(milo, 'checkout-canceled');
      expect((await standing(juno)).earnings).toBe('42.50');
    },
    WITHIN_MS,
  );

  it(
    'whose fields never come is told what to look at',
    async () => {
      const noa = await guests.open('Noa');
      await noa.join('/');
      // A network that answers nothing: no failure is reported.
      await noa.page.route(FIELDS, () => undefined);
      await noa.page.clock.install();
      await noa.goto(`/checkout?amount=6&recipientId=${junoId}`);
      await noa.page.getByRole('status', { name: 'Loading the payment form' }).waitFor();
      await noa.page.clock.fastForward('00:20');
      await noa.sees(/has not loaded yet/);
      await screenshot(noa, 'checkout-no-fields');
      expect(await axeFindings(noa.page, 'everything')).toEqual([]);
      await noa.page.unrouteAll({ behavior: 'ignoreErrors' });
    },
    WITHIN_MS,
  );
});

describe('Cash App', () => {
  it(
    'refused there comes back as failed, and authorized as successful',
    async () => {
      await milo.goto(`/tip/${junoId}?amount=50&paymentMethod=cashapp`);
      await milo.sees('Cash App Payment');
      await press(milo, 'Continue to Secure Payment');
      await milo.arriveAt('/checkout');
      await paymentForm(milo.page)
        .getByText(/you continue in Cash App/)
        .waitFor();
      await press(milo, 'Pay $50.00');
      await answerCashApp(milo.page, 'Refuse');
      await milo.arriveAt('/payment-success');
      await milo.heading('Payment Failed');
      await milo.sees(/You have not been charged\./);
      await looksRight(milo, 'payment-failed');
      expect((await standing(juno)).earnings).toBe('42.50');

      await milo.page.getByRole('link', { name: 'Try Again' }).click();
      await paymentForm(milo.page)
        .getByText(/you continue in Cash App/)
        .waitFor();
      await press(milo, 'Pay $50.00');
      await answerCashApp(milo.page, 'Authorize');
      await milo.arriveAt('/payment-success');
      await milo.heading('Payment Successful');
      expect((await standing(juno)).earnings).toBe('92.50');
      await milo.page.getByRole('link', { name: 'View Transaction History' }).click();
      await milo.heading('Transaction History');
    },
    WITHIN_MS,
  );
});

describe('a keyboard alone', () => {
  it('comes to nothing that is under the tab bar', async () => {
    const { page } = juno;
    const size = page.viewportSize()!;
    // A desktop’s window at two and a half times its size.
    await page.setViewportSize({ width: 560, height: 400 });
    await juno.goto('/my-qr');
    const save = button(juno, 'Save');
    await juno.tabTo(save);
    const [{ y, height } = { y: 0, height: 0 }, bar] = await Promise.all([
      save.boundingBox().then((box) => box ?? undefined),
      page.getByRole('navigation', { name: 'Tabs' }).boundingBox(),
    ]);
    expect(y + height).toBeLessThanOrEqual(bar!.y);
    await page.setViewportSize(size);
  });

  it(
    'finds the recipient, chooses the amount, enters the card and pays',
    async () => {
      const imani = await guests.open('Imani', { device: 'desktop', scheme: 'dark' });
      await imani.join('/payments');
      await imani.heading('Payments');
      const { page } = imani;
      const { keyboard } = page;
      await imani.tabTo(page.getByRole('textbox', { name: /User ID or email/ }));
      await keyboard.type(juno.email);
      await keyboard.press('Enter');
      await imani.tabTo(page.getByRole('button', { name: /Juno Valastro/ }));
      await keyboard.press('Enter');
      await imani.tabTo(button(imani, '$10'));
      await keyboard.press('Space');
      await imani.tabTo(button(imani, 'Continue with $10.00'));
      await keyboard.press('Enter');
      await imani.arriveAt('/checkout');
      const form = paymentForm(page);
      for (const [label, text] of [
        ['Card number', VISA],
        ['Expiration date', '1240'],
        ['Security code', '123'],
        ['ZIP code', '94110'],
      ] as const) {
        const field = form.getByLabel(label);
        await field.waitFor();
        // A complete field hands the focus on by itself.
        await imani.tabTo(field);
        await keyboard.type(text);
      }
      await imani.tabTo(button(imani, 'Pay $10.00'));
      await keyboard.press('Enter');
      await imani.toast('Payment Successful', 'Payment processed successfully!');
      await imani.arriveAt('/');
      expect(await standing(imani)).toEqual({ earnings: '0.00', lines: ['payment_sent 10.00 completed'] });
      expect((await standing(juno)).earnings).toBe('102.50');
    },
    WITHIN_MS,
  );
});

describe('a camera', () => {
  const DENIED = ['NotAllowedError', 'Camera Permission Denied'] as const;
  const NO_CAMERA = [undefined, 'Camera Not Available'] as const;
  const OTHERS = [
    ['NotFoundError', 'No Camera Found'],
    ['NotSupportedError', 'Not Supported'],
    ['NotReadableError', 'Camera In Use'],
    ['AbortError', 'Camera Error'],
  ] as const;
  it.each(sampled([DENIED, ...OTHERS, NO_CAMERA], [DENIED, NO_CAMERA]))(
    'that fails with %s is told as %s',
    async (error: CameraError | undefined, title) => {
      const page = await milo.context.newPage();
      if (error === undefined) await noCameraApi(page);
      else await cameraFails(page, error);
      await page.goto(new URL('/payments', milo.url).href);
      await page.getByRole('tab', { name: 'QR' }).click();
      await page.getByRole('button', { name: 'Scan QR Code', exact: true }).click();
      await page.getByRole('region', { name: 'Notifications' }).getByText(title, { exact: true }).waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.close();
    },
  );

  it(
    'that sees a code of something else says so',
    async () => {
      await milo.goto('/payments');
      await milo.page.getByRole('tab', { name: 'QR' }).click();
      // The picture is of a code; one that can be read would end it.
      camera.showsWornCode('https://elsewhere.example/menu');
      await press(milo, 'Scan QR Code');
      await milo.page.getByLabel('What the camera sees').waitFor();
      await looksRight(milo, 'scanner');
      await press(milo, 'Close');
      // One look at this code finds nothing, as at one in fifteen: the scanner looks in other ways, too.
      camera.showsCode('https://elsewhere.example/menu?table=1');
      await press(milo, 'Scan QR Code');
      await milo.toast('Invalid QR Code');
    },
    WITHIN_MS,
  );
});

describe('in the end', () => {
  it(
    'whoever signs out and comes back finds balance and history as they left them, to the cent',
    async () => {
      const left = await standing(milo);
      await milo.goto('/profile');
      await logOut(milo);
      await milo.heading('Professional Payment Platform');
      await milo.signIn();
      expect(await standing(milo)).toEqual(left);
      expect(left.lines).toEqual(
        ['50.00', '10.00', '5.00', '20.00'].map((amount) => `payment_sent ${amount} completed`),
      );
      await milo.goto('/history');
      await milo.heading('Transaction History');
      await juno.goto('/');
      await juno.sees('$102.50', '+$10.00');
      await evidence.holds();
    },
    WITHIN_MS,
  );
});
