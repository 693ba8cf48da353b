/**
 * Errors of foreign scripts (a browser extension, the card provider's frames): the browser reports them as
 * "Script error" only. They are kept out of the console; our own errors are not touched.
 */

function isForeign(reason: unknown, origin: string): boolean {
  const message = reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : '';
  if (/^script error\.?$/i.test(message.trim()) || /cross-origin/i.test(message)) return true;
  const stack = reason instanceof Error ? (reason.stack ?? '') : '';
  const places = stack.match(/\b[a-z][a-z0-9+.-]*:\/\/[^\s/)]+/gi) ?? [];
  return places.length > 0 && places.every((place) => place !== origin);
}

/** Starts listening; the returned function stops it. */
export function suppressForeignErrors(target: Window): () => void {
  const onError = (event: ErrorEvent) => {
    if (isForeign(event.error ?? event.message, target.location.origin)) event.preventDefault();
  };
  const onRejection = (event: PromiseRejectionEvent) => {
    if (isForeign(event.reason, target.location.origin)) event.preventDefault();
  };
  target.addEventListener('error', onError);
  target.addEventListener('unhandledrejection', onRejection);
  return () => {
    target.removeEventListener('error', onError);
    target.removeEventListener('unhandledrejection', onRejection);
  };
}
