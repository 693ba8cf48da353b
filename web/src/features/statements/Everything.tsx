/**
 * Every entry of one account, newest first, with the balance that each left: page by page, down to the first.
 */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { useCallback } from 'react';
import { Link } from 'react-router-dom';
import { useWalletsQuery } from '../treasury/treasury.js';
import { MoreRows } from '../transactions/MoreRows.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { EmptyState, ErrorState } from '../../shared/ui/EmptyState.js';
import { useDrawnRows } from '../../shared/ui/drawn-rows.js';
import { Stack } from '../../shared/ui/Layout.js';
import { Picker } from '../../shared/ui/Picker.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';
import { EntryDays } from './EntryDays.js';
import { useAccountEntriesQuery, useLazyEarlierEntriesQuery } from './statements.js';

const Heads = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  justifyContent: 'space-between',
  gap: '0 12px',
  fontSize: 13,
  lineHeight: '18px',
  color: theme.vars.palette.text.secondary,
  '& b': { fontWeight: 600, marginLeft: 'auto' },
}));

interface EverythingProps {
  /** `available`, `payouts`, or a wallet's id. */
  readonly account: string;
  readonly onAccount: (account: string) => void;
}

export default function Everything({ account, onAccount }: EverythingProps) {
  const wallets = useWalletsQuery().data ?? [];
  const name = wallets.find(({ id }) => id === account)?.displayName;
  const whose =
    account === 'available'
      ? 'your available balance'
      : account === 'payouts'
        ? 'your payouts on the way'
        : (name ?? 'this wallet');
  return (
    <Stack gap={16}>
      <Picker
        label="Account"
        hidesLabel
        value={account}
        onChange={onAccount}
        rows={[
          { value: 'available', label: 'Available balance' },
          { value: 'payouts', label: 'On the way to your bank' },
          ...wallets.map(({ id, displayName }) => ({ value: id, label: displayName })),
        ]}
      />
      <Heads>
        <span>Every move of {whose}</span>
        <b>Amount, balance</b>
      </Heads>
      <Entries account={account} />
    </Stack>
  );
}

function Entries({ account }: { readonly account: string }) {
  const { currentData, isError, isFetching, refetch } = useAccountEntriesQuery(account);
  const [readEarlier, earlier, { lastArg }] = useLazyEarlierEntriesQuery();
  const { rows, next } = currentData ?? {};
  const entries = useDrawnRows(rows);
  const isAdding = entries !== rows;
  // What is said of earlier entries is said of those that follow now.
  const isAskedFor = typeof lastArg === 'object' && lastArg.account === account && lastArg.cursor === next;
  const more = useCallback(() => {
    if (next !== undefined) void readEarlier({ account, cursor: next });
  }, [readEarlier, account, next]);
  const hasMore = next !== undefined || isAdding;
  if (entries === undefined)
    return isError && !isFetching ? (
      <ErrorState onRetry={() => void refetch()}>The entries could not be loaded.</ErrorState>
    ) : (
      <RowSkeletons count={8} label="Loading entries" />
    );
  if (entries.length === 0)
    return (
      <EmptyState
        title="Nothing has moved yet"
        action={
          <Button component={Link} to={PATHS.myQr} variant="outlined">
            Show My QR Code
          </Button>
        }
      >
        Whatever comes in or goes out of this account will stand here, with the balance after it.
      </EmptyState>
    );
  return (
    <>
      <EntryDays entries={entries} isCut={hasMore} />
      {hasMore && (
        <MoreRows
          isLoading={isAdding || (isAskedFor && earlier.isFetching)}
          hasFailed={isAskedFor && earlier.isError}
          onMore={more}
        />
      )}
    </>
  );
}
