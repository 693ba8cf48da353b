/* global SHELL, START_PAGE, VERSION */
// The app opens without a network, too, and says then that there is none. Kept for that: the start page and
// what it loads, all of them files of one build whose names say what is in them. A page is asked of the
// network first, so nobody gets an old one; calls of the API are not even looked at. The build puts VERSION,
// START_PAGE and SHELL above this: see vite.config.ts.
const CACHE = `encore-${VERSION}`;
const NOT_OURS = /^\/(?:api|identity)(?:\/|$)/;

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
  // Without navigation preload: that asks for every page, and once more for one that is left alone here, and
  // a step of signing in can be taken only once.
  const page = async () => {
    try {
      return await fetch(request);
    } catch {
      return (await kept(START_PAGE)) ?? Response.error();
    }
  };
  if (request.mode === 'navigate' && !NOT_OURS.test(pathname)) event.respondWith(page());
  else if (SHELL.includes(pathname)) event.respondWith(kept(pathname).then((file) => file ?? fetch(request)));
});
