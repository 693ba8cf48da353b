/** The notifications on a desktop, which has no menu sheet. */
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { X } from 'lucide-react';
import { useId } from 'react';
import { Row } from '../../shared/ui/Layout.js';
import { Notifications } from './Notifications.js';

const Inside = styled('div')({ padding: '12px 20px 20px', '& .head': { marginRight: -12 } });

export default function NotificationsDialog({
  open,
  onClose,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const id = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={id}>
      <Inside>
        <Row spread className="head">
          <Typography variant="h2" id={id}>
            Notifications
          </Typography>
          <IconButton aria-label="Close" onClick={onClose}>
            <X size={20} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        </Row>
        <Notifications />
      </Inside>
    </Dialog>
  );
}
