/** The side navigation's way to the notifications. */
import IconButton from '@mui/material/IconButton';
import { Bell as BellIcon } from 'lucide-react';
import { useState } from 'react';
import { UnreadDot, useUnread } from './UnreadDot.js';
import { onDemand } from '../../shared/ui/on-demand.js';

const NotificationsDialog = onDemand(() => import('./NotificationsDialog.js'));

export function Bell() {
  const hasUnread = useUnread();
  const [dialog, setDialog] = useState<'unused' | 'open' | 'closed'>('unused');
  return (
    <>
      <IconButton
        aria-label={hasUnread ? 'Notifications, some are new' : 'Notifications'}
        aria-haspopup="dialog"
        onClick={() => setDialog('open')}
      >
        <UnreadDot>
          <BellIcon size={20} strokeWidth={1.75} aria-hidden="true" />
        </UnreadDot>
      </IconButton>
      {dialog !== 'unused' && (
        <NotificationsDialog open={dialog === 'open'} onClose={() => setDialog('closed')} />
      )}
    </>
  );
}
