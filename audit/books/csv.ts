/** Tables as CSV (RFC 4180, but lines end with a newline alone). */

type Cell = string | number | null;

const cellOf = (cell: Cell): string => {
  const text = cell === null ? '' : String(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** A head and its rows, each ended by a newline. */
export const csvOf = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => `${row.map(cellOf).join(',')}\n`).join('');
