import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import type { Session } from '#contracts/api/sessions';
import { answering, refusal, renderAt, THIS_PHONE, toast } from '../../../testing/render.js';

const LAPTOP: Session = {
  ...THIS_PHONE,
  id: 'b3c1d7a2-0000-4000-8000-000000000002',
  device: 'Firefox on Linux',
  kind: 'computer',
  place: null,
  lastUsedAt: '2026-10-30T10:40:00.000Z',
  isCurrent: false,
};
const TABLET: Session = {
  ...LAPTOP,
  id: 'b3c1d7a2-0000-4000-8000-000000000003',
  device: null,
  kind: 'tablet',
  place: 'Lisbon',
  address: null,
  lastUsedAt: new Date().toISOString(),
};

async function open(sessions: unknown, answers: Record<string, unknown> = {}) {
  const server = answering({ 'GET /api/sessions': sessions, ...answers });
  const app = renderAt('/profile');
  await screen.findByRole('heading', { name: 'Signed in' });
  return { server, ...app };
}
const rows = async () => {
  const list = await screen.findByRole('list', { name: 'Signed in' });
  return within(list).getAllByRole('listitem');
};

describe('where one is signed in', () => {
  it('shows this device first, and of each the place or the address and when it was used', async () => {
    await open([LAPTOP, TABLET, THIS_PHONE]);
    const [first, second, third] = await rows();
    expect(first).toHaveTextContent(/Safari on iPhone.*Porto · in use now.*This phone/);
    expect(second).toHaveTextContent(/Firefox on Linux.*203\.0\.113\.0\/24 · Oct 30.*, 10:40.AM/);
    expect(third).toHaveTextContent(/Unknown device.*Lisbon · in use now/);
    expect(screen.getByText('3 devices')).toBeVisible();
    expect(within(first!).queryByRole('button')).not.toBeInTheDocument();
  });

  it('is one device where there is no other, and there is nothing to sign out', async () => {
    await open([THIS_PHONE]);
    expect(await rows()).toHaveLength(1);
    expect(screen.getByText('1 device')).toBeVisible();
    expect(screen.queryByRole('button', { name: /Sign out everywhere/ })).not.toBeInTheDocument();
  });

  it('says so when it cannot be loaded, and tries again', async () => {
    const { server, person } = await open(refusal(503, 'Not now.'));
    expect(await screen.findByText('Your devices could not be loaded.')).toBeVisible();
    server.answers['GET /api/sessions'] = [THIS_PHONE];
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await rows()).toHaveLength(1);
  });
});

describe('a device', () => {
  it('is signed out and gone from the list', async () => {
    const { server, person } = await open([THIS_PHONE, LAPTOP], {
      [`DELETE /api/sessions/${LAPTOP.id}`]: () => new Response(null, { status: 204 }),
    });
    await rows();
    server.answers['GET /api/sessions'] = [THIS_PHONE];
    await person.click(screen.getByRole('button', { name: 'Sign out Firefox on Linux' }));
    await toast('Device Signed Out', 'Firefox on Linux is signed out.');
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });

  it('that is gone already goes from the list, with the server’s sentence', async () => {
    const { server, person } = await open([THIS_PHONE, LAPTOP], {
      [`DELETE /api/sessions/${LAPTOP.id}`]: refusal(404, 'This device is not signed in any more.'),
    });
    await rows();
    server.answers['GET /api/sessions'] = [THIS_PHONE];
    await person.click(screen.getByRole('button', { name: 'Sign out Firefox on Linux' }));
    await toast('Error', 'This device is not signed in any more.');
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });
});

describe('all other devices', () => {
  it('are signed out at once; this one stays', async () => {
    const { server, person } = await open([THIS_PHONE, LAPTOP, TABLET], {
      'POST /api/sessions/end-others': { ended: 2 },
    });
    await rows();
    expect(
      screen.getByText(
        'Signs out the other 2 devices at once. This phone stays signed in, and no payment stops.',
      ),
    ).toBeVisible();
    server.answers['GET /api/sessions'] = [THIS_PHONE];
    await person.click(screen.getByRole('button', { name: 'Sign out everywhere else' }));
    await toast('Signed Out Everywhere Else', '2 devices signed out.');
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });
});
