/** The treasury: wallets that set a part of the balance aside. */
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { PrivateBalance } from '../account/Privacy.js';
import { Page } from '../shell/Page.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { Stage } from '../../shared/ui/Stage.js';
import { sumOf } from './sum.js';
import { useWalletsQuery } from './treasury.js';
import { Wallets, WalletSkeletons } from './Wallets.js';
import { WalletTransactions } from './WalletTransactions.js';

const NewWalletDialog = onDemand(() => import('./NewWalletDialog.js'));

export default function TreasuryPage() {
  const query = useWalletsQuery();
  const wallets = query.data;
  const [isCreating, setCreating] = useState(false);
  const create = () => setCreating(true);
  const total = wallets ? sumOf(wallets.map(({ balance }) => balance)) : undefined;
  return (
    <Page
      title="Treasury"
      action={
        <Button
          variant="outlined"
          size="small"
          startIcon={<Plus size={17} aria-hidden="true" />}
          onClick={create}
        >
          New Wallet
        </Button>
      }
    >
      <Stage light="card">
        <div style={{ padding: '22px 20px 24px' }}>
          <Typography variant="label" component="div" sx={{ color: 'stage.on2' }}>
            Total Treasury Balance
          </Typography>
          <div style={{ marginTop: 4, minHeight: 50 }}>
            {total !== undefined ? (
              <PrivateBalance decimal={total} size={44} />
            ) : query.isError || wallets !== undefined ? (
              <Typography variant="display" component="span" aria-label="Unknown">
                –
              </Typography>
            ) : (
              <Skeleton width={190} height={40} style={{ opacity: 0.2 }} />
            )}
          </div>
        </div>
      </Stage>
      <Loaded query={query} failed="Your wallets could not be loaded." skeleton={<WalletSkeletons />}>
        {(wallets) => wallets.length > 0 && <Wallets wallets={wallets} />}
      </Loaded>
      <WalletTransactions
        action={wallets?.length === 0 && <Button onClick={create}>Create a Wallet</Button>}
      />
      {isCreating && <NewWalletDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}
