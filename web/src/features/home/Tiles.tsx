/** Two ways to be paid: the code, and the pass. */
import ButtonBase from '@mui/material/ButtonBase';
import { styled } from '@mui/material/styles';
import { QrCode, WalletCards } from 'lucide-react';
import { Link } from 'react-router-dom';
import { PATHS } from '../../shared/navigation/paths.js';
import { useTipPass } from '../wallet-passes/wallet.js';

const Pair = styled('div')({ display: 'grid', gridTemplateColumns: 'repeat(2, minmax(0, 1fr))', gap: 12 });

const Tile = styled(ButtonBase)(({ theme }) => ({
  boxSizing: 'border-box',
  minHeight: 88,
  padding: 14,
  display: 'grid',
  justifyContent: 'stretch',
  justifyItems: 'start',
  alignContent: 'space-between',
  gap: 10,
  border: `1px solid ${theme.vars.palette.divider}`,
  borderRadius: 16,
  backgroundColor: theme.vars.palette.background.paper,
  color: theme.vars.palette.text.primary,
  textAlign: 'left',
  font: 'inherit',
  '& svg': { color: theme.vars.palette.primary.main },
  '& strong': { fontWeight: 640, fontSize: 14, lineHeight: '18px' },
  '& small': { fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
  '&:hover': { backgroundColor: theme.vars.palette.sunken },
  '&:focus-visible': { outline: `3px solid ${theme.vars.palette.focus}`, outlineOffset: 2 },
})) as typeof ButtonBase;

export function Tiles({ userId }: { readonly userId: string }) {
  const pass = useTipPass(userId);
  return (
    <Pair>
      <Tile component={Link} to={PATHS.myQr}>
        <QrCode size={22} strokeWidth={1.75} aria-hidden="true" />
        <strong>My QR Code</strong>
      </Tile>
      <Tile onClick={pass.add} aria-disabled={pass.isBusy || undefined}>
        <WalletCards size={22} strokeWidth={1.75} aria-hidden="true" />
        <strong>{pass.isBusy ? 'Making your pass' : 'Add to Apple Wallet'}</strong>
        {pass.problem !== undefined && <small>{pass.problem}</small>}
      </Tile>
    </Pair>
  );
}
