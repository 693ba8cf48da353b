/**
 * Rows by id in little memory: fourteen bytes an id, and what its columns take. Ids are known by 64 bits of a
 * hash that is other in every run: among ten million of them, two meet once in three hundred thousand runs.
 */
import { hashPair } from './id-hash.js';

const PIECE_BITS = 14;
const PIECE = 1 << PIECE_BITS;
const FIRST_SLOTS = 1024;
/** Slots are doubled beyond this part of them, in percent. */
const FULL_PERCENT = 80;

/** The arrays in which a column's values are kept. */
type Numbers = Uint8Array | Uint32Array | Int32Array | Float64Array;

/** One number for each row; zero unless it was set. */
export class Column {
  readonly #pieces: Numbers[] = [];

  constructor(private readonly kind: { new (length: number): Numbers }) {}

  get(row: number): number {
    return this.#pieces[row >> PIECE_BITS]?.[row & (PIECE - 1)] ?? 0;
  }

  set(row: number, value: number): void {
    const at = row >> PIECE_BITS;
    while (this.#pieces.length <= at) this.#pieces.push(new this.kind(PIECE));
    this.#pieces[at]![row & (PIECE - 1)] = value;
  }
}

/** As many bytes for each row as were said at first; zeros unless they were set. */
export class BytesColumn {
  readonly #pieces: Buffer[] = [];

  constructor(private readonly width: number) {}

  /**
   * The bytes of a row, to be read or written; `ofNew` where the row may be beyond those that were written.
   */
  at(row: number): Buffer {
    const at = row >> PIECE_BITS;
    while (this.#pieces.length <= at) this.#pieces.push(Buffer.alloc(PIECE * this.width));
    const from = (row & (PIECE - 1)) * this.width;
    return this.#pieces[at]!.subarray(from, from + this.width);
  }
}

export class IdTable {
  /** Row + 1 by slot; zero is a free one. */
  #slots = new Uint32Array(FIRST_SLOTS);
  readonly #marks = new Column(Uint32Array);
  readonly #places = new Column(Uint32Array);
  #size = 0;

  /** How many ids have a row. */
  get size(): number {
    return this.#size;
  }

  /** The row of an id; -1 where it has none. */
  find(id: string): number {
    const [mark, place] = hashPair(id);
    return (this.#slots[this.#slotOf(mark, place)] ?? 0) - 1;
  }

  /** Whether an id has a row. */
  has(id: string): boolean {
    return this.find(id) >= 0;
  }

  /** The row of an id, a new one where it has none: {@link size} has grown then. */
  row(id: string): number {
    const [mark, place] = hashPair(id);
    const slot = this.#slotOf(mark, place);
    const known = this.#slots[slot]!;
    if (known > 0) return known - 1;
    const row = this.#size;
    this.#marks.set(row, mark);
    this.#places.set(row, place);
    this.#slots[slot] = row + 1;
    this.#size += 1;
    if (this.#size * 100 > this.#slots.length * FULL_PERCENT) this.#grow();
    return row;
  }

  /** The slot of an id, or the free one that it would take. */
  #slotOf(mark: number, place: number): number {
    const last = this.#slots.length - 1;
    for (let slot = place & last; ; slot = (slot + 1) & last) {
      const row = this.#slots[slot]! - 1;
      if (row === -1 || (this.#marks.get(row) === mark && this.#places.get(row) === place)) return slot;
    }
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const last = slots.length - 1;
    for (let row = 0; row < this.#size; row += 1) {
      let slot = this.#places.get(row) & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = row + 1;
    }
    this.#slots = slots;
  }
}

const TEXT_PIECE_BYTES = 1 << 20;
const LONGEST = 255;

/** A text of up to 255 bytes for each row, written once; absent until then. */
export class TextColumn {
  readonly #pieces: Buffer[] = [];
  /** Where a row's text begins, + 1. */
  readonly #places = new Column(Float64Array);
  #used = TEXT_PIECE_BYTES;

  get(row: number): string | undefined {
    const place = this.#places.get(row) - 1;
    if (place < 0) return undefined;
    const piece = this.#pieces[Math.floor(place / TEXT_PIECE_BYTES)]!;
    const from = (place & (TEXT_PIECE_BYTES - 1)) + 1;
    return piece.toString('utf8', from, from + piece[from - 1]!);
  }

  /** Longer texts are cut: ids are shorter. */
  set(row: number, text: string): void {
    const bytes = Buffer.from(text).subarray(0, LONGEST);
    if (this.#used + bytes.length + 1 > TEXT_PIECE_BYTES) {
      this.#pieces.push(Buffer.alloc(TEXT_PIECE_BYTES));
      this.#used = 0;
    }
    const piece = this.#pieces.at(-1)!;
    piece[this.#used] = bytes.length;
    bytes.copy(piece, this.#used + 1);
    this.#places.set(row, (this.#pieces.length - 1) * TEXT_PIECE_BYTES + this.#used + 1);
    this.#used += bytes.length + 1;
  }
}

/** Few texts that stand in many rows, such as users and currencies, as numbers. */
export class Names {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  numberOf(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) this.#numbers.set(name, (number = this.#names.push(name) - 1));
    return number;
  }

  nameOf(number: number): string {
    return this.#names[number] ?? '';
  }
}
