/** One subscription or scheduled payment: recipient, amount, status and actions. */
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import { styled } from '@mui/material/styles';
import { Fragment, useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { PrivateAmount } from '../account/Privacy.js';
import { Avatar } from '../../shared/ui/Avatar.js';
import { Row } from '../../shared/ui/Layout.js';
import { usePieces } from '../../shared/ui/ShowMore.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { COLUMNS, NARROW } from '../../shared/ui/theme.js';

const Body = styled(Paper)(({ theme }) => ({
  padding: '16px 16px 8px',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 10,
  [NARROW]: { padding: '12px 12px 8px' },
  '& .who': { flex: 1, minWidth: 0 },
  '& .name': { fontWeight: 640, fontSize: 15, lineHeight: '22px', margin: 0 },
  '& .name, & .about': { overflowWrap: 'anywhere' },
  '& .about': { display: '-webkit-box', WebkitBoxOrient: 'vertical', WebkitLineClamp: 2, overflow: 'hidden' },
  '& .about, & .often, & .when': {
    fontSize: 13,
    lineHeight: '18px',
    color: theme.vars.palette.text.secondary,
  },
  '& .figure': { display: 'grid', justifyItems: 'end', textAlign: 'right', flex: 'none' },
  '& .notes': { display: 'grid', gap: 4, fontSize: 13, lineHeight: '18px' },
  '& .notes:empty': { display: 'none' },
  '& .foot': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '4px 8px',
    minHeight: 46,
    paddingTop: 6,
    borderTop: `1px solid ${theme.vars.palette.divider}`,
  },
  '& .acts': { display: 'flex', marginLeft: 'auto', marginRight: -8 },
}));

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 12,
  // Two where each has room for a name, an amount and its buttons.
  '&[data-columns="true"]': {
    [COLUMNS]: { gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 400px), 1fr))', gap: 20 },
  },
});

/** So many cards stand there before more are asked for, and are added each time. */
const AT_ONCE = 24;

interface ScheduleListProps<T> {
  readonly label: string;
  readonly columns?: boolean;
  readonly schedules: readonly T[];
  readonly card: (schedule: T) => ReactNode;
}

/**
 * A list of cards; two columns on a wide desktop. Down to the one that a message's link names, all are shown.
 */
export function ScheduleList<T extends { readonly id: string }>({
  label,
  columns = false,
  schedules,
  card,
}: ScheduleListProps<T>) {
  const { hash, search } = useLocation();
  const linked = [hash.slice(1), new URLSearchParams(search).get('change')];
  const last = schedules.findLastIndex(({ id }) => linked.includes(id));
  const { shown, more } = usePieces(schedules, AT_ONCE, last + 1);
  return (
    <>
      <List aria-label={label} data-columns={columns}>
        {shown.map((schedule) => (
          <Fragment key={schedule.id}>{card(schedule)}</Fragment>
        ))}
      </List>
      {more}
    </>
  );
}

interface ScheduleCardProps {
  readonly id: string;
  readonly recipient: string;
  readonly description: string | null;
  readonly amount: string;
  /** Below the amount: frequency or date. */
  readonly often: string;
  readonly status: string;
  /** Beside the status, such as the next payment. */
  readonly when?: string;
  /** Reasons for the status. */
  readonly notes?: ReactNode;
  readonly actions?: ReactNode;
}

export function ScheduleCard({
  id,
  recipient,
  description,
  amount,
  often,
  status,
  when,
  notes,
  actions,
}: ScheduleCardProps) {
  const { hash } = useLocation();
  const item = useRef<HTMLLIElement>(null);
  // A message's link names the one that it is about.
  useEffect(() => {
    if (hash === `#${id}`) item.current?.scrollIntoView({ block: 'center' });
  }, [hash, id]);
  return (
    <li ref={item}>
      <Body variant="card">
        <Row>
          <Avatar name={recipient} size={44} />
          <div className="who">
            <h2 className="name">{recipient}</h2>
            <div className="about">{description || 'No description'}</div>
          </div>
          <div className="figure">
            <PrivateAmount decimal={amount} />
            <span className="often">{often}</span>
          </div>
        </Row>
        {notes && <div className="notes">{notes}</div>}
        <div className="foot">
          <StatusChip status={status} />
          {when !== undefined && <span className="when">{when}</span>}
          {actions && <div className="acts">{actions}</div>}
        </div>
      </Body>
    </li>
  );
}

/** Skeletons of the cards. */
export function ScheduleSkeletons({
  label,
  columns = false,
}: {
  readonly label: string;
  readonly columns?: boolean;
}) {
  return (
    <div role="status" aria-label={label}>
      <List aria-hidden="true" data-columns={columns}>
        {[0, 1, 2].map((each) => (
          <li key={each}>
            <Body variant="card">
              <Row>
                <Skeleton variant="circular" width={44} height={44} />
                <div className="who" style={{ display: 'grid', gap: 8 }}>
                  <Skeleton width="55%" height={14} />
                  <Skeleton width="40%" height={11} />
                </div>
                <Skeleton width={64} height={16} />
              </Row>
              <div className="foot">
                <Skeleton width={78} height={24} />
              </div>
            </Body>
          </li>
        ))}
      </List>
    </div>
  );
}
