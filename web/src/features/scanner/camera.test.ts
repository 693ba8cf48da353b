import { describe, expect, it } from '@jest/globals';
import { cameraProblem, hasCameras } from './camera.js';

describe('a camera that does not start', () => {
  it.each([
    ['NotAllowedError', 'Camera Permission Denied'],
    ['PermissionDeniedError', 'Camera Permission Denied'],
    ['SecurityError', 'Camera Permission Denied'],
    ['NotFoundError', 'No Camera Found'],
    ['OverconstrainedError', 'No Camera Found'],
    ['NotSupportedError', 'Not Supported'],
    ['NotReadableError', 'Camera In Use'],
    ['TrackStartError', 'Camera In Use'],
    ['AbortError', 'Camera Error'],
    ['toString', 'Camera Error'],
  ])('is named by its cause: %s is %s', (name, title) =>
    expect(cameraProblem(Object.assign(new Error('no'), { name })).title).toBe(title),
  );

  it('is reported when the thrown value is no error', () =>
    expect(cameraProblem('no').title).toBe('Camera Error'));

  it('is not asked for where there is no way to ask', () => expect(hasCameras()).toBe(false));
});
