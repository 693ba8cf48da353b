/** A line above every page while the server says that what is shown may be out of date. */
import GlobalStyles from '@mui/material/GlobalStyles';
import { styled } from '@mui/material/styles';
import { Clock } from 'lucide-react';
import { useEffect } from 'react';
import { useDispatch } from 'react-redux';
import { OUT_OF_DATE } from '#contracts/plain/out-of-date';
import { api, TAGS } from '../../shared/api/api.js';
import { askStaleness, type Staleness } from '../../shared/api/staleness.js';

/** The stream of changes tells the end sooner; whoever has none, being signed out, learns it so. */
const ASK_EVERY_MS = 3_000;

/** One line high on a desktop; the side navigation stands below it. */
const ABOVE_SIDE = { ':root': { '--notice': '40px' } };

const Strip = styled('p')(({ theme }) => ({
  position: 'sticky',
  top: 0,
  zIndex: theme.zIndex.appBar,
  margin: 0,
  padding: 'calc(10px + env(safe-area-inset-top)) 20px 10px',
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'center',
  gap: 10,
  fontSize: 14,
  lineHeight: '20px',
  fontWeight: 560,
  backgroundColor: theme.vars.palette.toast.main,
  color: theme.vars.palette.toast.text,
  '& svg': { flexShrink: 0 },
}));

export default function StaleNotice({ staleness }: { readonly staleness: Staleness }) {
  const dispatch = useDispatch();
  useEffect(() => {
    const timer = setInterval(() => void askStaleness(), ASK_EVERY_MS);
    return () => {
      clearInterval(timer);
      // What was read meanwhile is old.
      dispatch(api.util.invalidateTags([...TAGS]));
    };
  }, [dispatch]);
  return (
    <Strip>
      <GlobalStyles styles={ABOVE_SIDE} />
      <Clock size={18} strokeWidth={1.75} aria-hidden="true" />
      <span>{staleness === 'closed' ? OUT_OF_DATE.closed : OUT_OF_DATE.stale}</span>
    </Strip>
  );
}
