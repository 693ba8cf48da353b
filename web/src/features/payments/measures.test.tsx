// What has a size of its own, with the rules of style that the other component tests do without.
import { describe, expect, it } from '@jest/globals';
import { ThemeProvider } from '@mui/material/styles';
import { fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Provider } from 'react-redux';
import { answering } from '../../../testing/render.js';
import { makeStore } from '../../app/store.js';
import { AmountField } from '../../shared/ui/AmountField.js';
import { theme } from '../../shared/ui/theme.js';
import { RecipientEntry } from './RecipientEntry.js';

const nothing = (): void => undefined;
const show = (part: ReactNode) =>
  render(
    <Provider store={makeStore()}>
      <ThemeProvider theme={theme}>{part}</ThemeProvider>
    </Provider>,
  );

describe('the form’s parts', () => {
  it('list who was found as high as 48 units of the grid, and scroll from there', async () => {
    answering({
      'GET /api/users/odalys-1': { id: 'odalys-1', firstName: 'Odalys', lastName: '', username: 'odalys' },
    });
    show(<RecipientEntry value="" onChange={nothing} />);
    const field = screen.getByRole('textbox', { name: 'User ID or email' });
    fireEvent.change(field, { target: { value: 'odalys-1' } });
    fireEvent.click(screen.getByRole('button', { name: 'Search' }));
    const { maxHeight, overflowY } = getComputedStyle(
      await screen.findByRole('list', { name: 'Search results' }),
    );
    expect(maxHeight).toMatch(/^calc\(48 \* var\(--mui-spacing/);
    expect(overflowY).toBe('auto');
  });

  it('have the usual amounts in four columns', () => {
    show(<AmountField value="" onChange={nothing} />);
    const { display, gridTemplateColumns } = getComputedStyle(
      screen.getByRole('group', { name: 'Usual amounts' }),
    );
    expect(display).toBe('grid');
    expect(gridTemplateColumns).toBe('repeat(4, minmax(0, 1fr))');
  });
});
