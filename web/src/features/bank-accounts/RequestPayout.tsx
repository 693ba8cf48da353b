/** The balance that can be paid out, and the button that requests a payout. */
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useUser } from '../account/current-user.js';
import { PrivateBalance } from '../account/Privacy.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { Banner, Card, Row } from '../../shared/ui/Layout.js';
import { Stage } from '../../shared/ui/Stage.js';
import { PayableBalance } from './PayableBalance.js';
import { useBankAccountsQuery } from './bank-accounts.js';

const PayoutDialog = onDemand(() => import('./PayoutDialog.js'));

export function RequestPayout() {
  const { earnings } = useUser();
  const { data: accounts, isError } = useBankAccountsQuery();
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  if (accounts?.length === 0) return <NoAccount earnings={earnings} />;
  return (
    <section aria-label="Request Payout" style={{ minWidth: 0 }}>
      <Stage light="card">
        <div style={{ padding: 20 }}>
          <Typography variant="label" component="div" sx={{ color: 'stage.on2' }}>
            Available balance
          </Typography>
          <div style={{ margin: '2px 0 18px' }}>
            <PrivateBalance decimal={earnings} size={36} />
          </div>
          <PayableBalance />
          {accounts || isError ? (
            <Button variant="tungsten" fullWidth disabled={!accounts} onClick={() => setAsking(true)}>
              Request Payout
            </Button>
          ) : (
            <Skeleton height={52} style={{ borderRadius: 12, opacity: 0.2 }} />
          )}
          <Typography variant="body2" sx={{ color: 'stage.on2', mt: 3 }}>
            Payouts typically process within 1-2 business days.
          </Typography>
        </div>
      </Stage>
      {isAsking && accounts && <PayoutDialog accounts={accounts} onClose={close} />}
    </section>
  );
}

/** Without an account this card says only that a payout needs one. */
function NoAccount({ earnings }: { readonly earnings: string }) {
  return (
    <section aria-label="Request Payout" style={{ minWidth: 0 }}>
      <Card>
        <Row spread>
          <div>
            <Typography variant="h2">Request Payout</Typography>
            <Typography variant="body2" color="textSecondary">
              Available balance
            </Typography>
          </div>
          <PrivateBalance decimal={earnings} size={22} />
        </Row>
        <Button disabled fullWidth>
          Request Payout
        </Button>
        <Banner tone="warning">Add a bank account to request payouts</Banner>
        <Typography variant="body2" color="textSecondary">
          Payouts typically process within 1-2 business days.
        </Typography>
      </Card>
    </section>
  );
}
