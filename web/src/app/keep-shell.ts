/**
 * Registers the service worker (web/service-worker.js), which caches what the app opens with. Without one the
 * app opens over the network.
 */
export function keepShell(): void {
  const { serviceWorker } = navigator;
  // After everything that the first screen needs has loaded.
  if (serviceWorker !== undefined)
    window.addEventListener(
      'load',
      () => void serviceWorker.register('/service-worker.js').catch(() => undefined),
    );
}
