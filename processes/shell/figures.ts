/**
 * A process' figures for Prometheus. One that cannot be read when somebody scrapes is left out of that
 * scrape.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

export class Figures {
  readonly registry = new Registry();
  readonly #registers = [this.registry];

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A number that only rises, by labels. */
  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames, registers: this.#registers });
  }

  /** How values are spread over buckets. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly L[] = [],
  ): Histogram<L> {
    return new Histogram({ name, help, buckets, labelNames, registers: this.#registers });
  }

  /** A number that is read at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    this.gauges(name, help, [], async () => [[{}, await read()]]);
  }

  /** Numbers by labels, all of them read at each scrape. */
  gauges(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Promise<readonly (readonly [Labels, number])[]>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: this.#registers,
      async collect() {
        const values = await read().catch(() => []);
        this.reset();
        if (labelNames.length === 0 && values.length === 0) this.remove();
        for (const [labels, value] of values) this.set(labels, value);
      },
    });
  }
}
