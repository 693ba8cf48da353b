/** Every entry of one account, newest first, with the balance that each left: page by page, down to the first. */
import Button from '@mui/material/Button';
import NativeSelect from '@mui/material/NativeSelect';
import OutlinedInput from '@mui/material/OutlinedInput';
import { styled } from '@mui/material/styles';
import { ChevronDown } from 'lucide-react';
import { useCallback } from 'react';
import { Link } from 'react-router-dom';
import { useWalletsQuery } from '../treasury/treasury.js';
import { MoreRows } from '../transactions/MoreRows.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { EmptyState, ErrorState } from '../../shared/ui/EmptyState.js';
import { Stack } from '../../shared/ui/Layout.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';
import { EntryDays } from './EntryDays.js';
import { useAccountEntriesInfiniteQuery } from './statements.js';

const Heads = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  justifyContent: 'space-between',
  gap: '0 12px',
  fontSize: 13,
  lineHeight: '18px',
  color: theme.vars.palette.text.secondary,
  '& b': { fontWeight: 600 },
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
      <NativeSelect
        value={account}
        onChange={({ target }) => onAccount(target.value)}
        input={<OutlinedInput fullWidth />}
        inputProps={{ 'aria-label': 'Account' }}
        IconComponent={ChevronDown}
        sx={{ '& .MuiNativeSelect-icon': { right: 14, top: 'calc(50% - 10px)', width: 20, height: 20 } }}
      >
        <option value="available">Available balance</option>
        <option value="payouts">On the way to your bank</option>
        {wallets.map((wallet) => (
          <option key={wallet.id} value={wallet.id}>
            {wallet.displayName}
          </option>
        ))}
      </NativeSelect>
      <Heads>
        <span>Every move of {whose}</span>
        <b>Amount, balance</b>
      </Heads>
      <Entries account={account} />
    </Stack>
  );
}

function Entries({ account }: { readonly account: string }) {
  const query = useAccountEntriesInfiniteQuery(account);
  const { currentData, isError, isFetching, isFetchNextPageError, isFetchingNextPage, hasNextPage } = query;
  const { fetchNextPage, refetch } = query;
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const entries = currentData?.pages.flatMap((page) => page.entries);
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
      <EntryDays entries={entries} isCut={hasNextPage} />
      {hasNextPage && (
        <MoreRows isLoading={isFetchingNextPage} hasFailed={isFetchNextPageError} onMore={more} />
      )}
    </>
  );
}
