/**
 * How a page is laid out: whether it scrolls sideways, what sticks out, and how much it jumped while it
 * loaded.
 */
import type { Page } from 'playwright-core';

/** What makes the page wider than its window, from the outside in; an empty list when nothing does. */
export function sidewaysCulprits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { documentElement: root } = document;
    if (root.scrollWidth <= root.clientWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > root.clientWidth + 0.5,
    );
    const named = (element: Element): string =>
      `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> reaches ${Math.round(element.getBoundingClientRect().right)} of ${root.clientWidth}: ${(element.textContent ?? '').trim().slice(0, 40)}`;
    return [
      `The page is ${root.scrollWidth} wide in a window of ${root.clientWidth}.`,
      ...wide.slice(0, 12).map(named),
    ];
  });
}

/** Texts that are cut off by a box that they are in, although nothing says that they may be. */
export function cutOffTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const tables = [...document.querySelectorAll('table, ul, dl')].flatMap((element) => {
      const box = element.parentElement;
      return box &&
        element.checkVisibility() &&
        box.clientWidth > 1 &&
        getComputedStyle(box).overflowX === 'hidden' &&
        element.getBoundingClientRect().right > box.getBoundingClientRect().right + 1
        ? [`${element.tagName.toLowerCase()}: wider than its card`]
        : [];
    });
    const texts = [...document.querySelectorAll('button, a, h1, h2, h3, p, label, td, th, li, span, dt, dd')]
      .filter((element) => {
        const style = getComputedStyle(element);
        const hides =
          style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis' && style.display !== 'inline';
        // One pixel high and wide is how a text is kept for those who hear the page.
        return (
          hides &&
          element.clientWidth > 1 &&
          element.scrollWidth > element.clientWidth + 1 &&
          element.childElementCount === 0
        );
      })
      .map(
        (element) => `${element.tagName.toLowerCase()}: ${(element.textContent ?? '').trim().slice(0, 60)}`,
      );
    return [...tables, ...texts];
  });
}

/**
 * Controls that are smaller than a finger: 44 px high and wide, with the room around them that takes their
 * touches and with their label. A link within a sentence is as high as its line.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const FINGER_PX = 43.5;
    const sizeOf = (element: Element): readonly [width: number, height: number] => {
      const { width, height } = element.getBoundingClientRect();
      const room = getComputedStyle(element, '::after');
      if (room.content === 'none' || room.position !== 'absolute') return [width, height];
      return [Math.max(width, parseFloat(room.width)), Math.max(height, parseFloat(room.height))];
    };
    const isFinger = (element: Element): boolean => sizeOf(element).every((size) => size >= FINGER_PX);
    const controls = document.querySelectorAll(
      'a, button, select, textarea, input, [role="button"], [role="menuitem"]',
    );
    return [...controls]
      .filter((element) => {
        if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
        if (element.closest('[inert], [aria-hidden="true"], iframe')) return false;
        if (element.getBoundingClientRect().right < 0 || element.getBoundingClientRect().bottom < 0)
          return false;
        const label = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
        const box = element.closest('label, .MuiOutlinedInput-root, .row');
        const isInSentence =
          element.tagName === 'A' &&
          getComputedStyle(element).display === 'inline' &&
          (element.parentElement?.textContent ?? '').trim() !== (element.textContent ?? '').trim();
        return (
          !isInSentence &&
          ![element, ...label, ...(element.matches('input') && box ? [box] : [])].some(isFinger)
        );
      })
      .map((element) => {
        const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
        return `${element.tagName.toLowerCase()} ${sizeOf(element).map(Math.round).join(' by ')}: ${name.trim().slice(0, 40)}`;
      });
  });
}

/**
 * Words that are broken inside, and words that reach out of the button, link or chip that they are on. What
 * has no place to break, such as an id or an address, may be broken anywhere.
 */
export function brokenTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent ?? '';
      if (!element || text.trim() === '' || element.closest('[aria-hidden="true"], noscript, style, script'))
        continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      // One pixel high and wide is how a text is kept for those who hear the page.
      let isHeard = false;
      for (let each: Element | null = element; each; each = each.parentElement)
        isHeard ||= getComputedStyle(each).clipPath === 'inset(50%)';
      if (isHeard) continue;
      const range = document.createRange();
      for (const { 0: word, index } of text.matchAll(/\p{L}{2,24}(?![\p{L}\p{N}@/_.-])/gu)) {
        if (/[\p{N}@/_.-]/u.test(text[index - 1] ?? ' ')) continue;
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push(`broken inside: ${word} in ${text.trim().slice(0, 60)}`);
      }
      const box = element.closest('button, a, [role="button"], .MuiChip-root');
      const boxStyle = box && getComputedStyle(box);
      if (!box || !boxStyle || boxStyle.display === 'inline' || element.closest('svg') !== null) continue;
      // A long name ends in an ellipsis inside its own box.
      let ellipsed = false;
      for (let each: Element | null = element; each && box.contains(each); each = each.parentElement)
        ellipsed ||= getComputedStyle(each).overflowX !== 'visible';
      if (ellipsed) continue;
      range.selectNodeContents(node);
      const { left, right } = box.getBoundingClientRect();
      for (const line of range.getClientRects())
        if (line.width > 1 && (line.left < left - 1 || line.right > right + 1))
          found.push(`out of its box: ${text.trim().slice(0, 60)}`);
    }
    return [...new Set(found)];
  });
}

/**
 * Words that something else is drawn over. What stays at an edge of the window while the page scrolls under
 * it may be, and so may a toast, which goes away.
 */
export function coveredTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isIn = ({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean =>
      x >= left && x <= right && y >= top && y <= bottom;
    const linesOf = (node: Node): DOMRect[] => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [...range.getClientRects()];
    };
    const hasWords = (node: Node): boolean =>
      node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '';
    /** Whether there is anything of this element itself to be seen at the point. */
    const isDrawnAt = (element: Element, x: number, y: number): boolean => {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      if (opacity === '0') return false;
      if (element.closest('svg') !== null) return element.tagName !== 'svg';
      if (/^(?:IMG|VIDEO|CANVAS|IFRAME)$/.test(element.tagName)) return true;
      if (!/^rgba\(.*, 0\)$|^transparent$/.test(backgroundColor) || backgroundImage !== 'none') return true;
      return [...element.childNodes].some(
        (node) => hasWords(node) && linesOf(node).some((line) => isIn(line, x, y)),
      );
    };
    const mayCover = (element: Element): boolean => {
      if (element.closest('[aria-label^="Notifications"]') !== null) return true;
      for (let each: Element | null = element; each; each = each.parentElement) {
        const { top, bottom } = each.getBoundingClientRect();
        const isAtEdge = top <= 0 || bottom >= innerHeight;
        if (/^(?:fixed|sticky)$/.test(getComputedStyle(each).position) && isAtEdge) return true;
      }
      return false;
    };
    /** A list that scrolls shows only what is in its box. */
    const isShownBy = (element: Element, x: number, y: number): boolean => {
      for (let each: Element | null = element; each && each !== document.body; each = each.parentElement)
        if (getComputedStyle(each).overflow !== 'visible' && !isIn(each.getBoundingClientRect(), x, y))
          return false;
      return isIn(new DOMRect(0, 0, innerWidth, innerHeight), x, y);
    };
    const covered: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const element = node.parentElement;
      if (!element || !hasWords(node) || element.closest('[aria-hidden="true"], noscript, style, script'))
        continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      for (const { left, right, top, bottom } of linesOf(node)) {
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        if (!isShownBy(element, x, y)) continue;
        const over = document.elementsFromPoint(x, y);
        const above = over.slice(0, Math.max(0, over.indexOf(element)));
        const cover = above.find((each) => !element.contains(each) && isDrawnAt(each, x, y));
        if (cover && !mayCover(cover))
          covered.push(
            `${(node.textContent ?? '').trim().slice(0, 60)}: under ${cover.outerHTML.slice(0, 120)}`,
          );
      }
    }
    return covered;
  });
}

declare global {
  interface Window {
    encoreShift?: number;
  }
}

/** Adds up layout shifts from the next navigation on. */
export async function watchLayoutShift(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.encoreShift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        };
        if (!hadRecentInput) window.encoreShift = (window.encoreShift ?? 0) + value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** What the page is now has been drawn. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** The sum since the document was loaded; 0.1 and less is what the web calls good. */
export async function layoutShift(page: Page): Promise<number> {
  // What was painted has been reported then.
  await painted(page);
  return page.evaluate(() => window.encoreShift ?? Number.NaN);
}
