/** Scroll position: a new page opens at its top, a page opened by going back where it was left. */
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';
import { withStorage } from '../shared/api/browser-storage.js';

const PLACE = 'encore.scroll';
const MOST_PLACES = 50;
const AT_REST_MS = 100;

/**
 * By page and key of its entry in the history, the latest last: what a tab loads first always has the same
 * key.
 */
const storedPlaces = (): Readonly<Record<string, unknown>> =>
  withStorage(() => Object(JSON.parse(sessionStorage.getItem(PLACE) ?? '{}')) as Record<string, unknown>, {});

function storePlace(page: string, y: number): void {
  const places = Object.entries({ ...storedPlaces(), [page]: y }).slice(-MOST_PLACES);
  withStorage(() => sessionStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(places))), undefined);
}

export function ScrollRestoration() {
  const { key, pathname } = useLocation();
  const type = useNavigationType();
  const page = `${pathname} ${key}`;
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
    if (type === 'POP') window.scrollTo(0, Number(storedPlaces()[page] ?? 0));
    // Another query string is still the same page.
    else if (!isFirst && !isSamePage) window.scrollTo(0, 0);
  }, [page, pathname, type]);

  useEffect(() => {
    let place: number | undefined;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const leave = () => {
      clearTimeout(rest);
      if (place !== undefined) storePlace(page, place);
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
  }, [page]);
  return null;
}
