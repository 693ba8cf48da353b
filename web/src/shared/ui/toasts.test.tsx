import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, render, screen } from '@testing-library/react';
import Dialog from '@mui/material/Dialog';
import { ThemeProvider } from '@mui/material/styles';
import { Provider } from 'react-redux';
import { makeStore, type Store } from '../../app/store.js';
import { theme } from './theme.js';
import { Toasts } from './Toasts.js';
import { TOAST_MS, toastShown, triedAgain } from './toasts.js';

let store: Store;
const tell = (title: string, tone: 'plain' | 'success' | 'error' = 'plain') =>
  act(() => void store.dispatch(toastShown({ title, description: 'More', tone })));

beforeEach(() => {
  jest.useFakeTimers();
  store = makeStore();
  render(
    <Provider store={store}>
      <ThemeProvider theme={theme}>
        <Toasts />
      </ThemeProvider>
    </Provider>,
  );
});
afterEach(() => {
  jest.useRealTimers();
});

const swipe = (px: number) => {
  const toast = screen.getByText('More');
  // jsdom's pointers have no place; a mouse's have.
  for (const [type, clientX] of [
    ['pointerdown', 10],
    ['pointermove', 10 + px],
    ['pointerup', 10 + px],
  ] as const)
    fireEvent(toast, new MouseEvent(type, { clientX, bubbles: true }));
};

describe('a toast', () => {
  it('goes after five seconds, and not before', () => {
    tell('Saved');
    act(() => jest.advanceTimersByTime(TOAST_MS - 1));
    expect(screen.getByText('Saved')).toBeInTheDocument();
    act(() => jest.advanceTimersByTime(1));
    expect(screen.queryByText('Saved')).toBeNull();
  });

  it.each([
    ['the next search', triedAgain()],
    [
      'the next command',
      {
        type: 'api/executeMutation/pending',
        meta: { requestId: '1', requestStatus: 'pending', arg: { type: 'mutation' } },
      },
    ],
  ])('that tells an error goes with %s; one that tells a success stays', (_, action) => {
    tell('Search Error', 'error');
    act(() => void store.dispatch(action));
    expect(screen.queryByText('Search Error')).toBeNull();
    tell('Saved', 'success');
    act(() => void store.dispatch(action));
    expect(screen.getByText('Saved')).toBeInTheDocument();
  });

  it('that is dismissed after F8 gives the focus back to where it was', () => {
    const field = document.body.appendChild(document.createElement('input'));
    field.focus();
    tell('Saved');
    fireEvent.keyDown(window, { key: 'F8' });
    const dismiss = screen.getByRole('button', { name: 'Dismiss' });
    dismiss.focus();
    fireEvent.click(dismiss);
    expect(field).toHaveFocus();
    field.remove();
  });

  it('takes the place of the one before, with five seconds of its own', () => {
    tell('First');
    act(() => jest.advanceTimersByTime(3000));
    tell('Second');
    expect(screen.queryByText('First')).toBeNull();
    act(() => jest.advanceTimersByTime(4999));
    expect(screen.getByText('Second')).toBeInTheDocument();
    act(() => jest.advanceTimersByTime(1));
    expect(screen.queryByText('Second')).toBeNull();
  });

  it('is read out: at once when something went wrong', () => {
    tell('Saved', 'success');
    expect(screen.getByRole('status')).toHaveTextContent('Saved');
    tell('Failed', 'error');
    expect(screen.getByRole('alert')).toHaveTextContent('Failed');
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
  });

  it('is swiped away to the right from 50 px on', () => {
    tell('Saved');
    swipe(49);
    expect(screen.getByText('Saved')).toBeInTheDocument();
    swipe(50);
    expect(screen.queryByText('Saved')).toBeNull();
  });

  it('goes by its cross and by Escape', () => {
    tell('Saved');
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByText('Saved')).toBeNull();
    tell('Again');
    fireEvent.keyDown(screen.getByRole('button', { name: 'Dismiss' }), { key: 'Escape' });
    expect(screen.queryByText('Again')).toBeNull();
  });

  it('waits while it has the focus, which F8 brings to it', () => {
    tell('Saved');
    fireEvent.keyDown(window, { key: 'F8' });
    expect(screen.getByRole('region', { name: 'Notifications (F8)' })).toHaveFocus();
    act(() => screen.getByRole('button', { name: 'Dismiss' }).focus());
    act(() => jest.advanceTimersByTime(60_000));
    expect(screen.getByText('Saved')).toBeInTheDocument();
    act(() => screen.getByRole('button', { name: 'Dismiss' }).blur());
    act(() => jest.advanceTimersByTime(TOAST_MS));
    expect(screen.queryByText('Saved')).toBeNull();
  });

  it('can be read and focused while a dialog is open', async () => {
    render(
      <Dialog open>
        <button>Request</button>
      </Dialog>,
    );
    // The mark is taken off once it is made, in a turn of its own.
    await act(async () => Promise.resolve());
    expect(screen.getByRole('dialog')).toContainElement(screen.getByRole('button', { name: 'Request' }));
    tell('Invalid Amount', 'error');
    expect(screen.getByRole('alert')).toHaveTextContent('Invalid Amount');
    fireEvent.keyDown(window, { key: 'F8' });
    expect(screen.getByRole('region', { name: 'Notifications (F8)' })).toHaveFocus();
    // The dialog looks twenty times a second whether the focus has gone astray.
    act(() => jest.advanceTimersByTime(1000));
    act(() => screen.getByRole('button', { name: 'Dismiss' }).focus());
    expect(screen.getByRole('button', { name: 'Dismiss' })).toHaveFocus();
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByText('Invalid Amount')).toBeNull();
  });
});
