/**
 * Sends webhooks: signed, at least once, in no promised order, again and again for three days until the
 * endpoint answers 2xx. What is owed is kept with the objects, so that a restart owes it still.
 */
import { createHmac } from 'node:crypto';
import { Alarm } from './due.js';
import type { Delivery, DueKey, Store } from './store.js';

const AT_ONCE = 8;
const ANSWER_WITHIN_MS = 20_000;
const FIRST_RETRY_MS = 1000;
/**
 * Much shorter than the provider's hours: on a laptop the endpoint is away for minutes, while it restarts.
 */
const LONGEST_RETRY_MS = 60_000;
const GIVES_UP_AFTER_MS = 3 * 86_400_000;
/** While webhooks are shuffled, one of this many due ones is picked at random. */
const SHUFFLED_AMONG = 64;

/** The signature header over a body, as the provider's SDK checks it; `atSeconds` is signed too. */
export function signature(secret: string, body: string, atSeconds: number): string {
  const hash = createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex');
  return `t=${atSeconds},v1=${hash}`;
}

/** How long to wait after a failed attempt, in milliseconds: 1 s, 2 s, 4 s … one minute. */
export function retryAfterMs(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_RETRY_MS);
}

const NO_CAUSE = { requestId: null, idempotencyKey: null };

/** Where webhooks go, and what they are signed with. */
interface Endpoint {
  readonly url: string;
  readonly secret: string;
}

/**
 * The platform's own events and those of connected accounts go to endpoints of their own, each with its
 * secret.
 */
export interface Endpoints {
  readonly platform: Endpoint | undefined;
  readonly connect: Endpoint | undefined;
}

export class WebhookSender {
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly alarm = new Alarm(() => this.send());
  private readonly stopping = new AbortController();

  constructor(
    private readonly store: Store,
    private readonly endpoints: Endpoints,
    private readonly report: (line: string) => void,
  ) {
    store.watch(() => this.alarm.ring());
  }

  start(): void {
    this.alarm.ring();
  }

  /** Stops sending and waits for the attempts under way to be noted. */
  async stop(): Promise<void> {
    this.alarm.stop();
    this.stopping.abort();
    await Promise.all(this.underWay.values());
  }

  /** How many attempts are under way at this moment. */
  get sending(): number {
    return this.underWay.size;
  }

  private send(): number | undefined {
    const { paused, shuffle } = this.store.switches().webhooks;
    if (paused || this.stopping.signal.aborted) return undefined;
    const due: { key: DueKey; delivery: Delivery }[] = [];
    let next: number | undefined;
    for (const { key, value } of this.store.deliveries.getRange({})) {
      if (this.underWay.has(key.join())) continue;
      if (key[0] > Date.now()) {
        next = key[0];
        break;
      }
      due.push({ key, delivery: value });
      if (due.length >= (shuffle ? SHUFFLED_AMONG : AT_ONCE)) break;
    }
    while (due.length > 0 && this.underWay.size < AT_ONCE) {
      const [picked] = due.splice(shuffle ? Math.floor(Math.random() * due.length) : 0, 1);
      if (!picked) break;
      const id = picked.key.join();
      this.underWay.set(id, this.deliver(picked.key, picked.delivery, id));
    }
    return next;
  }

  private async deliver(key: DueKey, delivery: Delivery, id: string): Promise<void> {
    const failure = await this.attempt(delivery);
    try {
      if (!this.stopping.signal.aborted || failure === undefined)
        await this.store.change(NO_CAUSE, (transaction) => {
          transaction.removeDelivery(key);
          const tired = transaction.nowMs - delivery.firstAtMs > GIVES_UP_AFTER_MS;
          if (failure !== undefined && !tired) {
            const dueAtMs = transaction.nowMs + retryAfterMs(delivery.attempt);
            transaction.putDelivery(dueAtMs, { ...delivery, attempt: delivery.attempt + 1 });
            return;
          }
          const record = transaction.anywhere('events', delivery.event);
          if (!record || failure !== undefined) return;
          record.api.pending_webhooks = 0;
          transaction.changed('events', record);
        });
    } finally {
      this.underWay.delete(id);
      this.alarm.ring();
    }
  }

  /** Sends one event once; returns what went wrong, or undefined. */
  private async attempt({ event, attempt }: Delivery): Promise<string | undefined> {
    const record = this.store.read().anywhere('events', event);
    if (!record) return undefined;
    const endpoint = record.account === undefined ? this.endpoints.platform : this.endpoints.connect;
    if (!endpoint) return 'has no endpoint at this start';
    const body = JSON.stringify(record.api, null, 2);
    try {
      const answer = await fetch(endpoint.url, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
          'stripe-signature': signature(endpoint.secret, body, Math.floor(Date.now() / 1000)),
        },
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_WITHIN_MS), this.stopping.signal]),
      });
      await answer.body?.cancel();
      if (answer.ok) return undefined;
      this.report(`webhook ${event} (${record.api.type}), attempt ${attempt}: answered ${answer.status}`);
      return `answered ${answer.status}`;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.stopping.signal.aborted)
        this.report(`webhook ${event} (${record.api.type}), attempt ${attempt}: ${reason}`);
      return reason;
    }
  }
}
