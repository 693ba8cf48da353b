import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ThemeProvider } from '@mui/material/styles';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { Provider } from 'react-redux';
import { watchLeaving } from '../../../testing/render.js';
import { makeStore } from '../../app/store.js';
import { Toasts } from '../../shared/ui/Toasts.js';
import { theme } from '../../shared/ui/theme.js';
import ScannerDialog from './ScannerDialog.js';

const applyConstraints = jest.fn(async (_wanted: MediaTrackConstraints) => Promise.resolve());
const track = {
  stop: jest.fn(),
  addEventListener: jest.fn<(event: string, listener: () => void) => void>(),
  getSettings: () => ({ deviceId: 'back' }),
  getCapabilities: (): object => ({}),
  applyConstraints,
};
const stream = { getTracks: () => [track], getVideoTracks: () => [track] };
const getUserMedia = jest.fn(async (): Promise<unknown> => Promise.resolve(stream));

function withCamera(mediaDevices: unknown): void {
  Object.defineProperty(navigator, 'mediaDevices', { value: mediaDevices, configurable: true });
}

beforeEach(() => {
  withCamera({ getUserMedia, enumerateDevices: async () => Promise.resolve([]) });
  getUserMedia.mockImplementation(async () => Promise.resolve(stream));
  track.stop.mockClear();
  track.addEventListener.mockClear();
  track.getCapabilities = () => ({});
  jest.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue(undefined);
});
afterEach(() => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(navigator, 'mediaDevices');
});

/** The dialog over a camera that shows `code`, or nothing. */
function scan(code?: string) {
  const onClose = jest.fn();
  const onScanned = jest.fn();
  const watch = (_video: HTMLVideoElement, found: (text: string) => void) => {
    if (code !== undefined) found(code);
    return () => undefined;
  };
  render(
    <Provider store={makeStore()}>
      <ThemeProvider theme={theme}>
        <ScannerDialog onClose={onClose} onScanned={onScanned} watch={watch} />
        <Toasts />
      </ThemeProvider>
    </Provider>,
  );
  return { onClose, onScanned };
}

describe('the scanner', () => {
  it('says that the camera starts, and takes whom the code names', async () => {
    const { onScanned, onClose } = scan('{"userId":"usr_a","name":"Odalys"}');
    expect(screen.getByText('Starting camera')).toBeInTheDocument();
    await waitFor(() => expect(onScanned).toHaveBeenCalledWith({ userId: 'usr_a', name: 'Odalys' }));
    expect(onClose).toHaveBeenCalled();
  });

  it('closes on the code of a tip page, and opens it once: each look would begin to load it anew', async () => {
    const goTo = watchLeaving();
    const { onScanned, onClose } = scan(`${window.location.origin}/@junoplays`);
    await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
    expect(goTo.mock.calls).toEqual([['/@junoplays']]);
    expect(onScanned).not.toHaveBeenCalled();
  });

  it('closes on a code that is empty, or names nobody', async () => {
    const { onScanned, onClose } = scan('');
    expect(await screen.findByText('Invalid QR Code')).toBeVisible();
    expect(onClose).toHaveBeenCalledTimes(1);
    expect(onScanned).not.toHaveBeenCalled();
  });

  it.each([
    ['NotAllowedError', 'Camera Permission Denied'],
    ['NotFoundError', 'No Camera Found'],
    ['NotSupportedError', 'Not Supported'],
    ['NotReadableError', 'Camera In Use'],
    ['AbortError', 'Camera Error'],
  ])('closes when there is no picture to be had (%s), and says why', async (name, title) => {
    getUserMedia.mockImplementation(async () => Promise.reject(new DOMException('no', name)));
    const { onClose } = scan();
    expect(await screen.findByText(title)).toBeVisible();
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('closes where the camera ends under it, as one that is unplugged or taken back, and says so', async () => {
    const { onClose } = scan();
    const flash = screen.getByRole('button', { name: 'Flash' });
    await waitFor(() => expect(flash).toBeEnabled());
    expect(onClose).not.toHaveBeenCalled();
    act(() => track.addEventListener.mock.calls.find(([event]) => event === 'ended')?.[1]());
    expect(await screen.findByText('Camera Error')).toBeVisible();
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('closes where a browser gives no camera at all', async () => {
    withCamera(undefined);
    const { onClose } = scan();
    expect(await screen.findByText('Camera Not Available')).toBeVisible();
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('stays when only the flash cannot be switched, and says so', async () => {
    const { onClose } = scan();
    const flash = screen.getByRole('button', { name: 'Flash' });
    await waitFor(() => expect(flash).toBeEnabled());
    fireEvent.click(flash);
    expect(await screen.findByText('Flash Error')).toBeVisible();
    expect(screen.getByText('Unable to control camera flash')).toBeVisible();
    expect(flash).toHaveAttribute('aria-pressed', 'false');
    expect(onClose).not.toHaveBeenCalled();
  });

  it('switches the flash of a camera that has one', async () => {
    track.getCapabilities = () => ({ torch: true });
    scan();
    const flash = screen.getByRole('button', { name: 'Flash' });
    await waitFor(() => expect(flash).toBeEnabled());
    fireEvent.click(flash);
    await waitFor(() => expect(flash).toHaveAttribute('aria-pressed', 'true'));
    expect(applyConstraints.mock.calls).toEqual([[{ advanced: [{ torch: true }] }]]);
  });
});
