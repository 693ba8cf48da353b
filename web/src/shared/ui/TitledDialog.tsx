/** A dialog with its title, and the cross that closes it. */
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { X } from 'lucide-react';
import { useId, useRef, type ReactNode } from 'react';
import { HAS_FORM } from './theme.js';

const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  padding: '12px 8px 0 20px',
});

interface TitledDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly hasForm?: boolean;
  readonly children: ReactNode;
}

export function TitledDialog({ title, onClose, hasForm = false, children }: TitledDialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDivElement>(null);
  const isTyped = useRef(false);
  /**
   * A tap beside it is often a mistake, and loses what is typed. The card provider's frame tells nothing of
   * that.
   */
  const close = (_event: object, reason: 'backdropClick' | 'escapeKeyDown') => {
    const hasFrame = dialog.current?.querySelector('iframe') instanceof HTMLElement;
    if (reason === 'escapeKeyDown' || !(isTyped.current || hasFrame)) onClose();
  };
  return (
    <Dialog
      ref={dialog}
      open
      onClose={close}
      onChange={() => {
        isTyped.current = true;
      }}
      aria-labelledby={id}
      className={hasForm ? HAS_FORM : undefined}
    >
      <Head>
        <Typography variant="h2" id={id}>
          {title}
        </Typography>
        <IconButton aria-label="Close" onClick={onClose}>
          <X size={20} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </Head>
      {children}
    </Dialog>
  );
}
