/** The table of balances as the shadow reads it: with the entry at which it stands, in one snapshot. */
import type pg from 'pg';
import { inTransaction, SNAPSHOT } from '#log/transaction';
import { balances, balancesModel } from '#projections/balances/columns';
import { trialBalance, type TrialBalanceLine } from '#projections/balances/queries';
import { readCheckpoints } from '#projections/engine/checkpoints';
import type { Queryable } from '#projections/engine/read-model';
import type { SeenBalances, ShadowedRows } from './shadow.js';

export class BalanceRows implements ShadowedRows {
  constructor(private readonly db: pg.Pool) {}

  async balances(accounts?: readonly string[]): Promise<SeenBalances | undefined> {
    return inTransaction(
      this.db,
      async (client) => {
        const checkpoint = (await readCheckpoints(client)).find(({ model }) => model === balancesModel.name);
        const lines = checkpoint ? await linesOf(client, accounts) : [];
        return (
          checkpoint && {
            journalRevision: Number(checkpoint.journalRevision),
            balances: new Map(lines.map(({ account, balanceMinor }) => [account, balanceMinor])),
          }
        );
      },
      SNAPSHOT,
    );
  }
}

async function linesOf(
  db: Queryable,
  accounts: readonly string[] | undefined,
): Promise<readonly Pick<TrialBalanceLine, 'account' | 'balanceMinor'>[]> {
  if (accounts === undefined) return trialBalance(db);
  if (accounts.length === 0) return [];
  const { rows } = await db.query<TrialBalanceLine & { account: string }>({
    text: `select ${balances.inner('account', 'balanceMinor')} from balances where account = any($1::text[])`,
    values: [accounts],
  });
  return rows;
}
