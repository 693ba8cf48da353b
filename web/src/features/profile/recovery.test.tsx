import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import type { AccountRecoveryAnswer } from '#contracts/api/account-recovery';
import { answering, NO_RECOVERY, refusal, renderAt, toast, watchLeaving } from '../../../testing/render.js';
import { durationOf, timeLeft } from './time-left.js';

const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();
const POSSIBLE: AccountRecoveryAnswer = { ...NO_RECOVERY, isPossible: true };
const running = (over: Partial<AccountRecoveryAnswer> = {}): AccountRecoveryAnswer => ({
  ...POSSIBLE,
  status: 'running',
  startedBy: 'owner',
  startedAt: inHours(-1.5),
  completableFrom: inHours(70.5),
  lapsesAt: inHours(238.5),
  isConfirmed: true,
  ...over,
});
const waited = running({ completableFrom: inHours(-1), isCompletable: true });

async function open(recovery: unknown, answers: Record<string, unknown> = {}) {
  const server = answering({ 'GET /api/account-recovery': recovery, ...answers });
  const app = renderAt('/profile');
  const panel = within(await screen.findByRole('region', { name: 'Can’t use your passkey?' }));
  const press = async (name: string) => app.person.click(await panel.findByRole('button', { name }));
  return { server, panel, press, ...app };
}
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));
const asksForSignIn = () =>
  Response.json(
    {
      message: 'Sign in again.',
      code: 'sign_in_required',
      confirm: { words: 'Begin the recovery of your account, and sign out everywhere else' },
    },
    { status: 403 },
  );

beforeEach(() => {
  sessionStorage.clear();
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('a passkey that cannot be used', () => {
  it('offers no recovery while the account needs no passkey', async () => {
    const { panel } = await open(NO_RECOVERY);
    expect(await panel.findByText(/^No passkey is asked for on this account/)).toBeVisible();
    expect(panel.queryByRole('button')).not.toBeInTheDocument();
  });

  it('is told what a recovery means before it begins, and then how long it waits', async () => {
    const { server, panel, press, person } = await open(POSSIBLE, {
      'POST /api/account-recovery': running(),
    });
    await press('Recover My Account');
    const asked = await dialog('Recover your account?');
    expect(asked.getByText(/sign in now, and again in 72 hours to finish/)).toBeVisible();
    expect(asked.getByText(/^Until it ends, nobody can pay from the balance/)).toBeVisible();
    expect(server.calls('POST /api/account-recovery')).toEqual([]);
    server.answers['GET /api/account-recovery'] = running();
    await person.click(asked.getByRole('button', { name: 'Start Recovery' }));
    await toast('Account Recovery Started');
    expect(await panel.findByText(/It waits 2 days and 23 hours more\.$/)).toBeVisible();
    expect(server.calls('POST /api/account-recovery')).toEqual([{}]);
  });

  it('asks for another sign-in, and goes on after it', async () => {
    const goTo = watchLeaving();
    const { press, person, unmount } = await open(POSSIBLE, { 'POST /api/account-recovery': asksForSignIn });
    await press('Recover My Account');
    await person.click(
      (await dialog('Recover your account?')).getByRole('button', { name: 'Start Recovery' }),
    );
    const sheet = await dialog('Sign in again to confirm');
    expect(sheet.getByRole('heading', { name: 'Recover your account' })).toBeVisible();
    await person.click(sheet.getByRole('button', { name: 'Sign in again to confirm' }));
    expect(goTo).toHaveBeenCalledWith('/api/login?fresh=1&returnTo=%2Fprofile');
    unmount();

    const server = answering({
      'GET /api/account-recovery': POSSIBLE,
      'POST /api/account-recovery': running(),
    });
    const { person: back } = renderAt('/profile');
    const resumed = await dialog('Confirm what you asked for');
    server.answers['GET /api/account-recovery'] = running();
    await back.click(resumed.getByRole('button', { name: 'Confirm' }));
    await toast('Account Recovery Started');
    expect(await screen.findByText(/^Your account is being recovered\. It waits/)).toBeVisible();
  });

  it('stays as it was where it is refused, in the server’s sentence', async () => {
    const sentence = 'A recovery of this account was refused a short time ago.';
    const { panel, press, person } = await open(POSSIBLE, {
      'POST /api/account-recovery': refusal(409, sentence),
    });
    await press('Recover My Account');
    const asked = await dialog('Recover your account?');
    await person.click(asked.getByRole('button', { name: 'Start Recovery' }));
    expect(await asked.findByRole('alert')).toHaveTextContent(sentence);
    await person.click(asked.getByRole('button', { name: 'Not Now' }));
    expect(await panel.findByRole('button', { name: 'Recover My Account' })).toBeVisible();
  });

  it('says from when another recovery can begin after one was stopped', async () => {
    const { panel } = await open({ ...POSSIBLE, status: 'refused', againFrom: '2026-11-24T12:00:00.000Z' });
    expect(await panel.findByText(/can be started from Nov 24, 2026/)).toBeVisible();
    expect(panel.queryByRole('button')).not.toBeInTheDocument();
  });

  it('says so when it cannot be loaded', async () => {
    const { panel, press, server } = await open(refusal(503, 'Not now.'));
    expect(await panel.findByText('The recovery of your account could not be loaded.')).toBeVisible();
    server.answers['GET /api/account-recovery'] = POSSIBLE;
    await press('Try again');
    expect(await panel.findByRole('button', { name: 'Recover My Account' })).toBeVisible();
  });
});

describe('a recovery that waits', () => {
  it('shows who began it and what is held back, and cannot be finished yet', async () => {
    const { panel } = await open(running());
    const terms = (await panel.findAllByRole('term')).map(({ textContent }) => textContent);
    expect(terms).toEqual(['Started by', 'Started', 'Waits until']);
    expect(panel.getByText('Somebody signed in as you')).toBeVisible();
    expect(panel.getByText(/^Until it ends, nobody can pay from the balance/)).toBeVisible();
    expect(panel.queryByRole('button', { name: 'Finish Recovery' })).not.toBeInTheDocument();
  });

  it('is stopped by its owner’s passkey', async () => {
    const { server, panel, press } = await open(running(), {
      'POST /api/account-recovery/refusal': POSSIBLE,
    });
    server.answers['GET /api/account-recovery'] = { ...POSSIBLE, status: 'refused', againFrom: inHours(24) };
    await press('It Wasn’t Me: Stop It With My Passkey');
    await toast('Recovery Stopped');
    expect(await panel.findByText(/^A recovery of this account was stopped/)).toBeVisible();
    expect(server.calls('POST /api/account-recovery/refusal')).toEqual([{}]);
  });

  it('that support began is confirmed with a sign-in before it can be finished', async () => {
    const bySupport = { ...waited, startedBy: 'operator', isConfirmed: false } as const;
    const { server, panel, press } = await open(bySupport, { 'POST /api/account-recovery': waited });
    expect(await panel.findByText('Our support')).toBeVisible();
    expect(panel.queryByRole('button', { name: 'Finish Recovery' })).not.toBeInTheDocument();
    server.answers['GET /api/account-recovery'] = { ...bySupport, isConfirmed: true };
    await press('Confirm It’s Me');
    await toast('Account Recovery Started');
    expect(await panel.findByRole('button', { name: 'Finish Recovery' })).toBeVisible();
  });
});

describe('a recovery whose wait is over', () => {
  it.each([
    ['by the ledger’s clock', waited],
    ['while the page was open', running({ completableFrom: inHours(-0.1) })],
    ['and that stopped half-way', running({ status: 'completing', isCompletable: true })],
  ])('%s is finished', async (_how, recovery) => {
    const { server, panel, press, person } = await open(recovery, {
      'POST /api/account-recovery/completion': NO_RECOVERY,
    });
    await press('Finish Recovery');
    const asked = await dialog('Finish the recovery?');
    expect(asked.getByText(/^All passkeys of this account are removed/)).toBeVisible();
    server.answers['GET /api/account-recovery'] = NO_RECOVERY;
    await person.click(asked.getByRole('button', { name: 'Finish Recovery' }));
    await toast('Account Recovered');
    expect(await panel.findByText(/^No passkey is asked for/)).toBeVisible();
    await waitFor(() => expect(server.calls('POST /api/account-recovery/completion')).toEqual([{}]));
  });
});

describe('what is left of a wait', () => {
  it.each([
    [72, '3 days'],
    [70.5, '2 days and 23 hours'],
    [24.5, '1 day and 1 hour'],
    [1, '1 hour'],
    [0.9, 'less than an hour'],
    [-5, 'less than an hour'],
  ])('of %d hours is %s', (hours, words) => {
    const now = Date.UTC(2026, 10, 22);
    expect(timeLeft(new Date(now + hours * HOUR_MS).toISOString(), now)).toBe(words);
  });
  it('is said in hours for three days, and in days for more', () => {
    expect([24, 72, 96, 100].map(durationOf)).toEqual(['24 hours', '72 hours', '4 days', '100 hours']);
  });
});
