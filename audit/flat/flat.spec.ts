/** Tables that keep no ids answer as a Map and a Set do. */
import { describe, expect, it } from '@jest/globals';
import { IdSet } from './id-set.js';
import { BytesColumn, Column, IdTable, Names, TextColumn } from './id-table.js';

const IDS = Array.from({ length: 20_000 }, (_, n) => `usr_${n % 7}:pay_${n.toString(36)}`);

describe('a set of ids', () => {
  it('says of no id that it is there before it was added, but for one in a million, and of each after', () => {
    const ids = new IdSet();
    const taken = IDS.filter((id) => !ids.add(id));
    expect(taken.length).toBeLessThanOrEqual(1);
    expect(ids.size).toBe(IDS.length - taken.length);
    expect(IDS.filter((id) => ids.add(id))).toEqual([]);
    expect(ids.add('')).toBe(true);
    expect(ids.add('')).toBe(false);
  });
});

describe('a table of rows by id', () => {
  it('gives each id one row, with what was written to it', () => {
    const table = new IdTable();
    const [amounts, hashes] = [new Column(Float64Array), new BytesColumn(32)];
    expect(IDS.filter((id) => table.find(id) !== -1)).toEqual([]);
    IDS.forEach((id, n) => {
      const row = table.row(id);
      amounts.set(row, n - 9_999.5);
      hashes.at(row).writeUInt32LE(n, 28);
    });
    expect(table.size).toBe(IDS.length);
    for (const n of [0, 1, 16_383, 16_384, 19_999]) {
      const row = table.row(IDS[n]!);
      expect([row, table.find(IDS[n]!), amounts.get(row), hashes.at(row).readUInt32LE(28)]).toEqual([
        n,
        n,
        n - 9_999.5,
        n,
      ]);
    }
    expect(table.size).toBe(IDS.length);
    expect(table.find('nobody')).toBe(-1);
    expect(amounts.get(1_000_000)).toBe(0);
  });

  it('keeps texts of ids, across the pieces that they are kept in, and few names as numbers', () => {
    const [texts, names] = [new TextColumn(), new Names()];
    const long = (n: number): string => `${n}-${'ü'.repeat(100)}`;
    for (let row = 0; row < 10_000; row += 2) texts.set(row, long(row));
    expect([0, 4_998, 9_998].map((row) => texts.get(row))).toEqual([0, 4_998, 9_998].map(long));
    expect([1, 9_999, 10_000_000].map((row) => texts.get(row))).toEqual([undefined, undefined, undefined]);
    expect(['usd', 'eur', 'usd'].map((name) => names.numberOf(name))).toEqual([0, 1, 0]);
    expect(names.nameOf(1)).toBe('eur');
  });
});
