/** One message: what happened, when, and what can be done about it. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import {
  ArrowDownLeft,
  CircleAlert,
  Download,
  Heart,
  KeyRound,
  Landmark,
  ReceiptText,
  ShieldAlert,
  Smartphone,
  UserRound,
  type LucideIcon,
} from 'lucide-react';
import { memo } from 'react';
import { Link } from 'react-router-dom';
import type { Message } from '#contracts/api/messages';
import { PayersNote } from '../transactions/TransactionRow.js';
import { withoutAmounts } from '../account/hidden-amounts.js';
import { usePrivacy } from '../account/privacy.js';
import { VisuallyHidden } from '../../shared/ui/Amount.js';
import type { LineRef } from '../../shared/ui/DayRows.js';
import { Disc } from '../../shared/ui/Rows.js';
import { NARROW } from '../../shared/ui/theme.js';

const Item = styled('li')(({ theme }) => ({
  display: 'flex',
  gap: 12,
  padding: '14px 16px',
  [NARROW]: { padding: 12 },
  '& > div': { flex: 1, minWidth: 0 },
  '& h3': {
    margin: 0,
    display: 'flex',
    alignItems: 'baseline',
    gap: 8,
    fontSize: 15,
    lineHeight: '22px',
    fontWeight: 620,
  },
  '& .dot': {
    flex: 'none',
    alignSelf: 'center',
    width: 9,
    height: 9,
    borderRadius: '50%',
    backgroundColor: theme.vars.palette.primary.main,
  },
  '& time': {
    marginLeft: 'auto',
    flex: 'none',
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 400,
    color: theme.vars.palette.text.secondary,
  },
  '& p': {
    margin: 0,
    fontSize: 14,
    lineHeight: '20px',
    color: theme.vars.palette.text.secondary,
    overflowWrap: 'anywhere',
  },
  '& .acts': { display: 'flex', flexWrap: 'wrap', gap: 8, marginTop: 10 },
}));

/** How a kind looks, and whether it wants an answer while it is unread. */
interface Look {
  readonly icon: LucideIcon;
  readonly tone?: 'in' | 'bad';
  readonly asks?: true;
}
const OTHER: Look = { icon: ShieldAlert, asks: true };
const LOOKS: Readonly<Record<string, Look>> = {
  new_sign_in: { icon: Smartphone, asks: true },
  sessions_ended: { icon: Smartphone, asks: true },
  address_changed: { icon: UserRound, asks: true },
  passkey_added: { icon: KeyRound, asks: true },
  passkey_removed: { icon: KeyRound, asks: true },
  passkey_switched_off: { icon: KeyRound, asks: true },
  bank_account_added: { icon: Landmark, asks: true },
  payout_requested: { icon: Landmark, asks: true },
  payout_failed: { icon: CircleAlert, tone: 'bad', asks: true },
  payout_paid: { icon: Landmark, tone: 'in' },
  payment_failed: { icon: CircleAlert, tone: 'bad', asks: true },
  receipt: { icon: ReceiptText },
  thanks: { icon: Heart, tone: 'in' },
  tip_received: { icon: ArrowDownLeft, tone: 'in' },
  payment_refunded: { icon: ArrowDownLeft, tone: 'in' },
  tip_refunded: { icon: ReceiptText },
  refund_failed: { icon: ArrowDownLeft, tone: 'in' },
  dispute_opened: { icon: CircleAlert, tone: 'bad' },
  dispute_won: { icon: ArrowDownLeft, tone: 'in' },
  dispute_lost: { icon: CircleAlert, tone: 'bad' },
  schedule_ended: { icon: ReceiptText },
  data_downloaded: { icon: Download, asks: true },
  forgetting_asked: { icon: UserRound, tone: 'bad', asks: true },
  forgetting_cancelled: { icon: UserRound },
};

const TIME = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });

interface MessageRowProps {
  readonly message: Message;
  /** Where the card of its day begins and ends. */
  readonly place: string;
  readonly lineRef: LineRef;
  /** Something is done about it: it counts as read. */
  readonly onAnswer: (id: string) => void;
}

export const MessageRow = memo(function MessageRow({ message, place, lineRef, onAnswer }: MessageRowProps) {
  const { id, kind, title, text, at, isRead, actions, note } = message;
  const { isHidden } = usePrivacy();
  const { icon: Icon, tone, asks } = LOOKS[kind] ?? OTHER;
  return (
    <Item ref={lineRef} data-place={place}>
      <Disc data-tone={tone}>
        <Icon size={18} strokeWidth={2} aria-hidden="true" />
      </Disc>
      <div>
        <h3>
          <span>{title}</span>
          {!isRead && (
            <span className="dot">
              <VisuallyHidden>New</VisuallyHidden>
            </span>
          )}
          <time dateTime={at}>{TIME.format(new Date(at))}</time>
        </h3>
        <p>{isHidden ? withoutAmounts(text) : text}</p>
        {note !== null && <PayersNote>{note}</PayersNote>}
        {asks && !isRead && (
          <div className="acts">
            {actions.map(({ label, href }, index) => (
              <Button
                key={label}
                component={Link}
                to={href}
                size="small"
                variant={tone === 'bad' && index === 0 ? 'contained' : 'outlined'}
                onClick={() => onAnswer(id)}
              >
                {label}
              </Button>
            ))}
          </div>
        )}
      </div>
    </Item>
  );
});
