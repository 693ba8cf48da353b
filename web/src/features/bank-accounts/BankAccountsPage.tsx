/** Bank accounts, and the payouts to them. */
import { styled } from '@mui/material/styles';
import { Fragment, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { Page } from '../shell/Page.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { COLUMNS, columnsOf } from '../../shared/ui/theme.js';
import { Accounts } from './Accounts.js';
import { useBankAccountsQuery } from './bank-accounts.js';
import { PayoutHistory } from './PayoutHistory.js';
import { RequestPayout } from './RequestPayout.js';

// One column on a phone; on a desktop accounts at the left, payouts at the right.
const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 24,
  [COLUMNS]: {
    gridTemplateColumns: columnsOf(408),
    gridTemplateRows: 'auto 1fr',
    alignItems: 'start',
    '& > .accounts': { gridColumn: 1, gridRow: '1 / span 2' },
    '& > .payout': { gridColumn: 2, gridRow: 1 },
    '& > .history': { gridColumn: 2, gridRow: 2 },
  },
  '& > div': { minWidth: 0 },
});

const AddAccountDialog = onDemand(() => import('./AddAccountDialog.js'));

export default function BankAccountsPage() {
  const [query] = useSearchParams();
  const { data: accounts } = useBankAccountsQuery();
  const [isAdding, setAdding] = useState(false);
  const close = () => setAdding(false);
  const payout = (
    <div key="payout" className="payout">
      <RequestPayout />
    </div>
  );
  const list = (
    <div key="accounts" className="accounts">
      <Accounts hasExpired={query.get('verification') === 'expired'} onAdd={() => setAdding(true)} />
    </div>
  );
  return (
    <Page title="Bank Accounts & Payouts">
      {/* The order depends on the accounts: once they are known both are mounted anew, so that
          nothing moves under a finger. */}
      <Columns>
        {/* First what can be done: request a payout, or add the account that a payout needs. */}
        <Fragment key={accounts === undefined ? 'waiting' : 'known'}>
          {accounts?.length === 0 ? [list, payout] : [payout, list]}
        </Fragment>
        <div className="history">
          <PayoutHistory />
        </div>
      </Columns>
      {/* Outside the columns, so that typed values survive when the list arrives. */}
      {isAdding && <AddAccountDialog onClose={close} onAdded={close} />}
    </Page>
  );
}
