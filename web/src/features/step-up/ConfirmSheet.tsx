/**
 * The sheet in which a command is confirmed: the amount on the stage, what it leaves, the words word for
 * word, and one button. From below on a phone, in the middle of a larger window.
 */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { FileText, X, type LucideIcon } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { Private } from '../account/Privacy.js';
import { BigAmount, VisuallyHidden } from '../../shared/ui/Amount.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { Banner, DotLeaders } from '../../shared/ui/Layout.js';
import { Logo } from '../../shared/ui/Logo.js';
import { Stage } from '../../shared/ui/Stage.js';
import { HAS_SHEET, PHONE } from '../../shared/ui/theme.js';
import { money } from '../../shared/wording/money.js';
import { weekdayOf } from '../../shared/wording/time.js';
import type { Requested } from './requested.js';

const Sheet = styled(Dialog)({
  // All of it scrolls, where a window is too low.
  '& .MuiDialog-paper': { display: 'block', overflowY: 'auto' },
  // It has the focus when it opens by itself, but is not a control.
  '& .MuiDialog-container, & .MuiDialog-paper': { outline: 'none !important' },
  [PHONE]: {
    '& .MuiDialog-container': { alignItems: 'flex-end' },
    '& .MuiDialog-paper': {
      width: '100%',
      maxHeight: 'calc(100% - 16px)',
      margin: 0,
      borderWidth: '1px 0 0',
      borderRadius: '24px 24px 0 0',
    },
  },
});

const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  padding: '6px 6px 0 20px',
});

const Lit = styled('div')(({ theme }) => ({
  minHeight: 100,
  boxSizing: 'border-box',
  display: 'grid',
  justifyItems: 'center',
  alignContent: 'center',
  gap: 2,
  padding: '8px 20px 32px',
  textAlign: 'center',
  overflowWrap: 'anywhere',
  '& .label': { color: theme.vars.palette.stage.on2 },
  '& .to': { fontSize: 17, lineHeight: '24px', fontWeight: 600 },
}));

const Body = styled('div')(({ theme }) => ({
  padding: '16px 20px calc(30px + env(safe-area-inset-bottom))',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  '& .exact': {
    margin: '14px 0 16px',
    padding: '12px 14px',
    border: `1px solid ${theme.vars.palette.divider}`,
    borderRadius: 12,
    backgroundColor: theme.vars.palette.background.default,
  },
  '& .exact .title': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    fontWeight: 600,
    color: theme.vars.palette.text.secondary,
  },
  '& .words': {
    margin: '4px 0 0',
    fontSize: 16,
    lineHeight: '24px',
    fontWeight: 600,
    overflowWrap: 'anywhere',
  },
  '& .problem': { marginBottom: 16 },
  '& .foot': {
    margin: '4px 0 0',
    fontSize: 13,
    lineHeight: '18px',
    textAlign: 'center',
    textWrap: 'balance',
    color: theme.vars.palette.text.secondary,
  },
}));

interface ConfirmSheetProps {
  /** The name of the dialog. */
  readonly title: string;
  /** Over the amount, or alone on the stage where no money moves. */
  readonly label: string;
  readonly requested: Requested;
  /** Over the words. */
  readonly wordsTitle: string;
  readonly button: string;
  readonly icon: LucideIcon;
  readonly busyLabel?: string;
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  /** After the promise that nothing happens before. */
  readonly note: ReactNode;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

export function ConfirmSheet({
  title,
  label,
  requested,
  wordsTitle,
  button,
  icon: Icon,
  busyLabel,
  isBusy,
  problem,
  note,
  onConfirm,
  onCancel,
}: ConfirmSheetProps) {
  const titleId = useId();
  const { amount, to, words } = requested;
  const rows = leadersOf(requested);
  // A request on its way cannot be called back.
  const cancel = () => {
    if (!isBusy) onCancel();
  };
  return (
    <Sheet open onClose={cancel} aria-labelledby={titleId} className={HAS_SHEET}>
      <VisuallyHidden id={titleId}>{title}</VisuallyHidden>
      <Stage light="sheet" full="always">
        <Head>
          <Logo />
          <IconButton aria-label="Close" onClick={cancel}>
            <X size={22} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        </Head>
        <Lit>
          {amount === undefined ? (
            <Typography variant="h1" component="h2">
              {label}
            </Typography>
          ) : (
            <>
              <Typography variant="label" component="h2" className="label">
                {label}
              </Typography>
              <BigAmount decimal={amount} />
            </>
          )}
          {to !== undefined && <div className="to">to {to}</div>}
        </Lit>
      </Stage>
      <Body>
        {rows.length > 0 && <DotLeaders rows={rows} />}
        {words !== undefined && (
          <div className="exact">
            <Typography variant="body2" component="div" className="title">
              <FileText size={16} strokeWidth={2} aria-hidden="true" />
              {wordsTitle}
            </Typography>
            <p className="words">{words}</p>
          </div>
        )}
        {problem !== undefined && (
          <div className="problem">
            <Banner tone="error">{problem}</Banner>
          </div>
        )}
        <BusyButton
          variant="tungsten"
          style={{ minHeight: 56 }}
          isBusy={isBusy}
          busyLabel={busyLabel}
          startIcon={<Icon size={22} strokeWidth={2} aria-hidden="true" />}
          onClick={onConfirm}
        >
          {button}
        </BusyButton>
        <Button variant="text" color="inherit" style={{ minHeight: 44, marginTop: 6 }} onClick={cancel}>
          Cancel
        </Button>
        <p className="foot">
          Nothing {amount === undefined ? 'changes' : 'moves'} before you confirm. {note}
        </p>
      </Body>
    </Sheet>
  );
}

function leadersOf({ from, leftAfter, arrives }: Requested) {
  const rows: { label: string; value: ReactNode }[] = [];
  if (from !== undefined) rows.push({ label: 'From', value: from });
  if (leftAfter !== undefined)
    rows.push({ label: 'Left after', value: <Private>{money(leftAfter)}</Private> });
  if (arrives !== undefined) rows.push({ label: 'Arrives', value: weekdayOf(arrives) || arrives });
  return rows;
}
