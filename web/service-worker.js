/* global NONCE_PLACEHOLDER, SHELL, START_PAGE, VERSION */
// The app opens without a network, too, and says then that there is none. Kept for that: the start page and
// what it loads, all of them files of one build whose names say what is in them. A page is asked of the
// network first, so nobody gets an old one from a network that answers; calls of the API are not even looked
// at. The build puts VERSION, START_PAGE, SHELL and NONCE_PLACEHOLDER above this: see vite.config.ts.
const CACHE = `encore-${VERSION}`;
/**
 * So long the network may be silent before the kept page is shown: a hall full of phones stalls it without
 * failing.
 */
const SILENT_MS = 5_000;
const NOT_OURS = /^\/(?:(?:api|identity|recovery|transparency|check-receipt)(?:\/|$)|@)/;

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)));
});

self.addEventListener('activate', (event) => {
  const forget = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
  };
  event.waitUntil(forget());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  const kept = (path) => caches.match(path, { cacheName: CACHE, ignoreVary: true });
  // The kept page has the place of its nonce still empty, and came with a policy that names that answer's: it
  // is opened with a new one each time, which nobody can know beforehand.
  const keptPage = async () => {
    const page = await kept(START_PAGE);
    if (page === undefined) return Response.error();
    const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
    const headers = new Headers(page.headers);
    const policy = headers.get('content-security-policy') ?? "default-src 'none'";
    headers.set('content-security-policy', policy.replaceAll(/'nonce-[^']*'/g, `'nonce-${nonce}'`));
    // What is handed on is neither compressed nor as long as what came.
    headers.delete('content-encoding');
    headers.delete('content-length');
    return new Response((await page.text()).replaceAll(NONCE_PLACEHOLDER, nonce), { headers });
  };
  // Without navigation preload: that asks for every page, and once more for one that is left alone here, and
  // a step of signing in can be taken only once.
  const page = async () => {
    const answer = fetch(request);
    const silence = new Promise((resolve) => {
      setTimeout(resolve, SILENT_MS);
    });
    try {
      const first = await Promise.race([answer, silence]);
      return first ?? ((await kept(START_PAGE)) === undefined ? await answer : await keptPage());
    } catch {
      return keptPage();
    }
  };
  if (request.mode === 'navigate' && !NOT_OURS.test(pathname)) event.respondWith(page());
  else if (SHELL.includes(pathname)) event.respondWith(kept(pathname).then((file) => file ?? fetch(request)));
});
