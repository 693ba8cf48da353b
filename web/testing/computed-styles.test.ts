import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { rememberComputedStyles } from './computed-styles.js';

const compute = jest.fn(window.getComputedStyle.bind(window));
window.getComputedStyle = compute;
rememberComputedStyles(window);

afterEach(() => document.body.replaceChildren());

function shown(): { readonly words: HTMLElement; readonly display: () => string } {
  document.body.innerHTML = '<section><p id="words">Words</p></section>';
  const words = document.getElementById('words')!;
  return { words, display: () => window.getComputedStyle(words).display };
}
function withRules(text: string): HTMLStyleElement {
  const style = document.createElement('style');
  style.textContent = text;
  document.body.append(style);
  return style;
}

describe('a computed style', () => {
  it('is computed once while nothing changes', () => {
    const { display } = shown();
    compute.mockClear();
    expect([display(), display()]).toEqual(['block', 'block']);
    expect(compute).toHaveBeenCalledTimes(1);
  });

  it('is computed anew once the element says otherwise', () => {
    const { words, display } = shown();
    expect(display()).toBe('block');
    words.style.display = 'inline';
    expect(display()).toBe('inline');
    words.removeAttribute('style');
    expect(display()).toBe('block');
    words.hidden = true;
    expect(display()).toBe('none');
  });

  it('is computed anew once what it inherits changes', () => {
    const { words } = shown();
    const visibility = () => window.getComputedStyle(words).visibility;
    expect(visibility()).toBe('visible');
    words.parentElement!.style.visibility = 'hidden';
    expect(visibility()).toBe('hidden');
    document.body.append(words);
    expect(visibility()).toBe('visible');
  });

  it('is computed anew once a rule comes, changes or goes', () => {
    const { display } = shown();
    expect(display()).toBe('block');
    const style = withRules('p { display: flex }');
    expect(display()).toBe('flex');
    style.firstChild!.nodeValue = 'p { display: grid }';
    expect(display()).toBe('grid');
    style.remove();
    expect(display()).toBe('block');
  });
});
