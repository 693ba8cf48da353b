/** Asks before something is removed, removes it, and shows a refusal at the button. */
import { useState, type ReactNode } from 'react';
import { useFailure } from './failure.js';
import { isUnauthorized, sentenceFor } from '../api/call.js';
import { FormDialog } from './FormDialog.js';
import { Banner } from './Layout.js';

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Label of the button. */
  readonly confirm: string;
  readonly keep: string;
  /** The sentence for a refusal without one of its own. */
  readonly failed: string;
  /** The action. The dialog closes when it is done, and stays open if it throws. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

export function ConfirmDialog({
  title,
  children,
  confirm,
  keep,
  failed,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const fail = useFailure();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      fail(error, failed);
      if (!isUnauthorized(error)) setProblem(sentenceFor(error, failed));
    } finally {
      setBusy(false);
    }
  };
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      onSubmit={() => void submit()}
      isBusy={isBusy}
      submit={confirm}
      look="error"
      cancel={keep}
    >
      <div>{children}</div>
      {problem !== undefined && <Banner tone="error">{problem}</Banner>}
    </FormDialog>
  );
}
