/** Where a page is scrolled to when its address is opened. */
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { render } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { ScrollRestoration } from './ScrollRestoration.js';

const scrollTo = jest.spyOn(window, 'scrollTo').mockImplementation(() => undefined);
beforeEach(() => {
  sessionStorage.clear();
  scrollTo.mockClear();
});

/** The page is loaded in this tab; its first place in the history has the same key each time. */
const load = (path: string) =>
  render(
    <MemoryRouter initialEntries={[path]}>
      <ScrollRestoration />
    </MemoryRouter>,
  );

describe('a page that is loaded', () => {
  it('is where it was left, and another page of the tab at its top', () => {
    const history = load('/history');
    Object.assign(window, { scrollY: 900 });
    window.dispatchEvent(new Event('scroll'));
    history.unmount();
    load('/profile').unmount();
    expect(scrollTo).toHaveBeenLastCalledWith(0, 0);
    load('/history');
    expect(scrollTo).toHaveBeenLastCalledWith(0, 900);
  });
});
