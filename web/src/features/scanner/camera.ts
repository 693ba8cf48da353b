/** The camera of the scanner: selection, failures, torch, and switching it off. */

/** Title and text of a toast. */
export interface CameraProblem {
  readonly title: string;
  readonly description: string;
}

export const NOT_AVAILABLE: CameraProblem = {
  title: 'Camera Not Available',
  description: 'This browser gives no access to a camera. Search for the person instead.',
};
export const FLASH_PROBLEM: CameraProblem = {
  title: 'Flash Error',
  description: 'Unable to control camera flash',
};
export const INVALID_CODE: CameraProblem = {
  title: 'Invalid QR Code',
  description: 'This code does not say whom to pay.',
};

const PROBLEMS: Readonly<Record<string, CameraProblem>> = {
  NotAllowedError: {
    title: 'Camera Permission Denied',
    description: 'Allow the camera for this site in your browser, then scan again.',
  },
  NotFoundError: {
    title: 'No Camera Found',
    description: 'There is no camera on this device. Search for the person instead.',
  },
  NotSupportedError: {
    title: 'Not Supported',
    description: 'This browser cannot scan codes. Search for the person instead.',
  },
  NotReadableError: {
    title: 'Camera In Use',
    description: 'Another app is using the camera. Close it, then scan again.',
  },
};
// Names in older browsers and on pages without https.
const OTHER_NAMES: Readonly<Record<string, string>> = {
  PermissionDeniedError: 'NotAllowedError',
  SecurityError: 'NotAllowedError',
  DevicesNotFoundError: 'NotFoundError',
  OverconstrainedError: 'NotFoundError',
  TrackStartError: 'NotReadableError',
};
const CAMERA_ERROR: CameraProblem = {
  title: 'Camera Error',
  description: 'The camera could not be started. Please try again.',
};

/** The toast for a camera that did not start. */
export function cameraProblem(error: unknown): CameraProblem {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const usual = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : name;
  return (
    (usual !== undefined && Object.hasOwn(PROBLEMS, usual) ? PROBLEMS[usual] : undefined) ?? CAMERA_ERROR
  );
}

/** Pages without https and old browsers have no cameras. */
export function hasCameras(): boolean {
  // The types promise more than every browser has.
  const devices: MediaDevices | undefined = navigator.mediaDevices;
  return devices !== undefined && typeof devices.getUserMedia === 'function';
}

/** Opens the named camera; else the rear one, else any. */
export async function openCamera(deviceId?: string): Promise<MediaStream> {
  const video: MediaTrackConstraints =
    deviceId === undefined ? { facingMode: { ideal: 'environment' } } : { deviceId: { exact: deviceId } };
  return navigator.mediaDevices.getUserMedia({
    video: { ...video, width: { ideal: 1280 }, height: { ideal: 720 } },
    audio: false,
  });
}

/** Switches the camera off. */
export function closeCamera(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/**
 * Calls when the camera ends by itself: it was unplugged, or taken back in the browser's settings. Its
 * picture stands still from then on.
 */
export function whenCameraEnds(stream: MediaStream, told: () => void): void {
  for (const track of stream.getVideoTracks()) track.addEventListener('ended', told);
}

export interface Camera {
  readonly id: string;
  readonly label: string;
}

/** The cameras to choose from. They have names only after one was allowed. */
export async function camerasToChoose(): Promise<Camera[]> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices
    .filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
    .map(({ deviceId, label }, index) => ({ id: deviceId, label: label || `Camera ${index + 1}` }));
}

/** The camera that a stream comes from. */
export function cameraOf(stream: MediaStream): string | undefined {
  return stream.getVideoTracks()[0]?.getSettings().deviceId;
}

// The torch is in a draft that phones implement, and not in the DOM types.
interface TorchConstraints extends MediaTrackConstraintSet {
  readonly torch: boolean;
}

/** Switches the torch. Throws if there is none. */
export async function switchFlash(stream: MediaStream, isOn: boolean): Promise<void> {
  const track = stream.getVideoTracks()[0];
  const capabilities: object = track?.getCapabilities?.() ?? {};
  if (track === undefined || !('torch' in capabilities)) throw new Error('This camera has no flash.');
  const light: TorchConstraints = { torch: isOn };
  await track.applyConstraints({ advanced: [light] });
}
