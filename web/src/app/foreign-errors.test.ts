import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { suppressForeignErrors } from './foreign-errors.js';

let stop: () => void = () => undefined;
beforeEach(() => {
  stop = suppressForeignErrors(window);
});
afterEach(() => stop());

/** Whether the console was kept from hearing of it. */
function isSilent(event: Event): boolean {
  // The suite's own window must not take it for a fault of the test's.
  const last = (heard: Event) => heard.stopImmediatePropagation();
  window.addEventListener(event.type, last);
  window.dispatchEvent(event);
  window.removeEventListener(event.type, last);
  return event.defaultPrevented;
}
const errorEvent = (message: string, error: unknown = null) =>
  new ErrorEvent('error', { message, error, cancelable: true });
const rejection = (reason: unknown) =>
  Object.assign(new Event('unhandledrejection', { cancelable: true }), { reason });
const thrownAt = (...places: readonly string[]) =>
  Object.assign(new Error('No.'), {
    stack: ['Error: No.', ...places.map((place) => `    at work (${place}:1:1)`)].join('\n'),
  });

describe('an error that is not ours', () => {
  it.each(['Script error.', 'Script error'])('keeps “Script error” out of the console', (message) =>
    expect(isSilent(errorEvent(message))).toBe(true),
  );

  it('keeps a rejection of another origin out of the console', () => {
    expect(isSilent(rejection(thrownAt('https://js.provider.example/v3/fields.js')))).toBe(true);
    expect(isSilent(rejection(new Error('Blocked a frame from accessing a cross-origin frame.')))).toBe(true);
    expect(isSilent(rejection('Script error.'))).toBe(true);
  });

  it('leaves our own alone', () => {
    const ours = `${window.location.origin}/assets/index.js`;
    expect(isSilent(errorEvent('No.', thrownAt(ours)))).toBe(false);
    expect(isSilent(rejection(thrownAt(ours, 'https://js.provider.example/v3/fields.js')))).toBe(false);
    expect(isSilent(rejection(new Error('The payment could not be read.')))).toBe(false);
    expect(isSilent(rejection(undefined))).toBe(false);
  });

  it('is heard again once nobody suppresses it', () => {
    stop();
    expect(isSilent(errorEvent('Script error.'))).toBe(false);
  });
});
