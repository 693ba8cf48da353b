/** A guest's receipt: it goes into the account of whoever pressed for that, and of nobody else. */
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { receiptHtml } from '#ledger/tip-pages/page-html';
import { FRAME } from '../testing/tip-page-frame.js';
import { keepForm, takeForm } from './draft.js';
import { watchReceipt, type ReceiptFacts } from './receipt.js';

const JUNO = {
  userId: 'usr_juno',
  handle: 'junoplays',
  name: 'Juno Valastro',
  shortName: 'Juno',
  isClosed: false,
};
const PAYMENT = {
  id: 'pay_0123456789',
  kind: 'payment',
  recipientId: 'usr_juno',
  amountMinor: 1000,
  refundedMinor: 0,
  disputedMinor: 0,
  status: 'completed',
  failureReason: null,
  note: null,
  thanks: null,
  method: 'card',
  guestName: null,
  isClaimed: false,
  openedAt: new Date(),
  settledAt: new Date(),
} as const;
const TOKEN = 'w'.repeat(22);
const PATH = `/@junoplays/paid/${TOKEN}`;

let sent: string[];
/** This browser can go nowhere, and says so each time. */
let left: ReturnType<typeof jest.spyOn>;
const before = globalThis.fetch;

/** Opens the receipt in this window. */
function arrive(address: string, isSignedIn: boolean): void {
  history.replaceState(null, '', address);
  const reader = { token: TOKEN, isSignedIn, isOwn: false, isForgotten: false };
  const page = receiptHtml(FRAME, JUNO, PAYMENT, reader);
  document.body.innerHTML = new DOMParser().parseFromString(page, 'text/html').body.innerHTML;
  const facts: ReceiptFacts = {
    handle: 'junoplays',
    token: TOKEN,
    receipt: 'paid',
    isSignedIn,
    isOwn: false,
  };
  watchReceipt(facts);
}

beforeEach(() => {
  sent = [];
  sessionStorage.clear();
  left = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  globalThis.fetch = jest.fn(async (path: RequestInfo | URL) => {
    sent.push(String(path));
    return Promise.resolve(new Response(null, { status: 204 }));
  });
});
afterEach(() => {
  left.mockRestore();
  globalThis.fetch = before;
});

it('goes into the account of whoever signed in for that, once', async () => {
  arrive(PATH, false);
  await userEvent.click(document.getElementById('claim')!);
  expect(left).toHaveBeenCalledTimes(1);
  arrive(`${PATH}#claim`, true);
  await waitFor(() => expect(sent).toEqual(['/api/tip-page/claims']));
  // Going back from the history leads to the receipt, not forward again.
  expect(location.hash).toBe('');
  arrive(`${PATH}#claim`, true);
  expect(sent).toHaveLength(1);
});

it('goes into no account by its link alone, whoever opens that', async () => {
  arrive(`${PATH}#claim`, true);
  expect(sent).toEqual([]);
  await userEvent.click(document.getElementById('claim')!);
  await waitFor(() => expect(sent).toEqual(['/api/tip-page/claims']));
});

it.each([
  ['mail', 'submit', `${PATH}/mail`],
  ['claim', 'click', '/api/tip-page/claims'],
  ['forget', 'click', `${PATH}/forget`],
])('sends one press of %s once, however often it is pressed before its answer', async (id, press, path) => {
  const agreed = jest.spyOn(window, 'confirm').mockReturnValue(true);
  arrive(PATH, true);
  let answer: (response: Response) => void = () => undefined;
  globalThis.fetch = jest.fn(async (asked: RequestInfo | URL) => {
    sent.push(String(asked));
    return new Promise<Response>((resolve) => (answer = resolve));
  });
  const element = document.getElementById(id)!;
  const pressOnce = () => element.dispatchEvent(new Event(press, { cancelable: true }));
  pressOnce();
  pressOnce();
  expect(sent).toEqual([path]);
  answer(Response.json({ message: 'Try again in a moment.' }, { status: 503 }));
  await waitFor(() => expect(document.getElementById(`${id}-problem`)).toHaveTextContent('Try again'));
  pressOnce();
  expect(sent).toEqual([path, path]);
  agreed.mockRestore();
});

it('says when it was paid by the clock of whoever reads it', () => {
  arrive(PATH, false);
  const time = document.querySelector('time')!;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const style = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
  expect(time.textContent).toBe(new Intl.DateTimeFormat('en-US', style).format(PAYMENT.settledAt));
});

it('leaves nothing of the form that was paid to the next tip', () => {
  keepForm('junoplays', { preset: '20', amount: '', note: 'Again', name: 'Wren', isAnonymous: false });
  arrive(PATH, false);
  expect(takeForm('junoplays')).toBeUndefined();
});
