import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import type { ReceiptProof } from '#contracts/api/receipt-proof';
import { answering, refusal, renderAt } from '../../../testing/render.js';
import { line } from '../../../testing/transactions.js';

const HASH = `${'A'.repeat(43)}=`;
const PROVEN: ReceiptProof = {
  state: 'proven',
  leafIndex: 611_540,
  treeSize: 611_600,
  rootHash: HASH,
  leafHash: HASH,
  publishedAt: new Date(2026, 10, 22, 0, 0).toISOString(),
  checkUrl: 'http://localhost/check-receipt#AAAA',
  file: {
    format: 'encore-receipt/1',
    transactionId: 'p1',
    revision: 611_540,
    leaf: HASH,
    index: 611_540,
    path: [],
    checkpoint: 'encore\n1\nAAAA\n',
    verifierKey: 'encore+1+AAAA',
    address: 'http://localhost/transparency',
  },
};
const PROOF = 'GET /api/transactions/p1/proof';
const PENDING: ReceiptProof = { state: 'pending', message: 'The proof follows within two minutes.' };

afterEach(() => {
  jest.restoreAllMocks();
});

const opened = async (proof: unknown, more = {}) => {
  const server = answering({ 'GET /api/transactions?limit=50': [line('p1', more)], [PROOF]: proof });
  const { person } = renderAt('/history?receipt=p1');
  const receipt = within(await screen.findByRole('dialog', { name: 'Receipt' }));
  return { server, person, receipt };
};

describe('the proof of a receipt', () => {
  it('is a tick that says what it proves, and can be kept and checked', async () => {
    const saved: string[] = [];
    jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      saved.push(this.download);
    });
    Object.assign(URL, { createObjectURL: jest.fn(() => 'blob:1'), revokeObjectURL: jest.fn() });
    const { person, receipt } = await opened(PROVEN);
    expect(await receipt.findByText('In the published books')).toBeVisible();
    expect(receipt.getByRole('group', { name: 'Proof' })).toHaveTextContent(
      'As of Nov 22, 2026, 12:00 AM nobody, not even we, can change or remove this payment without its being seen.',
    );
    expect(receipt.getByRole('link', { name: 'Check it' })).toHaveAttribute('href', PROVEN.checkUrl);
    await person.click(receipt.getByRole('button', { name: 'Keep the proof' }));
    expect(saved).toEqual(['receipt-p1.json']);
  });

  it('says that it follows, and is there when looked for again', async () => {
    const { server, person, receipt } = await opened(PENDING);
    expect(await receipt.findByText('The proof follows within two minutes.')).toBeVisible();
    expect(receipt.queryByText('In the published books')).toBeNull();
    server.answers[PROOF] = PROVEN;
    await person.click(receipt.getByRole('button', { name: 'Look again' }));
    expect(await receipt.findByText('In the published books')).toBeVisible();
  });

  it('is asked for again when it could not be', async () => {
    const { server, person, receipt } = await opened(refusal(503, 'No.'));
    expect(await receipt.findByText(/could not be asked/)).toBeVisible();
    server.answers[PROOF] = PENDING;
    await person.click(receipt.getByRole('button', { name: 'Look again' }));
    expect(await receipt.findByText('The proof follows within two minutes.')).toBeVisible();
  });

  it('is not spoken of where nothing is published, or nothing was paid', async () => {
    const { receipt } = await opened({ state: 'none', message: 'This app publishes no tree.' });
    await receipt.findByText('Added to your balance');
    expect(receipt.queryByRole('group', { name: 'Proof' })).toBeNull();
    const { server } = await opened(PROVEN, { status: 'failed', type: 'payment_sent' });
    expect(await screen.findByText(/You have not been charged/)).toBeVisible();
    expect(server.made.map(({ call }) => call)).not.toContain(PROOF);
  });
});
