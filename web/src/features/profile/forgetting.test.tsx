import { describe, expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import type { ForgettingAnswer } from '#contracts/api/forgetting';
import { answering, NOT_FORGOTTEN, refusal, renderAt, SETTINGS, toast } from '../../../testing/render.js';

const requested = (): ForgettingAnswer => ({
  ...NOT_FORGOTTEN,
  status: 'requested',
  requestedAt: new Date().toISOString(),
  dueAt: new Date(Date.now() + 71.5 * 3_600_000).toISOString(),
});

async function open(forgetting: unknown, answers: Record<string, unknown> = {}) {
  const server = answering({ 'GET /api/forgetting': forgetting, ...answers });
  const app = renderAt('/profile');
  const panel = within(await screen.findByRole('region', { name: 'Delete your account' }));
  const press = async (name: string) => app.person.click(await panel.findByRole('button', { name }));
  return { server, panel, press, ...app };
}
const dialog = async () => within(await screen.findByRole('dialog', { name: 'Delete your account?' }));

describe('deleting the account', () => {
  it('says what is kept and why, asks, and then says the day', async () => {
    const { server, panel, press, person } = await open(NOT_FORGOTTEN, {
      'POST /api/forgetting': requested(),
    });
    expect(await panel.findByText(/^Your name, addresses, notes and picture can then be read/)).toBeVisible();
    expect(panel.getByText(/^Amounts, times and ids of payments are kept/)).toBeVisible();
    await press('Delete My Account');
    const asked = await dialog();
    expect(asked.getByText(/^It is done in 72 hours/)).toBeVisible();
    expect(server.calls('POST /api/forgetting')).toEqual([]);
    server.answers['GET /api/forgetting'] = requested();
    await person.click(asked.getByRole('button', { name: 'Delete My Account' }));
    await toast('Deletion Requested');
    expect(await panel.findByText(/^Your account will be deleted on .* in 3 days\.$/)).toBeVisible();
    expect(server.calls('POST /api/forgetting')).toEqual([{}]);
  });

  it('is called off until then', async () => {
    const { server, panel, press } = await open(requested(), { 'DELETE /api/forgetting': NOT_FORGOTTEN });
    await panel.findByText(/^Your account will be deleted on/);
    server.answers['GET /api/forgetting'] = NOT_FORGOTTEN;
    await press('Keep My Account');
    await toast('Account Kept', 'Your account will not be deleted.');
    expect(await panel.findByRole('button', { name: 'Delete My Account' })).toBeEnabled();
  });

  it('that is being done already is not called off, in the server’s sentence', async () => {
    const sentence = 'The wait is over and this account is being forgotten: that cannot be stopped any more.';
    const { press } = await open(requested(), { 'DELETE /api/forgetting': refusal(409, sentence) });
    await press('Keep My Account');
    await toast('Error', sentence);
  });

  it('cannot be asked for while money is left, and says so', async () => {
    const blockedBecause = '$100.00 of yours is left in your balance. Pay it out first.';
    const { panel } = await open({ ...NOT_FORGOTTEN, blockedBecause });
    expect(await panel.findByText(blockedBecause)).toBeVisible();
    expect(panel.getByRole('button', { name: 'Delete My Account' })).toBeDisabled();
  });

  it('hides how much is left while amounts are hidden', async () => {
    const blockedBecause = '$1,100.00 of yours is left in your balance. Pay it out first.';
    const { panel } = await open(
      { ...NOT_FORGOTTEN, blockedBecause },
      { 'GET /api/settings': { ...SETTINGS, privacyModeEnabled: true } },
    );
    expect(await panel.findByText('$•••• of yours is left in your balance. Pay it out first.')).toBeVisible();
  });

  it('is refused in the server’s sentence, and can be asked for again', async () => {
    const sentence = 'A recovery of this account is under way.';
    const { press, person } = await open(NOT_FORGOTTEN, { 'POST /api/forgetting': refusal(409, sentence) });
    await press('Delete My Account');
    const asked = await dialog();
    await person.click(asked.getByRole('button', { name: 'Delete My Account' }));
    expect(await asked.findByRole('alert')).toHaveTextContent(sentence);
  });

  it.each([
    ['recovery_started', /^Your last request ended when a recovery/],
    ['money_left', /^Your last request ended: money of yours was left/],
  ] as const)('says why the last request came to nothing: %s', async (lastEndedBecause, sentence) => {
    const { panel } = await open({ ...NOT_FORGOTTEN, lastEndedBecause });
    expect(await panel.findByText(sentence)).toBeVisible();
  });

  it('says so when it cannot be loaded', async () => {
    const { panel } = await open(refusal(503, 'Not now.'));
    expect(
      await panel.findByText('Whether your account is to be deleted could not be loaded.'),
    ).toBeVisible();
  });
});
