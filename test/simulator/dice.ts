/** Chance from a seed: the same seed throws the same dice, on every machine. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5eed5eed) >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 up to and without `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  /** One of them. Throws for none. */
  one<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('None to choose from');
    return item;
  }

  maybe<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : this.one(items);
  }

  /** One of the names, as often as its weight says. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries<number>(weights) as [T, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) if ((left -= weight) < 0) return name;
    return entries[entries.length - 1]![0];
  }

  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    const order: T[] = [];
    while (left.length > 0) order.push(...left.splice(this.below(left.length), 1));
    return order;
  }
}
