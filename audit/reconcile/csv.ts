/** Reads comma-separated values as RFC 4180 has them: quotes, doubled quotes, line ends of either kind. */
import { UnreadableFile } from './bounded-file.js';

/** One line by the names of the header, in lower case. `line` counts from 1, the header included. */
export interface CsvRow {
  readonly line: number;
  /** The first of these columns that has something; undefined where none has. */
  get(...columns: readonly string[]): string | undefined;
}

/** A file's lines, and the columns that its header names, in lower case. */
interface CsvTable {
  readonly columns: ReadonlySet<string>;
  readonly rows: readonly CsvRow[];
}

/**
 * Throws {@link UnreadableFile} for a quote that never ends and a line with more or fewer fields than the
 * header.
 */
export function csvTable(text: string): CsvTable {
  const [header, ...rows] = records(text.replace(/^\uFEFF/, ''));
  if (header === undefined) throw new UnreadableFile('The file has no header line.');
  const width = header.fields.length;
  const places = new Map(header.fields.map((name, place) => [name.trim().toLowerCase(), place]));
  return { columns: new Set(places.keys()), rows: rows.map(rowOf) };

  function rowOf({ fields, line }: CsvRecord): CsvRow {
    if (fields.length !== width)
      throw new UnreadableFile(`Line ${line} has ${fields.length} fields, and the header has ${width}.`);
    return {
      line,
      get(...columns) {
        for (const column of columns) {
          const written = fields[places.get(column) ?? -1]?.trim();
          if (written !== undefined && written !== '') return written;
        }
        return undefined;
      },
    };
  }
}

interface CsvRecord {
  readonly fields: string[];
  readonly line: number;
}

const FIELD = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;

function records(text: string): CsvRecord[] {
  const found: CsvRecord[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { fields: [], line };
    for (;;) {
      FIELD.lastIndex = at;
      const match = FIELD.exec(text);
      const [whole = '', quoted, plain = ''] = match ?? [];
      record.fields.push(quoted?.replaceAll('""', '"') ?? plain);
      at += whole.length;
      line += whole.split('\n').length - 1;
      if (text[at] !== ',') break;
      at += 1;
    }
    const end = text.startsWith('\r\n', at) ? 2 : text[at] === '\n' ? 1 : 0;
    if (end === 0 && at < text.length)
      throw new UnreadableFile(`Line ${line} has a quote where none belongs, or one that never ends.`);
    at += end;
    line += 1;
    if (record.fields.length > 1 || record.fields[0] !== '') found.push(record);
  }
  return found;
}
