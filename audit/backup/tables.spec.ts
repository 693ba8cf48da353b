/** The file of a backup's rows, as somebody may hand it to a restore. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { BEFORE_ALL, lineOf } from '../exported-log/lines.js';
import { checkTables, TablesDamaged } from './tables.js';

const folder = mkdtempSync(join(tmpdir(), 'encore-tables-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file of these lines, chained as a backup's are: anybody can make the hashes. */
function fileOf(...texts: readonly string[]): string {
  const path = join(folder, 'tables.log');
  let previous = BEFORE_ALL;
  const lines = texts.map((text) => {
    const { bytes, hash } = lineOf(previous, text);
    previous = hash;
    return bytes;
  });
  writeFileSync(path, Buffer.concat(lines));
  return path;
}
const FORMAT = '{"format":"encore-tables/1"}';
const END = '{"end":{"vault.data_keys":1}}';

describe('a file of tables', () => {
  it('is read to its end', async () => {
    const path = fileOf(FORMAT, '{"table":"vault.data_keys","row":{"user_id":"usr_a"}}', END);
    expect((await checkTables(path)).rows).toEqual({ 'vault.data_keys': 1 });
  });

  it.each([
    '{"table":"edge.x (a) values (1); drop schema vault cascade; --","row":{}}',
    '{"table":"pg_authid","row":{}}',
    '{"table":"vault.data_keys","row":5}',
    '{"table":7,"row":{}}',
    '{"format":null}',
    '{"end":[]}',
    'null',
    '[]',
    'no JSON',
  ])('is damaged by a line that no backup has: %s', async (text) => {
    await expect(checkTables(fileOf(FORMAT, text, END))).rejects.toThrow(TablesDamaged);
  });
});
