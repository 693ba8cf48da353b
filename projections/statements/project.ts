/**
 * Folds postings into the lines of people's accounts, each with the balance after it, and into what each
 * month came to. A batch begins at the last line of each account that it moves, found by an index.
 */
import { isPersonal, ownerOf } from '#contracts/plain/accounts';
import { JOURNAL, postingsOf, type JournalEvent, type Posting } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { DEFAULT_TIME_ZONE, monthOf } from '#contracts/plain/months';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import { accountLines, accountMonths, bookFacts, closedMonths } from './columns.js';

type Line = RowOf<typeof accountLines>;
type Month = RowOf<typeof accountMonths>;

const isEntry = (event: RecordedEvent): event is RecordedEvent<JournalEvent> => event.stream === JOURNAL;

export async function projectStatements(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const entries = events.filter(isEntry);
  const zone = await timeZoneAfter(entries, tx);
  const lines = entries.flatMap((event) => linesOf(event));
  const balances = await balancesBefore(new Set(lines.map(({ account }) => account)), tx);
  const months = await monthsContinued(lines, zone, tx);
  for (const line of lines) {
    const before = balances.get(line.account) ?? 0;
    line.balanceMinor = before + line.amountMinor;
    balances.set(line.account, line.balanceMinor);
    const month = months.of(line, before);
    if (line.amountMinor > 0) month.receivedMinor += line.amountMinor;
    else month.sentMinor -= line.amountMinor;
    month.closingMinor = line.balanceMinor;
    month.entryCount += 1;
  }
  await accountLines.insert(lines, tx);
  await accountMonths.put(months.all(), tx);
  await closedMonths.insert(
    entries.flatMap(({ type, data, revision, metadata: { recordedAt, hash } }) => {
      if (type !== 'MonthClosed') return [];
      const { month, treeSize, root } = data;
      return [closedMonths.row({ month, closedAt: recordedAt, revision, hash, treeSize, root })];
    }),
    tx,
  );
}

/** The time zone in which months are cut. It is in the journal's first entry, or nowhere. */
async function timeZoneAfter(entries: readonly RecordedEvent<JournalEvent>[], tx: Tx): Promise<string> {
  const founded = entries.find((event) => event.type === 'LedgerFounded');
  const told = founded?.type === 'LedgerFounded' ? founded.data.timeZone : undefined;
  if (told !== undefined) await bookFacts.put([bookFacts.row({ name: 'timeZone', value: told })], tx);
  if (told !== undefined || entries[0]?.revision === 0) return told ?? DEFAULT_TIME_ZONE;
  const [known] = await bookFacts.rowsBy('name', ['timeZone'], tx);
  return known?.value ?? DEFAULT_TIME_ZONE;
}

/** The lines that an entry makes, their balances still to be told. */
function linesOf(event: RecordedEvent<JournalEvent>): Line[] {
  return postingsOf(event).flatMap((posting, n) =>
    [
      { account: posting.debit, other: posting.credit, amountMinor: -posting.amountMinor, leg: 2 * n },
      { account: posting.credit, other: posting.debit, amountMinor: posting.amountMinor, leg: 2 * n + 1 },
    ]
      .filter(({ account }) => isPersonal(account))
      .map(({ account, other, amountMinor, leg }) =>
        accountLines.row({
          id: `${event.revision}-${leg}`,
          account,
          userId: ownerIn(event, account, posting),
          place: event.revision,
          leg,
          type: event.type,
          recordedAt: event.metadata.recordedAt,
          amountMinor,
          balanceMinor: 0,
          ...about(event, ownerOf(account), other),
        }),
      ),
  );
}

/** Whose account it is: by its name, or, of a wallet, by the entry that moves its owner's money. */
function ownerIn(event: RecordedEvent<JournalEvent>, account: string, { debit, credit }: Posting): string {
  const owner = ownerOf(account) ?? ('userId' in event.data ? event.data.userId : undefined);
  if (owner !== undefined) return owner;
  throw new BrokenBooks(
    `${event.type} at revision ${event.revision} moves money from ${debit} to ${credit}, and says not whose wallet that is.`,
  );
}

/** What a line is about: the ids by which its reader finds more. */
function about(
  { data, type }: RecordedEvent<JournalEvent>,
  ownerId: string | undefined,
  other: string,
): Pick<Line, 'counterpartyId' | 'paymentId' | 'payoutId' | 'movementId' | 'walletId'> {
  const parties = [
    'payerId' in data ? data.payerId : undefined,
    'recipientId' in data ? data.recipientId : undefined,
  ];
  const counterpartyId =
    ownerOf(other) !== undefined && ownerOf(other) !== ownerId
      ? ownerOf(other)
      : parties.find((id) => id !== undefined && id !== ownerId && ownerId !== undefined);
  const paymentId = 'paymentId' in data ? data.paymentId : type === 'TransferPosted' ? data.transferId : null;
  return {
    counterpartyId: counterpartyId ?? null,
    paymentId: paymentId ?? null,
    payoutId: 'payoutId' in data ? data.payoutId : null,
    movementId: 'movementId' in data ? data.movementId : null,
    walletId: 'walletId' in data ? data.walletId : null,
  };
}

/** What accounts held after their last lines. */
async function balancesBefore(accounts: ReadonlySet<string>, tx: Tx): Promise<Map<string, number>> {
  if (accounts.size === 0) return new Map();
  const { rows } = await tx.query<{ account: string; balanceMinor: number }>({
    name: 'account-lines-last',
    text: `select a.account, l.balance_minor as "balanceMinor"
             from unnest($1::text[]) as a (account)
            cross join lateral (select balance_minor from account_lines l where l.account = a.account
                                 order by l.account desc, l.place desc, l.leg desc limit 1) l`,
    values: [[...accounts]],
  });
  return new Map(rows.map(({ account, balanceMinor }) => [account, balanceMinor]));
}

/** The months that lines fall into: those that are there already, and new ones. */
async function monthsContinued(lines: readonly Line[], zone: string, tx: Tx) {
  const monthOfLine = ({ recordedAt }: Line): string => monthOf(Date.parse(recordedAt), zone);
  const idOf = (line: Line): string => `${line.account} ${monthOfLine(line)}`;
  const known = await accountMonths.rowsBy('id', new Set(lines.map(idOf)), tx);
  const rows = new Map<string, Month>(known.map((row) => [row.id, row]));
  return {
    of(line: Line, openingMinor: number): Month {
      const id = idOf(line);
      let row = rows.get(id);
      if (!row) {
        const { account, userId } = line;
        row = accountMonths.row({
          id,
          account,
          userId,
          month: monthOfLine(line),
          openingMinor,
          receivedMinor: 0,
          sentMinor: 0,
          closingMinor: openingMinor,
          entryCount: 0,
        });
        rows.set(id, row);
      }
      return row;
    },
    all: (): Month[] => [...rows.values()],
  };
}
