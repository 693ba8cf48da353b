/**
 * Entries of an account by day: each with its amount and the balance that it left, the day's sums in the
 * heading.
 */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { ArrowDownLeft, ArrowUpRight, Landmark, Vault, type LucideIcon } from 'lucide-react';
import { memo, useMemo } from 'react';
import type { AccountEntry } from '#contracts/api/statements';
import { decimalFromMinor, minorOf } from '#contracts/plain/money';
import { Dots, rowAmount } from '../account/Privacy.js';
import { usePrivacy } from '../account/privacy.js';
import { Sums } from '../transactions/Sums.js';
import { RowLink, useReceiptLink } from '../transactions/TransactionRow.js';
import { DayRows, placeOf, type DayRow, type LineRef } from '../../shared/ui/DayRows.js';
import { ListRow } from '../../shared/ui/Rows.js';
import { useNow } from '../../shared/ui/use-now.js';
import { dayTitle } from '../../shared/wording/days.js';
import { money } from '../../shared/wording/money.js';
import { dayKey } from '../../shared/wording/months.js';
import { dateTimeOf } from '../../shared/wording/time.js';
import { wordsOf, type EntryPicture } from './entry-words.js';

const Ground = styled('div')(({ theme }) => ({
  '& .head': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    gap: '0 12px',
    padding: '24px 0 8px',
  },
  '& .head:first-of-type': { paddingTop: 0 },
  // What somebody wrote is read first; what it was is said more quietly.
  '& .note[data-written="false"]': { color: theme.vars.palette.text.secondary },
  '& .left': {
    fontSize: 13,
    lineHeight: '18px',
    whiteSpace: 'nowrap',
    color: theme.vars.palette.text.secondary,
  },
}));

const CLOCK = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });

const PICTURES: Readonly<Record<EntryPicture, LucideIcon>> = {
  in: ArrowDownLeft,
  out: ArrowUpRight,
  wallet: Vault,
  bank: Landmark,
};

interface HeadLine {
  readonly kind: 'head';
  readonly key: string;
  readonly day: string;
  /** The first entry of the day. */
  readonly at: string;
  /** In minor units. */
  readonly receivedMinor: number;
  readonly sentMinor: number;
  readonly isLast: boolean;
}
interface EntryLine extends DayRow {
  readonly entry: AccountEntry;
  /** From 1. */
  readonly position: number;
}

/** Entries in their order under the days of the reader's calendar, each with its sums. Pure. */
function linesOf(entries: readonly AccountEntry[]): readonly (HeadLine | EntryLine)[] {
  const lines: (HeadLine | EntryLine)[] = [];
  const days = entries.map(({ recordedAt }) => dayKey(new Date(recordedAt)));
  for (let first = 0; first < entries.length;) {
    const day = days[first]!;
    let end = first + 1;
    while (days[end] === day) end += 1;
    const minors = entries.slice(first, end).map(({ amount }) => minorOf(amount));
    const sum = (sign: 1 | -1): number =>
      minors.reduce((all, minor) => (Math.sign(minor) === sign ? all + Math.abs(minor) : all), 0);
    lines.push({
      kind: 'head',
      key: day,
      day,
      at: entries[first]!.recordedAt,
      receivedMinor: sum(1),
      sentMinor: sum(-1),
      isLast: end === entries.length,
    });
    for (let index = first; index < end; index += 1)
      lines.push({
        kind: 'row',
        key: entries[index]!.id,
        day,
        entry: entries[index]!,
        position: index + 1,
        isFirstOfDay: index === first,
        isLastOfDay: index === end - 1,
      });
    first = end;
  }
  return lines;
}

const ESTIMATES = { head: 58, row: 68 };

interface EntryDaysProps {
  readonly entries: readonly AccountEntry[];
  /** Whether more entries of the last day may be further down: a sum of half a day would be wrong. */
  readonly isCut?: boolean;
}

export function EntryDays({ entries, isCut = false }: EntryDaysProps) {
  const nowMs = useNow();
  const { isHidden } = usePrivacy();
  const lines = useMemo(() => linesOf(entries), [entries]);
  const titles = useMemo(
    () =>
      new Map(
        lines.flatMap((line) =>
          line.kind === 'head' ? [[line.day, dayTitle(line.day, line.at, nowMs)] as const] : [],
        ),
      ),
    [lines, nowMs],
  );
  const count = isCut ? -1 : entries.length;
  return (
    <Ground>
      <DayRows<EntryLine, HeadLine>
        lines={lines}
        estimates={ESTIMATES}
        titleOf={(day) => titles.get(day)}
        heading={({ day, receivedMinor, sentMinor, isLast }, lineRef) => (
          <div className="head" ref={lineRef}>
            <Typography variant="h2">{titles.get(day)}</Typography>
            {!(isCut && isLast) && (
              <Sums received={decimalFromMinor(receivedMinor)} sent={decimalFromMinor(sentMinor)} />
            )}
          </div>
        )}
        row={(line, lineRef) => (
          <EntryRow
            entry={line.entry}
            isHidden={isHidden}
            position={line.position}
            count={count}
            place={placeOf(line)}
            lineRef={lineRef}
          />
        )}
      />
    </Ground>
  );
}

interface EntryRowProps {
  readonly entry: AccountEntry;
  readonly isHidden: boolean;
  readonly position: number;
  /** How many entries there are; -1 while more follow. */
  readonly count: number;
  readonly place: string;
  readonly lineRef: LineRef;
}

const EntryRow = memo(function EntryRow({ entry, isHidden, position, count, place, lineRef }: EntryRowProps) {
  const { recordedAt, amount, balance, description, paymentId } = entry;
  const receiptLink = useReceiptLink();
  const { title, was, picture } = wordsOf(entry);
  const direction = amount.startsWith('-') ? 'out' : 'in';
  const Icon = PICTURES[picture];
  return (
    <ListRow
      item={{ ref: lineRef, 'aria-posinset': position, 'aria-setsize': count, 'data-place': place }}
      start={
        <span className="disc" data-tone={picture === 'in' ? 'in' : undefined}>
          <Icon size={19} strokeWidth={2} aria-hidden="true" />
        </span>
      }
      title={
        <span className="name-and-time">
          {paymentId === null ? (
            <bdi>{title}</bdi>
          ) : (
            <RowLink {...receiptLink(paymentId)}>
              <bdi>{title}</bdi>
            </RowLink>
          )}
          <time dateTime={recordedAt} title={dateTimeOf(recordedAt)}>
            {CLOCK.format(new Date(recordedAt))}
          </time>
        </span>
      }
      detail={
        <span className="note" data-written={description !== null}>
          {description === null ? was : `“${description}”`}
        </span>
      }
      end={
        <>
          {rowAmount({ decimal: amount.replace('-', ''), direction, isHidden })}
          <span className="left">
            <span className="unseen">Balance </span>
            {isHidden ? <Dots /> : money(balance)}
          </span>
        </>
      }
    />
  );
});
