/**
 * Opens what the log keeps sealed. A text that does not open is marked in its row and told to whoever runs
 * the process; it stops nothing. Only a store that is away does.
 */
import type { Sealed } from '#contracts/events/journal';
import { UNREADABLE_TEXT } from '#contracts/plain/unreadable';
import type { RecordedEvent } from '#contracts/log';
import { UnreadableText, type UnreadableBecause, type VaultReader } from '#log/vault-reader';
import type { Queryable } from './read-model.js';
import { text } from './table.js';

/** The vault as projections need it: to open, and to let go of a key that was destroyed. */
export type Unsealer = Pick<VaultReader, 'unseal' | 'drop'>;

/** A column that says why a sealed text of the row did not open; null where each did, or is forgotten. */
export const unreadable = () => text<UnreadableBecause>().orNull();

/** A text of an event that did not open. */
export interface UnreadableNote {
  readonly stream: string;
  readonly revision: number;
  readonly eventId: string;
  readonly type: string;
  readonly userId: string;
  /** The key that does not open it, or that is missing. */
  readonly key: string;
  readonly because: UnreadableBecause;
}

/** What is known of a sealed text: what it says, nothing where it is forgotten, or why it does not open. */
export interface OpenedText {
  readonly plain: string | undefined;
  readonly unreadable: UnreadableBecause | null;
}

const FORGOTTEN: OpenedText = { plain: undefined, unreadable: null };

export class TextReader {
  constructor(
    private readonly vault: Unsealer,
    private readonly note: (note: UnreadableNote) => void = () => undefined,
  ) {}

  async open(sealed: Sealed, event: RecordedEvent): Promise<OpenedText> {
    try {
      return { plain: await this.vault.unseal(sealed), unreadable: null };
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
      const { userId, key, because } = error;
      const { stream, revision, id: eventId, type } = event;
      this.note({ stream, revision, eventId, type, userId, key, because });
      return { plain: undefined, unreadable: because };
    }
  }

  /** The same as a column shows it: null where there is none or it is forgotten. */
  async shown(
    sealed: Sealed | undefined,
    event: RecordedEvent,
    isForgotten: boolean,
  ): Promise<{ readonly shown: string | null; readonly unreadable: UnreadableBecause | null }> {
    const opened = sealed === undefined || isForgotten ? FORGOTTEN : await this.open(sealed, event);
    return {
      shown: opened.unreadable === null ? (opened.plain ?? null) : UNREADABLE_TEXT,
      unreadable: opened.unreadable,
    };
  }

  drop(userId: string): void {
    this.vault.drop(userId);
  }
}

/** The tables that show sealed texts, and whose text it is. */
const OWNED: Readonly<Record<string, string>> = {
  users: 'id',
  transactions: 'payer_id',
  schedules: 'payer_id',
  wallets: 'user_id',
  wallet_transactions: 'user_id',
  bank_accounts: 'user_id',
  tip_pages: 'user_id',
};

const MARKED = Object.entries(OWNED)
  .map(([table, owner]) => `select unreadable, ${owner} as owner from ${table} where unreadable is not null`)
  .join(' union all ');

/** How many texts do not open, for each reason, and of how many people. */
export async function unreadableTexts(
  db: Queryable,
): Promise<{ because: UnreadableBecause; texts: number; people: number }[]> {
  const { rows } = await db.query<{ because: UnreadableBecause; texts: number; people: number }>({
    name: 'unreadable-texts',
    text: `select unreadable as because, count(*) as texts, count(distinct owner) as people
             from (${MARKED}) as marked group by unreadable order by unreadable`,
  });
  return rows;
}

/** An index for {@link unreadableTexts}, of a table that has the column. */
export const indexOfUnreadable = (table: string, id: string): string =>
  `create index ${table}_unreadable on ${table} (${id}) where unreadable is not null`;
