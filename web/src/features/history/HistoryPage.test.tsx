import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answering, pageBefore, refusal, renderAt } from '../../../testing/render.js';
import { line } from '../../../testing/transactions.js';
import { spanOfMonth } from '../../shared/wording/months.js';

const ALL = 'GET /api/transactions?limit=50';
const EARLIER = 'GET /api/transactions?limit=100&cursor=5-7';
/** At noon of a day, by the reader's own clock. */
const at = (year: number, month: number, day: number): string =>
  new Date(year, month - 1, day, 12).toISOString();
const nothing = (): void => undefined;
const onDesktop = (): void => {
  const listeners = {
    addListener: nothing,
    removeListener: nothing,
    addEventListener: nothing,
    removeEventListener: nothing,
  };
  window.matchMedia = (media: string) => ({
    matches: media.includes('min-width: 720px'),
    media,
    onchange: null,
    dispatchEvent: () => true,
    ...listeners,
  });
};

beforeEach(() => {
  Reflect.deleteProperty(window, 'matchMedia');
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('the history', () => {
  it('is grouped by months with their totals and by days, without failed payments in a total', async () => {
    answering({
      [ALL]: [
        line('p1', { createdAt: at(2025, 11, 20) }),
        line('p2', { createdAt: at(2025, 11, 9), type: 'payment_sent', amount: '16.00', status: 'failed' }),
        line('p3', {
          createdAt: at(2025, 11, 2),
          amount: '50.00',
          status: 'partially_refunded',
          refundedAmount: '20.00',
        }),
        line('p4', {
          createdAt: at(2025, 10, 30),
          type: 'payment_sent',
          amount: '40.00',
          counterpartyUsername: null,
        }),
      ],
    });
    renderAt('/history');
    expect((await screen.findByRole('heading', { name: 'November 2025' })).nextSibling).toHaveTextContent(
      '+$50.00',
    );
    const day = (name: string) => within(screen.getByRole('list', { name }));
    expect(day('Sun Nov 9').getByText('Failed')).toBeVisible();
    expect(day('Sun Nov 2').getByText('Partially refunded')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'October 2025' }).nextSibling).toHaveTextContent('-$40.00');
    expect(day('Thu Oct 30').getByText('Payment sent')).toBeVisible();
    expect(day('Thu Oct 30').getByRole('listitem')).toHaveAttribute('aria-posinset', '4');
    expect(day('Thu Oct 30').getByRole('listitem')).toHaveAttribute('aria-setsize', '4');
    expect(screen.queryByRole('button', { name: 'Show earlier' })).toBeNull();
  });

  it('keeps a letter that is typed while what was typed before it is on its way', async () => {
    answering({
      [ALL]: [line('p1')],
      [`${ALL}&search=wr`]: [line('p1')],
      [`${ALL}&search=wre`]: [line('p1')],
    });
    const { at } = renderAt('/history');
    const search = await screen.findByRole('textbox', { name: 'Search' });
    const type = (text: string) => fireEvent.change(search, { target: { value: text } });
    jest.useFakeTimers();
    type('wr');
    // The address is written, and before anything is drawn anew a letter follows.
    act(() => {
      jest.advanceTimersByTime(120);
      type('wre');
    });
    expect(search).toHaveValue('wre');
    act(() => jest.advanceTimersByTime(120));
    expect(at()).toBe('/history?q=wre');
    jest.useRealTimers();
  });

  it('is a table on a desktop, beside what this month came to', async () => {
    onDesktop();
    const { from, to } = spanOfMonth(new Date().toISOString().slice(0, 7));
    answering({
      [ALL]: [line('p1')],
      [`GET /api/transactions/totals?${new URLSearchParams({ from, to })}`]: {
        received: '20.00',
        sent: '5.50',
        net: '14.50',
        count: 2,
        lines: 2,
      },
    });
    renderAt('/history');
    const row = within(await screen.findByRole('table', { name: 'Transactions' })).getByRole('row', {
      name: /wren/,
    });
    // Where there is no room for the column of dates, the time is after the name.
    expect(row).toHaveTextContent('Less than an hour agowrenLess than an hour agoReceivedCompleted+$20.00');
    const month = within(screen.getByRole('complementary', { name: 'The month' }));
    expect(await month.findByText('-$5.50')).toBeVisible();
    expect(month.getByText('+$14', { exact: false })).toHaveTextContent('+$14.50');
    expect(month.getByRole('button', { name: /as CSV$/ })).toBeEnabled();
    expect(month.getByRole('button', { name: 'The month after' })).toBeDisabled();
  });

  it('asks for the sum of a month whose rows are not all there, and reads on when asked', async () => {
    const { from, to } = spanOfMonth('2025-11');
    answering({
      [ALL]: pageBefore('5-7', [line('p1', { createdAt: at(2025, 11, 20) })]),
      [`GET /api/transactions/totals?${new URLSearchParams({ from, to })}`]: {
        received: '40.00',
        sent: '0.00',
        net: '40.00',
        count: 2,
        lines: 2,
      },
      [EARLIER]: [line('p2', { createdAt: at(2025, 11, 2), counterpartyUsername: 'milo' })],
    });
    const { person } = renderAt('/history');
    expect(await screen.findByText('+$40.00')).toBeVisible();
    expect(screen.queryByText('milo')).toBeNull();
    await person.click(screen.getByRole('button', { name: 'Show earlier' }));
    expect(await screen.findByText('milo')).toBeVisible();
    expect(screen.getByText('+$40.00')).toBeVisible();
  });

  it('keeps what is there when earlier rows cannot be read, and tries again when asked', async () => {
    const server = answering({
      [ALL]: pageBefore('5-7', [line('p1')]),
      [EARLIER]: refusal(500, 'No.'),
    });
    const { person } = renderAt('/history');
    await person.click(await screen.findByRole('button', { name: 'Show earlier' }));
    expect(await screen.findByText('Earlier transactions could not be loaded.')).toBeVisible();
    expect(screen.getByText('wren')).toBeVisible();
    server.answers[EARLIER] = [line('p2', { counterpartyUsername: 'milo' })];
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('milo')).toBeVisible();
  });

  it('is searched and filtered by the server, and keeps that in its address', async () => {
    const from = new Date(2025, 10, 1).toISOString();
    const to = new Date(2025, 11, 1).toISOString();
    const asked = new URLSearchParams({ limit: '50', type: 'payment_received', from, to, search: 'encore' });
    answering({
      [ALL]: [line('p1')],
      [`GET /api/transactions?${asked}`]: [line('p2', { counterpartyUsername: 'milo' })],
    });
    const { at: place } = renderAt('/history?type=received&from=2025-11-01&to=2025-11-30&q=encore');
    expect(await screen.findByText('milo')).toBeVisible();
    expect(screen.getByRole('textbox', { name: 'Search' })).toHaveValue('encore');
    expect(screen.getByRole('button', { name: 'Received', pressed: true })).toBeVisible();
    expect(screen.getByLabelText('To')).toHaveValue('2025-11-30');
    expect(screen.getByRole('link', { name: 'milo' })).toHaveAttribute('href', `${place()}&receipt=p2`);
  });

  it('marks what was looked for, and says why a row is there that does not show it', async () => {
    const found = [
      line('p1', { counterpartyName: 'Wren Achebe', description: 'The 12 bar blues' }),
      line('p2', { amount: '12.50' }),
      line('p3', { counterpartyName: 'Milo Reyes', counterpartyUsername: 'milo12' }),
    ];
    answering({ [`${ALL}&search=12`]: found });
    renderAt('/history?q=12');
    await screen.findByText('Wren Achebe');
    const marked = [...document.querySelectorAll('mark')].map(({ textContent }) => textContent);
    expect(marked).toEqual(['12', '+$12.50', '12']);
    expect(screen.getByText('@milo', { exact: false })).toBeVisible();
  });

  it('is narrowed by how it was paid and how it stands', async () => {
    answering({
      [ALL]: [line('p1')],
      [`${ALL}&method=balance`]: [line('p2', { counterpartyUsername: 'milo' })],
      [`${ALL}&method=balance&status=refunded`]: [],
    });
    const { person, at: place } = renderAt('/history');
    await screen.findByText('wren');
    await person.click(screen.getByRole('button', { name: 'Filters' }));
    await person.selectOptions(await screen.findByRole('combobox', { name: 'Method' }), 'Balance');
    expect(await screen.findByText('milo')).toBeVisible();
    await person.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Refunded');
    expect(await screen.findByText('No transactions found')).toBeVisible();
    expect(place()).toBe('/history?method=balance&status=refunded');
    expect(screen.getByRole('button', { name: 'Filters, 2 set' })).toBeVisible();
  });

  it('draws of a long list what is near the window, and tells how long it is', async () => {
    const rows = Array.from({ length: 400 }, (_, n) => line(`p${n}`, { createdAt: at(2025, 11, 20) }));
    answering({ [ALL]: rows });
    renderAt('/history');
    const drawn = within(await screen.findByRole('list', { name: 'Thu Nov 20' })).getAllByRole('listitem');
    expect(drawn.length).toBeLessThan(60);
    expect(drawn[0]).toHaveAttribute('aria-setsize', '400');
  });

  it('draws a few rows more with each frame, and none without one: frames have time between them', async () => {
    const asked: FrameRequestCallback[] = [];
    jest.spyOn(window, 'requestAnimationFrame').mockImplementation((act) => asked.push(act));
    const pause = () => act(() => new Promise((resolve) => setTimeout(resolve, 20)));
    const frame = async (): Promise<void> => {
      for (const each of asked.splice(0)) act(() => each(performance.now()));
      await pause();
    };
    answering({
      [ALL]: Array.from({ length: 400 }, (_, n) => line(`p${n}`, { createdAt: at(2025, 11, 20) })),
    });
    renderAt('/history');
    await screen.findByRole('list', { name: 'Thu Nov 20' });
    const drawn = (): number => screen.getAllByRole('listitem').length;
    const [atFirst] = [drawn(), await pause()];
    expect(drawn()).toBe(atFirst);
    await frame();
    const afterOne = drawn();
    expect(afterOne).toBeGreaterThan(atFirst);
    await pause();
    expect(drawn()).toBe(afterOne);
    await frame();
    expect(drawn()).toBeGreaterThan(afterOne);
  });

  it('says when nothing matches, and shows all again', async () => {
    answering({ [ALL]: [line('p1')], [`${ALL}&search=nobody`]: [] });
    const { person, at: place } = renderAt('/history');
    await screen.findByText('wren');
    await person.type(screen.getByRole('textbox', { name: 'Search' }), 'nobody');
    expect(await screen.findByText('No transactions found')).toBeVisible();
    expect(place()).toBe('/history?q=nobody');
    await person.click(screen.getByRole('button', { name: 'Show all' }));
    expect(await screen.findByText('wren')).toBeVisible();
    expect(place()).toBe('/history');
  });

  it('invites people without transactions', async () => {
    answering({ [ALL]: [] });
    renderAt('/history');
    expect(await screen.findByText('No transactions yet')).toBeVisible();
    expect(screen.queryByRole('textbox', { name: 'Search' })).toBeNull();
  });

  it('keeps its heading when it cannot be read, and reads again when asked', async () => {
    const server = answering({ [ALL]: refusal(500, 'No.') });
    const { person } = renderAt('/history');
    expect(await screen.findByText('Your transactions could not be loaded.')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Transaction History' })).toBeVisible();
    server.answers[ALL] = [line('p1')];
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('wren')).toBeVisible();
  });
});

describe('a receipt', () => {
  it('opens from its line, says everything, and closes', async () => {
    answering({
      [ALL]: [
        line('pay_93kx7fqm2c4f1', {
          amount: '350.00',
          counterpartyName: 'Wren Achebe',
          description: 'That last song',
        }),
      ],
    });
    const { person, at: place } = renderAt('/history');
    await person.click(await screen.findByRole('link', { name: 'Wren Achebe' }));
    await waitFor(() => expect(place()).toBe('/history?receipt=pay_93kx7fqm2c4f1'));
    const receipt = within(await screen.findByRole('dialog', { name: 'Receipt' }));
    for (const words of [
      'Payment received',
      'Wren Achebe',
      'Juno Valastro',
      'Card',
      '“That last song”',
      'Added to your balance',
    ])
      expect(receipt.getByText(words)).toBeVisible();
    expect(receipt.getByTitle('Wren Achebe (@wren)')).toBeVisible();
    expect(receipt.getByTitle('pay_93kx7fqm2c4f1')).toHaveTextContent('pay_93kx…c4f1');
    await person.click(receipt.getByRole('button', { name: 'Copy ID' }));
    expect(await screen.findByText('Payment ID Copied')).toBeVisible();
    expect(await navigator.clipboard.readText()).toBe('pay_93kx7fqm2c4f1');
    await person.click(receipt.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(place()).toBe('/history'));
  });

  it('of a payment further down is read by its address', async () => {
    answering({
      [ALL]: [],
      'GET /api/transactions/p9': line('p9', { type: 'payment_sent', kind: 'transfer' }),
    });
    renderAt('/history?receipt=p9');
    expect(await screen.findByText('Taken from your balance')).toBeVisible();
    expect(screen.getByText('Payment sent')).toBeVisible();
  });

  it('of one’s own payment leads to the same again', async () => {
    answering({
      [ALL]: [line('p1', { type: 'payment_sent', counterpartyId: 'usr_juno', amount: '16.00' })],
    });
    renderAt('/history?receipt=p1');
    const again = await screen.findByRole('link', { name: 'Tip again' });
    expect(again.getAttribute('href')).toMatch(/^\/checkout\?amount=16\.00&recipientId=usr_juno(&|$)/);
  });

  it('of a payment that failed says why, and that nothing was charged', async () => {
    answering({
      [ALL]: [
        line('p1', { type: 'payment_sent', status: 'failed', failureReason: 'Your card was declined.' }),
      ],
    });
    renderAt('/history?receipt=p1');
    expect(await screen.findByText('Your card was declined. You have not been charged.')).toBeVisible();
    expect(screen.queryByText('Charged to your card')).toBeNull();
  });

  it('of a payment that was given back says so, without a sign', async () => {
    answering({ [ALL]: [line('p1', { status: 'refunded', refundedAmount: '20.00' })] });
    renderAt('/history?receipt=p1');
    const receipt = within(await screen.findByRole('dialog', { name: 'Receipt' }));
    expect(await receipt.findByText('Given back in full')).toBeVisible();
    expect(receipt.getByText('$0.00')).toBeVisible();
  });

  it.each([
    ['disputed', 'open', 'Taken back while the bank asks'],
    ['dispute_lost', 'lost', 'Taken back by the bank'],
  ])('of a payment that is %s does not say that it was given back', async (status, disputeStatus, words) => {
    answering({ [ALL]: [line('p1', { status, disputeStatus, disputedAmount: '20.00' } as object)] });
    renderAt('/history?receipt=p1');
    const receipt = within(await screen.findByRole('dialog', { name: 'Receipt' }));
    expect(await receipt.findByText(words)).toBeVisible();
    expect(receipt.queryByText(/Given back/)).not.toBeInTheDocument();
  });

  it('of an unknown payment says that it was not found', async () => {
    answering({ [ALL]: [] });
    renderAt('/history?receipt=p404');
    expect(await screen.findByText('This receipt could not be found among your transactions.')).toBeVisible();
  });

  it.each([
    ['the network is gone', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['the server is busy', refusal(503, 'The books are being read.')],
  ])('says only that it could not be loaded when %s', async (_why, no) => {
    const server = answering({ [ALL]: [], 'GET /api/transactions/p1': no });
    const { person } = renderAt('/history?receipt=p1');
    const receipt = within(await screen.findByRole('dialog', { name: 'Receipt' }));
    expect(
      await receipt.findByText('This receipt could not be loaded. That says nothing about the payment.'),
    ).toBeVisible();
    server.answers['GET /api/transactions/p1'] = line('p1');
    await person.click(receipt.getByRole('button', { name: 'Try again' }));
    expect(await receipt.findByText('Added to your balance')).toBeVisible();
  });

  it('is copied as text where there is no way to share', async () => {
    answering({ [ALL]: [line('p1')] });
    const { person } = renderAt('/history?receipt=p1');
    await person.click(await screen.findByRole('button', { name: 'Share' }));
    expect(await screen.findByText('Receipt Copied')).toBeVisible();
    expect(await navigator.clipboard.readText()).toMatch(
      /^Payment received: \+\$20\.00\n.*· Completed\nFrom: @wren\nTo: Juno Valastro/,
    );
  });

  it.each([
    ['with a name', 'Wren'],
    ['without one', 'A guest'],
  ])('of a guest %s says of nobody that they have left', async (_guest, counterpartyName) => {
    const guest = { counterpartyId: 'gst_1', counterpartyUsername: null, counterpartyName };
    answering({ [ALL]: [line('p1', guest)] });
    const { person } = renderAt('/history?receipt=p1');
    await person.click(await screen.findByRole('button', { name: 'Share' }));
    expect(await screen.findByText('Receipt Copied')).toBeVisible();
    expect(await navigator.clipboard.readText()).toContain(`\nFrom: ${counterpartyName}\nTo: `);
  });

  it('shows a note that is written from right to left with its signs at its own ends', async () => {
    answering({ [ALL]: [line('p1', { description: 'أحسنت!' })] });
    renderAt('/history?receipt=p1');
    const receipt = within(await screen.findByRole('dialog', { name: 'Receipt' }));
    expect(await receipt.findByText('“أحسنت!”')).toHaveAttribute('dir', 'auto');
  });

  it('is printed by itself', async () => {
    answering({ [ALL]: [line('p1')] });
    const print = jest.fn(() => {
      const sheet = document.body.querySelector('.encore-printed');
      expect(sheet).toHaveTextContent('From@wren');
      expect(sheet).toHaveTextContent('Payment IDp1');
    });
    window.print = print;
    const { person } = renderAt('/history?receipt=p1');
    await person.click(await screen.findByRole('button', { name: 'Print' }));
    await waitFor(() => expect(print).toHaveBeenCalledTimes(1));
    act(() => void window.dispatchEvent(new Event('afterprint')));
    await waitFor(() => expect(document.body.querySelector('.encore-printed')).toBeNull());
  });
});
