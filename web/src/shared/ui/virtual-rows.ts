/**
 * A long list in the page of which only what is near the window is drawn, unless it is short. The place that
 * is looked at stays where it is when rows arrive above it, or turn out higher than was estimated. The row
 * that has the focus stays drawn.
 */
import { startTransition, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  addedTo,
  covers,
  DrawingPace,
  nextSpan,
  partsOf,
  RowHeights,
  type RowPart,
  type RowSpan,
} from './row-layout.js';

/**
 * So far above and below the window rows are drawn ahead: further than one flick goes while they are drawn.
 */
const AHEAD_PX = 900;
/** A list of so many rows is drawn whole: the browser finds words in it. */
const DRAWN_WHOLE = 120;
/** Rows come and go so many at once: each time, all that are drawn are gone through. */
const AT_ONCE = 6;

interface DrawnRange {
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** All of a short list, whatever comes and goes. */
  readonly isWhole: boolean;
}

const isSame = (one: DrawnRange, other: DrawnRange): boolean =>
  one.first === other.first && one.last === other.last && one.isWhole === other.isWhole;

interface VirtualRows {
  readonly parts: readonly RowPart[];
  /** Of the element whose top is that of the first row. */
  readonly listRef: (element: HTMLElement | null) => void;
  /** Of each row that is drawn, by its key. */
  readonly rowRef: (key: string) => (element: HTMLElement | null) => void;
}

/** The elements of the rows that are drawn, by key, and the ref that each row's element is given to. */
function useRowElements(onGone: (key: string) => void) {
  const [elements] = useState(() => new Map<string, HTMLElement>());
  const refs = useRef(new Map<string, (element: HTMLElement | null) => void>());
  const rowRef = useCallback(
    (key: string) => {
      const known = refs.current.get(key);
      if (known) return known;
      const ref = (element: HTMLElement | null): void => {
        if (element) elements.set(key, element);
        else {
          elements.delete(key);
          refs.current.delete(key);
          onGone(key);
        }
      };
      refs.current.set(key, ref);
      return ref;
    },
    [elements, onGone],
  );
  return { elements, rowRef };
}

/** Which row has the focus within it. `followFocus` begins to watch a list, and answers what ends that. */
function useFocusedRow(elements: ReadonlyMap<string, HTMLElement>) {
  const [focusedKey, setFocusedKey] = useState<string>();
  const followFocus = useCallback(
    (list: HTMLElement) => {
      const onFocus = ({ target }: FocusEvent): void => {
        const row = [...elements].find(([, each]) => each.contains(target as Node));
        setFocusedKey(row?.[0]);
      };
      const onBlur = (): void => setFocusedKey(undefined);
      list.addEventListener('focusin', onFocus);
      list.addEventListener('focusout', onBlur);
      return () => {
        list.removeEventListener('focusin', onFocus);
        list.removeEventListener('focusout', onBlur);
      };
    },
    [elements],
  );
  return { focusedKey, followFocus };
}

/**
 * `estimateOf`: about how high a row is, in pixels, before it was drawn. Keys are unique, and stay their
 * row's.
 */
export function useVirtualRows(keys: readonly string[], estimateOf: (index: number) => number): VirtualRows {
  const list = useRef<HTMLElement>(null);
  /** Which of the drawn rows were measured since they were drawn, and of which list. */
  const measured = useRef(new Set<string>());
  const measuredOf = useRef<readonly string[]>(undefined);
  /**
   * As they were measured. Drawing a row measures it; what was drawn with an estimate is put right by its
   * anchor.
   */
  const [heights] = useState(() => new RowHeights());
  const [pace] = useState(() => new DrawingPace());
  const drawnAtMs = useRef(-Infinity);
  const widthPx = useRef(0);
  /** What is drawn now, by index. */
  const drawn = useRef<RowSpan>({ from: 0, to: -1 });
  /**
   * Which row was looked at, and where in the page it stood: scrolling, also to what gets the focus, moves it
   * nowhere.
   */
  const anchor = useRef<{ readonly key: string; readonly topPx: number }>(undefined);
  const [range, setRange] = useState<DrawnRange>({ first: undefined, last: undefined, isWhole: false });
  const forgetMeasure = useCallback((key: string) => measured.current.delete(key), []);
  const { elements, rowRef } = useRowElements(forgetMeasure);
  const { focusedKey, followFocus } = useFocusedRow(elements);

  const indexes = useMemo(() => new Map(keys.map((key, index) => [key, index])), [keys]);
  // A list that was not seen before begins with as many rows as fill a window: the rest follows when those
  // are shown.
  const [atFirst] = useState(() => Math.ceil(window.innerHeight / estimateOf(0)));
  const isWhole = range.isWhole && keys.length <= DRAWN_WHOLE;
  const from = isWhole ? 0 : (indexes.get(range.first ?? '') ?? 0);
  const to = isWhole ? keys.length - 1 : (indexes.get(range.last ?? '') ?? from + atFirst);
  const focused = indexes.get(focusedKey ?? '') ?? -1;
  const parts = partsOf(heights.layoutOf(keys, estimateOf), from, to, focused);

  /**
   * Measures what is drawn, each row once until the list is another, and notes which row is looked at, and
   * where it stands.
   */
  const look = useCallback(() => {
    if (measuredOf.current !== keys) measured.current.clear();
    measuredOf.current = keys;
    for (const [key, element] of elements) {
      if (measured.current.has(key)) continue;
      const { height } = element.getBoundingClientRect();
      if (height > 0) heights.note(key, height);
      measured.current.add(key);
    }
    const boxOf = (index: number) => elements.get(keys[index] ?? '')?.getBoundingClientRect();
    const first = firstInWindow(drawn.current, boxOf);
    const box = boxOf(first);
    anchor.current =
      box && box.bottom > 0 ? { key: keys[first]!, topPx: box.top + window.scrollY } : undefined;
  }, [keys, heights, elements]);
  /**
   * The rows to draw next where the page is scrolled to now, and whether what is in the window is drawn
   * already.
   */
  const wanted = useCallback((): { readonly range: DrawnRange; readonly isCovered: boolean } => {
    const layout = heights.layoutOf(keys, estimateOf);
    const aboveWindowPx = -(list.current?.getBoundingClientRect().top ?? 0);
    const within = (aheadPx: number): RowSpan => ({
      from: layout.indexAt(aboveWindowPx - aheadPx),
      to: layout.indexAt(aboveWindowPx + window.innerHeight + aheadPx),
    });
    const [seen, ahead, end] = [within(0), within(AHEAD_PX), keys.length - 1];
    const next = nextSpan(drawn.current, seen, rowsAround(ahead, end), pace.step);
    return {
      range: {
        first: keys[next.from],
        last: keys[next.to],
        isWhole: next.from === 0 && next.to === end && end < DRAWN_WHOLE,
      },
      isCovered: covers(drawn.current, seen),
    };
  }, [keys, heights, estimateOf, pace]);
  const show = useCallback(
    (next: DrawnRange): void => setRange((was) => (isSame(was, next) ? was : next)),
    [],
  );
  /**
   * What nobody sees yet is drawn beside all else; what is in the window in the same frame, as far as it has
   * time for it.
   */
  const draw = useCallback((): void => {
    const { range: next, isCovered } = wanted();
    if (isCovered) return startTransition(() => show(next));
    const before = drawn.current;
    drawnAtMs.current = performance.now();
    flushSync(() => show(next));
    const [rows, beganMs] = [addedTo(before, drawn.current), drawnAtMs.current];
    requestAnimationFrame(() => pace.note(rows, performance.now() - beganMs));
  }, [wanted, show, pace]);

  // After each drawing, and before anything else is noted: what was looked at is brought back to where it
  // was.
  useLayoutEffect(() => {
    drawn.current = { from, to };
    const element = elements.get(anchor.current?.key ?? '');
    const isScrolledInto = (list.current?.getBoundingClientRect().top ?? 0) < 0;
    if (element && anchor.current && isScrolledInto) bringBack(element, anchor.current.topPx);
    look();
    // Step by step until all is drawn that is to be, one step a frame: between steps that follow at once the
    // browser draws no frame, however short each of them is.
    let frame = requestAnimationFrame(function drawOnce(frameMs) {
      // Scrolling comes before this in a frame, and may have drawn its step.
      if (drawnAtMs.current >= frameMs) frame = requestAnimationFrame(drawOnce);
      else draw();
    });
    return () => cancelAnimationFrame(frame);
  });

  useLayoutEffect(() => {
    const onScroll = (): void => {
      look();
      draw();
    };
    const onResize = (): void => {
      const width = list.current?.clientWidth ?? 0;
      if (width !== widthPx.current) {
        heights.forget();
        measured.current.clear();
      }
      widthPx.current = width;
      look();
      draw();
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('resize', onResize);
    return () => {
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', onResize);
    };
  }, [heights, look, draw]);

  const listRef = useCallback(
    (element: HTMLElement | null) => {
      list.current = element;
      if (!element) return undefined;
      widthPx.current = element.clientWidth;
      // The browser's own anchoring would move the page a second time.
      element.style.setProperty('overflow-anchor', 'none');
      const stopFollowing = followFocus(element);
      return () => {
        stopFollowing();
        list.current = null;
      };
    },
    [followFocus],
  );
  return { parts, listRef, rowRef };
}

/** The first of the drawn rows that ends below the top of the window; the last one where none does. */
function firstInWindow({ from, to }: RowSpan, boxOf: (index: number) => DOMRect | undefined): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((boxOf(middle)?.bottom ?? 0) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The rows to draw: all of a short list, else those near the window, in steps of AT_ONCE. */
const rowsAround = (ahead: RowSpan, end: number): RowSpan =>
  end < DRAWN_WHOLE
    ? { from: 0, to: end }
    : {
        from: ahead.from - (ahead.from % AT_ONCE),
        to: Math.min(ahead.to - (ahead.to % AT_ONCE) + AT_ONCE - 1, end),
      };

/** Scrolls what was looked at to where in the page it stood. */
function bringBack(element: HTMLElement, topPx: number): void {
  const movedPx = element.getBoundingClientRect().top + window.scrollY - topPx;
  if (Math.abs(movedPx) >= 1) window.scrollBy(0, movedPx);
}
