/** The two passes for Apple Wallet: one for tips, one with a QR code. */
import ButtonBase from '@mui/material/ButtonBase';
import Paper from '@mui/material/Paper';
import { styled } from '@mui/material/styles';
import { ChevronRight, QrCode, WalletCards, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { useUser } from '../account/current-user.js';
import { useTipPass, useWalletCheck } from './wallet.js';
import { onDemand } from '../../shared/ui/on-demand.js';

const QrPassDialog = onDemand(() => import('./QrPassDialog.js'));

const Line = styled(ButtonBase)(({ theme }) => ({
  width: '100%',
  minHeight: 66,
  padding: '13px 16px',
  display: 'flex',
  justifyContent: 'flex-start',
  gap: 14,
  textAlign: 'left',
  font: 'inherit',
  '&:hover': { backgroundColor: theme.vars.palette.sunken },
  '&:focus-visible': { outlineOffset: -3 },
  '& > .icon': { color: theme.vars.palette.primary.main },
  '& > .text': { flex: 1, minWidth: 0 },
  '& strong': { display: 'block', fontWeight: 600 },
  '& small': { display: 'block', fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
  'li + li &': { borderTop: `1px solid ${theme.vars.palette.divider}` },
}));
const Lines = styled('ul')({ margin: 0, padding: 0, listStyle: 'none' });

interface PassLineProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly detail: string;
  readonly onClick: () => void;
  readonly isBusy?: boolean;
}

function PassLine({ icon: Icon, title, detail, onClick, isBusy = false }: PassLineProps) {
  return (
    <li>
      <Line onClick={onClick} aria-disabled={isBusy || undefined}>
        <span className="icon">
          <Icon size={21} strokeWidth={1.75} aria-hidden="true" />
        </span>
        <span className="text">
          <strong>{title}</strong>
          <small>{isBusy ? 'Making your pass' : detail}</small>
        </span>
        <ChevronRight size={20} strokeWidth={1.75} aria-hidden="true" />
      </Line>
    </li>
  );
}

export function WalletPasses() {
  const { id } = useUser();
  const pass = useTipPass(id);
  const check = useWalletCheck();
  const [isOpen, setOpen] = useState(false);
  return (
    <Paper variant="card" style={{ overflow: 'hidden' }}>
      <Lines aria-label="Apple Wallet">
        <PassLine
          icon={WalletCards}
          title="Add to Apple Wallet"
          detail={pass.problem ?? 'Be tipped from your lock screen'}
          onClick={pass.add}
          isBusy={pass.isBusy}
        />
        <PassLine
          icon={QrCode}
          title="QR Payment Pass"
          detail="Fixed or variable amount"
          // Its form says what such a pass is, also where there is no Wallet: none is made there.
          onClick={() => {
            check();
            setOpen(true);
          }}
        />
      </Lines>
      {isOpen && <QrPassDialog onClose={() => setOpen(false)} />}
    </Paper>
  );
}
