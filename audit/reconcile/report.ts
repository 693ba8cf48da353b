/**
 * What a reconciliation says to people: checks as every verb of the audit prints them, and sums beside them.
 */
import type { Check } from '../report.js';
import { inWords, textFromMinor } from './amounts.js';
import type { BankReconciliation } from './bank.js';
import { isWrong, sumsOf, WRONG, type DifferenceClass, type ReconciledItem } from './differences.js';
import type { EndingBalance, ProviderReconciliation } from './provider.js';

const NAMES: Readonly<Record<DifferenceClass, string>> = {
  matched: 'matched',
  timing: 'timing',
  foreign: 'foreign',
  'only-theirs': 'only theirs',
  'only-ours': 'only ours',
  amount: 'amount',
};

/** The checks of the provider's side. */
export function providerChecks({ items, endings }: ProviderReconciliation): Check[] {
  return [
    ...(endings === undefined ? [] : [movementsCheck(endings), endingsCheck(endings)]),
    ...classChecks('provider', items),
  ];
}

/** The checks of the bank's side. */
export function bankChecks({ items, broken }: BankReconciliation): Check[] {
  return [
    { name: 'bank: statements add up', figure: `${broken.length} do not`, findings: broken },
    ...classChecks('bank', items),
  ];
}

/** Up to when the two sides were compared: a file that was cut off says nothing of what came after it. */
export const momentLine = ({ at }: ProviderReconciliation): string =>
  `Compared with the provider up to ${at.toISOString()}; what came later was not looked at.`;

/** Gross, fee and net by the provider's types, as a plain table. */
export function typeLines({ types }: ProviderReconciliation): string[] {
  if (types.length === 0) return [];
  const rows = types.map(({ type, currency, count, theirs, ourNetMinor }) => [
    ...[type, currency, String(count)],
    ...[theirs.grossMinor, theirs.feeMinor, theirs.netMinor, ourNetMinor].map((minor) =>
      textFromMinor(minor, currency),
    ),
  ]);
  const table = [['type', 'currency', 'count', 'gross', 'fee', 'net', 'net in the books'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  return table.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
}

const movementsCheck = (endings: readonly EndingBalance[]): Check => ({
  name: 'movements add up to the balance',
  figure: `${endings.length} currencies`,
  findings: endings
    .filter(({ theirMinor, movementsMinor }) => theirMinor !== movementsMinor)
    .map(
      ({ theirMinor, movementsMinor, currency }) =>
        `the provider's movements add up to ${inWords(movementsMinor, currency)}, and its balance is ${inWords(theirMinor, currency)}`,
    ),
});

const endingsCheck = (endings: readonly EndingBalance[]): Check => ({
  name: 'ending balances are equal',
  figure: endings.map(endingWords).join('; ') || 'no money',
  findings: endings
    .filter(({ differenceMinor }) => differenceMinor !== 0)
    .map(
      ({ differenceMinor, currency }) =>
        `the balance is ${inWords(differenceMinor, currency)} off what books and foreign movements explain`,
    ),
});

function endingWords(ending: EndingBalance): string {
  const { currency, theirMinor, ourMinor, foreignMinor, timingMinor, broughtForwardMinor } = ending;
  const parts = [
    `${inWords(ourMinor, currency)} in the books`,
    `${textFromMinor(foreignMinor, currency)} foreign`,
    `${textFromMinor(timingMinor, currency)} timing`,
    ...(broughtForwardMinor === 0 ? [] : [`${textFromMinor(broughtForwardMinor, currency)} from before`]),
  ];
  return `${inWords(theirMinor, currency)} = ${parts.join(' + ')}`;
}

function classChecks(side: string, items: readonly ReconciledItem[]): Check[] {
  const sums = sumsOf(items);
  const classes: readonly DifferenceClass[] = ['matched', 'timing', 'foreign', ...WRONG];
  return classes.map((of) => ({
    name: `${side}: ${NAMES[of]}`,
    figure:
      sums
        .filter((sum) => sum.class === of)
        .map(({ count, currency, differenceMinor }) =>
          of === 'matched' ? `${count}` : `${count}, ${inWords(differenceMinor, currency)}`,
        )
        .join('; ') || '0',
    findings: items.filter((item) => item.class === of && isWrong(of)).map(itemWords),
  }));
}

/** One difference in a sentence: what, how much, why, whose, since when. */
function itemWords(item: ReconciledItem): string {
  const { theirId, subject, theirMinor, ourMinor, currency, because, owner, since, ageMs, revisions } = item;
  const id = theirId === undefined ? subject : `${theirId} (${subject})`;
  const amount = theirMinor === 0 ? ourMinor : theirMinor;
  const entries = revisions.length === 0 ? '' : `, entry ${revisions.join(', ')} of the journal`;
  return `${id}: ${inWords(amount, currency)}, ${because}${entries}; since ${since}, ${ageWords(ageMs)}, for ${owner}`;
}

function ageWords(ageMs: number): string {
  const hours = Math.floor(ageMs / 3_600_000);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
