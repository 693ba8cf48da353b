/** Entries of an account by day: each with its amount and the balance that it left, the day's sums in the heading. */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { ArrowDownLeft, ArrowUpRight, Landmark, Vault, type LucideIcon } from 'lucide-react';
import { useId } from 'react';
import type { AccountEntry } from '#contracts/api/statements';
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import { Private, PrivateAmount } from '../account/Privacy.js';
import { RowLink, useReceiptLink } from '../transactions/TransactionRow.js';
import { VisuallyHidden } from '../../shared/ui/Amount.js';
import { Stack } from '../../shared/ui/Layout.js';
import { Disc, ListRow, RowList } from '../../shared/ui/Rows.js';
import { useNow } from '../../shared/ui/use-now.js';
import { dayTitle } from '../../shared/wording/days.js';
import { money, signedMoney } from '../../shared/wording/money.js';
import { dayKey } from '../../shared/wording/months.js';
import { dateTimeOf } from '../../shared/wording/time.js';
import { wordsOf, type EntryPicture } from './entry-words.js';

const Head = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  justifyContent: 'space-between',
  gap: '0 12px',
  paddingBottom: 8,
  '& .sums': {
    display: 'flex',
    gap: 8,
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 620,
    fontStretch: '106%',
    whiteSpace: 'nowrap',
    color: theme.vars.palette.text.secondary,
  },
  '& .in': { color: theme.vars.palette.success.main },
}));

const Title = styled('span')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  columnGap: 8,
  '& > :first-of-type': { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' },
  // On a line of its own where both do not fit.
  '& > time': {
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 400,
    color: theme.vars.palette.text.secondary,
  },
}));

/** What somebody wrote is read first; what it was is said more quietly. */
const Note = styled('span')(({ theme }) => ({
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 2,
  overflow: 'hidden',
  overflowWrap: 'anywhere',
  whiteSpace: 'normal',
  fontSize: 14,
  lineHeight: '20px',
  color: theme.vars.palette.text.primary,
  '&[data-written="false"]': { color: theme.vars.palette.text.secondary },
}));

const Left = styled('span')(({ theme }) => ({
  fontSize: 13,
  lineHeight: '18px',
  whiteSpace: 'nowrap',
  color: theme.vars.palette.text.secondary,
}));

const CLOCK = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });

const PICTURES: Readonly<Record<EntryPicture, LucideIcon>> = {
  in: ArrowDownLeft,
  out: ArrowUpRight,
  wallet: Vault,
  bank: Landmark,
};

const minorOf = (decimal: string): number => {
  const read = minorFromDecimal(decimal.replace('-', ''));
  return 'minor' in read ? (decimal.startsWith('-') ? -read.minor : read.minor) : 0;
};

interface Day {
  readonly key: string;
  readonly entries: readonly AccountEntry[];
}

/** Entries in their order, by day of the reader's calendar. */
export function byDay(entries: readonly AccountEntry[]): Day[] {
  const days = new Map<string, AccountEntry[]>();
  for (const entry of entries) {
    const key = dayKey(new Date(entry.recordedAt));
    const day = days.get(key);
    if (day) day.push(entry);
    else days.set(key, [entry]);
  }
  return [...days].map(([key, ofDay]) => ({ key, entries: ofDay }));
}

interface EntryDaysProps {
  readonly entries: readonly AccountEntry[];
  /** Whether more entries of the last day may be further down: a sum of half a day would be wrong. */
  readonly isCut?: boolean;
}

export function EntryDays({ entries, isCut = false }: EntryDaysProps) {
  const nowMs = useNow();
  const days = byDay(entries);
  return (
    <Stack gap={24}>
      {days.map((day, index) => (
        <OneDay key={day.key} day={day} nowMs={nowMs} isCut={isCut && index === days.length - 1} />
      ))}
    </Stack>
  );
}

function OneDay({
  day: { key, entries },
  nowMs,
  isCut,
}: {
  readonly day: Day;
  readonly nowMs: number;
  readonly isCut: boolean;
}) {
  const id = useId();
  const title = dayTitle(key, entries[0]!.recordedAt, nowMs);
  const minors = entries.map(({ amount }) => minorOf(amount));
  const sum = (sign: 1 | -1): number =>
    minors.reduce((all, minor) => (Math.sign(minor) === sign ? all + Math.abs(minor) : all), 0);
  return (
    <section aria-labelledby={id}>
      <Head>
        <Typography variant="h2" id={id}>
          {title}
        </Typography>
        {!isCut && (
          <span className="sums">
            <Private>
              {sum(1) > 0 && <span className="in">{signedMoney(decimalFromMinor(sum(1)), true)}</span>}
              {sum(-1) > 0 && <span>{signedMoney(decimalFromMinor(sum(-1)), false)}</span>}
            </Private>
          </span>
        )}
      </Head>
      <RowList label={title}>
        {entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </RowList>
    </section>
  );
}

function EntryRow({ entry }: { readonly entry: AccountEntry }) {
  const { recordedAt, amount, balance, description, paymentId } = entry;
  const receiptLink = useReceiptLink();
  const { title, was, picture } = wordsOf(entry);
  const direction = amount.startsWith('-') ? 'out' : 'in';
  const Icon = PICTURES[picture];
  return (
    <ListRow
      start={
        <Disc data-tone={picture === 'in' ? 'in' : undefined}>
          <Icon size={19} strokeWidth={2} aria-hidden="true" />
        </Disc>
      }
      title={
        <Title>
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
        </Title>
      }
      detail={
        <Note data-written={description !== null}>{description === null ? was : `“${description}”`}</Note>
      }
      end={
        <>
          <PrivateAmount decimal={amount.replace('-', '')} direction={direction} />
          <Left>
            <VisuallyHidden>Balance </VisuallyHidden>
            <Private>{money(balance)}</Private>
          </Left>
        </>
      }
    />
  );
}
