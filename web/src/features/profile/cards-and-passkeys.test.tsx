import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import type { Passkey } from '#contracts/api/passkeys';
import type { SavedCardAnswer } from '#contracts/api/payment-methods';
import { answering, refusal, renderAt, SETTINGS, toast } from '../../../testing/render.js';

// The device: it shows the passkey that it has, or the person puts it off.
const device = {
  startRegistration: jest.fn(async (_: object) => Promise.resolve({ id: 'made' })),
  startAuthentication: jest.fn(async (_: object) => Promise.resolve({ id: 'shown' })),
};
jest.unstable_mockModule('@simplewebauthn/browser', () => device);

beforeEach(() => {
  device.startRegistration.mockReset().mockResolvedValue({ id: 'made' });
  device.startAuthentication.mockReset().mockResolvedValue({ id: 'shown' });
});

const VISA: SavedCardAnswer = {
  id: 'pm_1',
  brand: 'visa',
  last4: '4242',
  expMonth: 4,
  expYear: 2040,
  isDefault: true,
};
const OTHER: SavedCardAnswer = { ...VISA, id: 'pm_2', brand: 'mastercard', last4: '4444', isDefault: false };
const PHONE: Passkey = { id: 'pk_1', label: 'Passkey on iPhone', createdAt: '2026-11-20T12:00:00.000Z' };

async function open(answers: Record<string, unknown>) {
  const server = answering(answers);
  const app = renderAt('/profile');
  await screen.findByRole('heading', { name: 'Passkeys' });
  return { server, ...app };
}

describe('saved cards', () => {
  it('are known by their last four digits; the default one is charged, and another can take its place', async () => {
    const { person, server } = await open({
      'GET /api/payment-methods': [VISA, OTHER],
      'PUT /api/payment-methods/pm_2/default': [],
    });
    expect(await screen.findByText('Visa ••••4242')).toBeVisible();
    expect(screen.getAllByText('Expires 04/40')).toHaveLength(2);
    expect(screen.getByText('Default')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Set Default: Mastercard ••••4444' }));
    await toast('Default Card Updated');
    await waitFor(() => expect(server.calls('GET /api/payment-methods')).toHaveLength(2));
  });

  it('are removed after a confirmation', async () => {
    const { person, server } = await open({
      'GET /api/payment-methods': [VISA],
      'DELETE /api/payment-methods/pm_1': () => new Response(null, { status: 204 }),
    });
    await person.click(await screen.findByRole('button', { name: 'Remove Visa ••••4242' }));
    server.answers['GET /api/payment-methods'] = [];
    await person.click(await screen.findByRole('button', { name: 'Remove Card' }));
    await toast('Card Removed');
    expect(await screen.findByText('No saved cards')).toBeVisible();
  });
});

describe('passkeys', () => {
  const ENROLMENT = {
    'POST /api/passkeys/enrolment/options': { challenge: 'c' },
    'POST /api/passkeys/enrolment/verify': PHONE,
  };

  it('are made by the device and kept by the server', async () => {
    const { person, server } = await open(ENROLMENT);
    server.answers['GET /api/passkeys'] = [PHONE];
    await person.click(await screen.findByRole('button', { name: 'Add a Passkey' }));
    await toast('Passkey Added');
    expect(device.startRegistration).toHaveBeenCalledWith({ optionsJSON: { challenge: 'c' } });
    expect(server.calls('POST /api/passkeys/enrolment/verify')).toEqual([
      { label: expect.any(String), response: { id: 'made' } },
    ]);
    expect(await screen.findByText('Added Nov 20, 2026')).toBeVisible();
  });

  it('that the person cancels are not created, and a toast says so', async () => {
    device.startRegistration.mockRejectedValue(new Error('NotAllowedError'));
    const { person, server } = await open(ENROLMENT);
    await person.click(await screen.findByRole('button', { name: 'Add a Passkey' }));
    await toast('Passkey Not Added', 'No passkey was made. You can try again at any time.');
    expect(server.calls('POST /api/passkeys/enrolment/verify')).toHaveLength(0);
  });

  /** A server that lets a passkey go only with a proof. */
  const guarded = (withProof: () => unknown) => {
    let asked = 0;
    return () => {
      asked += 1;
      return asked === 1
        ? Response.json(
            { message: 'Please confirm with your passkey.', code: 'passkey_required' },
            { status: 403 },
          )
        : withProof();
    };
  };
  const PROOF = {
    'GET /api/settings': { ...SETTINGS, biometricEnabled: true },
    'GET /api/passkeys': [PHONE],
    'POST /api/passkeys/assertion/options': { challenge: 'd' },
    'POST /api/passkeys/assertion/verify': { proof: 'proof-1', expiresAt: '2026-11-20T12:05:00.000Z' },
  };
  const remove = async (person: Awaited<ReturnType<typeof open>>['person']) => {
    await person.click(await screen.findByRole('button', { name: 'Remove Passkey on iPhone' }));
    await person.click(await screen.findByRole('button', { name: 'Remove Passkey' }));
    await person.click(await screen.findByRole('button', { name: 'Confirm with passkey' }));
  };

  it('are asked for where the server wants one, and the same call goes again with the proof', async () => {
    const { person, server } = await open({ ...PROOF, 'DELETE /api/passkeys/pk_1': guarded(() => []) });
    await remove(person);
    await toast('Passkey Removed');
    expect(device.startAuthentication).toHaveBeenCalledWith({ optionsJSON: { challenge: 'd' } });
    const sent = server.made.filter(({ call }) => call === 'DELETE /api/passkeys/pk_1');
    expect(sent.map(({ headers }) => headers.get('x-encore-passkey-proof'))).toEqual([null, 'proof-1']);
  });

  it('that are not shown leave everything as it is', async () => {
    device.startAuthentication.mockRejectedValue(new Error('NotAllowedError'));
    const { person, server } = await open({ ...PROOF, 'DELETE /api/passkeys/pk_1': guarded(() => []) });
    await remove(person);
    const sheet = within(screen.getByRole('dialog', { name: 'Confirm with your passkey' }));
    const sentence = 'This needs your passkey. Nothing has changed; please try again.';
    expect(await sheet.findByText(sentence)).toBeVisible();
    await person.click(sheet.getByRole('button', { name: 'Cancel' }));
    await toast('Not Confirmed', 'You did not confirm this. Nothing has changed.');
    expect(server.calls('DELETE /api/passkeys/pk_1')).toHaveLength(1);
  });

  it('that the server does not accept say why', async () => {
    const sentence = 'This passkey could not be verified. Please try again.';
    const { person } = await open({
      ...PROOF,
      'POST /api/passkeys/assertion/verify': refusal(400, sentence),
      'DELETE /api/passkeys/pk_1': guarded(() => []),
    });
    await remove(person);
    const sheet = within(screen.getByRole('dialog', { name: 'Confirm with your passkey' }));
    expect(await sheet.findByText(sentence)).toBeVisible();
  });
});
