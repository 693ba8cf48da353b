/** What came in and went out in a span of time, beside its heading. */
import { styled } from '@mui/material/styles';
import { Private } from '../account/Privacy.js';
import { signedMoney } from '../../shared/wording/money.js';

const Figures = styled('span')(({ theme }) => ({
  display: 'flex',
  gap: 8,
  fontSize: 13,
  lineHeight: '18px',
  fontWeight: 620,
  fontStretch: '106%',
  whiteSpace: 'nowrap',
  color: theme.vars.palette.text.secondary,
  '& .in': { color: theme.vars.palette.success.main },
}));

interface SumsProps {
  /** Decimals; what is nothing is left out. */
  readonly received: string;
  readonly sent: string;
}

export function Sums({ received, sent }: SumsProps) {
  return (
    <Figures>
      <Private>
        {received !== '0.00' && <span className="in">{signedMoney(received, true)}</span>}
        {sent !== '0.00' && <span>{signedMoney(sent, false)}</span>}
      </Private>
    </Figures>
  );
}
