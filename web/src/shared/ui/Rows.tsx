/** Lists: a card of rows, a row, and its skeleton. */
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import { keyframes, styled, type Theme } from '@mui/material/styles';
import type { ComponentPropsWithRef, ReactNode, Ref } from 'react';
import { figureLook, UNSEEN } from './Amount.js';
import { EASE, MS, NARROW, STILL } from './theme.js';

const open = keyframes({
  from: { opacity: 0, maxHeight: 0, paddingTop: 0, paddingBottom: 0 },
  to: { maxHeight: 120 },
});
const fade = keyframes({ from: { opacity: 0 } });

const discLook = ({ vars: { palette } }: Theme) =>
  ({
    width: 40,
    height: 40,
    flex: 'none',
    borderRadius: '50%',
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'center',
    backgroundColor: palette.sunken,
    color: palette.text.secondary,
    '&[data-tone="in"]': { backgroundColor: palette.tint.success, color: palette.success.main },
    '&[data-tone="bad"]': { backgroundColor: palette.tint.error, color: palette.error.main },
    '&[data-shape="square"]': { borderRadius: 11 },
  }) as const;

const BAR = 'linear-gradient(currentColor 0 0)';
/** From the lower left to the upper right. */
const STRIPE =
  'linear-gradient(135deg, transparent calc(50% - 1px), currentColor calc(50% - 0.6px) calc(50% + 0.6px), transparent calc(50% + 1px))';

/**
 * How rows look, for whatever holds them. Their elements are plain and have classes: a long list draws many
 * at once, and a styled component for each part of each would take most of that time.
 */
export const rowLook = (theme: Theme) =>
  ({
    '& .row': {
      position: 'relative',
      display: 'flex',
      alignItems: 'center',
      gap: 12,
      minHeight: 66,
      padding: '13px 16px',
      [NARROW]: { padding: 12 },
      '&[data-arrived="true"]': { overflow: 'hidden', animation: `${open} ${MS.panel}ms ${EASE}` },
      [STILL]: { '&[data-arrived="true"]': { animation: `${fade} ${MS.hover}ms` } },
      // Where nothing hovers, no row has to be looked through for a link.
      '@media (hover: hover)': {
        '&:has(a):hover': { backgroundColor: theme.vars.palette.background.default },
      },
      '& > .text': { flex: 1, minWidth: 0 },
      '& .title': { fontWeight: 600, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
      '& .detail': {
        fontSize: 13,
        lineHeight: '18px',
        color: theme.vars.palette.text.secondary,
        overflowWrap: 'anywhere',
      },
      '& > .end': { display: 'grid', gap: 2, justifyItems: 'end', flex: 'none', textAlign: 'right' },
    },
    '& .disc': discLook(theme),
    // Two bars and a stripe of the background, not an SVG: with each row that comes, all SVGs of a list are
    // painted again.
    '& .arrow': {
      width: 10,
      height: 10,
      background: `${STRIPE}, ${BAR} right / 1.6px 100% no-repeat, ${BAR} top / 100% 1.6px no-repeat`,
      '&[data-tone="in"]': {
        background: `${STRIPE}, ${BAR} left / 1.6px 100% no-repeat, ${BAR} bottom / 100% 1.6px no-repeat`,
      },
    },
    // What is scrolled into view faster than it is drawn, for a frame or two.
    '& .room': {
      backgroundImage: `repeating-linear-gradient(transparent 0 26px, ${theme.vars.palette.sunken} 26px 40px, transparent 40px 66px)`,
    },
    '& .figure': figureLook(theme),
    '& .unseen': UNSEEN,
    // A link whose surface is the whole row.
    '& .surface': {
      color: 'inherit',
      textDecoration: 'none',
      '&::after': { content: '""', position: 'absolute', inset: 0 },
      '&:focus-visible': { outline: 'none' },
      '&:focus-visible::after': {
        outline: `3px solid ${theme.vars.palette.focus}`,
        outlineOffset: -3,
        borderRadius: 14,
      },
    },
    // The time goes to a line of its own where both do not fit.
    '& .name-and-time': {
      display: 'flex',
      flexWrap: 'wrap',
      alignItems: 'baseline',
      columnGap: 8,
      '& > a, & > bdi': { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' },
      '& > time': {
        fontSize: 13,
        lineHeight: '18px',
        fontWeight: 400,
        color: theme.vars.palette.text.secondary,
      },
    },
    '& .note': {
      display: '-webkit-box',
      WebkitBoxOrient: 'vertical',
      WebkitLineClamp: 2,
      overflow: 'hidden',
      fontSize: 14,
      lineHeight: '20px',
      color: theme.vars.palette.text.primary,
      overflowWrap: 'anywhere',
    },
    '& .thanks': {
      display: 'flex',
      alignItems: 'center',
      gap: 6,
      fontSize: 13,
      lineHeight: '18px',
      color: theme.vars.palette.text.secondary,
      '& svg': { flex: 'none', color: theme.vars.palette.success.main },
    },
  }) as const;

const List = styled('ul')(({ theme }) => ({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li + li': { borderTop: `1px solid ${theme.vars.palette.divider}` },
  ...rowLook(theme),
}));

/** A card of rows with a hairline between them. Its children are rows (`li`). */
export function RowList({
  children,
  label,
  listRef,
}: {
  readonly children: ReactNode;
  readonly label?: string;
  readonly listRef?: Ref<HTMLUListElement>;
}) {
  return (
    <Paper variant="card" style={{ overflow: 'hidden' }}>
      <List ref={listRef} aria-label={label}>
        {children}
      </List>
    </Paper>
  );
}

interface ListRowProps {
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  /** A disc, an avatar or an icon before the text. */
  readonly start?: ReactNode;
  /** Figures, chips or a switch after it. */
  readonly end?: ReactNode;
  /** The row arrived while the list was shown: it is animated. */
  readonly hasArrived?: boolean;
  /** What else the list item has, such as its place in a list that is not drawn whole. */
  readonly item?: ComponentPropsWithRef<'li'> & { readonly 'data-place'?: string };
}

export function ListRow({ title, detail, start, end, hasArrived = false, item }: ListRowProps) {
  return (
    <li className="row" data-arrived={hasArrived} {...item}>
      {start}
      <div className="text">
        <div className="title">{title}</div>
        {detail !== undefined && <div className="detail">{detail}</div>}
      </div>
      {end !== undefined && <div className="end">{end}</div>}
    </li>
  );
}

/** A round ground for an icon. */
export const Disc = styled('span')(({ theme }) => discLook(theme));

interface MoneyRowProps extends Omit<ListRowProps, 'start'> {
  readonly direction: 'in' | 'out';
}

/**
 * A row: direction, person, time, amount. It has no component below it: a long list takes longer by each one.
 */
export function MoneyRow({ direction, ...row }: MoneyRowProps) {
  const start = (
    <span className="disc" data-tone={direction}>
      <span className="arrow" data-tone={direction} aria-hidden="true" />
    </span>
  );
  return ListRow({ ...row, start });
}

/** Skeletons for as many rows as are likely. */
export function RowSkeletons({
  count = 3,
  label = 'Loading',
}: {
  readonly count?: number;
  readonly label?: string;
}) {
  return (
    <div role="status" aria-label={label}>
      <RowList>
        {Array.from({ length: count }, (_, index) => (
          <li key={index} className="row" aria-hidden="true">
            <Skeleton variant="circular" width={40} height={40} />
            <div className="text" style={{ display: 'grid', gap: 8 }}>
              <Skeleton width={index % 2 === 0 ? '52%' : '40%'} height={14} />
              <Skeleton width="34%" height={11} />
            </div>
            <Skeleton width={72} height={14} />
          </li>
        ))}
      </RowList>
    </div>
  );
}
