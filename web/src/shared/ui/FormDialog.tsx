/**
 * A dialog with a form in it: its title, its fields, what it does and how to leave. It closes on success
 * only; the form inside is mounted anew each time it opens, so it starts empty.
 */
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { X } from 'lucide-react';
import { useId, type FormEvent, type ReactNode } from 'react';
import { Stack } from './Layout.js';
import { HAS_FORM } from './theme.js';

const Form = styled('form')({ padding: '12px 20px 20px', overflowY: 'auto' });
const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  padding: '12px 8px 0 20px',
});

interface FormDialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  /** What was sent is on its way: Enter in a field does not send it again. */
  readonly isBusy: boolean;
  readonly children: ReactNode;
  /** The buttons, below the fields. */
  readonly actions: ReactNode;
}

export function FormDialog({ open, title, onClose, onSubmit, isBusy, children, actions }: FormDialogProps) {
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy) onSubmit();
  };
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={id} className={HAS_FORM}>
      <Head>
        <Typography variant="h2" id={id}>
          {title}
        </Typography>
        <IconButton aria-label="Close" onClick={onClose}>
          <X size={20} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </Head>
      {/* Checked by us, in sentences of ours. */}
      <Form noValidate onSubmit={submit}>
        <Stack gap={16}>
          {children}
          <Stack gap={8} style={{ marginTop: 4 }}>
            {actions}
          </Stack>
        </Stack>
      </Form>
    </Dialog>
  );
}
