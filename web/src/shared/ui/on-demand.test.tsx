import { describe, expect, it, jest } from '@jest/globals';
import { ThemeProvider } from '@mui/material/styles';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState, type ComponentType } from 'react';
import { Provider } from 'react-redux';
import { makeStore } from '../../app/store.js';
import { theme } from './theme.js';
import { onDemand } from './on-demand.js';
import { Toasts } from './Toasts.js';

interface ClosableProps {
  readonly onClose: () => void;
}
function Sheet({ onClose }: ClosableProps) {
  return (
    <button type="button" onClick={onClose}>
      Close
    </button>
  );
}

function opening(load: () => Promise<{ default: ComponentType<ClosableProps> }>) {
  const Loaded = onDemand(load);
  function Page() {
    const [isOpen, setOpen] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Open
        </button>
        {isOpen && <Loaded onClose={() => setOpen(false)} />}
        <Toasts />
      </>
    );
  }
  render(
    <Provider store={makeStore()}>
      <ThemeProvider theme={theme}>
        <Page />
      </ThemeProvider>
    </Provider>,
  );
  return userEvent.setup();
}

describe('a dialog that is loaded when it is wanted', () => {
  it('is loaded once, and opens each time', async () => {
    const load = jest.fn(async () => Promise.resolve({ default: Sheet }));
    const person = opening(load);
    expect(load).not.toHaveBeenCalled();
    for (const _ of [1, 2]) {
      await person.click(screen.getByRole('button', { name: 'Open' }));
      await person.click(await screen.findByRole('button', { name: 'Close' }));
      await waitFor(() => expect(screen.queryByRole('button', { name: 'Close' })).not.toBeInTheDocument());
    }
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('that cannot be loaded says so, leaves the page as it is, and is asked for again', async () => {
    let isThere = false;
    const person = opening(async () => {
      if (!isThere) throw new TypeError('Failed to fetch dynamically imported module');
      return Promise.resolve({ default: Sheet });
    });
    await person.click(screen.getByRole('button', { name: 'Open' }));
    expect(await screen.findByText('Navigation Error')).toBeVisible();
    expect(
      screen.getByText(
        'This could not be opened. Check your connection and try again, or load this page again.',
      ),
    ).toBeVisible();
    isThere = true;
    await person.click(screen.getByRole('button', { name: 'Open' }));
    expect(await screen.findByRole('button', { name: 'Close' })).toBeVisible();
  });
});
