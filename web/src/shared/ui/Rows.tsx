/** Lists: a card of rows, a row, and its skeleton. */
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import { keyframes, styled } from '@mui/material/styles';
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { EASE, MS, STILL } from './theme.js';

const List = styled('ul')(({ theme }) => ({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li + li': { borderTop: `1px solid ${theme.vars.palette.divider}` },
}));

/** A card of rows with a hairline between them. Its children are rows (`li`). */
export function RowList({ children, label }: { readonly children: ReactNode; readonly label?: string }) {
  return (
    <Paper variant="card" style={{ overflow: 'hidden' }}>
      <List aria-label={label}>{children}</List>
    </Paper>
  );
}

const open = keyframes({
  from: { opacity: 0, maxHeight: 0, paddingTop: 0, paddingBottom: 0 },
  to: { maxHeight: 120 },
});
const fade = keyframes({ from: { opacity: 0 } });

const Item = styled('li')(({ theme }) => ({
  position: 'relative',
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  minHeight: 66,
  padding: '13px 16px',
  '@media (max-width: 359.95px)': { padding: 12 },
  '&[data-arrived="true"]': { overflow: 'hidden', animation: `${open} ${MS.panel}ms ${EASE}` },
  [STILL]: { '&[data-arrived="true"]': { animation: `${fade} ${MS.hover}ms` } },
  '&:has(a):hover': { backgroundColor: theme.vars.palette.background.default },
  '& > .text': { flex: 1, minWidth: 0 },
  '& .title': { fontWeight: 600, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  // The label of a switch is what is agreed to: it is read whole.
  '& .title:has(> label)': { whiteSpace: 'normal' },
  '& .detail': {
    fontSize: 13,
    lineHeight: '18px',
    color: theme.vars.palette.text.secondary,
    overflowWrap: 'anywhere',
  },
  '& > .end': { display: 'grid', gap: 2, justifyItems: 'end', flex: 'none', textAlign: 'right' },
}));

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
  readonly item?: ComponentPropsWithRef<'li'>;
}

export function ListRow({ title, detail, start, end, hasArrived = false, item }: ListRowProps) {
  return (
    <Item data-arrived={hasArrived} {...item}>
      {start}
      <div className="text">
        <div className="title">{title}</div>
        {detail !== undefined && <div className="detail">{detail}</div>}
      </div>
      {end !== undefined && <div className="end">{end}</div>}
    </Item>
  );
}

/** A round ground for an icon. */
export const Disc = styled('span')(({ theme }) => ({
  width: 40,
  height: 40,
  flex: 'none',
  borderRadius: '50%',
  display: 'grid',
  placeItems: 'center',
  backgroundColor: theme.vars.palette.sunken,
  color: theme.vars.palette.text.secondary,
  '&[data-tone="in"]': {
    backgroundColor: theme.vars.palette.tint.success,
    color: theme.vars.palette.success.main,
  },
  '&[data-tone="bad"]': {
    backgroundColor: theme.vars.palette.tint.error,
    color: theme.vars.palette.error.main,
  },
  '&[data-shape="square"]': { borderRadius: 11 },
}));

interface MoneyRowProps extends Omit<ListRowProps, 'start'> {
  readonly direction: 'in' | 'out';
}

/** A row: direction, person, time, amount. */
export function MoneyRow({ direction, ...row }: MoneyRowProps) {
  const Icon = direction === 'in' ? ArrowDownLeft : ArrowUpRight;
  return (
    <ListRow
      {...row}
      start={
        <Disc data-tone={direction}>
          <Icon size={19} strokeWidth={2} aria-hidden="true" />
        </Disc>
      }
    />
  );
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
          <Item key={index} aria-hidden="true">
            <Skeleton variant="circular" width={40} height={40} />
            <div className="text" style={{ display: 'grid', gap: 8 }}>
              <Skeleton width={index % 2 === 0 ? '52%' : '40%'} height={14} />
              <Skeleton width="34%" height={11} />
            </div>
            <Skeleton width={72} height={14} />
          </Item>
        ))}
      </RowList>
    </div>
  );
}
