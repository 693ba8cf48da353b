/** Whether a receipt is proven without us: the tick says what that proves, and the proof can be kept. */
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import Skeleton from '@mui/material/Skeleton';
import { styled } from '@mui/material/styles';
import { BadgeCheck, Clock, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ReceiptProof as Proof } from '#contracts/api/receipt-proof';
import { api } from '../../shared/api/api.js';
import { saveFile } from '../../shared/ui/save-file.js';
import { touchRoom } from '../../shared/ui/theme.js';
import { dateTimeOf } from '../../shared/wording/time.js';

const { useReceiptProofQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    receiptProof: build.query<Proof | null, string>({
      query: (id) => `/api/transactions/${encodeURIComponent(id)}/proof`,
      providesTags: ['Transactions'],
      // One that is pending is not the last word: whoever opens the receipt again asks again.
      keepUnusedDataFor: 5,
    }),
  }),
});

const FILE_KEPT_MS = 60_000;

/** As high as the sentence that most payments get, so that nothing moves when it has come. */
const Line = styled('div')(({ theme }) => ({
  display: 'flex',
  gap: 10,
  alignItems: 'flex-start',
  minHeight: 58,
  marginTop: 12,
  fontSize: 13,
  lineHeight: '18px',
  color: theme.vars.palette.text.secondary,
  '& > svg': { flex: 'none', marginTop: 1 },
  '&[data-state="proven"] > svg': { color: theme.vars.palette.success.main },
  '&[data-state="pending"] > svg': { color: theme.vars.palette.warning.main },
  '& b': { display: 'block', fontWeight: 640, color: theme.vars.palette.text.primary },
  '& .acts-inline': { display: 'flex', flexWrap: 'wrap', gap: '0 16px', marginTop: 2 },
  '& .acts-inline > *': { minHeight: 32, padding: 0, fontSize: 13, minWidth: 0, ...touchRoom(7) },
}));

const icon = { size: 18, strokeWidth: 2, 'aria-hidden': true } as const;

/** The proof as a file of its own: it is checked without us, and without a network. */
function save({ file }: Extract<Proof, { state: 'proven' }>): void {
  const url = URL.createObjectURL(
    new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' }),
  );
  saveFile(`receipt-${file.transactionId}.json`, url);
  // Safari reads the file after the click has ended.
  setTimeout(() => URL.revokeObjectURL(url), FILE_KEPT_MS);
}

/** The proof of one transaction: there, on its way, or a way to ask again. */
export function ReceiptProof({ id }: { readonly id: string }) {
  const { currentData: proof, isError, isFetching, refetch } = useReceiptProofQuery(id);
  const again = (
    <Button variant="text" size="small" disabled={isFetching} onClick={() => void refetch()}>
      Look again
    </Button>
  );
  const line = (state: string, content: ReactNode) => (
    <Line data-state={state} role="group" aria-label="Proof">
      {content}
    </Line>
  );
  if (proof?.state === 'none') return null;
  if (proof?.state === 'proven')
    return line(
      'proven',
      <>
        <BadgeCheck {...icon} />
        <div>
          <b>In the published books</b>
          As of {dateTimeOf(proof.publishedAt)} nobody, not even we, can change or remove this payment without
          its being seen.
          <div className="acts-inline">
            <Button
              variant="text"
              size="small"
              startIcon={<Download size={16} strokeWidth={1.75} aria-hidden="true" />}
              onClick={() => save(proof)}
            >
              Keep the proof
            </Button>
            <MuiLink href={proof.checkUrl} target="_blank" rel="noreferrer" sx={{ lineHeight: '32px' }}>
              Check it
            </MuiLink>
          </div>
        </div>
      </>,
    );
  if (proof?.state === 'pending')
    return line(
      'pending',
      <>
        <Clock {...icon} />
        <div>
          {proof.message}
          <div className="acts-inline">{again}</div>
        </div>
      </>,
    );
  if (isError && !isFetching)
    return line(
      'failed',
      <div>
        Whether this payment is in the published books could not be asked.
        <div className="acts-inline">{again}</div>
      </div>,
    );
  return (
    <Line role="status" aria-label="Loading the proof">
      <Skeleton variant="circular" width={18} height={18} />
      <div style={{ flex: 1 }}>
        <Skeleton width="46%" height={13} />
        <Skeleton height={13} style={{ marginTop: 6 }} />
      </div>
    </Line>
  );
}
