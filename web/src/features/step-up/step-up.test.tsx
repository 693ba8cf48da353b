import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import type { BankAccount } from '#contracts/api/bank-accounts';
import { answering, JUNO, refusal, renderAt, toast, watchLeaving } from '../../../testing/render.js';
import { PARKED_PLACE } from '../../shared/api/confirmations.js';
import { PARKED_MS } from './parked-call.js';

// The device: it shows the passkey that it has, or the person puts it off.
const startAuthentication = jest.fn(async (_: object) => Promise.resolve({ id: 'shown' }));
jest.unstable_mockModule('@simplewebauthn/browser', () => ({ startAuthentication }));

const NOW = '2026-11-22T20:00:00.000Z';
const HARBOR: BankAccount = {
  id: 'ba_1',
  accountHolderName: 'Juno Valastro',
  bankName: 'Harbor & Main',
  accountNumber: '••••6789',
  routingNumber: '••••0021',
  accountType: 'checking',
  isPrimary: true,
  isVerified: true,
  needsOnboarding: false,
  error: null,
};
const WORDS = 'Pay out $120.00 to Harbor & Main ••6789';
const PAYOUT = {
  id: 'po_1',
  amount: '120.00',
  status: 'pending',
  statusReason: null,
  expectedOn: null,
  bankAccountId: 'ba_1',
  createdAt: NOW,
  arrivesOn: null,
  completedAt: null,
  failureReason: null,
};
const PROOF_CALLS = {
  'POST /api/passkeys/assertion/options': { challenge: 'signed-words' },
  'POST /api/passkeys/assertion/verify': { proof: 'proof-1', expiresAt: NOW },
};

/** A refusal that asks to confirm, answered at a time of the server’s. */
const asks = (code: 'passkey_required' | 'sign_in_required', confirm: object) => (): Response =>
  Response.json({ message: 'Please confirm.', code, confirm }, { status: 403, headers: { date: NOW } });
const forPasskey = asks('passkey_required', {
  id: 'cf_1',
  words: WORDS,
  amount: '120.00',
  to: 'Harbor & Main ••6789',
  from: 'Available balance',
  leftAfter: '1164.50',
  arrives: '2026-11-24',
  expiresAt: '2026-11-22T20:05:00.000Z',
});
const forSignIn = asks('sign_in_required', { words: WORDS, amount: '120.00' });

/** Answers one call after another; the last for good. */
const inTurn = (...answers: (() => unknown)[]) => {
  const left = [...answers];
  return () => (left.length > 1 ? left.shift()! : left[0]!)();
};
const BANK = { 'GET /api/bank-accounts': [HARBOR], 'GET /api/payouts': [] };

async function askForPayout(answers: Record<string, unknown>) {
  const server = answering({ ...BANK, ...PROOF_CALLS, ...answers });
  const app = renderAt('/bank-accounts');
  const { person } = app;
  await screen.findByRole('list', { name: 'Bank accounts' });
  await person.click(await screen.findByRole('button', { name: 'Request Payout' }));
  const form = await screen.findByRole('dialog', { name: 'New Payout' });
  await person.type(within(form).getByLabelText('Amount'), '120');
  const send = async () => person.click(within(form).getByRole('button', { name: /Request Payout/ }));
  await send();
  const sent = () => server.made.filter(({ call }) => call === 'POST /api/payouts');
  const keys = () => new Set(sent().map(({ headers }) => headers.get('idempotency-key')));
  const proofs = () => sent().map(({ headers }) => headers.get('x-encore-passkey-proof'));
  return { ...app, server, form, send, sent, keys, proofs };
}
const sheet = async (name: string) => within(await screen.findByRole('dialog', { name }));
const byPasskey = async () => sheet('Confirm with your passkey');
const bySignIn = async () => sheet('Sign in again to confirm');
const afterSignIn = async () => sheet('Confirm what you asked for');

beforeEach(() => {
  sessionStorage.clear();
  startAuthentication.mockReset().mockResolvedValue({ id: 'shown' });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('what a passkey confirms', () => {
  it('is shown whole before it is asked for: amount, place, what is left, and the words that are signed', async () => {
    const { server, person, sent, keys, proofs } = await askForPayout({
      'POST /api/payouts': inTurn(forPasskey, () => PAYOUT),
    });
    const shown = await byPasskey();
    expect(shown.getByRole('heading', { name: 'Pay out' })).toBeVisible();
    expect(shown.getByText('to Harbor & Main ••6789')).toBeVisible();
    const facts = shown.getAllByRole('term').map(({ textContent }) => textContent);
    expect(facts).toEqual(['From', 'Left after', 'Arrives']);
    expect(shown.getByText('$1,164.50')).toBeVisible();
    expect(shown.getByText('Tue, Nov 24')).toBeVisible();
    expect(shown.getByText('Your passkey signs exactly these words')).toBeVisible();
    expect(shown.getByText(WORDS)).toBeVisible();
    expect(
      shown.getByText(/^Nothing moves before you confirm\. This request ends in [45]:\d\d\.$/),
    ).toBeVisible();
    expect(startAuthentication).not.toHaveBeenCalled();

    await person.click(shown.getByRole('button', { name: 'Confirm with passkey' }));
    await toast('Payout Requested', '$120.00 is on its way to Harbor & Main ••••6789.');
    expect(startAuthentication).toHaveBeenCalledWith({ optionsJSON: { challenge: 'signed-words' } });
    expect(server.calls('POST /api/passkeys/assertion/options')).toEqual([{ confirm: 'cf_1' }]);
    expect(server.calls('POST /api/passkeys/assertion/verify')).toEqual([
      { confirm: 'cf_1', response: { id: 'shown' } },
    ]);
    expect(sent().map(({ body }) => body)).toEqual([
      { amount: '120', bankAccountId: 'ba_1' },
      { amount: '120', bankAccountId: 'ba_1' },
    ]);
    expect(keys().size).toBe(1);
    expect(proofs()).toEqual([null, 'proof-1']);
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('that is cancelled changes nothing, and leaves the form as it was', async () => {
    const { person, form, sent, keys } = await askForPayout({
      'POST /api/payouts': inTurn(forPasskey, forPasskey, () => PAYOUT),
    });
    await person.click((await byPasskey()).getByRole('button', { name: 'Cancel' }));
    await toast('Not Confirmed', 'You did not confirm this. Nothing has changed.');
    expect(sent()).toHaveLength(1);
    expect(within(form).getByLabelText('Amount')).toHaveValue('120');
    // The same once more is the same request.
    await person.click(within(form).getByRole('button', { name: 'Request Payout' }));
    await person.click((await byPasskey()).getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Confirm with passkey' })).toBeNull());
    expect(keys().size).toBe(1);
    expect(startAuthentication).not.toHaveBeenCalled();
  });

  it('can be tried again where the device, or the server, did not accept a finger', async () => {
    startAuthentication.mockRejectedValueOnce(new Error('NotAllowedError'));
    const sentence = 'This passkey could not be verified. Please try again.';
    const { person, sent } = await askForPayout({
      'POST /api/payouts': inTurn(forPasskey, () => PAYOUT),
      'POST /api/passkeys/assertion/verify': inTurn(
        () => refusal(400, sentence),
        () => PROOF_CALLS['POST /api/passkeys/assertion/verify'],
      ),
    });
    const shown = await byPasskey();
    const confirm = async () => person.click(shown.getByRole('button', { name: 'Confirm with passkey' }));
    await confirm();
    expect(
      await shown.findByText('This needs your passkey. Nothing has changed; please try again.'),
    ).toBeVisible();
    await confirm();
    expect(await shown.findByText(sentence)).toBeVisible();
    expect(sent()).toHaveLength(1);
    await confirm();
    await toast('Payout Requested');
    expect(sent()).toHaveLength(2);
  });

  it('needs no second finger when only the answer was lost: the same proof is shown again', async () => {
    const { send, proofs, keys, person } = await askForPayout({
      'POST /api/payouts': inTurn(
        forPasskey,
        () => Promise.reject(new TypeError('Failed to fetch')),
        () => PAYOUT,
      ),
    });
    await person.click((await byPasskey()).getByRole('button', { name: 'Confirm with passkey' }));
    const lost = 'No answer came, so this may have been done or not. Try again: it is never done twice.';
    await toast('Error', lost);
    await send();
    await toast('Payout Requested');
    expect(startAuthentication).toHaveBeenCalledTimes(1);
    expect(proofs()).toEqual([null, 'proof-1', 'proof-1']);
    expect(keys().size).toBe(1);
  });

  it('is over with its answer: the next payout is confirmed anew', async () => {
    const { person, proofs } = await askForPayout({
      'POST /api/payouts': inTurn(
        forPasskey,
        () => refusal(422, 'Your balance is too low.'),
        forPasskey,
        () => PAYOUT,
      ),
    });
    await person.click((await byPasskey()).getByRole('button', { name: 'Confirm with passkey' }));
    await toast('Error', 'Your balance is too low.');
    await person.click(await screen.findByRole('button', { name: 'Request Payout' }));
    await person.click((await byPasskey()).getByRole('button', { name: 'Confirm with passkey' }));
    await toast('Payout Requested');
    expect(startAuthentication).toHaveBeenCalledTimes(2);
    expect(proofs()).toEqual([null, 'proof-1', null, 'proof-1']);
  });

  it('ends in time, by the server’s clock, and is then asked for anew', async () => {
    const soon = asks('passkey_required', {
      id: 'cf_1',
      words: WORDS,
      expiresAt: '2026-11-22T20:00:01.000Z',
    });
    const { person, server } = await askForPayout({
      'POST /api/payouts': inTurn(soon, forPasskey, () => PAYOUT),
    });
    const shown = await byPasskey();
    await person.click(await shown.findByRole('button', { name: 'Ask again' }));
    // In another sheet, which takes the place of this one.
    await person.click(await screen.findByRole('button', { name: 'Confirm with passkey' }));
    await toast('Payout Requested');
    expect(server.calls('POST /api/passkeys/assertion/options')).toEqual([{ confirm: 'cf_1' }]);
  });

  it('by a session that has ended meanwhile sends to sign in', async () => {
    const goTo = watchLeaving();
    const { person } = await askForPayout({
      'POST /api/payouts': forPasskey,
      'POST /api/passkeys/assertion/options': refusal(401, 'Unauthorized'),
    });
    await person.click((await byPasskey()).getByRole('button', { name: 'Confirm with passkey' }));
    await toast('Unauthorized', 'You are logged out. Logging in again...');
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('/api/login?returnTo=%2Fbank-accounts'));
  });
});

describe('without a passkey, a sign-in', () => {
  it('is asked for in the same words; the form survives it and goes on under its key', async () => {
    const goTo = watchLeaving();
    const { person, sent, unmount } = await askForPayout({ 'POST /api/payouts': forSignIn });
    const shown = await bySignIn();
    expect(shown.getByText(WORDS)).toBeVisible();
    expect(shown.getByText(/^Nothing moves before you confirm\./)).toBeVisible();
    await person.click(shown.getByRole('button', { name: 'Sign in again to confirm' }));
    expect(goTo).toHaveBeenCalledWith('/api/login?fresh=1&returnTo=%2Fbank-accounts');
    const [before] = sent();
    unmount();

    const server = answering({ ...BANK, 'POST /api/payouts': PAYOUT });
    const { person: back } = renderAt('/bank-accounts');
    const resumed = await afterSignIn();
    expect(resumed.getByText(WORDS)).toBeVisible();
    expect(server.calls('POST /api/payouts')).toEqual([]);
    await back.click(resumed.getByRole('button', { name: 'Confirm' }));
    await toast('Payout Requested', '$120.00 is on its way.');
    const after = server.made.find(({ call }) => call === 'POST /api/payouts');
    expect(after?.body).toEqual(before?.body);
    expect(after?.headers.get('idempotency-key')).toBe(before?.headers.get('idempotency-key'));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(sessionStorage.getItem(PARKED_PLACE)).toBeNull();
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('120');
  });

  it('is not gone to where the browser would keep nothing of the call', async () => {
    const goTo = watchLeaving();
    const { person } = await askForPayout({ 'POST /api/payouts': forSignIn });
    const shown = await bySignIn();
    const storage = jest.spyOn(window, 'sessionStorage', 'get').mockReturnValue(null as never);
    await person.click(shown.getByRole('button', { name: 'Sign in again to confirm' }));
    expect(await shown.findByText(/^Your browser keeps nothing for this page/)).toBeVisible();
    expect(goTo).not.toHaveBeenCalled();
    await person.click(shown.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByText(WORDS)).not.toBeInTheDocument());
    storage.mockRestore();
  });

  it('that is not wanted changes nothing, before or after it', async () => {
    watchLeaving();
    const { person, sent, unmount } = await askForPayout({
      'POST /api/payouts': forSignIn,
    });
    await person.click((await bySignIn()).getByRole('button', { name: 'Cancel' }));
    await toast('Not Confirmed');
    expect(sessionStorage.getItem(PARKED_PLACE)).toBeNull();
    await person.click(await screen.findByRole('button', { name: 'Request Payout' }));
    await person.click((await bySignIn()).getByRole('button', { name: 'Sign in again to confirm' }));
    expect(sent()).toHaveLength(2);
    unmount();
    const server = answering({ ...BANK, 'POST /api/payouts': PAYOUT });
    const { person: back } = renderAt('/bank-accounts');
    await back.click((await afterSignIn()).getByRole('button', { name: 'Cancel' }));
    await toast('Not Confirmed', 'You did not confirm this. Nothing has changed.');
    expect(server.calls('POST /api/payouts')).toEqual([]);
    expect(sessionStorage.getItem(PARKED_PLACE)).toBeNull();
  });
});

/** A call that was parked by this user a while ago. */
function parked(over: object = {}): void {
  sessionStorage.setItem(
    PARKED_PLACE,
    JSON.stringify({
      userId: JUNO.id,
      endpoint: 'requestPayout',
      call: {
        path: '/api/payouts',
        method: 'POST',
        body: { amount: '120', bankAccountId: 'ba_1' },
        headers: { 'idempotency-key': 'key-1' },
      },
      requested: { words: WORDS, amount: '120.00' },
      at: Date.now(),
      ...over,
    }),
  );
}

/** Opens the parked request and confirms it; its answer is lost. */
async function confirmedInVain() {
  const { person } = renderAt('/bank-accounts');
  const resumed = await afterSignIn();
  await person.click(resumed.getByRole('button', { name: 'Confirm' }));
  expect(await resumed.findByRole('alert')).toHaveTextContent(/^No answer came/);
  return { person, resumed };
}

describe('a call that was parked for a sign-in', () => {
  it.each([
    ['another user', { userId: 'wren-1' }],
    ['a time long past', { at: Date.now() - PARKED_MS }],
    ['something else', { call: 'POST /api/payouts' }],
  ])('of %s is not shown, and forgotten', async (_whose, over) => {
    parked(over);
    const server = answering({ ...BANK, 'POST /api/payouts': PAYOUT });
    renderAt('/bank-accounts');
    await screen.findByRole('list', { name: 'Bank accounts' });
    await waitFor(() => expect(sessionStorage.getItem(PARKED_PLACE)).toBeNull());
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(server.calls('POST /api/payouts')).toEqual([]);
  });

  it('is refused in the form’s words, and forgotten', async () => {
    parked();
    answering({ ...BANK, 'POST /api/payouts': refusal(422, 'Your balance is too low.') });
    const { person } = renderAt('/bank-accounts');
    await person.click((await afterSignIn()).getByRole('button', { name: 'Confirm' }));
    await toast('Error', 'Your balance is too low.');
    expect(sessionStorage.getItem(PARKED_PLACE)).toBeNull();
  });

  it('that was carried out and failed is told as a failure', async () => {
    parked({
      endpoint: 'paySubscriptionNow',
      call: { path: '/api/subscriptions/sub_1/pay-now', method: 'POST', body: {} },
    });
    const declined = { amount: '20.00', isCollecting: false, needsConfirmation: false };
    const lastFailureReason = 'Your card was declined.';
    answering({ ...BANK, 'POST /api/subscriptions/sub_1/pay-now': { ...declined, lastFailureReason } });
    const { person } = renderAt('/bank-accounts');
    await person.click((await afterSignIn()).getByRole('button', { name: 'Confirm' }));
    const told = await screen.findByText('Your card was declined. You have not been charged.');
    expect(told.closest('[data-tone]')).toHaveAttribute('data-tone', 'error');
  });

  it('whose answer is lost is sent again under the same key', async () => {
    parked();
    const server = answering({
      ...BANK,
      'POST /api/payouts': inTurn(
        () => Promise.reject(new TypeError('Failed to fetch')),
        () => PAYOUT,
      ),
    });
    const { person, resumed } = await confirmedInVain();
    await person.click(resumed.getByRole('button', { name: 'Confirm' }));
    await toast('Payout Requested');
    const sent = server.made.filter(({ call }) => call === 'POST /api/payouts');
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['key-1', 'key-1']);
  });

  it('whose answer is lost is not said to have changed nothing where its user gives it up', async () => {
    parked();
    answering({ ...BANK, 'POST /api/payouts': () => Promise.reject(new TypeError('Failed to fetch')) });
    const { person, resumed } = await confirmedInVain();
    await person.click(resumed.getByRole('button', { name: 'Cancel' }));
    await toast(
      'Not Known Yet',
      'No answer came, so this may have been done or not. Look before you ask again.',
    );
    expect(screen.queryByText(/Nothing has changed/)).not.toBeInTheDocument();
  });

  it('whose answer is lost is sent again after its time, too: nobody is told that nothing has happened', async () => {
    parked();
    const server = answering({
      ...BANK,
      'POST /api/payouts': inTurn(
        () => Promise.reject(new TypeError('Failed to fetch')),
        () => PAYOUT,
      ),
    });
    const { person, resumed } = await confirmedInVain();
    const opened = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(opened + PARKED_MS);
    await waitFor(() => expect(resumed.queryByText(/This request ends in/)).toBeNull());
    await person.click(resumed.getByRole('button', { name: 'Confirm' }));
    await toast('Payout Requested');
    expect(server.calls('POST /api/payouts')).toHaveLength(2);
  });

  it('is asked about again where the sign-in did not happen, and keeps its name and its key', async () => {
    const goTo = watchLeaving();
    parked();
    answering({ ...BANK, 'POST /api/payouts': forSignIn });
    const { person } = renderAt('/bank-accounts');
    await person.click((await afterSignIn()).getByRole('button', { name: 'Confirm' }));
    await person.click((await bySignIn()).getByRole('button', { name: 'Sign in again to confirm' }));
    expect(goTo).toHaveBeenCalledTimes(1);
    expect(JSON.parse(sessionStorage.getItem(PARKED_PLACE)!)).toMatchObject({
      endpoint: 'requestPayout',
      call: { headers: { 'idempotency-key': 'key-1' } },
    });
  });

  it.each(['beginSetup', 'putPicture', 'payAtOnce', 'openPayment'])(
    'that the page itself goes on with is pressed once more: %s',
    async (endpoint) => {
      parked({ endpoint });
      const server = answering(BANK);
      renderAt('/bank-accounts');
      await toast('You Signed In Again', 'You can go on now: press the button once more.');
      expect(server.calls('POST /api/payouts')).toEqual([]);
      expect(sessionStorage.getItem(PARKED_PLACE)).toBeNull();
    },
  );

  it('ends while its sheet is open', async () => {
    parked();
    const server = answering({ ...BANK, 'POST /api/payouts': PAYOUT });
    const { person } = renderAt('/bank-accounts');
    const resumed = await afterSignIn();
    const opened = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(opened + PARKED_MS);
    await waitFor(() => expect(resumed.queryByText(/This request ends in/)).toBeNull());
    await person.click(resumed.getByRole('button', { name: 'Confirm' }));
    expect(await resumed.findByRole('alert')).toHaveTextContent(/^This has waited too long/);
    expect(server.calls('POST /api/payouts')).toEqual([]);
  });
});

describe('a confirmation whose sheet is no longer there', () => {
  it('comes back as it was with the browser’s arrow', async () => {
    watchLeaving();
    const { person } = await askForPayout({ 'POST /api/payouts': forSignIn });
    const shown = await bySignIn();
    const leave = shown.getByRole('button', { name: 'Sign in again to confirm' });
    await person.click(leave);
    expect(shown.getByRole('button', { name: 'Opening' })).toHaveAttribute('aria-disabled', 'true');
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    expect(await shown.findByRole('button', { name: 'Sign in again to confirm' })).toBeEnabled();
    expect(sessionStorage.getItem(PARKED_PLACE)).toBeNull();
  });
});
