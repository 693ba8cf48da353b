import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { answering, refusal, renderAt, toast } from '../../../testing/render.js';
import { hasAppleWallet } from './wallet.js';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15';

describe('Apple Wallet', () => {
  it.each([
    ['Safari on an iPhone', IPHONE, 5, true],
    ['Safari on an iPad', MAC, 5, true],
    ['Safari on a Mac', MAC, 0, false],
    ['Chrome on an iPhone', IPHONE.replace('Version/18.0', 'CriOS/130.0'), 5, false],
    ['Firefox on an iPhone', IPHONE.replace('Version/18.0', 'FxiOS/130.0'), 5, false],
    ['DuckDuckGo on an iPhone', `${IPHONE} Ddg/18.0`, 5, false],
    ['Yandex on an iPhone', IPHONE.replace('Mobile/', 'YaBrowser/24.10.3 Mobile/'), 5, false],
    ['a page inside another app', IPHONE.replace(' Version/18.0', '').replace(' Safari/604.1', ''), 5, false],
    [
      'Chrome on Android',
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36',
      5,
      false,
    ],
  ])('%s', (_device, userAgent, maxTouchPoints, isThere) =>
    expect(hasAppleWallet({ userAgent, maxTouchPoints })).toBe(isThere),
  );
});

describe('passes', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const onIphone = () => jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue(IPHONE);

  it.each(['Add to Apple Wallet', 'QR Payment Pass'])(
    '%s is refused where there is no Wallet',
    async (name) => {
      const server = answering({});
      const { person } = renderAt('/payments');
      await person.click(await screen.findByRole('button', { name: new RegExp(name) }));
      expect(await screen.findByText('Apple Wallet Not Supported')).toBeVisible();
      expect(screen.getByText('Apple Wallet is only supported on iOS devices using Safari.')).toBeVisible();
      expect(server.made.filter(({ call }) => call.includes('apple-wallet'))).toEqual([]);
    },
  );

  it('of a code show their form also where there is no Wallet, which makes none', async () => {
    const server = answering({});
    const { person } = renderAt('/payments');
    await person.click(await screen.findByRole('button', { name: /QR Payment Pass/ }));
    await toast('Apple Wallet Not Supported');
    const dialog = within(await screen.findByRole('dialog', { name: 'QR Payment Pass' }));
    await person.click(dialog.getByRole('button', { name: 'Add to Apple Wallet' }));
    await toast('Apple Wallet Not Supported', 'Apple Wallet is only supported on iOS devices using Safari.');
    expect(server.made.filter(({ call }) => call.includes('apple-wallet'))).toEqual([]);
  });

  it.each(['/payments', '/'])(
    'says that a pass could not be made, and why beside it, at %s',
    async (path) => {
      onIphone();
      const reason = 'Apple Wallet passes are not set up on this server.';
      const server = answering({
        'POST /api/apple-wallet/generate-pass': () => new Response('', { status: 500 }),
      });
      const { person } = renderAt(path);
      const add = (await screen.findAllByRole('button', { name: /Add to Apple Wallet/ }))[0]!;
      await person.click(add);
      expect(
        await screen.findByText('Failed to generate Apple Wallet pass. Please try again.'),
      ).toBeVisible();

      server.answers['POST /api/apple-wallet/generate-pass'] = refusal(501, reason);
      await person.click(add);
      expect(await within(add).findByText(reason)).toBeVisible();
      expect(
        await screen.findByText('Failed to generate Apple Wallet pass. Please try again.'),
      ).toBeVisible();
    },
  );

  it.each(['-1', '1.001'])('of a code are for no such amount as %s', async (written) => {
    onIphone();
    const server = answering({});
    const { person } = renderAt('/payments');
    await person.click(await screen.findByRole('button', { name: /QR Payment Pass/ }));
    const dialog = within(await screen.findByRole('dialog', { name: 'QR Payment Pass' }));
    const amount = dialog.getByRole('spinbutton', { name: 'Amount (optional)' });
    await person.click(amount);
    await person.paste(written);
    await person.click(dialog.getByRole('button', { name: 'Add to Apple Wallet' }));
    expect(await screen.findByText('Invalid Amount')).toBeVisible();
    expect(dialog.getByText('Please enter a valid amount greater than 0')).toBeVisible();
    expect(amount).toBeInvalid();
    expect(server.made.filter(({ call }) => call.includes('apple-wallet'))).toEqual([]);
  });

  it('of a code takes an amount or none, keeps the dialog when it fails, and says why', async () => {
    onIphone();
    const server = answering({
      'POST /api/apple-wallet/generate-qr-pass': () => new Response('', { status: 500 }),
    });
    const { person } = renderAt('/payments');
    await person.click(await screen.findByRole('button', { name: /QR Payment Pass/ }));
    const dialog = await screen.findByRole('dialog', { name: 'QR Payment Pass' });
    await person.click(within(dialog).getByRole('button', { name: 'Add to Apple Wallet' }));
    expect(
      await screen.findByText('Failed to generate QR payment pass. Please try again.'),
    ).toBeInTheDocument();
    expect(dialog).toBeInTheDocument();

    server.answers['POST /api/apple-wallet/generate-qr-pass'] = refusal(
      422,
      'The smallest payment is $0.50.',
    );
    const amount = within(dialog).getByRole('spinbutton', { name: 'Amount (optional)' });
    expect(amount).toHaveAttribute('min', '0');
    expect(amount).toHaveAttribute('step', '0.01');
    await person.type(amount, '0.2');
    await person.click(within(dialog).getByRole('button', { name: 'Add to Apple Wallet' }));
    expect(await within(dialog).findByText('The smallest payment is $0.50.')).toBeVisible();
    // The toast stands beside the dialog.
    expect(screen.getByText('Failed to generate QR payment pass. Please try again.')).toBeInTheDocument();
    expect(server.calls('POST /api/apple-wallet/generate-qr-pass')).toEqual([
      { amount: null },
      { amount: '0.2' },
    ]);
  });
});
