import { describe, expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { answering, refusal, renderAt, toast } from '../../../testing/render.js';
import { line } from '../../../testing/transactions.js';

const ALL = 'GET /api/transactions?limit=50';

describe('thanks for a payment', () => {
  it('go back with one tap on its receipt, and stand there and in the list from then on', async () => {
    const server = answering({ [ALL]: [line('p1')], 'POST /api/transactions/p1/thanks': null });
    const { person } = renderAt('/history?receipt=p1');
    const receipt = within(await screen.findByRole('dialog', { name: 'Receipt' }));
    server.answers[ALL] = [line('p1', { thanks: 'made_my_night' })];
    await person.click(await receipt.findByRole('button', { name: 'You made my night.' }));
    expect(await screen.findByText('wren reads: “You made my night.”')).toBeVisible();
    expect(server.calls('POST /api/transactions/p1/thanks')).toEqual([{ thanks: 'made_my_night' }]);
    expect(await receipt.findByText(/You answered: “You made my night.”/)).toBeVisible();
    expect(receipt.queryByText('Say thanks')).toBeNull();
    await person.click(receipt.getByRole('button', { name: 'Close' }));
    expect(await screen.findByText('Thanked')).toBeVisible();
  });

  it('are read by whoever paid, in the list and on the receipt', async () => {
    answering({ [ALL]: [line('p1', { type: 'payment_sent', thanks: 'see_you' })] });
    const { person } = renderAt('/history');
    expect(await screen.findByText('See you at the next show!')).toBeVisible();
    await person.click(screen.getByRole('link', { name: 'wren' }));
    expect(await screen.findByText('wren answered', { exact: false })).toBeVisible();
    expect(screen.queryByText('Say thanks')).toBeNull();
  });

  it('are not offered for what one paid oneself, failed, or went back', async () => {
    answering({ [ALL]: [line('p1', { status: 'refunded', refundedAmount: '20.00' })] });
    renderAt('/history?receipt=p1');
    await screen.findByText('Given back in full');
    expect(screen.queryByText('Say thanks')).toBeNull();
  });

  it('that do not arrive are said to be missing, and can be sent again', async () => {
    answering({
      [ALL]: [line('p1')],
      'POST /api/transactions/p1/thanks': refusal(409, 'This payment was returned to whoever paid it.'),
    });
    const { person } = renderAt('/history?receipt=p1');
    await person.click(await screen.findByRole('button', { name: 'You made my night.' }));
    await toast('Thanks Not Sent', 'This payment was returned to whoever paid it.');
    expect(screen.getByRole('button', { name: 'You made my night.' })).toBeEnabled();
  });
});
