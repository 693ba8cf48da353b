/** Whether a component is still on the screen, for an answer that comes late. */
import { useEffect, useRef, type RefObject } from 'react';

/**
 * For what an answer does beside telling of it. Whoever has closed a form, or gone on to another page, has
 * turned to something else: nothing more is sent for them, they are led nowhere, and what they have opened
 * since stays open.
 */
export function useIsShown(): RefObject<boolean> {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
