/** Figures of a bench: medians and percentiles, rows of the table. */

/** One line of the table and of the JSON. */
export interface Row {
  readonly bench: string;
  /** Under what load or size. */
  readonly of: string;
  readonly value: number;
  readonly unit: string;
  readonly note?: string;
}

/** The value below which `percent` of the sample lies; NaN for an empty one. */
export function percentile(sample: readonly number[], percent: number): number {
  const sorted = [...sample].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN;
}

export const median = (sample: readonly number[]): number => percentile(sample, 50);
