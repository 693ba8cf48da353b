/** A notice while the browser is offline. What is shown stays; a command reports its own failure. */
import { styled } from '@mui/material/styles';
import { CloudOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { DESKTOP, WIDE } from '../../shared/ui/theme.js';

const Pill = styled('div')(({ theme }) => ({
  position: 'fixed',
  // Below toasts: a toast reports what has just failed.
  zIndex: theme.zIndex.appBar,
  left: 16,
  right: 16,
  bottom: 'calc(12px + var(--tab-bar, 0px) + env(safe-area-inset-bottom))',
  width: 'fit-content',
  margin: '0 auto',
  padding: '8px 14px',
  boxSizing: 'border-box',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  borderRadius: 12,
  pointerEvents: 'none',
  fontSize: 14,
  lineHeight: '20px',
  fontWeight: 560,
  backgroundColor: theme.vars.palette.toast.main,
  color: theme.vars.palette.toast.text,
  [DESKTOP]: { left: 104, right: 24, bottom: 24 },
  [WIDE]: { left: 264 },
}));

function watch(changed: () => void): () => void {
  window.addEventListener('online', changed);
  window.addEventListener('offline', changed);
  return () => {
    window.removeEventListener('online', changed);
    window.removeEventListener('offline', changed);
  };
}

export function OfflineNotice() {
  const isOnline = useSyncExternalStore(watch, () => navigator.onLine);
  // The region stays mounted, so that screen readers announce its text.
  return (
    <div role="status">
      {!isOnline && (
        <Pill>
          <CloudOff size={18} strokeWidth={1.75} aria-hidden="true" />
          You are offline. What you see may be out of date.
        </Pill>
      )}
    </div>
  );
}
