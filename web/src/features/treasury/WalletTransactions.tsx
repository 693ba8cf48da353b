/** Transactions of the wallets, newest first. */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Check, Minus, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { TreasuryTransaction } from '#contracts/api/treasury';
import { PrivateAmount } from '../account/Privacy.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { Section } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { LongRows, type RowItem } from '../../shared/ui/LongRows.js';
import { Disc, ListRow, RowSkeletons } from '../../shared/ui/Rows.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { dayOf } from '../../shared/wording/time.js';
import { useWalletTransactionsQuery } from './treasury.js';

const AT_FIRST = 10;
const ESTIMATE_PX = 69;

export function WalletTransactions({ action }: { readonly action: ReactNode }) {
  const query = useWalletTransactionsQuery();
  return (
    <Section title="Recent Treasury Transactions">
      <Loaded
        query={query}
        failed="Your treasury transactions could not be loaded."
        skeleton={<RowSkeletons label="Loading your treasury transactions" />}
        empty={
          <EmptyState title="No treasury transactions yet" action={action}>
            Create a wallet and add funds to get started
          </EmptyState>
        }
      >
        {(transactions) => (
          <LongRows
            label="Treasury transactions"
            rows={transactions}
            atFirst={AT_FIRST}
            estimatePx={ESTIMATE_PX}
            row={(transaction, item) => <TransactionRow transaction={transaction} item={item} />}
          />
        )}
      </Loaded>
    </Section>
  );
}

// Success is shown quietly.
const Done = styled('span')(({ theme }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  color: theme.vars.palette.text.secondary,
  '& svg': { color: theme.vars.palette.success.main },
}));

interface TransactionRowProps {
  readonly transaction: TreasuryTransaction;
  readonly item: RowItem;
}

function TransactionRow({ transaction, item }: TransactionRowProps) {
  const { type, description, createdAt, amount, status, walletName } = transaction;
  const isCredit = type === 'credit';
  const Icon = isCredit ? Plus : Minus;
  return (
    <ListRow
      item={item}
      title={description || 'Treasury Transaction'}
      detail={
        <>
          {dayOf(createdAt)}
          {walletName !== '' && (
            <>
              {' '}
              <span aria-hidden="true">·</span> {walletName}
            </>
          )}
        </>
      }
      start={
        <Disc data-tone={isCredit ? 'in' : undefined}>
          <Icon size={19} strokeWidth={2} aria-hidden="true" />
        </Disc>
      }
      end={
        <>
          <PrivateAmount
            decimal={amount}
            direction={isCredit ? 'in' : 'out'}
            tone={isCredit ? 'in' : 'debit'}
          />
          {status === 'completed' ? (
            <Typography variant="body2" component="span">
              <Done>
                <Check size={14} strokeWidth={2.4} aria-hidden="true" />
                Completed
              </Done>
            </Typography>
          ) : (
            <StatusChip status={status} />
          )}
        </>
      }
    />
  );
}
