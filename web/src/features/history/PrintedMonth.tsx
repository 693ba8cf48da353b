/** A month on paper. */
import type { CurrentUser } from '#contracts/api/users';
import type { Transaction } from '#contracts/api/payments';
import { countedMinor, isReceived, methodWord, nameOf, sumsOf } from '../transactions/transactions.js';
import { Logo } from '../../shared/ui/Logo.js';
import { signedMoney, money } from '../../shared/wording/money.js';
import { capitalised, fullName } from '../../shared/wording/people.js';
import { dateOf } from '../../shared/wording/time.js';

interface PrintedMonthProps {
  readonly title: string;
  readonly rows: readonly Transaction[];
  readonly user: CurrentUser;
}

export function PrintedMonth({ title, rows, user }: PrintedMonthProps) {
  const { received, sent, net, count } = sumsOf(rows);
  return (
    <>
      <Logo size={16} />
      <h1>{title}</h1>
      <p>
        Transactions of {fullName(user)} (@{user.username}). Received {money(received)}, sent {money(sent)},
        net {money(net)}, in {count === 1 ? '1 transaction' : `${count.toLocaleString('en-US')} transactions`}
        . What failed or was returned is in no sum.
      </p>
      <table>
        <thead>
          <tr>
            <th>Date</th>
            <th>With</th>
            <th>Note</th>
            <th>Method</th>
            <th>Status</th>
            <th className="figure">Amount</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} style={countedMinor(row) === 0 ? { color: '#666' } : undefined}>
              <td>{dateOf(row.createdAt)}</td>
              <td>{nameOf(row) ?? ''}</td>
              {/* A note may have no place to break: the amount beside it is not to leave the sheet. */}
              <td style={{ overflowWrap: 'anywhere' }}>{row.description ?? ''}</td>
              <td>{methodWord(row)}</td>
              <td>{capitalised(row.status)}</td>
              <td className="figure">{signedMoney(row.amount, isReceived(row))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
