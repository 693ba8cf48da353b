/**
 * The connection to the node of the event store that leads. A node that answers nothing for five seconds, or
 * is not ready for two, is left; so is one that answers reads and says nothing to appends, one whose
 * connection broke, and one in whose place the others name another. What it was asked is answered with
 * "outcome unknown". Then all nodes are asked who leads, again and again; until one does for certain, nothing
 * is read and nothing written. A store of one node is never asked who leads: it is connected to anew.
 */
import type { StoreHealth } from '../store-health.js';
import { nodeFailure } from './failures.js';
import { messageOf } from './reading.js';

const TICK_MS = 500;
/** A process that stood still itself has not waited for an answer all that time. */
const MOST_OF_A_TICK_MS = 1.5 * TICK_MS;
/** At every second tick, though ticks come a little early or late. */
const ASK_AFTER_MS = 1.5 * TICK_MS;
const AWAY_AFTER_MS = 1_000;
const LEFT_AFTER_MS = 5_000;
const NOT_READY_FOR_MS = 2_000;
/**
 * A store that is slow says so of an append after two to three seconds: so much later no answer is on its
 * way.
 */
const APPEND_ANSWER_LATE_MS = 2_000;
/** Between two questions who leads, and between two attempts at the one node that there is. */
const BETWEEN_ATTEMPTS_MS = 100;

/** What the connection needs of a node. */
export interface ConnectedNode {
  readonly address: string;
  leave(because: string): Promise<void>;
}

interface LeaderConnectionParts<Node extends ConnectedNode> {
  /** The one node of a store that has no others. */
  readonly only?: string;
  /** Asks all nodes who leads; undefined where none does for certain. */
  readonly whoLeads: () => Promise<string | undefined>;
  /** Makes a node that can be called; nothing is sent yet. */
  readonly open: (address: string) => Node;
  /** Asks the node for anything. Its answer is told by {@link LeaderConnection.heard} and `failed`. */
  readonly ping: (node: Node) => Promise<void>;
  readonly health: StoreHealth;
}

export class LeaderConnection<Node extends ConnectedNode> {
  #present: Node | undefined;
  /** How often a node was taken. */
  #taken = 0;
  /** Ends when the node that was left before has no calls any more. */
  #leaving: Promise<void> = Promise.resolve();
  #isSeeking = false;
  #isClosed = false;
  #ticker: NodeJS.Timeout | undefined;
  #tickedAt = 0;
  #isHeard = false;
  #silentMs = 0;
  #askedAt = 0;
  /** Since when an append is waited for no longer, and none has been answered. */
  #appendsOverdueSince: number | undefined;
  #pinged: Node | undefined;
  /** The node whose place another may take at any moment. */
  #doubted: Node | undefined;
  #attemptedAt = -Infinity;
  readonly #waiting = new Set<() => void>();
  /** By address: a node that is taken again and still not ready is left at once. */
  readonly #notReadySince = new Map<string, number>();

  constructor(private readonly parts: LeaderConnectionParts<Node>) {}

  /** The node that is asked at the moment; undefined while nobody is known to lead. */
  get present(): Node | undefined {
    if (!this.#ticker && !this.#isClosed) this.#start();
    return this.#present;
  }

  /** Waits for a node that leads; undefined where none was found in time. */
  async within(ms: number): Promise<Node | undefined> {
    if (this.present || this.#isClosed || ms <= 0) return this.#present;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      this.#waiting.add(end);
      timer = setTimeout(end, ms);
    });
    return this.#present;
  }

  /** A node has answered something. */
  heard(node: Node): void {
    if (node === this.#present) this.#isHeard = true;
  }

  /** A node has written what it was given. */
  wrote(node: Node): void {
    this.heard(node);
    if (this.#notReadySince.size > 0) this.#notReadySince.delete(node.address);
  }

  /** A node has answered an append, with whatever. */
  appendAnswered(node: Node): void {
    if (node === this.#present) this.#appendsOverdueSince = undefined;
  }

  /** An append is waited for no longer, and the node has said nothing. */
  appendUnanswered(node: Node): void {
    if (node === this.#present) this.#appendsOverdueSince ??= performance.now();
  }

  /** A call to a node has failed. */
  failed(node: Node, error: unknown): void {
    if (node !== this.#present) return;
    const failure = nodeFailure(error);
    // Where one address is all that is known, the store's client goes where that one sends it.
    const isElsewhere = failure === 'not-leader' && this.parts.only === undefined;
    if (failure === 'broken' || isElsewhere) return this.#leave(node, messageOf(error));
    this.#isHeard = true;
    if (failure === 'not-ready') this.#noteNotReady(node, messageOf(error));
    else if (failure !== 'answered') this.#ping(node);
  }

  /**
   * Begins to watch who leads. What it answers says later whether one node led all the while, by the word of
   * more than half of all, given after that was asked.
   */
  witness(): () => Promise<boolean> {
    if (this.parts.only !== undefined) return () => Promise.resolve(true);
    // While there is none nothing is read: what is read behind this comes from the next one.
    const watched = this.present ? this.#taken : this.#taken + 1;
    return async () => {
      const node = this.#present;
      if (!node || this.#taken !== watched) return false;
      return (await this.parts.whoLeads()) === node.address && node === this.#present;
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#ticker);
    const node = this.#present;
    this.#present = undefined;
    this.#wake();
    await Promise.all([this.#leaving, node?.leave('The log was closed')]);
  }

  #start(): void {
    this.#tickedAt = performance.now();
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    // Whoever has no calls open may end.
    this.#ticker.unref();
    void this.#seek();
  }

  #tick(): void {
    const now = performance.now();
    const passed = Math.min(now - this.#tickedAt, MOST_OF_A_TICK_MS);
    this.#tickedAt = now;
    const node = this.#present;
    if (!node) return;
    this.#silentMs = this.#isHeard ? 0 : this.#silentMs + passed;
    this.#isHeard = false;
    if (this.#silentMs >= LEFT_AFTER_MS)
      return this.#leave(node, `The event store has answered nothing for ${LEFT_AFTER_MS / 1000} seconds`);
    if (now - (this.#appendsOverdueSince ?? now) >= APPEND_ANSWER_LATE_MS)
      return this.#leave(node, 'The event store says nothing to appends', false);
    if (this.#silentMs >= AWAY_AFTER_MS) {
      this.parts.health.unanswered(now - this.#silentMs);
      void this.#askOften(node);
    }
    if (now - this.#askedAt >= ASK_AFTER_MS) {
      this.#askedAt = now;
      this.#ping(node);
      if (this.parts.only === undefined) void this.#askOthers(node);
    }
  }

  #ping(node: Node): void {
    if (this.#pinged === node) return;
    this.#pinged = node;
    this.parts
      .ping(node)
      .then(
        () => {
          if (node === this.#present) this.parts.health.answered();
        },
        () => {
          if (node === this.#present) this.parts.health.unanswered();
        },
      )
      .finally(() => {
        if (this.#pinged === node) this.#pinged = undefined;
      });
  }

  /** Silence proves nothing: a node that was cut off answers as before, but the others name another. */
  async #askOthers(node: Node): Promise<void> {
    const leader = await this.parts.whoLeads();
    if (leader !== undefined && leader !== node.address)
      this.#leave(node, 'Another node of the event store leads now', false);
  }

  /** While a node is in doubt the others are asked again and again: one of them is going to lead. */
  async #askOften(node: Node): Promise<void> {
    if (this.parts.only !== undefined || this.#doubted === node) return;
    this.#doubted = node;
    while (
      node === this.#present &&
      (this.#silentMs >= AWAY_AFTER_MS || this.#notReadySince.has(node.address))
    ) {
      await this.#askOthers(node);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_ATTEMPTS_MS));
    }
    if (this.#doubted === node) this.#doubted = undefined;
  }

  #noteNotReady(node: Node, because: string): void {
    const now = performance.now();
    const since = this.#notReadySince.get(node.address) ?? now;
    this.#notReadySince.set(node.address, since);
    if (now - since < NOT_READY_FOR_MS) return void this.#askOften(node);
    if (this.parts.only !== undefined) this.#notReadySince.delete(node.address);
    this.#leave(node, because);
  }

  #leave(node: Node, because: string, isAway = true): void {
    if (node !== this.#present) return;
    this.#present = undefined;
    if (isAway) this.parts.health.unanswered(performance.now() - this.#silentMs);
    // Not before its calls have ended: the client forgets what is on its way to others when one connection
    // fails.
    this.#leaving = node.leave(because);
    void this.#seek();
  }

  async #seek(): Promise<void> {
    if (this.#isSeeking) return;
    this.#isSeeking = true;
    const since = performance.now();
    while (!this.#present && !this.#isClosed) {
      const pauseMs = this.#attemptedAt + BETWEEN_ATTEMPTS_MS - performance.now();
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      this.#attemptedAt = performance.now();
      const address = this.parts.only ?? (await this.parts.whoLeads());
      await this.#leaving;
      if (this.#isClosed) break;
      if (address !== undefined) this.#take(address);
      else if (performance.now() - since >= AWAY_AFTER_MS) this.parts.health.unanswered(since);
    }
    this.#isSeeking = false;
  }

  #take(address: string): void {
    try {
      this.#present = this.parts.open(address);
      this.#taken += 1;
    } catch {
      // A certificate that was taken away, for one: it is looked for again.
      return this.parts.health.unanswered();
    }
    this.#isHeard = false;
    this.#silentMs = 0;
    this.#appendsOverdueSince = undefined;
    this.#askedAt = performance.now();
    this.#ping(this.#present);
    this.#wake();
  }

  #wake(): void {
    for (const end of [...this.#waiting]) end();
  }
}
