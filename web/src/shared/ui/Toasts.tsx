/** The region of toasts. F8 focuses it; a swipe to the right, Escape or the close button dismisses one. */
import IconButton from '@mui/material/IconButton';
import { keyframes, styled } from '@mui/material/styles';
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { useEffect, useRef, useState, type PointerEvent } from 'react';
import { createPortal } from 'react-dom';
import { useDispatch, useSelector } from 'react-redux';
import { DESKTOP, EASE, HAS_FORM, HAS_SHEET, MS, PHONE, STILL, touchRoom } from './theme.js';
import { shownToast, toastDismissed, toastTimer, type Toast } from './toasts.js';

/** Distance in px after which a swipe dismisses. */
const SWIPE_PX = 50;

const rise = keyframes({ from: { opacity: 0, transform: 'translateY(12px)' } });
const fade = keyframes({ from: { opacity: 0 } });

const Region = styled('section')(({ theme }) => ({
  position: 'fixed',
  zIndex: theme.zIndex.snackbar,
  left: 16,
  right: 16,
  // Above the tab bar, on pages that have one.
  bottom: 'calc(16px + var(--tab-bar, 0px) + env(safe-area-inset-bottom))',
  maxWidth: 448,
  margin: '0 auto',
  borderRadius: 14,
  pointerEvents: 'none',
  [DESKTOP]: { left: 'auto', right: 24, bottom: 24, width: 400 },
  // A refusal must not cover the button of the form, which is pressed next.
  [PHONE]: {
    [`body:has(.${HAS_FORM}) &:has([data-tone="error"]), body:has(.${HAS_SHEET}) &`]: {
      bottom: 'auto',
      top: 'calc(12px + env(safe-area-inset-top))',
    },
  },
}));

const Panel = styled('div')(({ theme }) => ({
  pointerEvents: 'auto',
  touchAction: 'pan-y',
  display: 'flex',
  gap: 12,
  alignItems: 'flex-start',
  padding: '14px 8px 14px 16px',
  borderRadius: 14,
  backgroundColor: theme.vars.palette.toast.main,
  color: theme.vars.palette.toast.text,
  boxShadow: '0 12px 32px -8px rgba(45,10,22,.4)',
  animation: `${rise} ${MS.panel}ms ${EASE}`,
  [STILL]: { animation: `${fade} ${MS.hover}ms` },
  ...theme.applyStyles('dark', { border: `1px solid ${theme.vars.palette.divider}` }),
  '& strong': { display: 'block', fontWeight: 650 },
  '& .description': { fontSize: 14, lineHeight: '20px', color: theme.vars.palette.toast.text2 },
  '& .text': { flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
  '& > svg': { marginTop: 1 },
  '&[data-tone="success"] > svg': { color: theme.vars.palette.toast.success },
  '&[data-tone="error"] > svg': { color: theme.vars.palette.toast.error },
  '& button': { width: 32, height: 32, margin: '-4px 0', ...touchRoom(6, 6) },
  '& button:focus-visible': { outlineColor: 'currentColor' },
}));

const ICONS = { plain: Info, success: CircleCheck, error: CircleAlert } as const;

function VisibleToast({ toast, onGone }: { readonly toast: Toast; readonly onGone: () => void }) {
  const [pulled, setPulled] = useState(0);
  const from = useRef<number | undefined>(undefined);
  const isHeld = useRef(false);
  const stopTimer = useRef<() => void>(undefined);

  useEffect(() => {
    stopTimer.current = toastTimer.start(onGone);
    return () => stopTimer.current?.();
  }, [onGone]);
  // Hover or focus restarts the time.
  const hold = () => {
    isHeld.current = true;
    stopTimer.current?.();
  };
  const release = () => {
    if (!isHeld.current) return;
    isHeld.current = false;
    stopTimer.current?.();
    stopTimer.current = toastTimer.start(onGone);
  };

  const down = (event: PointerEvent) => {
    if (event.target instanceof Element && event.target.closest('button')) return;
    from.current = event.clientX;
    hold();
  };
  const move = (event: PointerEvent) => {
    if (from.current !== undefined) setPulled(Math.max(0, event.clientX - from.current));
  };
  const letGo = (distance: number) => {
    if (from.current === undefined) return;
    from.current = undefined;
    if (distance >= SWIPE_PX) onGone();
    else {
      setPulled(0);
      release();
    }
  };
  // The release point counts, not the last drawn one.
  const up = (event: PointerEvent) => letGo(event.clientX - (from.current ?? event.clientX));

  const Icon = ICONS[toast.tone];
  return (
    <Panel
      data-tone={toast.tone}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={() => letGo(0)}
      onPointerEnter={(event) => event.pointerType === 'mouse' && hold()}
      onPointerLeave={(event) => {
        letGo(event.clientX - (from.current ?? event.clientX));
        if (event.pointerType === 'mouse') release();
      }}
      onFocus={hold}
      onBlur={release}
      onKeyDown={(event) => event.key === 'Escape' && onGone()}
      style={
        pulled > 0
          ? { transform: `translateX(${pulled}px)`, opacity: Math.max(0.3, 1 - pulled / 300) }
          : undefined
      }
    >
      <Icon size={20} strokeWidth={2} aria-hidden="true" />
      <div className="text">
        <strong>{toast.title}</strong>
        {toast.description !== undefined && <span className="description">{toast.description}</span>}
      </div>
      <IconButton aria-label="Dismiss" onClick={onGone}>
        <X size={18} strokeWidth={1.75} aria-hidden="true" />
      </IconButton>
    </Panel>
  );
}

/**
 * A container at the end of the page that stays reachable while a dialog is open: dialogs hide everything
 * beside them from screen readers, and take back a focus that they see leaving, so focus events end here.
 */
function useReachablePlace(): HTMLElement {
  const [place] = useState(() => document.createElement('div'));
  useEffect(() => {
    document.body.append(place);
    const marks = new MutationObserver(() => place.removeAttribute('aria-hidden'));
    marks.observe(place, { attributeFilter: ['aria-hidden'] });
    const keep = (event: Event) => event.stopPropagation();
    place.addEventListener('focusin', keep);
    return () => {
      marks.disconnect();
      place.removeEventListener('focusin', keep);
      place.remove();
    };
  }, [place]);
  return place;
}

export function Toasts() {
  const place = useReachablePlace();
  const toast = useSelector(shownToast);
  const dispatch = useDispatch();
  const region = useRef<HTMLElement>(null);
  // Where the focus was before F8; it returns there.
  const before = useRef<Element | null>(null);
  const isHere = () => region.current?.contains(document.activeElement) ?? false;
  const goBack = () => {
    if (isHere() && before.current instanceof HTMLElement) before.current.focus();
  };

  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== 'F8') return;
      event.preventDefault();
      if (!isHere()) before.current = document.activeElement;
      region.current?.focus();
    };
    window.addEventListener('keydown', focus);
    return () => window.removeEventListener('keydown', focus);
  }, []);

  const id = toast?.id;
  // One function per toast, so that its timer starts once.
  const [gone, setGone] = useState<{ id: string | undefined; dismiss: () => void }>({
    id: undefined,
    dismiss: () => undefined,
  });
  const dismiss = () => {
    goBack();
    if (id !== undefined) dispatch(toastDismissed(id));
  };
  if (gone.id !== id) setGone({ id, dismiss });

  return createPortal(
    <Region ref={region} aria-label="Notifications (F8)" tabIndex={-1}>
      {/* Both regions are mounted before they have text: only then do screen readers announce it. */}
      <div role="status" aria-live="polite" aria-atomic="true">
        {toast && toast.tone !== 'error' && (
          <VisibleToast key={toast.id} toast={toast} onGone={gone.dismiss} />
        )}
      </div>
      <div role="alert" aria-live="assertive" aria-atomic="true">
        {toast?.tone === 'error' && <VisibleToast key={toast.id} toast={toast} onGone={gone.dismiss} />}
      </div>
    </Region>,
    place,
  );
}
