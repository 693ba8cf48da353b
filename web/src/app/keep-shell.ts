/**
 * Lets the browser keep what the app opens with: see web/service-worker.js. Where it cannot, the app opens as
 * it always did.
 */
export function keepShell(): void {
  const { serviceWorker } = navigator;
  // After all that the first screen needs.
  if (serviceWorker !== undefined)
    window.addEventListener(
      'load',
      () => void serviceWorker.register('/service-worker.js').catch(() => undefined),
    );
}
