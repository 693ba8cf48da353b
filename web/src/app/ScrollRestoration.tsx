/** Scroll position: a new page opens at its top, a page opened by going back where it was left. */
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';

const PLACE = 'encore.scroll';
const MOST_PLACES = 50;
const AT_REST_MS = 100;

function storedPlaces(): Record<string, number> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(PLACE) ?? '{}');
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([k, y]) => [k, Number(y)]))
      : {};
  } catch {
    return {};
  }
}

function storePlace(key: string, y: number): void {
  const places = Object.entries({ ...storedPlaces(), [key]: y }).slice(-MOST_PLACES);
  sessionStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(places)));
}

export function ScrollRestoration() {
  const { key, pathname } = useLocation();
  const type = useNavigationType();
  const lastPath = useRef<string | undefined>(undefined);

  // The browser would scroll before the page is drawn.
  useEffect(() => {
    window.history.scrollRestoration = 'manual';
    return () => {
      window.history.scrollRestoration = 'auto';
    };
  }, []);

  useLayoutEffect(() => {
    const isFirst = lastPath.current === undefined;
    const isSamePage = lastPath.current === pathname;
    lastPath.current = pathname;
    if (type === 'POP') window.scrollTo(0, storedPlaces()[key] ?? 0);
    // Another query string is still the same page.
    else if (!isFirst && !isSamePage) window.scrollTo(0, 0);
  }, [key, pathname, type]);

  useEffect(() => {
    let place: number | undefined;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const leave = () => {
      clearTimeout(rest);
      if (place !== undefined) storePlace(key, place);
    };
    // Not every browser fires scrollend.
    const scrolled = () => {
      place = window.scrollY;
      clearTimeout(rest);
      rest = setTimeout(leave, AT_REST_MS);
    };
    window.addEventListener('scroll', scrolled, { passive: true });
    window.addEventListener('pagehide', leave);
    return () => {
      leave();
      window.removeEventListener('scroll', scrolled);
      window.removeEventListener('pagehide', leave);
    };
  }, [key]);
  return null;
}
