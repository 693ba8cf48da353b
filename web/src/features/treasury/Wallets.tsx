/** The wallets, with balance and actions. */
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import IconButton from '@mui/material/IconButton';
import { Ellipsis, Minus, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import type { TreasuryWallet } from '#contracts/api/treasury';
import { PrivateBalance } from '../account/Privacy.js';
import { entriesPath } from '../../shared/navigation/statement-paths.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { Row } from '../../shared/ui/Layout.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { DESKTOP, NARROW, touchRoom } from '../../shared/ui/theme.js';
import type { Move } from './treasury.js';
import type { WalletAct } from './WalletMenu.js';

const MoveFundsDialog = onDemand(() => import('./MoveFundsDialog.js'));
const WalletMenu = onDemand(() => import('./WalletMenu.js'));
const RenameWalletDialog = onDemand(() => import('./RenameWalletDialog.js'));
const CloseWalletDialog = onDemand(() => import('./CloseWalletDialog.js'));

const Grid = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 12,
  [DESKTOP]: { gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 290px), 1fr))', gap: 24 },
});

const Wallet = styled(Paper)(({ theme }) => ({
  boxSizing: 'border-box',
  height: '100%',
  padding: 16,
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gridTemplateRows: '1fr auto auto',
  gap: 14,
  [NARROW]: { padding: 12 },
  '& .what': { minWidth: 0, overflowWrap: 'anywhere' },
  '& .corner': { display: 'flex', alignItems: 'center', gap: 4, flex: 'none', margin: '-11px -10px -11px 0' },
  '& .name': { fontWeight: 640, fontSize: 15, lineHeight: '22px', margin: 0 },
  '& .about, & .currency': { fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
  '& .figure': { display: 'flex', alignItems: 'baseline', gap: 6 },
  '& .entries': { marginLeft: 'auto', fontSize: 14, ...touchRoom(11, 6) },
  '& .acts': { display: 'grid', gridTemplateColumns: 'repeat(2, minmax(0, 1fr))', gap: 8 },
  '& .acts > button': { paddingLeft: 8, paddingRight: 8, whiteSpace: 'nowrap' },
  '& .MuiButton-startIcon': { marginRight: 6 },
}));

export function Wallets({ wallets }: { readonly wallets: readonly TreasuryWallet[] }) {
  const [doing, setDoing] = useState<{ readonly act: Move | WalletAct; readonly id: string }>();
  const wallet = wallets.find(({ id }) => id === doing?.id);
  const onClose = () => setDoing(undefined);
  return (
    <>
      <Grid aria-label="Wallets">
        {wallets.map((each) => (
          <li key={each.id}>
            <WalletCard wallet={each} onAct={(act) => setDoing({ act, id: each.id })} />
          </li>
        ))}
      </Grid>
      {wallet && (doing?.act === 'transfer' || doing?.act === 'withdraw') && (
        <MoveFundsDialog move={doing.act} wallet={wallet} onClose={onClose} />
      )}
      {wallet && doing?.act === 'rename' && <RenameWalletDialog wallet={wallet} onClose={onClose} />}
      {wallet && doing?.act === 'close' && <CloseWalletDialog wallet={wallet} onClose={onClose} />}
    </>
  );
}

/** Anything else is drawn as inactive. */
const WALLET_STATUSES = ['active', 'pending', 'inactive', 'failed'] as const;

interface WalletCardProps {
  readonly wallet: TreasuryWallet;
  readonly onAct: (act: Move | WalletAct) => void;
}

function WalletCard({
  wallet: { id, displayName, description, balance, currency, status },
  onAct,
}: WalletCardProps) {
  const [menu, setMenu] = useState<HTMLElement>();
  return (
    <Wallet variant="card">
      <Row spread style={{ alignItems: 'flex-start' }}>
        <div className="what">
          <Typography component="h2" className="name">
            {displayName}
          </Typography>
          {description && <div className="about">{description}</div>}
        </div>
        <div className="corner">
          <StatusChip status={status} among={WALLET_STATUSES} unknownAs="inactive" />
          <IconButton
            aria-label={`More for ${displayName}`}
            aria-haspopup="menu"
            aria-expanded={menu !== undefined}
            onClick={({ currentTarget }) => setMenu(currentTarget)}
          >
            <Ellipsis size={20} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        </div>
      </Row>
      <div className="figure">
        <PrivateBalance decimal={balance} size={24} />
        <span className="currency">{currency}</span>
        <MuiLink
          component={Link}
          to={entriesPath(id)}
          aria-label={`Entries of ${displayName}`}
          className="entries"
        >
          Entries
        </MuiLink>
      </div>
      <div className="acts">
        <Button
          variant="outlined"
          size="small"
          startIcon={<Plus size={17} aria-hidden="true" />}
          aria-label={`Add Funds to ${displayName}`}
          onClick={() => onAct('transfer')}
        >
          Add Funds
        </Button>
        <Button
          variant="outlined"
          size="small"
          startIcon={<Minus size={17} aria-hidden="true" />}
          aria-label={`Withdraw from ${displayName}`}
          onClick={() => onAct('withdraw')}
        >
          Withdraw
        </Button>
      </div>
      {menu && (
        <WalletMenu
          anchor={menu}
          onChoose={(act) => {
            setMenu(undefined);
            onAct(act);
          }}
          onClose={() => setMenu(undefined)}
        />
      )}
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
