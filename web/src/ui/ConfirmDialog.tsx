/** Asks once more before something is taken away. */
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { BusyButton } from './BusyButton.js';
import { FormDialog } from './FormDialog.js';
import { Banner } from './Layout.js';

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** What the button does, in its words. */
  readonly confirm: string;
  readonly keep: string;
  readonly isBusy: boolean;
  /** Why it was refused. */
  readonly problem?: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog({ title, children, confirm, keep, isBusy, problem, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <FormDialog
      open
      title={title}
      onClose={onClose}
      onSubmit={onConfirm}
      actions={
        <>
          <BusyButton type="submit" color="error" isBusy={isBusy}>
            {confirm}
          </BusyButton>
          <Button variant="outlined" onClick={onClose}>
            {keep}
          </Button>
        </>
      }
    >
      <div>{children}</div>
      {problem !== undefined && <Banner tone="error">{problem}</Banner>}
    </FormDialog>
  );
}
