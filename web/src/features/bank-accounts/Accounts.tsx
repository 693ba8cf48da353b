/** Bank accounts, and the verification that is due before a payout can reach one. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Landmark, Lock, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { BankAccount } from '#contracts/api/bank-accounts';
import { useFailure } from '../../shared/ui/failure.js';
import { browser } from '../../shared/navigation/leaving.js';
import { useToast } from '../../shared/ui/toasts.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { ConfirmDialog } from '../../shared/ui/ConfirmDialog.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { useIsShown } from '../../shared/ui/is-shown.js';
import { Banner, Card, Note, Row, Section, Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { Disc, RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { Badge } from '../../shared/ui/StatusChip.js';
import { NARROW } from '../../shared/ui/theme.js';
import { capitalised } from '../../shared/wording/people.js';
import {
  useBankAccountsQuery,
  useBeginOnboardingMutation,
  useChoosePrimaryMutation,
  useRemoveBankAccountMutation,
} from './bank-accounts.js';
import { choosePrimary, removeBankAccount } from './outcomes.js';

interface AccountsProps {
  readonly hasExpired: boolean;
  readonly onAdd: () => void;
}

export function Accounts({ hasExpired, onAdd }: AccountsProps) {
  const query = useBankAccountsQuery();
  if (query.data?.length === 0)
    return (
      <section aria-label="Accounts" style={{ minWidth: 0 }}>
        <EmptyState
          title="No bank accounts added yet"
          action={
            <>
              <Button onClick={onAdd}>Add Your First Account</Button>
              <div style={{ justifySelf: 'center' }}>
                <Note icon={Lock}>Your banking information is encrypted and secure</Note>
              </div>
            </>
          }
        >
          Add one and your balance can follow you home.
        </EmptyState>
      </section>
    );
  return (
    <Section
      title="Accounts"
      action={
        <Button
          variant="text"
          size="small"
          startIcon={<Plus size={18} aria-hidden="true" />}
          onClick={onAdd}
          style={TIGHT}
        >
          Add Account
        </Button>
      }
    >
      <Loaded
        query={query}
        failed="Your bank accounts could not be loaded."
        skeleton={<RowSkeletons count={2} label="Loading your bank accounts" />}
      >
        {(accounts) => (
          <Stack gap={12}>
            {accounts.some(({ needsOnboarding }) => needsOnboarding) && (
              <Verification hasExpired={hasExpired} />
            )}
            <RowList label="Bank accounts">
              {accounts.map((account) => (
                <AccountRow key={account.id} account={account} />
              ))}
            </RowList>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

// As high as the headings of the other sections, so that all lists start at one line.
const TIGHT = { margin: '-8px -8px -8px 0' } as const;

const FAILED_ONBOARDING = 'The verification page could not be opened. Please try again.';

/** Verification is due: it happens on the provider's own pages, which lead back here. */
function Verification({ hasExpired }: { readonly hasExpired: boolean }) {
  const toast = useToast();
  const fail = useFailure();
  const [begin, { isLoading }] = useBeginOnboardingMutation();
  const [isLeaving, setLeaving] = useState(false);
  const isShown = useIsShown();
  const open = async () => {
    try {
      const { onboardingUrl } = await begin().unwrap();
      if (onboardingUrl === null) {
        toast.success('Nothing Left to Verify', 'Your details are with the payout provider.');
        return;
      }
      if (!isShown.current) return;
      setLeaving(true);
      browser.goTo(onboardingUrl);
    } catch (error) {
      fail(error, FAILED_ONBOARDING);
    }
  };
  return (
    <Card padding={16} gap={14}>
      {hasExpired && (
        <Banner tone="warning">
          The verification page was open for too long. Open it again; what you entered is kept.
        </Banner>
      )}
      <div>
        <Typography variant="h3" component="h3">
          Verify your account to get paid
        </Typography>
        <Typography color="textSecondary" style={{ fontSize: 14, lineHeight: '20px', marginTop: 2 }}>
          The payout provider has to know who you are before it sends money to a bank. It takes a few minutes.
        </Typography>
      </div>
      <BusyButton isBusy={isLoading || isLeaving} busyLabel="Opening" onClick={() => void open()}>
        Finish Verification
      </BusyButton>
    </Card>
  );
}

const Item = styled('li')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 12,
  padding: 16,
  [NARROW]: { padding: 12 },
  '& .who': { flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
  '& .name': { fontWeight: 640 },
  '& .line': { fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
  '& .wrong': { fontSize: 13, lineHeight: '18px', color: theme.vars.palette.error.main },
  '& .badges': { display: 'flex', flexWrap: 'wrap', gap: 6 },
}));

function AccountRow({ account }: { readonly account: BankAccount }) {
  const {
    id,
    bankName,
    accountHolderName,
    accountNumber,
    accountType,
    isPrimary,
    isVerified,
    error: wrong,
  } = account;
  const toast = useToast();
  const fail = useFailure();
  const [choose, choosing] = useChoosePrimaryMutation();
  const [isRemoving, setRemoving] = useState(false);

  const makePrimary = async () => {
    try {
      await choose(id).unwrap();
      toast.success(...choosePrimary.done(undefined, account));
    } catch (error) {
      fail(error, choosePrimary.failed);
    }
  };
  return (
    <Item>
      <Row style={{ alignItems: 'flex-start' }}>
        <Disc data-shape="square">
          <Landmark size={20} strokeWidth={1.75} aria-hidden="true" />
        </Disc>
        <div className="who">
          <div className="name">{bankName}</div>
          <div className="line">
            {capitalised(accountType)} {accountNumber}
          </div>
          <div className="line">{accountHolderName}</div>
          {wrong !== null && <div className="wrong">{wrong}</div>}
        </div>
        <IconButton
          aria-label={`Remove ${bankName} ${accountNumber}`}
          onClick={() => setRemoving(true)}
          sx={{ color: 'text.secondary', margin: '-8px -10px 0 0' }}
        >
          <Trash2 size={20} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </Row>
      <Row spread style={{ minHeight: 24 }}>
        <div className="badges">
          {isPrimary && <Badge tone="primary" label="Primary" />}
          {isVerified && <Badge tone="verified" label="Verified" />}
        </div>
        {!isPrimary && (
          <BusyButton
            variant="text"
            size="small"
            isBusy={choosing.isLoading}
            busyLabel=""
            onClick={() => void makePrimary()}
            style={{ margin: '-8px -8px -8px auto' }}
            aria-label={`Set Primary: ${bankName} ${accountNumber}`}
          >
            Set Primary
          </BusyButton>
        )}
      </Row>
      {isRemoving && <Removal account={account} onClose={() => setRemoving(false)} />}
    </Item>
  );
}

function Removal({ account, onClose }: { readonly account: BankAccount; readonly onClose: () => void }) {
  const { id, bankName, accountNumber } = account;
  const toast = useToast();
  const [remove] = useRemoveBankAccountMutation();
  const confirm = async () => {
    await remove(id).unwrap();
    toast.success(...removeBankAccount.done(undefined, account));
  };
  return (
    <ConfirmDialog
      title="Remove this account?"
      confirm="Remove Account"
      keep="Keep Account"
      failed={removeBankAccount.failed}
      onConfirm={confirm}
      onClose={onClose}
    >
      {bankName} {accountNumber} can no longer be paid out to. Your balance stays as it is.
    </ConfirmDialog>
  );
}
