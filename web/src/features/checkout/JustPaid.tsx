/** What was just paid, on the page that comes after it: the amount in the light, and the same once more. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import { Check, X } from 'lucide-react';
import { Link } from 'react-router-dom';
import { PrivateAmount } from '../account/Privacy.js';
import { nameOf, usePersonQuery } from '../payments/people.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { Card, Row } from '../../shared/ui/Layout.js';
import { Disc } from '../../shared/ui/Rows.js';
import { checkoutOf, type RequestedPayment } from './payment-query.js';

const Text = styled('div')(({ theme }) => ({
  flex: 1,
  minWidth: 0,
  overflowWrap: 'anywhere',
  '& strong': { display: 'block', fontWeight: 640 },
  '& span': { fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
}));

const Acts = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8 });

export default function JustPaid({
  payment,
  onClose,
}: {
  readonly payment: RequestedPayment;
  readonly onClose: () => void;
}) {
  const { recipientId, amount, description } = payment;
  const { data: person } = usePersonQuery(recipientId);
  return (
    <section aria-label="Just paid">
      <Card>
        <Row>
          <Disc data-tone="in">
            <Check size={20} strokeWidth={2.4} aria-hidden="true" />
          </Disc>
          <Text>
            <strong>
              Paid to <bdi>{nameOf(person, recipientId)}</bdi>
            </strong>
            <span dir="auto">{description === '' ? 'Your payment was made.' : `“${description}”`}</span>
          </Text>
          <PrivateAmount decimal={amount} />
          <IconButton aria-label="Close" onClick={onClose} style={{ marginRight: -10 }}>
            <X size={20} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        </Row>
        <Acts>
          <Button component={Link} to={PATHS.history} variant="outlined" size="small">
            See it in your history
          </Button>
          <Button component={Link} to={checkoutOf(payment)} variant="outlined" size="small">
            Pay the same again
          </Button>
        </Acts>
      </Card>
    </section>
  );
}
