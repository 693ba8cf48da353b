/** A page's title: visible heading, browser tab, and focus target when the page opens. */
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { PageTitle } from './PageTitle.js';
import { PHONE } from './theme.js';

const Line = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 4,
  minHeight: 40,
  '&[data-back="true"]': { marginLeft: -12 },
  // As high as a finger, and no higher than the line: titles stand at the same height with and without.
  '& .MuiIconButton-root': { margin: '-4px 0' },
  '& > h1': { flex: 1, minWidth: 0 },
  [PHONE]: { '& > h1[data-long="true"]': { fontSize: 24 } },
});

/** The end of a button's label that a phone leaves out beside the title. */
export const ExceptOnPhone = styled('span')({ whiteSpace: 'pre', [PHONE]: { display: 'none' } });

/** A long title is set smaller on a phone, so that it fits on one line. */
const LONG_TITLE = 20;

interface PageHeaderProps {
  readonly title: string;
  /** Target of the back arrow; no arrow without it. */
  readonly back?: string;
  /** What the page that it leads to finds in its entry of the history. */
  readonly backState?: object;
  /** A button at the right. */
  readonly action?: ReactNode;
}

export function PageHeader({ title, back, backState, action }: PageHeaderProps) {
  return (
    <Line data-back={back !== undefined}>
      <PageTitle title={title} />
      {back !== undefined && (
        <IconButton component={Link} to={back} state={backState} aria-label="Back">
          <ArrowLeft size={22} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      )}
      <Typography variant="h1" tabIndex={-1} data-long={title.length > LONG_TITLE}>
        {title}
      </Typography>
      {action}
    </Line>
  );
}
