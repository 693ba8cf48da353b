import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { ownQrContent } from '#contracts/plain/qr-content';
import { FakeStream } from '../../../testing/fake-stream.js';
import { fileOfAddress } from '../account/own-code.js';
import { recipientFromCode } from '../scanner/scanned-recipient.js';
import {
  answering,
  JUNO,
  refusal,
  renderAt,
  SIGNED_OUT,
  toast,
  watchLeaving,
} from '../../../testing/render.js';

const LINK = 'http://localhost/tip/juno-1';
const write = jest.fn(async (_text: string) => Promise.resolve());

/** What this browser can do. */
function withSharing(share: unknown): void {
  Object.defineProperty(navigator, 'share', { value: share, configurable: true });
}

async function openMyQr() {
  answering({});
  const app = renderAt('/my-qr');
  await screen.findByRole('img', { name: 'QR code to pay @junoplays' });
  // userEvent brings a clipboard of its own.
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: write }, configurable: true });
  return app;
}

beforeEach(() => {
  write.mockClear();
  write.mockImplementation(async () => Promise.resolve());
  withSharing(undefined);
});

describe('my QR code', () => {
  it('is 300 px wide and says who I am to the app’s own scanner', async () => {
    await openMyQr();
    expect(screen.getByRole('img', { name: /QR code/ })).toHaveAttribute('width', '300');
    expect(recipientFromCode(ownQrContent(JUNO))).toEqual({ userId: 'juno-1' });
    for (const name of ['Share', 'Save', 'Copy ID'])
      expect(screen.getByRole('button', { name })).toBeEnabled();
    expect(screen.getByText('juno-1')).toBeVisible();
    expect(screen.getByText(LINK)).toBeVisible();
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining([
        '1Show this code, or send the link.',
        '2They scan it and choose an amount.',
        '3The tip lands in your balance.',
      ]),
    );
  });

  it('is shared as a link', async () => {
    const share = jest.fn(async (_what: object) => Promise.resolve());
    const { person } = await openMyQr();
    withSharing(share);
    await person.click(screen.getByRole('button', { name: 'Share' }));
    await waitFor(() => expect(share).toHaveBeenCalledWith(expect.objectContaining({ url: LINK })));
    expect(write).not.toHaveBeenCalled();
  });

  it.each([
    ['there is no way to share', undefined],
    ['sharing fails', async () => Promise.reject(new Error('no'))],
  ])('copies the link where %s', async (_why, share) => {
    const { person } = await openMyQr();
    withSharing(share);
    await person.click(screen.getByRole('button', { name: 'Share' }));
    expect(await screen.findByText('Payment Link Copied')).toBeVisible();
    expect(write).toHaveBeenCalledWith(LINK);
  });

  it('copies nothing when the share sheet is closed', async () => {
    const { person } = await openMyQr();
    withSharing(async () => Promise.reject(Object.assign(new Error('no'), { name: 'AbortError' })));
    await person.click(screen.getByRole('button', { name: 'Share' }));
    await person.click(screen.getByRole('button', { name: 'Copy ID' }));
    expect(await screen.findByText('User ID Copied')).toBeVisible();
    expect(write.mock.calls).toEqual([['juno-1']]);
  });

  it.each([
    ['Copy ID', 'juno-1', 'User ID Copied'],
    ['Copy user ID', 'juno-1', 'User ID Copied'],
    ['Copy username @junoplays', 'junoplays', 'Username Copied'],
    ['Copy payment link', LINK, 'Payment Link Copied'],
  ])('%s copies %s', async (name, text, told) => {
    const { person } = await openMyQr();
    await person.click(screen.getByRole('button', { name }));
    expect(await screen.findByText(told)).toBeVisible();
    expect(write).toHaveBeenCalledWith(text);
  });

  it('is saved as a picture under the username', async () => {
    const saved = jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    const { person } = await openMyQr();
    expect(screen.getByRole('heading', { name: 'How It Works' })).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(saved).toHaveBeenCalledTimes(1));
    const [link] = saved.mock.contexts;
    expect(link).toHaveProperty('download', 'junoplays-qr-code.png');
    expect(link).toHaveProperty('href', expect.stringMatching(/^data:image\/png;base64,/));
    saved.mockRestore();
  });

  it('puts an amount on the link', async () => {
    const { person } = await openMyQr();
    await person.type(screen.getByRole('spinbutton', { name: 'Amount on the link (optional)' }), '20');
    await waitFor(() => expect(screen.getByText(`${LINK}?amount=20.00`)).toBeVisible());
  });

  it('says why an amount is not on the link', async () => {
    const { person } = await openMyQr();
    const field = screen.getByRole('spinbutton', { name: 'Amount on the link (optional)' });
    await person.type(field, '0.25');
    expect(field).toHaveAccessibleDescription(
      'The smallest payment is $0.50. The link is without an amount.',
    );
    expect(screen.getByText(LINK)).toBeVisible();
  });

  it('is for people who are signed in', async () => {
    watchLeaving();
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    renderAt('/my-qr');
    expect(await screen.findByText('Please log in to view your QR code')).toBeVisible();
  });
});

describe('the code for any camera', () => {
  const PAGE = {
    handle: 'junoplays',
    suggestedHandle: null,
    path: '/@junoplays',
    isPublished: true,
    isListed: false,
    stageName: '',
    line: '',
  };
  const address = 'http://localhost/@junoplays';

  it('is the address of the published tip page, and shown again at the next visit', async () => {
    answering({ 'GET /api/tip-page': PAGE });
    const first = renderAt('/my-qr');
    const choice = await screen.findByRole('button', { name: 'For any camera' });
    await waitFor(() => expect(choice).toBeEnabled());
    await first.person.click(choice);
    expect(await screen.findByRole('img', { name: 'QR code of your tip page @junoplays' })).toBeVisible();
    expect(localStorage.getItem('encore.my-qr-code')).toBe('camera');
    await first.person.click(screen.getByRole('button', { name: 'In the app' }));
    expect(await screen.findByRole('img', { name: 'QR code to pay @junoplays' })).toBeVisible();
  });

  it('is the one saved and kept for offline while it is shown', async () => {
    localStorage.setItem('encore.my-qr-code', 'camera');
    const saved: string[] = [];
    jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(`${this.download} ${this.href}`);
    });
    answering({ 'GET /api/tip-page': { ...PAGE, handle: 'juno' } });
    const { person } = renderAt('/my-qr');
    const code = await screen.findByRole('img', { name: 'QR code of your tip page @juno' });
    const atHand = () => JSON.parse(localStorage.getItem('encore.at-hand') ?? '{}') as { code?: string };
    await waitFor(() => expect(atHand().code).toBe(code.getAttribute('src')));
    const press = async (name: string) => person.click(screen.getByRole('button', { name }));
    await press('Save');
    const drawn = await fileOfAddress('junoplays', address);
    await waitFor(() => expect(saved).toEqual([`junoplays-tip-page-qr-code.png ${drawn.url}`]));

    await press('In the app');
    const own = await screen.findByRole('img', { name: 'QR code to pay @junoplays' });
    await waitFor(() => expect(atHand().code).toBe(own.getAttribute('src')));
    await press('Save');
    await waitFor(() => expect(saved[1]).toMatch(/^junoplays-qr-code\.png /));
    jest.restoreAllMocks();
  });

  it('says that the tip page could not be loaded, and reads it again', async () => {
    const server = answering({ 'GET /api/tip-page': refusal(500, 'No.') });
    const { person } = renderAt('/my-qr');
    expect(await screen.findByText('Your tip page could not be loaded.')).toBeVisible();
    server.answers['GET /api/tip-page'] = PAGE;
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('textbox', { name: 'Handle' })).toHaveValue('junoplays');
  });

  it('comes with the page’s address to share', async () => {
    const share = jest.fn(async (_what: object) => Promise.resolve());
    answering({ 'GET /api/tip-page': PAGE });
    const { person } = renderAt('/my-qr');
    withSharing(share);
    const shareButton = await screen.findByRole('button', { name: 'Share tip page' });
    await waitFor(() => expect(shareButton).toBeEnabled());
    await person.click(shareButton);
    await waitFor(() => expect(share).toHaveBeenCalledWith(expect.objectContaining({ url: address })));
  });

  it('is not offered before the page is published, which takes a handle', async () => {
    const server = answering({
      'GET /api/tip-page': {
        ...PAGE,
        handle: null,
        path: null,
        isPublished: false,
        suggestedHandle: 'junoplays',
      },
      'PUT /api/tip-page/handle': PAGE,
    });
    const { person } = renderAt('/my-qr');
    const handle = await screen.findByRole('textbox', { name: 'Handle' });
    expect(handle).toHaveValue('junoplays');
    expect(screen.getByRole('button', { name: 'For any camera' })).toBeDisabled();
    expect(screen.getByRole('button', { name: 'Share tip page' })).toBeDisabled();
    expect(screen.getByText(/^Publish your tip page first/)).toBeVisible();
    await person.clear(handle);
    await person.type(handle, 'admin');
    await person.click(screen.getByRole('button', { name: 'Claim Handle' }));
    expect(await screen.findByText(/taken for one of ours/)).toBeVisible();
    await person.clear(handle);
    await person.type(handle, '@JunoPlays');
    await person.click(screen.getByRole('button', { name: 'Claim Handle' }));
    await waitFor(() => expect(server.calls('PUT /api/tip-page/handle')).toEqual([{ handle: 'junoplays' }]));
  });

  describe('and its page', () => {
    const WORDS = { stageName: 'Stage name (optional)', line: 'Line under your name (optional)' };
    const open = async (answers: Record<string, unknown>) => {
      const server = answering({ 'GET /api/tip-page': PAGE, ...answers });
      const { person } = renderAt('/my-qr');
      const field = async (name: string) => screen.findByRole('textbox', { name });
      return { server, person, field };
    };

    it('says at the handle why it was refused, until another one is typed', async () => {
      const { person, field } = await open({
        'PUT /api/tip-page/handle': refusal(409, 'Somebody else has this handle.'),
      });
      const handle = await field('Handle');
      await person.type(handle, '2');
      await person.click(screen.getByRole('button', { name: 'Change Handle' }));
      await waitFor(() => expect(handle).toBeInvalid());
      expect(handle).toHaveAccessibleDescription('Somebody else has this handle.');
      await person.type(handle, '3');
      expect(handle).toBeValid();
    });

    it('says where its picture comes from', async () => {
      await open({});
      expect(await screen.findByRole('link', { name: 'your profile' })).toHaveAttribute('href', '/profile');
    });

    it('says that its words are saved, or at the stage name why not', async () => {
      const { server, person, field } = await open({
        'PUT /api/tip-page': refusal(409, 'This name looks like that of another performer.'),
      });
      const stageName = await field(WORDS.stageName);
      await person.type(stageName, 'Juno');
      const save = async () => person.click(screen.getByRole('button', { name: 'Save Tip Page' }));
      await save();
      await waitFor(() => expect(stageName).toBeInvalid());
      expect(stageName).toHaveAccessibleDescription('This name looks like that of another performer.');
      server.answers['PUT /api/tip-page'] = PAGE;
      await save();
      await toast('Tip Page Saved', 'Payers see the new words from now on.');
    });

    it('keeps what is typed on while its words, or its handle, are being saved', async () => {
      let answer: (page: unknown) => void = () => undefined;
      const late = () => new Promise((resolve) => (answer = resolve));
      const { server, person, field } = await open({
        'PUT /api/tip-page': late,
        'PUT /api/tip-page/handle': late,
      });
      for (const [name, button, page] of [
        [WORDS.line, 'Save Tip Page', { ...PAGE, line: 'At the piano' }],
        ['Handle', 'Change Handle', { ...PAGE, line: 'At the piano', handle: 'juno' }],
      ] as const) {
        const typed = await field(name);
        await person.clear(typed);
        await person.type(typed, name === 'Handle' ? 'juno' : 'At the piano');
        await person.click(screen.getByRole('button', { name: button }));
        await person.type(typed, '_now');
        server.answers['GET /api/tip-page'] = page;
        await act(async () => answer(page));
        await screen.findByText(name === 'Handle' ? 'Handle Saved' : 'Tip Page Saved');
        expect(typed).toHaveValue(name === 'Handle' ? 'juno_now' : 'At the piano_now');
      }
    });

    it('takes back nothing that is being saved when something else of it is switched', async () => {
      const { server, person, field } = await open({
        'PUT /api/tip-page': () => new Promise(() => undefined),
      });
      await person.type(await field(WORDS.line), 'At the piano');
      await person.click(screen.getByRole('button', { name: 'Save Tip Page' }));
      await person.click(screen.getByRole('switch', { name: 'Search engines may list it' }));
      await waitFor(() => expect(server.calls('PUT /api/tip-page')).toHaveLength(2));
      expect(server.calls('PUT /api/tip-page')[1]).toMatchObject({ line: 'At the piano', isListed: true });
    });

    it('is printed, or says why it is not', async () => {
      const saved: string[] = [];
      jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
        saved.push(`${this.download} ${this.href}`);
      });
      Object.assign(URL, { createObjectURL: jest.fn(() => 'blob:1'), revokeObjectURL: jest.fn() });
      const { person } = await open({
        'GET /api/tip-page/print?kind=poster&paper=a4': () => new Response(new Blob(['%PDF'])),
        'GET /api/tip-page/print?kind=stickers&paper=a4': refusal(429, 'Too many PDFs were made.'),
      });
      await person.click(await screen.findByRole('button', { name: 'Poster' }));
      await waitFor(() => expect(saved).toEqual(['encore-poster.pdf blob:1']));
      await person.click(screen.getByRole('button', { name: 'Stickers' }));
      await toast('Error', 'Too many PDFs were made.');
      expect(saved).toHaveLength(1);
      jest.restoreAllMocks();
    });

    it('moves its switch at once, and back when the server refuses', async () => {
      let refuse: (refused: Response) => void = () => undefined;
      const { server, person } = await open({
        'PUT /api/tip-page': () => new Promise<Response>((resolve) => (refuse = resolve)),
      });
      const listed = await screen.findByRole('switch', { name: 'Search engines may list it' });
      await person.click(listed);
      await waitFor(() => expect(server.calls('PUT /api/tip-page')).toHaveLength(1));
      await waitFor(() => expect(listed).toBeChecked());
      refuse(Response.json({ message: 'The ledger is not available right now.' }, { status: 503 }));
      await toast('Tip Page Not Saved', 'The ledger is not available right now.');
      await waitFor(() => expect(listed).not.toBeChecked());
    });

    it('shows nobody what was typed and not saved, when something else of it is switched', async () => {
      const { server, person, field } = await open({ 'PUT /api/tip-page': { ...PAGE, isListed: true } });
      await person.type(await field(WORDS.line), 'half a thou');
      await person.click(screen.getByRole('switch', { name: 'Search engines may list it' }));
      await waitFor(() =>
        expect(server.calls('PUT /api/tip-page')).toEqual([{ stageName: '', line: '', isListed: true }]),
      );
      expect(await field(WORDS.line)).toHaveValue('half a thou');
    });

    it('keeps what is typed, and follows in the rest, when it is changed on another device', async () => {
      FakeStream.install();
      try {
        const { server, person, field } = await open({
          'PUT /api/tip-page/handle': { ...PAGE, handle: 'juno_plays' },
        });
        await FakeStream.stands();
        const changesTo = async (page: object): Promise<void> => {
          server.answers['GET /api/tip-page'] = page;
          await FakeStream.last.says({ topics: ['tip-page'] });
        };
        await person.type(await field(WORDS.line), 'half a thou');
        await changesTo({ ...PAGE, handle: 'juno', stageName: 'Juno V.' });
        await waitFor(async () => expect(await field('Handle')).toHaveValue('juno'));
        expect(await field(WORDS.stageName)).toHaveValue('Juno V.');
        expect(await field(WORDS.line)).toHaveValue('half a thou');
        expect(screen.queryByRole('button', { name: 'Change Handle' })).not.toBeInTheDocument();

        // What was saved here follows as well.
        await person.type(await field('Handle'), '_plays');
        server.answers['GET /api/tip-page'] = { ...PAGE, handle: 'juno_plays' };
        await person.click(screen.getByRole('button', { name: 'Change Handle' }));
        await screen.findByText('Handle Saved');
        await waitFor(() =>
          expect(screen.queryByRole('button', { name: 'Change Handle' })).not.toBeInTheDocument(),
        );
        await changesTo({ ...PAGE, handle: 'juno' });
        await waitFor(async () => expect(await field('Handle')).toHaveValue('juno'));
      } finally {
        FakeStream.remove();
      }
    });
  });
});
