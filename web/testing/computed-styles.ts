/**
 * jsdom puts an element's style together anew for each question, and queries by role ask it of every element
 * and all that it stands in. Here an answer holds until the document changes, as what jsdom itself remembers
 * of the rules does: the suites ask the same, for less.
 *
 *     rememberComputedStyles(window);
 */
export function rememberComputedStyles(target: Window & typeof globalThis): void {
  const compute = target.getComputedStyle.bind(target);
  let known = new WeakMap<Element, CSSStyleDeclaration>();
  const forget = (): void => {
    known = new WeakMap();
  };
  const changes = new target.MutationObserver(forget);
  changes.observe(target.document, { subtree: true, childList: true, attributes: true, characterData: true });
  target.getComputedStyle = (element, pseudo) => {
    if (pseudo || !element.isConnected || element.ownerDocument !== target.document)
      return compute(element, pseudo);
    // What the observer was not told of yet.
    if (changes.takeRecords().length > 0) forget();
    const style = known.get(element) ?? compute(element);
    known.set(element, style);
    return style;
  };
}
