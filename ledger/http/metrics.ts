/** What /metrics tells Prometheus of a ledger process. */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Numbers that are read when somebody scrapes; one that cannot be read now is left out of that scrape. */
export interface Readings {
  readonly journal: () => { ready: boolean; revision: number; queued: number };
  /** Charges in `platform/unapplied` that are still to be given back. */
  readonly unapplied: () => Promise<number>;
  /** Browsers that are told of changes. */
  readonly eventStreams: () => number;
}

export class RequestMetrics {
  readonly registry = new Registry();
  private readonly durations = new Histogram({
    name: 'encore_http_request_duration_seconds',
    help: 'How long the answers to HTTP requests took',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });

  constructor(readings: Readings) {
    collectDefaultMetrics({ register: this.registry });
    const gauge = (name: string, help: string, value: () => number | Promise<number>): void => {
      new Gauge({
        name,
        help,
        registers: [this.registry],
        async collect() {
          try {
            this.set(await value());
          } catch {
            this.reset();
            this.remove();
          }
        },
      });
    };
    gauge('encore_journal_ready', '1 when the journal takes commands', () =>
      Number(readings.journal().ready),
    );
    gauge(
      'encore_journal_queue',
      'Commands that wait for the journal’s writer',
      () => readings.journal().queued,
    );
    gauge(
      'encore_journal_revision',
      'The last entry of the journal that this process has',
      () => readings.journal().revision,
    );
    gauge(
      'encore_unapplied_charges',
      'Charges that no payment explains and that are still to be given back',
      readings.unapplied,
    );
    gauge('encore_event_streams', 'Browsers that this process tells of changes', readings.eventStreams);
  }

  /** Notes one answered request; `route` is the pattern, so that labels stay few. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.durations.observe({ method, route, status }, seconds);
  }
}
