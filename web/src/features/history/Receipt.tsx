/** The receipt of one payment, over the history, with an address of its own: copy, share, print. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Copy, Printer, Share2, X } from 'lucide-react';
import { useId } from 'react';
import { Link } from 'react-router-dom';
import type { CurrentUser } from '#contracts/api/users';
import type { Transaction } from '#contracts/api/payments';
import { THANKS_WORDS } from '#contracts/plain/thanks';
import { decimalFromMinor } from '#contracts/plain/money';
import { useUser } from '../account/current-user.js';
import { Private } from '../account/Privacy.js';
import { useToast } from '../../shared/ui/toasts.js';
import { countedMinor, isReceived, methodWord, useTransactionQuery } from '../transactions/transactions.js';
import { checkoutPath } from '../../shared/navigation/paths.js';
import { isCallError } from '../../shared/api/call.js';
import { Amount, BigAmount } from '../../shared/ui/Amount.js';
import { ErrorState } from '../../shared/ui/EmptyState.js';
import { Banner, DotLeaders, Row } from '../../shared/ui/Layout.js';
import { Logo } from '../../shared/ui/Logo.js';
import { usePrint } from '../../shared/ui/print.js';
import { Stage } from '../../shared/ui/Stage.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { NARROW } from '../../shared/ui/theme.js';
import { money, signedMoney } from '../../shared/wording/money.js';
import { capitalised, fullName } from '../../shared/wording/people.js';
import { dateTimeOf } from '../../shared/wording/time.js';
import { ReceiptProof } from './ReceiptProof.js';
import { Thanks } from './Thanks.js';

const Lit = styled('div')(({ theme }) => ({
  '& .top': {
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'space-between',
    padding: '6px 6px 0 20px',
  },
  '& .sum': { padding: '14px 20px 30px', textAlign: 'center', minHeight: 148, boxSizing: 'border-box' },
  '& .quiet': { fontSize: 13, lineHeight: '18px', color: theme.vars.palette.stage.on2 },
  '& .MuiSkeleton-root': { backgroundColor: theme.vars.palette.stage.beam, margin: '8px auto' },
}));

const LOW = '@media (max-height: 619.95px)';
/**
 * What is below the stage scrolls, for a scrollbar that takes room would stand beside the stage; in a low
 * window all of it does.
 */
const Sheet = styled(Dialog)({
  '& .MuiDialog-paper': {
    overflow: 'hidden',
    // The stage keeps its height.
    '& > *': { flexShrink: 0 },
    '& > :last-child': { flexShrink: 1, overflowY: 'auto' },
    [LOW]: { display: 'block', overflow: 'hidden auto' },
  },
});

const Below = styled('div')(({ theme }) => ({
  padding: '18px 20px 20px',
  '& hr': { border: 0, borderTop: `1px solid ${theme.vars.palette.divider}`, margin: '10px 0' },
  '& .came': { fontWeight: 650 },
  '& .again': { marginTop: 18 },
  '& .acts': { display: 'grid', gridTemplateColumns: '1.2fr 1fr 1fr', gap: 8, marginTop: 18 },
  '& .acts button': { padding: 0, fontSize: 15, whiteSpace: 'nowrap' },
  '& .acts .MuiButton-startIcon': { marginRight: 8 },
  [NARROW]: { '& .acts .MuiButton-startIcon': { display: 'none' } },
}));

const icon = { size: 18, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** `pay_93kx…c4f1`: enough to tell two apart. The whole id is copied. */
function shortId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}

/** The checkout of the same payment, with what pays it at once. */
const again = ({ counterpartyId, amount, paymentMethod }: Transaction): string =>
  checkoutPath(counterpartyId, paymentMethod === null ? { amount } : { amount, paymentMethod });

/** The payment's effect on the reader's balance. */
function outcomeOf(transaction: Transaction): string {
  if (countedMinor(transaction) === 0) {
    if (transaction.disputedAmount === '0.00') return 'Given back in full';
    return transaction.disputeStatus === 'open' ? 'Taken back while the bank asks' : 'Taken back by the bank';
  }
  if (isReceived(transaction)) return 'Added to your balance';
  if (transaction.kind === 'transfer') return 'Taken from your balance';
  return transaction.paymentMethod === 'cashapp' ? 'Paid with Cash App' : 'Charged to your card';
}

interface Line {
  readonly label: string;
  readonly value: string;
  /** Short label for narrow places. */
  readonly short?: string | undefined;
}

function linesOf(transaction: Transaction, user: CurrentUser): readonly Line[] {
  const me = fullName(user);
  const {
    counterpartyId,
    counterpartyUsername,
    counterpartyName,
    amount,
    refundedAmount,
    disputedAmount,
    description,
    thanks,
    id,
  } = transaction;
  // A guest has a name and no username. Whoever is not named at all has not left.
  const nobody = counterpartyId === '' ? 'Not named' : 'Somebody who has left';
  const username = counterpartyUsername === null ? undefined : `@${counterpartyUsername}`;
  const named = [counterpartyName, counterpartyName && username ? `(${username})` : username];
  const other = named.filter(Boolean).join(' ') || nobody;
  const short = counterpartyName ?? undefined;
  return [
    ...(isReceived(transaction)
      ? [
          { label: 'From', value: other, short },
          { label: 'To', value: me },
        ]
      : [
          { label: 'From', value: me },
          { label: 'To', value: other, short },
        ]),
    { label: 'Method', value: methodWord(transaction) },
    { label: 'Amount', value: money(amount) },
    ...(refundedAmount === '0.00' ? [] : [{ label: 'Refunded', value: money(refundedAmount) }]),
    ...(disputedAmount === '0.00' ? [] : [{ label: 'Taken back', value: money(disputedAmount) }]),
    ...(description ? [{ label: 'Note', value: `“${description}”` }] : []),
    ...(thanks === null ? [] : [{ label: 'Thanks', value: `“${THANKS_WORDS[thanks]}”` }]),
    { label: 'Payment ID', value: id, short: shortId(id) },
  ];
}

const MONEY_LINES: ReadonlySet<string> = new Set(['Amount', 'Refunded', 'Taken back']);

const headOf = (transaction: Transaction): string =>
  isReceived(transaction) ? 'Payment received' : 'Payment sent';

/** The receipt as text, for a message. */
export function textOf(transaction: Transaction, user: CurrentUser): string {
  const amount = signedMoney(transaction.amount, isReceived(transaction));
  return [
    `${headOf(transaction)}: ${amount}`,
    `${dateTimeOf(transaction.createdAt)} · ${capitalised(transaction.status)}`,
    ...linesOf(transaction, user)
      .filter(({ label }) => label !== 'Amount')
      .map(({ label, value }) => `${label}: ${value}`),
  ].join('\n');
}

function PrintedReceipt({
  transaction,
  user,
}: {
  readonly transaction: Transaction;
  readonly user: CurrentUser;
}) {
  return (
    <>
      <Logo size={16} />
      <h1>Receipt</h1>
      <p>
        {headOf(transaction)}, {dateTimeOf(transaction.createdAt)}. {capitalised(transaction.status)}.
      </p>
      <table>
        <tbody>
          {linesOf(transaction, user).map(({ label, value }) => (
            <tr key={label}>
              <th scope="row" style={{ whiteSpace: 'nowrap' }}>
                {label}
              </th>
              <td className="figure" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
                {value}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

interface ReceiptProps {
  readonly id: string;
  /** The transaction as the list has it, shown until it is read anew: it may have changed since. */
  readonly known: Transaction | undefined;
  readonly onClose: () => void;
}

export default function Receipt({ id, known, onClose }: ReceiptProps) {
  const titleId = useId();
  const asked = useTransactionQuery(id);
  const transaction = asked.currentData ?? known;
  return (
    <Sheet open onClose={onClose} aria-labelledby={titleId}>
      <Stage light="receipt" full="always">
        <Lit>
          <div className="top">
            <Logo size={18} />
            <IconButton aria-label="Close" onClick={onClose}>
              <X size={20} strokeWidth={1.75} aria-hidden="true" />
            </IconButton>
          </div>
          <div className="sum">
            {transaction ? (
              <>
                <div className="quiet" style={{ fontWeight: 600 }}>
                  {headOf(transaction)}
                </div>
                <div style={{ marginTop: 2, minHeight: 48 }}>
                  <Private size="big">
                    <BigAmount
                      decimal={transaction.amount}
                      direction={isReceived(transaction) ? 'in' : 'out'}
                    />
                  </Private>
                </div>
                <div className="quiet" style={{ marginTop: 8 }}>
                  {dateTimeOf(transaction.createdAt)}
                </div>
              </>
            ) : (
              !asked.isError && (
                <>
                  <Skeleton width={120} height={14} />
                  <Skeleton width={190} height={40} />
                  <Skeleton width={140} height={14} />
                </>
              )
            )}
          </div>
        </Lit>
      </Stage>
      {transaction ? (
        <Details transaction={transaction} titleId={titleId} />
      ) : (
        <Below>
          <Typography variant="h2" id={titleId} style={{ marginBottom: 10 }}>
            Receipt
          </Typography>
          {asked.isError && !asked.isFetching ? (
            <ErrorState onRetry={() => void asked.refetch()}>
              {isCallError(asked.error) && asked.error.status === 404
                ? 'This receipt could not be found among your transactions.'
                : 'This receipt could not be loaded. That says nothing about the payment.'}
            </ErrorState>
          ) : (
            <div role="status" aria-label="Loading the receipt">
              {[0, 1, 2, 3, 4].map((each) => (
                <Skeleton key={each} height={14} style={{ margin: '18px 0' }} />
              ))}
            </div>
          )}
        </Below>
      )}
    </Sheet>
  );
}

function Details({ transaction, titleId }: { readonly transaction: Transaction; readonly titleId: string }) {
  const user = useUser();
  const toast = useToast();
  const { sheet, print } = usePrint();
  const hasFailed = transaction.status === 'failed';
  const direction = isReceived(transaction) ? 'in' : 'out';

  const copy = async (text: string, done: string) => {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(done);
    } catch {
      toast.error('Copy Failed', 'Select the text and copy it by hand.');
    }
  };
  const share = async () => {
    const text = textOf(transaction, user);
    try {
      await navigator.share({ title: 'Encore receipt', text });
    } catch (error) {
      // Closing the share sheet without a choice copies nothing.
      if (!(error instanceof Error && error.name === 'AbortError')) await copy(text, 'Receipt Copied');
    }
  };
  return (
    <Below>
      <Row spread style={{ paddingBottom: 6 }}>
        <Typography variant="h2" id={titleId}>
          Receipt
        </Typography>
        <StatusChip status={transaction.status} />
      </Row>
      <DotLeaders
        rows={linesOf(transaction, user).map(({ label, value, short }) => ({
          label,
          value: MONEY_LINES.has(label) ? (
            <Private>{value}</Private>
          ) : short === undefined ? (
            value
          ) : (
            <span title={value}>{short}</span>
          ),
        }))}
      />
      <hr />
      {hasFailed ? (
        <Banner tone="error">
          {transaction.failureReason ?? 'The payment did not go through.'} You have not been charged.
        </Banner>
      ) : (
        <Row spread>
          <span className="came">{outcomeOf(transaction)}</span>
          <Private>
            <Amount decimal={decimalFromMinor(countedMinor(transaction))} direction={direction} />
          </Private>
        </Row>
      )}
      <Thanks transaction={transaction} />
      {/* What moved no money stands in no published books. */}
      {!hasFailed && transaction.status !== 'processing' && <ReceiptProof id={transaction.id} />}
      {!isReceived(transaction) && transaction.counterpartyUsername !== null && (
        <Button component={Link} to={again(transaction)} variant="contained" fullWidth className="again">
          Tip again
        </Button>
      )}
      <div className="acts">
        <Button
          variant="outlined"
          startIcon={<Copy {...icon} />}
          onClick={() => void copy(transaction.id, 'Payment ID Copied')}
        >
          Copy ID
        </Button>
        <Button variant="outlined" startIcon={<Share2 {...icon} />} onClick={() => void share()}>
          Share
        </Button>
        <Button
          variant="outlined"
          startIcon={<Printer {...icon} />}
          onClick={() => print(<PrintedReceipt transaction={transaction} user={user} />)}
        >
          Print
        </Button>
      </div>
      {sheet}
    </Below>
  );
}
