/**
 * A reconciliation as figures for Prometheus, in the text that its node exporter reads from a file
 * (`--collector.textfile.directory`): a reconciliation runs and ends, and its figures must be there
 * afterwards.
 */
import { CLASSES, ownerOf, sumsOf, type DifferenceOwner, type ReconciledItem } from './differences.js';

/** One side's items. */
export interface ReconciledSide {
  readonly side: 'provider' | 'bank';
  readonly items: readonly ReconciledItem[];
}

/**
 * The figures' text. `at` is when it was reconciled. Every class has a line, so that a difference that ends
 * is seen to.
 */
export function metricsText(sides: readonly ReconciledSide[], at: Date): string {
  const lines = sides.flatMap(({ side, items }) => {
    const sums = sumsOf(items);
    const owners = new Map(items.map((item) => [item.class, item.owner]));
    return CLASSES.map((of) => {
      const owner: DifferenceOwner = owners.get(of) ?? ownerOf(of);
      const found = sums.filter((sum) => sum.class === of);
      return {
        labels: `{side="${side}",class="${of}",owner="${owner}"}`,
        count: found.reduce((sum, { count }) => sum + count, 0),
        oldestSeconds: Math.round(Math.max(0, ...found.map(({ oldestMs }) => oldestMs)) / 1000),
        amounts: found.map(({ currency, differenceMinor }) => ({
          labels: `{side="${side}",class="${of}",currency="${currency}"}`,
          differenceMinor,
        })),
      };
    });
  });
  const gauge = (name: string, help: string, values: readonly string[]): string[] => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...values.map((value) => `${name}${value}`),
  ];
  const seconds = Math.floor(at.getTime() / 1000);
  return [
    ...gauge(
      'encore_reconcile_items',
      'Movements at the card provider or the bank, by how they compare with the books, and who looks at them',
      lines.map(({ labels, count }) => `${labels} ${count}`),
    ),
    ...gauge(
      'encore_reconcile_oldest_seconds',
      'The age of the oldest of them when it was reconciled',
      lines.map(({ labels, oldestSeconds }) => `${labels} ${oldestSeconds}`),
    ),
    ...gauge(
      'encore_reconcile_difference_minor',
      'Theirs less ours, in minor units',
      lines.flatMap(({ amounts }) =>
        amounts.map(({ labels, differenceMinor }) => `${labels} ${differenceMinor}`),
      ),
    ),
    ...gauge(
      'encore_reconcile_done_timestamp_seconds',
      'When it was last reconciled',
      sides.map(({ side }) => `{side="${side}"} ${seconds}`),
    ),
    '',
  ].join('\n');
}
