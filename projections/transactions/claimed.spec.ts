/**
 * What a guest paid is claimed while another payment of theirs is still open, and they pay once more after
 * it. Rows must not depend on where a batch ended: a replay cuts the log elsewhere than the projector did.
 */
import { describe, expect, it } from '@jest/globals';
import type { QueryConfig } from 'pg';
import { guestStream } from '#contracts/events/guest';
import type { RecordedEvent } from '#contracts/log';
import { guestIdOf } from '#contracts/plain/guest';
import { JUNO, MILO, open, openAccount, settle, submit } from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import { TextReader } from '../engine/text-reader.js';
import type { Tx } from '../engine/read-model.js';
import { projectTransactions } from './project.js';

const GUEST = guestIdOf('wren');
const tipOf = (paymentId: string) => ({ paymentId, amount: '10.00', from: GUEST });
const [FIRST, SECOND, THIRD] = ['pay_first', 'pay_second', 'pay_third'].map(tipOf) as [Tip, Tip, Tip];
type Tip = ReturnType<typeof tipOf>;

/** The two tables in memory, as far as a fold asks for them. */
class Rows implements Tx {
  readonly transactions = new Map<string, Record<string, unknown>>();
  readonly counts = new Map<string, number>();

  query({ name = '', text, values = [] }: QueryConfig): Promise<never> {
    const answer = (rows: readonly object[], rowCount = rows.length) =>
      Promise.resolve({ rows, rowCount } as never);
    const by = /^transactions-by-(\w+)$/.exec(name)?.[1];
    if (by !== undefined) {
      const wanted = values[0] as unknown[];
      return answer(
        [...this.transactions.values()].filter((row) => wanted.includes(row[by])).map((row) => ({ ...row })),
      );
    }
    if (name === 'transactions-claimed-of-guests') {
      const guests = values[0] as unknown[];
      const claimed = [...this.transactions.values()].filter(
        ({ guestId, payerId }) => guests.includes(guestId) && payerId !== guestId,
      );
      return answer(claimed.map(({ guestId, payerId }) => ({ guestId, claimedBy: payerId })));
    }
    const names = /\(([^)]*)\)/.exec(text)![1]!.split(', ').map(camel);
    const columns = values as unknown[][];
    const written = (columns[0] ?? []).map((_, n) =>
      Object.fromEntries(names.map((column, at) => [column, columns[at]![n]])),
    );
    if (name === 'transactions-written')
      for (const row of written) this.transactions.set(String(row.id), row);
    else if (name === 'transaction_counts-written')
      for (const { userId, shownCount } of written)
        this.counts.set(String(userId), (this.counts.get(String(userId)) ?? 0) + Number(shownCount));
    else throw new Error(`Nothing answers ${name} here.`);
    return answer([], written.length);
  }

  /** Whose list holds which payment, and how many each list has. */
  get lists() {
    const owners = [...this.transactions.values()].map(({ id, payerId }) => [id, payerId]);
    return { owners: Object.fromEntries(owners) as object, counts: Object.fromEntries(this.counts) };
  }
}

const camel = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function told(): RecordedEvent[] {
  const story = new Story();
  return [
    ...story.command(openAccount(JUNO), openAccount(MILO), open(FIRST), open(SECOND)),
    ...story.command(submit(FIRST), settle(FIRST)),
    story.write(guestStream(GUEST), { type: 'GuestTipsClaimed', data: { guestId: GUEST, userId: MILO } }),
    ...story.command(submit(SECOND), settle(SECOND)),
    ...story.command(open(THIRD), submit(THIRD), settle(THIRD)),
  ];
}

async function projected(events: readonly RecordedEvent[], batch: number) {
  const rows = new Rows();
  const texts = new TextReader(new Story().vault);
  for (let at = 0; at < events.length; at += batch)
    await projectTransactions(events.slice(at, at + batch), rows, texts);
  return rows.lists;
}

describe('payments of a guest whose receipt was claimed', () => {
  it('are in the list of whoever claimed it, also what is settled or paid after that, however the log is cut', async () => {
    const events = told();
    for (let batch = 1; batch <= events.length; batch += 1)
      expect([batch, await projected(events, batch)]).toEqual([
        batch,
        {
          owners: { pay_first: MILO, pay_second: MILO, pay_third: MILO },
          counts: { [JUNO]: 3, [MILO]: 3 },
        },
      ]);
  });
});
