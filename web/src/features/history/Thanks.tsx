/**
 * Thanks for one payment, on its receipt: whoever was paid sends them with one tap, whoever paid reads them.
 */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Heart } from 'lucide-react';
import { useId } from 'react';
import type { Transaction } from '#contracts/api/payments';
import { THANKS, THANKS_WORDS, type Thanks as Answer } from '#contracts/plain/thanks';
import { useFailure } from '../../shared/ui/failure.js';
import { useToast } from '../../shared/ui/toasts.js';
import { isReceived, titleOf, useSendThanksMutation } from '../transactions/transactions.js';

const Ground = styled('section')(({ theme }) => ({
  marginTop: 16,
  '& .answers': { display: 'flex', flexWrap: 'wrap', gap: 8, marginTop: 8 },
  '& .sent': { display: 'flex', gap: 10, margin: 0 },
  '& .sent svg': { flex: 'none', marginTop: 2, color: theme.vars.palette.success.main },
}));

/** Whether the payment can still be answered by whoever looks at it. */
const canBeThanked = (transaction: Transaction): boolean =>
  isReceived(transaction) && !['refunded', 'dispute_lost'].includes(transaction.status);

export function Thanks({ transaction }: { readonly transaction: Transaction }) {
  const id = useId();
  const toast = useToast();
  const fail = useFailure();
  const [send, { isLoading }] = useSendThanksMutation();
  const { thanks } = transaction;
  const answer = async (chosen: Answer): Promise<void> => {
    const { error } = await send({ id: transaction.id, thanks: chosen });
    if (error) fail(error, 'Your thanks could not be sent. Please try again.', 'Thanks Not Sent');
    else toast.success('Thanks Sent', `${titleOf(transaction)} reads: “${THANKS_WORDS[chosen]}”`);
  };
  if (thanks !== null)
    return (
      <Ground aria-label="Thanks">
        <p className="sent">
          <Heart size={18} strokeWidth={1.75} aria-hidden="true" />
          <span>
            {isReceived(transaction) ? 'You answered' : <bdi>{titleOf(transaction)} answered</bdi>}: “
            {THANKS_WORDS[thanks]}”
          </span>
        </p>
      </Ground>
    );
  if (!canBeThanked(transaction)) return null;
  return (
    <Ground aria-labelledby={id}>
      <Typography variant="label" component="h3" id={id}>
        Say thanks
      </Typography>
      <div className="answers">
        {THANKS.map((each) => (
          <Button
            key={each}
            variant="outlined"
            size="small"
            disabled={isLoading}
            onClick={() => void answer(each)}
          >
            {THANKS_WORDS[each]}
          </Button>
        ))}
      </div>
    </Ground>
  );
}
