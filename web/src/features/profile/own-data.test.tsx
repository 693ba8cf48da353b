import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { screen } from '@testing-library/react';
import { answering, refusal, renderAt, toast } from '../../../testing/render.js';

const FILE_URL = 'blob:encore-my-data';
let clicked: { download: string; href: string }[];

beforeEach(() => {
  clicked = [];
  // jsdom has neither files by address nor downloads.
  URL.createObjectURL = jest.fn(() => FILE_URL);
  URL.revokeObjectURL = jest.fn();
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    clicked.push({ download: this.download, href: this.href });
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function press(answer: unknown) {
  const server = answering({ 'POST /api/own-data': answer });
  const { person } = renderAt('/profile');
  await person.click(await screen.findByRole('button', { name: 'Download my data' }));
  return server;
}

describe('one’s own data', () => {
  it('is saved as one file under a name of its own', async () => {
    const server = await press({ profile: {}, whatIsKept: {} });
    await toast('Data Downloaded', 'Keep encore-my-data.json where only you can read it.');
    expect(clicked).toEqual([{ download: 'encore-my-data.json', href: FILE_URL }]);
    expect(server.calls('POST /api/own-data')).toEqual([{}]);
  });

  it('is not saved when a page comes in the file’s place', async () => {
    await press(
      () => new Response('<h1>Welcome to the club</h1>', { headers: { 'content-type': 'text/html' } }),
    );
    await toast('Error', 'Failed to download your data');
    expect(clicked).toEqual([]);
  });

  it('is not saved where the server refuses, and its sentence is told', async () => {
    await press(refusal(429, 'Your data was asked for too often. Please wait 9 minutes and try again.'));
    await toast('Error', 'Your data was asked for too often. Please wait 9 minutes and try again.');
    expect(clicked).toEqual([]);
  });

  it('asks for a confirmation first, and saves nothing when that is put off', async () => {
    const server = answering({
      'POST /api/own-data': () =>
        Response.json(
          {
            message: 'Please sign in again to confirm this.',
            code: 'sign_in_required',
            confirm: { words: 'Download all of my data' },
          },
          { status: 403 },
        ),
    });
    const { person } = renderAt('/profile');
    await person.click(await screen.findByRole('button', { name: 'Download my data' }));
    expect(await screen.findByText('Download all of my data')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Cancel' }));
    await toast('Not Confirmed', 'You did not confirm this. Nothing has changed.');
    expect(clicked).toEqual([]);
    expect(server.calls('POST /api/own-data')).toHaveLength(1);
  });
});
