/**
 * Says that the browser has no network, for as long as it has none. What is shown stays; what is sent says
 * itself that it failed.
 */
import { styled } from '@mui/material/styles';
import { CloudOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { DESKTOP } from '../../shared/ui/theme.js';

const Pill = styled('div')(({ theme }) => ({
  position: 'fixed',
  // Below a toast, which may lie over it: that says what has just failed.
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
  [DESKTOP]: { left: 264, right: 24, bottom: 24 },
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
  // The region stays, so that what appears in it is read out.
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
