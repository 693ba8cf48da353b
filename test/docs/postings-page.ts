/** docs/reference/postings.md, printed from the audit's own table. */
import { ACCOUNT_KINDS, NORMAL_SIDE } from '#audit/derivation/accounts';
import { POSTINGS, SERVICE_CHARGES, type Leg } from '#audit/derivation/table';

const line = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A platform account in the currency of another field than `currency` says so. */
const inCurrency = (pattern: string, currency: string | undefined): string =>
  `\`${pattern}\`${currency === undefined || !pattern.startsWith('platform/') ? '' : ` in \`${currency}\``}`;

function linesOf(type: string, legs: readonly Leg<never>[]): string[] {
  if (legs.length === 0) return [line(`\`${type}\``, 'none', '', '', '')];
  return legs.map(({ debit, credit, amount, currency, when }, at) =>
    line(
      at === 0 ? `\`${type}\`` : '',
      inCurrency(debit, currency),
      inCurrency(credit, currency),
      `\`${amount}\``,
      when?.words ?? '',
    ),
  );
}

/** The page. `made` says how it is made. */
export function postingsPage(made: string): string {
  const kinds = Object.entries(ACCOUNT_KINDS).map(([name, { class: kind, says }]) =>
    line(name, kind, NORMAL_SIDE[kind], says),
  );
  const table = Object.entries(POSTINGS).flatMap(([type, legs]) =>
    linesOf(type, legs as readonly Leg<never>[]),
  );
  return `# Postings, derived a second time

${made}

\`audit verify\` does not believe the postings that an entry carries. It derives them again, from the entry's type and fields,
by the table below, which shares no code with the ledger, and compares. Statements, reports and exports of the audit are
made from the derived ones. Whoever writes a program of their own needs this page, [the events](events.md) and
[the chain](hash-chain.md), and nothing else.

An account is named by a pattern: \`{userId}\` is the entry's field of that name. The amount is a field too, in minor units;
where it is zero or absent there is no such leg. A platform account is in the currency of the entry's \`currency\` unless the
table names another field; for ours, \`usd\`, nothing is added to its name, for any other \`/eur\` and the like.

## Accounts

Balances are credits less debits. An account that grows by debits is below zero when there is something in it.

${line('kind', 'class', 'grows by', 'what its balance says')}
${line('---', '---', '---', '---')}
${kinds.join('\n')}

## Entries

${line('entry', 'debit', 'credit', 'amount', 'when')}
${line('---', '---', '---', '---', '---')}
${table.join('\n')}

*For the provider's services* are these types of the provider's: ${SERVICE_CHARGES.map((type) => `\`${type}\``).join(', ')}.

*In the charge's currency*: a charge has the currency of the \`PaymentSettled\` or \`UnappliedReceived\` that names it.

## Closed accounts

After \`AccountClosed\` nothing rests on the accounts of that user, whatever the table says. In every later entry but
\`ClosedAccountCleared\` and \`DebtWrittenOff\`:

- a credit to them is a credit to \`platform/losses\`, up to what the platform has lost by this user and not made up since,
  and beyond that to \`platform/unclaimed\`;
- a debit of them is a debit of \`platform/unclaimed\`, up to what the entry's \`drawn\` adds up to, and beyond that of
  \`platform/losses\`;
- from one of them to another: a credit to \`platform/unclaimed\`, or nothing where the debited one does not hold as much.

\`DebtWrittenOff\` of a closed account draws in the same way: what \`drawn\` adds up to is a debit of \`platform/unclaimed\` instead of
\`platform/losses\`. \`drawn\` names what waited unclaimed for the user, the oldest item first, as far as it goes. An older ledger's entry
has none: the platform bore all of it.

What the platform has lost by a user is the sum of the entries about that user (\`recipientId\`, or else \`userId\`) that debit
\`platform/losses\`, less what they credit to it.

## What an older log shows

Two things were not written down by earlier versions. Entries that left money on a closed account, and entries of the
platform's own money whose fee was returned before \`feeReturned\` said so, differ from this table, and verify names them.
`;
}
