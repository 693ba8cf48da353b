/**
 * A dialog with a form: title, fields, submit and cancel. It closes on success only. It is mounted anew each
 * time it opens, so it starts empty.
 */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { FormEvent, ReactNode } from 'react';
import { BusyButton } from './BusyButton.js';
import { Stack } from './Layout.js';
import { TitledDialog } from './TitledDialog.js';

const Form = styled('form')({ padding: '12px 20px 20px', overflowY: 'auto' });

const LOOKS = { plain: {}, tungsten: { variant: 'tungsten' }, error: { color: 'error' } } as const;

interface FormDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  /** A request is on its way: Enter does not send again. */
  readonly isBusy: boolean;
  /** Label of the submit button. */
  readonly submit: string;
  /** Of that button: `tungsten` moves money, `error` takes something away. */
  readonly look?: keyof typeof LOOKS;
  readonly cancel?: string;
  readonly children: ReactNode;
}

export function FormDialog({
  title,
  onClose,
  onSubmit,
  isBusy,
  submit,
  look = 'plain',
  cancel = 'Cancel',
  children,
}: FormDialogProps) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy) onSubmit();
  };
  return (
    <TitledDialog title={title} onClose={onClose} hasForm>
      {/* Our own validation and messages. */}
      <Form noValidate onSubmit={send}>
        <Stack gap={16}>
          {children}
          <Stack gap={8} style={{ marginTop: 4 }}>
            <BusyButton type="submit" isBusy={isBusy} {...LOOKS[look]}>
              {submit}
            </BusyButton>
            <Button variant="outlined" onClick={onClose}>
              {cancel}
            </Button>
          </Stack>
        </Stack>
      </Form>
    </TitledDialog>
  );
}
