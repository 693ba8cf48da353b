/** Where sign-in leads back to: a page of ours, whatever the link said. */

const HERE = 'http://here.invalid';
const LONGEST = 2_000;

/**
 * The path, query and fragment to return to; `/` for anything that could lead elsewhere or round in a circle.
 */
export function safeReturnTo(written: unknown): string {
  if (typeof written !== 'string' || written.length > LONGEST) return '/';
  // Browsers read a backslash as a slash and drop tabs and line ends: `/\evil` and `/<tab>/evil` are other
  // sites.
  if (!/^\/(?![/\\])/.test(written) || /[\u0000-\u001f\u007f\\]/.test(written)) return '/';
  if (!URL.canParse(written, HERE)) return '/';
  const url = new URL(written, HERE);
  // `/.//evil` is `//evil` once its dots are resolved, and for the router `/%61pi/logout` is `/api/logout`.
  if (url.origin !== HERE || url.pathname.startsWith('//') || isCall(url.pathname)) return '/';
  return url.pathname + url.search + url.hash;
}

function isCall(path: string): boolean {
  try {
    return /^\/api(\/|$)/.test(decodeURIComponent(path));
  } catch {
    // Nothing of ours is at an address that cannot be decoded.
    return true;
  }
}
