/** The wallets, with balance and actions. */
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Minus, Plus } from 'lucide-react';
import { useState } from 'react';
import type { TreasuryWallet } from '#contracts/api/treasury';
import { PrivateBalance } from '../account/Privacy.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { Row } from '../../shared/ui/Layout.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { DESKTOP } from '../../shared/ui/theme.js';
import type { Move } from './treasury.js';

const MoveFundsDialog = onDemand(() => import('./MoveFundsDialog.js'));

const Grid = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 12,
  [DESKTOP]: { gridTemplateColumns: 'repeat(auto-fill, minmax(260px, 1fr))', gap: 24 },
  '@media (min-width: 1160px)': { gridTemplateColumns: 'repeat(3, minmax(0, 1fr))' },
});

const Wallet = styled(Paper)(({ theme }) => ({
  boxSizing: 'border-box',
  height: '100%',
  padding: 16,
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gridTemplateRows: '1fr auto auto',
  gap: 14,
  '@media (max-width: 359.95px)': { padding: 12 },
  '& .what': { minWidth: 0, overflowWrap: 'anywhere' },
  '& .name': { fontWeight: 640, fontSize: 15, lineHeight: '22px', margin: 0 },
  '& .about, & .currency': { fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
  '& .figure': { display: 'flex', alignItems: 'baseline', gap: 6 },
  '& .acts': { display: 'grid', gridTemplateColumns: 'repeat(2, minmax(0, 1fr))', gap: 8 },
  '& .acts > button': { paddingLeft: 8, paddingRight: 8, whiteSpace: 'nowrap' },
  '& .MuiButton-startIcon': { marginRight: 6 },
}));

export function Wallets({ wallets }: { readonly wallets: readonly TreasuryWallet[] }) {
  const [moving, setMoving] = useState<{ readonly move: Move; readonly id: string }>();
  const wallet = wallets.find(({ id }) => id === moving?.id);
  return (
    <>
      <Grid aria-label="Wallets">
        {wallets.map((each) => (
          <li key={each.id}>
            <WalletCard wallet={each} onMove={(move) => setMoving({ move, id: each.id })} />
          </li>
        ))}
      </Grid>
      {moving && wallet && (
        <MoveFundsDialog move={moving.move} wallet={wallet} onClose={() => setMoving(undefined)} />
      )}
    </>
  );
}

interface WalletCardProps {
  readonly wallet: TreasuryWallet;
  readonly onMove: (move: Move) => void;
}

function WalletCard({
  wallet: { displayName, description, balance, currency, status },
  onMove,
}: WalletCardProps) {
  return (
    <Wallet variant="card">
      <Row spread style={{ alignItems: 'flex-start' }}>
        <div className="what">
          <Typography component="h2" className="name">
            {displayName}
          </Typography>
          {description && <div className="about">{description}</div>}
        </div>
        <StatusChip status={status} unknownAs="inactive" />
      </Row>
      <div className="figure">
        <PrivateBalance decimal={balance} size={24} />
        <span className="currency">{currency}</span>
      </div>
      <div className="acts">
        <Button
          variant="outlined"
          size="small"
          startIcon={<Plus size={17} aria-hidden="true" />}
          aria-label={`Add Funds to ${displayName}`}
          onClick={() => onMove('transfer')}
        >
          Add Funds
        </Button>
        <Button
          variant="outlined"
          size="small"
          startIcon={<Minus size={17} aria-hidden="true" />}
          aria-label={`Withdraw from ${displayName}`}
          onClick={() => onMove('withdraw')}
        >
          Withdraw
        </Button>
      </div>
    </Wallet>
  );
}

/** Skeletons of the wallets. */
export function WalletSkeletons() {
  return (
    <div role="status" aria-label="Loading your wallets">
      <Grid aria-hidden="true">
        {[0, 1, 2].map((each) => (
          <li key={each}>
            <Wallet variant="card">
              <Row spread style={{ alignItems: 'flex-start', minHeight: 40 }}>
                <Skeleton width="45%" height={16} />
                <Skeleton width={78} height={24} />
              </Row>
              <Skeleton width="50%" height={27} />
              <div className="acts">
                <Skeleton height={40} />
                <Skeleton height={40} />
              </div>
            </Wallet>
          </li>
        ))}
      </Grid>
    </div>
  );
}
