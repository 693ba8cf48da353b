/** The notifications of this visit, newest first. Showing them marks them as read. */
import { useEffect } from 'react';
import { useDispatch, useSelector } from 'react-redux';
import { PrivateAmount } from '../account/Privacy.js';
import { PayersNote } from '../transactions/TransactionRow.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { MoneyRow, RowList } from '../../shared/ui/Rows.js';
import { timeLabel } from '../../shared/wording/time.js';
import { notifications, read } from './notifications.js';
import { useNow } from '../../shared/ui/use-now.js';

export function Notifications() {
  const dispatch = useDispatch();
  const list = useSelector(notifications.selectors.list);
  const hasUnread = useSelector(notifications.selectors.hasUnread);
  useEffect(() => {
    if (hasUnread) dispatch(read());
  }, [hasUnread, dispatch]);
  const nowMs = useNow();
  if (list.length === 0) return <EmptyState size="line" title="Nothing new since you came." />;
  return (
    <RowList label="Notifications">
      {list.map(({ id, amount, counterpartyName, counterpartyUsername, note, at }) => (
        <MoneyRow
          key={id}
          direction="in"
          title={counterpartyName ?? counterpartyUsername ?? 'Payment received'}
          detail={
            <>
              {note !== undefined && <PayersNote>{note}</PayersNote>}
              {timeLabel(at, nowMs)}
            </>
          }
          end={<PrivateAmount decimal={amount} direction="in" />}
        />
      ))}
    </RowList>
  );
}
