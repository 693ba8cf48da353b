/** What closes a dialog with a form: nothing that is done by mistake while something is typed in it. */
import { expect, it, jest } from '@jest/globals';
import { ThemeProvider } from '@mui/material/styles';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Field } from './Field.js';
import { FormDialog } from './FormDialog.js';
import { theme } from './theme.js';

function open(content = <Field label="Name" />) {
  const onClose = jest.fn();
  render(
    <ThemeProvider theme={theme}>
      <FormDialog title="New Wallet" onClose={onClose} onSubmit={jest.fn()} isBusy={false} submit="Create">
        {content}
      </FormDialog>
    </ThemeProvider>,
  );
  const tapBeside = async () => userEvent.click(screen.getByRole('dialog').parentElement!);
  return { onClose, tapBeside };
}

it('closes by a tap beside it while nothing is typed', async () => {
  const { onClose, tapBeside } = open();
  await tapBeside();
  expect(onClose).toHaveBeenCalledTimes(1);
});

it('keeps what is typed where somebody taps beside it, and closes by Esc and its cross', async () => {
  const { onClose, tapBeside } = open();
  await userEvent.type(screen.getByLabelText('Name'), 'Tour');
  await tapBeside();
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.keyboard('{Escape}');
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(onClose).toHaveBeenCalledTimes(2);
});

it('keeps a card that is typed in the card provider’s frame, which tells nothing of it', async () => {
  const { onClose, tapBeside } = open(<iframe title="Card" />);
  await tapBeside();
  expect(onClose).not.toHaveBeenCalled();
});
