/** What stands where nobody has paid or been paid yet, and the way to the first tip. */
import Button from '@mui/material/Button';
import { Link } from 'react-router-dom';
import { PATHS } from '../../shared/navigation/paths.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';

export function NoTransactions() {
  return (
    <EmptyState
      title="No transactions yet"
      action={
        <Button component={Link} to={PATHS.myQr} variant="outlined">
          Show My QR Code
        </Button>
      }
    >
      Share your QR code and the first tip will stand here.
    </EmptyState>
  );
}
