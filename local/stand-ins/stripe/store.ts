/**
 * What survives a restart and a kill: objects, the order they were made in, answers kept for idempotency
 * keys, webhooks still owed, and what is due later. All that one call changes is one LMDB transaction, and
 * nothing is answered before its fsync.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import {
  ACROSS_ACCOUNTS,
  COLLECTION_OF_PREFIX,
  INDEXED,
  type Api,
  type CollectionName,
  type StoredObject,
} from './collections.js';
import { newId } from './identifiers.js';
import { API_VERSION } from './objects.js';
import type { TimeRange } from './parameters.js';
import { NO_SWITCHES, type Switches } from './switches.js';
import type { Task } from './tasks.js';

type ObjectKey = [collection: string, id: string];
type OrderKey = [collection: string, field: string, value: string, place: number];
export type DueKey = [dueAtMs: number, place: number];

/** The answer that an idempotency key replays, and what the first request was. */
export interface KeptAnswer {
  request: string;
  requestId: string;
  status: number;
  body: unknown;
  atMs: number;
}

/** Which events have an endpoint to go to: the platform's own, and those of connected accounts. */
interface WebhookEndpoints {
  readonly platform: boolean;
  readonly connect: boolean;
}

/** A webhook still owed. */
export interface Delivery {
  event: string;
  attempt: number;
  firstAtMs: number;
}

/** Why an event happened, as the event itself tells. */
export interface Cause {
  requestId: string | null;
  idempotencyKey: string | null;
}

export interface ListQuery<C extends CollectionName> {
  /** Equal fields; undefined ones are not asked for. */
  where?: Partial<Record<keyof Api<C> & string, string | undefined>>;
  /** One of these; of a field that is indexed, so that a few among many are found at once. */
  anyOf?: { field: keyof Api<C> & string; values: readonly string[] } | undefined;
  created?: TimeRange;
  matches?: (object: Api<C>) => boolean;
  limit: number;
  startingAfter?: string;
  endingBefore?: string;
}

/** Some object says that it is older than those before it, so an order by place is none by time. */
const BACKDATED = 'backdated';
const FINGERPRINT_KEY = 'fingerprint_key';
/** What the order was built by. A folder of before is brought into it once. */
const ORDERED_BY = 'ordered_by';
const ORDER = JSON.stringify(INDEXED);
const FIRST_PLACE = 0;
const LAST_PLACE = Number.MAX_SAFE_INTEGER;
/** How far apart shuffled and doubled deliveries may be sent, in milliseconds. */
const SHUFFLED_OVER_MS = 400;

export class Store {
  private readonly root: RootDatabase;
  readonly objects: Database<object, ObjectKey>;
  readonly order: Database<string, OrderKey>;
  readonly answers: Database<KeptAnswer, string>;
  readonly deliveries: Database<Delivery, DueKey>;
  readonly tasks: Database<Task, DueKey>;
  private readonly meta: Database<number | string | Switches, string>;
  private readonly watchers: (() => void)[] = [];

  private constructor(
    folder: string,
    readonly owes: WebhookEndpoints,
    /** What is switched on as long as nobody has said otherwise. */
    readonly usualSwitches: Switches,
  ) {
    mkdirSync(folder, { recursive: true });
    this.root = open({
      path: join(folder, 'stripe.lmdb'),
      noSubdir: true,
      maxDbs: 8,
      overlappingSync: false,
    });
    const database = <V, K extends ObjectKey | OrderKey | DueKey | string>(name: string): Database<V, K> =>
      this.root.openDB<V, K>({ name, encoding: 'json' });
    this.objects = database('objects');
    this.order = database('order');
    this.answers = database('answers');
    this.deliveries = database('deliveries');
    this.tasks = database('tasks');
    this.meta = database('meta');
    if (this.meta.get(FINGERPRINT_KEY) === undefined)
      this.meta.putSync(FINGERPRINT_KEY, randomBytes(32).toString('hex'));
    if (this.meta.get(ORDERED_BY) !== ORDER) this.orderAnew();
  }

  /** Every object that stands in a list, under all fields that are indexed now. */
  private orderAnew(): void {
    this.root.transactionSync(() => {
      for (const { key, value: id } of [...this.order.getRange({})]) {
        const [shelf, field] = key;
        if (field !== '') continue;
        const collection = (shelf.split('@')[0] ?? shelf) as CollectionName;
        const record = this.objects.get([collection, id]) as StoredObject<CollectionName> | undefined;
        for (const each of record ? orderKeysOf(collection, record) : []) void this.order.put(each, id);
      }
      void this.meta.put(ORDERED_BY, ORDER);
    });
  }

  static open(folder: string, owes: WebhookEndpoints, usual: Switches = NO_SWITCHES): Store {
    return new Store(folder, owes, usual);
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  /** Calls back after each change that is on the disk. */
  watch(watcher: () => void): void {
    this.watchers.push(watcher);
  }

  switches(): Switches {
    const kept = this.meta.get('switches');
    // Those kept by an earlier version know nothing of later ones.
    return typeof kept === 'object' ? { ...NO_SWITCHES, ...kept } : this.usualSwitches;
  }

  /**
   * The same short text for the same input, here only: a number cannot be found from it without this folder's
   * key.
   */
  fingerprint(text: string): string {
    return createHmac('sha256', String(this.meta.get(FINGERPRINT_KEY)))
      .update(text)
      .digest('hex')
      .slice(0, 16);
  }

  /** Whether objects say that they were made before others that were there already. */
  get isBackdated(): boolean {
    return this.meta.get(BACKDATED) !== undefined;
  }

  /**
   * Ids in the order of their places: of several shelves, each of which has that order. Without the one at
   * `edge`.
   */
  *idsFrom(
    shelves: readonly (readonly [shelf: string, field: string, value: string])[],
    edge: number | undefined,
    forward: boolean,
  ): Generator<string> {
    const heads = shelves.map((shelf) => {
      const start: OrderKey = [...shelf, forward ? (edge ?? FIRST_PLACE) + 1 : (edge ?? LAST_PLACE) - 1];
      const end: OrderKey = [...shelf, forward ? LAST_PLACE : FIRST_PLACE];
      const items = this.order.getRange({ start, end, reverse: !forward })[Symbol.iterator]();
      return { items, next: items.next() };
    });
    try {
      for (;;) {
        const open = heads.filter(({ next }) => next.done !== true);
        const placeOf = ({ next }: (typeof heads)[number]): number =>
          (next.value as { key: OrderKey }).key[3];
        const [first] = open.sort((a, b) => (forward ? 1 : -1) * (placeOf(a) - placeOf(b)));
        if (!first) return;
        yield (first.next.value as { value: string }).value;
        first.next = first.items.next();
      }
    } finally {
      // A page ends before the list does. What is not read to its end keeps a reader of LMDB, and there are
      // few of those.
      for (const { items } of heads) items.return?.();
    }
  }

  /** Reads without writing. */
  read(): Transaction {
    return new Transaction(
      this,
      { requestId: null, idempotencyKey: null },
      this.lastPlace(),
      this.switches(),
    );
  }

  private lastPlace(): number {
    const place = this.meta.get('place');
    return typeof place === 'number' ? place : 1;
  }

  /**
   * Runs one change. What `work` writes is on the disk, all or nothing, when the promise resolves; when it
   * throws, nothing is.
   */
  async change<T>(cause: Cause, work: (transaction: Transaction) => T): Promise<T> {
    let outcome: { value: T } | { error: unknown } | undefined;
    await this.root.transaction(() => {
      // Nothing may escape into LMDB: other calls' changes share this commit.
      try {
        const transaction = new Transaction(this, cause, this.lastPlace(), this.switches());
        const value = work(transaction);
        transaction.writeTo(this.meta);
        outcome = { value };
      } catch (error) {
        outcome = { error };
      }
    });
    if (outcome === undefined) throw new Error('A change was never run.');
    if ('error' in outcome) throw outcome.error;
    for (const watcher of this.watchers) watcher();
    return outcome.value;
  }
}

/** One call's view: what is on the disk with its own writes over it. */
export class Transaction {
  private writes = new Map<
    string,
    { collection: CollectionName; record: StoredObject<CollectionName>; isNew: boolean }
  >();
  private effects: (() => void)[] = [];
  private nextSwitches: Switches | undefined;
  private backdates = false;
  /** Whose objects are read and written: a connected account's, or null for the platform's. */
  private scope: string | null = null;
  readonly nowMs = Date.now();

  constructor(
    private readonly store: Store,
    private readonly cause: Cause,
    private place: number,
    private readonly currentSwitches: Switches,
  ) {}

  /** Seconds since 1970, as the API counts. */
  get now(): number {
    return Math.floor(this.nowMs / 1000);
  }

  get switches(): Switches {
    return this.nextSwitches ?? this.currentSwitches;
  }

  /** What is switched on as long as nobody has said otherwise. */
  get usualSwitches(): Switches {
    return this.store.usualSwitches;
  }

  setSwitches(switches: Switches): void {
    this.nextSwitches = switches;
  }

  /** Says that an object of this call is older, by its own word, than others that are there. */
  backdate(): void {
    this.backdates = true;
  }

  get account(): string | null {
    return this.scope;
  }

  /** Runs `work` on the objects of a connected account, or with null on the platform's. */
  within<T>(account: string | null, work: () => T): T {
    const before = this.scope;
    this.scope = account;
    try {
      return work();
    } finally {
      this.scope = before;
    }
  }

  fingerprint(text: string): string {
    return this.store.fingerprint(text);
  }

  private takePlace(): number {
    this.place += 1;
    return this.place;
  }

  get<C extends CollectionName>(collection: C, id: string): StoredObject<C> | undefined {
    const record = this.anywhere(collection, id);
    return record && (record.account ?? null) === this.scopeOf(collection) ? record : undefined;
  }

  /** A record whosever it is. */
  anywhere<C extends CollectionName>(collection: C, id: string): StoredObject<C> | undefined {
    const written = this.writes.get(id);
    if (written) return written.collection === collection ? (written.record as StoredObject<C>) : undefined;
    return this.store.objects.get([collection, id]) as StoredObject<C> | undefined;
  }

  private scopeOf(collection: CollectionName): string | null {
    return ACROSS_ACCOUNTS.has(collection) ? null : this.scope;
  }

  /** An object by its id alone, for `expand`; the platform sees those of its accounts too. */
  find(id: string): object | undefined {
    const collection = COLLECTION_OF_PREFIX[id.slice(0, id.indexOf('_'))];
    return (
      collection && (this.scope === null ? this.anywhere(collection, id) : this.get(collection, id))?.api
    );
  }

  insert<C extends CollectionName>(
    collection: C,
    api: Api<C>,
    secret: StoredObject<C>['secret'],
  ): StoredObject<C> {
    const account = this.scopeOf(collection);
    const record: StoredObject<C> = {
      api,
      secret,
      place: this.takePlace(),
      ...(account === null ? {} : { account }),
    };
    this.writes.set(api.id, { collection, record: record as StoredObject<CollectionName>, isNew: true });
    return record;
  }

  /**
   * Says that a record that was read has been changed. Indexed fields of it change too, then the indexes
   * follow.
   */
  changed<C extends CollectionName>(collection: C, record: StoredObject<C>): void {
    const isNew = this.writes.get(record.api.id)?.isNew ?? false;
    this.writes.set(record.api.id, { collection, record: record as StoredObject<CollectionName>, isNew });
  }

  /** Takes a record out of every list; it can still be read by its id. */
  unlist<C extends CollectionName>(collection: C, record: StoredObject<C>): void {
    const { id } = record.api;
    this.writes.delete(id);
    const keys = orderKeysOf(collection, record as StoredObject<CollectionName>);
    this.effects.push(() => {
      for (const key of keys) void this.store.order.remove(key);
      void this.store.objects.put([collection, id], record);
    });
  }

  /**
   * A page of a collection, newest first, and whether there is more in that direction. Does not see this
   * call's own writes.
   */
  list<C extends CollectionName>(collection: C, query: ListQuery<C>): { data: Api<C>[]; hasMore: boolean } {
    const where = Object.entries(query.where ?? {}).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const indexed = where.find(([field]) => INDEXED[collection].some((name) => name === field));
    const [field, values] = query.anyOf
      ? [query.anyOf.field, [...new Set(query.anyOf.values)]]
      : [indexed?.[0] ?? '', [indexed?.[1] ?? '']];
    const cursor = query.startingAfter ?? query.endingBefore;
    const edge = cursor === undefined ? undefined : this.get(collection, cursor)?.place;
    const forward = query.endingBefore !== undefined;
    const shelf = shelfOf(collection, this.scopeOf(collection));
    const ids = this.store.idsFrom(
      values.map((value) => [shelf, field, value]),
      edge,
      forward,
    );
    const data: Api<C>[] = [];
    const { isBackdated } = this.store;
    for (const id of ids) {
      const record = this.store.objects.get([collection, id]) as StoredObject<C> | undefined;
      if (!record) continue;
      const { api } = record;
      const created = 'created' in api ? api.created : 0;
      if (!forward && created < (query.created?.gte ?? query.created?.gt ?? -Infinity)) {
        if (isBackdated) continue;
        break;
      }
      const fields: Partial<Record<string, unknown>> = { ...api };
      if (!where.every(([name, wanted]) => fields[name] === wanted)) continue;
      if (!isWithin(created, query.created) || query.matches?.(api) === false) continue;
      if (data.length === query.limit) return { data: forward ? data.reverse() : data, hasMore: true };
      data.push(api);
    }
    return { data: forward ? data.reverse() : data, hasMore: false };
  }

  /** Every object of a collection, newest first. */
  *all<C extends CollectionName>(collection: C): Generator<Api<C>> {
    const shelf = shelfOf(collection, this.scopeOf(collection));
    const range = { start: [shelf, '', '', LAST_PLACE], end: [shelf, '', '', FIRST_PLACE], reverse: true };
    for (const { value: id } of this.store.order.getRange(range)) {
      const record = this.store.objects.get([collection, id]) as StoredObject<C> | undefined;
      if (record) yield record.api;
    }
  }

  /**
   * Records an event with the object as it is now, and owes its webhook. `previous`: what changed fields held
   * before.
   */
  emit(type: string, object: object, previous = this.beforeUpdate(type, object)): void {
    const owed = this.scope === null ? this.store.owes.platform : this.store.owes.connect;
    const event = this.insert(
      'events',
      {
        id: newId('evt'),
        object: 'event',
        ...(this.scope === null ? {} : { account: this.scope }),
        api_version: API_VERSION,
        created: this.now,
        // The snapshot keeps what the object was, whatever this call does to it next.
        data: structuredClone(previous ? { object, previous_attributes: previous } : { object }),
        livemode: false,
        pending_webhooks: owed ? 1 : 0,
        request: { id: this.cause.requestId, idempotency_key: this.cause.idempotencyKey },
        type,
      },
      null,
    );
    if (owed) this.oweWebhook(event.api.id);
  }

  /** What an update has changed, as it was before: the event of every update tells it. */
  private beforeUpdate(type: string, object: object): object | undefined {
    const id = 'id' in object && typeof object.id === 'string' ? object.id : '';
    const collection = COLLECTION_OF_PREFIX[id.slice(0, id.indexOf('_'))];
    if (!type.endsWith('.updated') || !collection) return undefined;
    const before = this.store.objects.get([collection, id]) as StoredObject<CollectionName> | undefined;
    return before && changedFrom(before.api, object);
  }

  /** Owes one event's webhook, once or as often as the switches say. */
  oweWebhook(event: string): void {
    const { duplicates, shuffle, delayMs } = this.switches.webhooks;
    for (let copy = 0; copy <= duplicates; copy += 1) {
      const spread = shuffle || copy > 0 ? Math.floor(Math.random() * SHUFFLED_OVER_MS) : 0;
      this.putDelivery(this.nowMs + delayMs + spread, { event, attempt: 1, firstAtMs: this.nowMs });
    }
  }

  putDelivery(dueAtMs: number, delivery: Delivery): void {
    const key: DueKey = [dueAtMs, this.takePlace()];
    this.effects.push(() => void this.store.deliveries.put(key, delivery));
  }

  removeDelivery(key: DueKey): void {
    this.effects.push(() => void this.store.deliveries.remove(key));
  }

  /** How many webhooks are still owed; one under way counts until its answer is noted. */
  owedWebhooks(): number {
    return this.store.deliveries.getKeysCount();
  }

  /** Makes every owed webhook due now; returns how many were not yet. */
  hurryDeliveries(): number {
    let moved = 0;
    for (const { key, value } of [...this.store.deliveries.getRange({ start: [this.nowMs + 1, 0] })]) {
      moved += 1;
      this.removeDelivery(key);
      this.putDelivery(this.nowMs, value);
    }
    return moved;
  }

  /** Has a task run once its time has come, also when that is after a restart. */
  schedule(afterMs: number, task: Task): void {
    const key: DueKey = [this.nowMs + afterMs, this.takePlace()];
    this.effects.push(() => void this.store.tasks.put(key, task));
  }

  removeTask(key: DueKey): void {
    this.effects.push(() => void this.store.tasks.remove(key));
  }

  keptAnswer(key: string): KeptAnswer | undefined {
    return this.store.answers.get(key);
  }

  keepAnswer(key: string, answer: KeptAnswer): void {
    this.effects.push(() => void this.store.answers.put(key, answer));
  }

  /** Forgets what was written so far; for a call that turned out to be refused. */
  discard(): void {
    this.writes = new Map();
    this.effects = [];
    this.nextSwitches = undefined;
  }

  /** Writes into the LMDB transaction that is open; only the store calls it. */
  writeTo(meta: Database<number | string | Switches, string>): void {
    for (const [id, { collection, record, isNew }] of this.writes) {
      const before = isNew
        ? undefined
        : (this.store.objects.get([collection, id]) as StoredObject<CollectionName> | undefined);
      const keys = orderKeysOf(collection, record);
      for (const key of before ? orderKeysOf(collection, before) : [])
        if (!keys.some((kept) => kept.join() === key.join())) void this.store.order.remove(key);
      for (const key of keys) void this.store.order.put(key, id);
      void this.store.objects.put([collection, id], record);
    }
    for (const effect of this.effects) effect();
    if (this.backdates) void meta.put(BACKDATED, 1);
    if (this.nextSwitches) void meta.put('switches', this.nextSwitches);
    void meta.put('place', this.place);
  }
}

/** Each connected account has its objects in an order of their own. */
function shelfOf(collection: CollectionName, account: string | null): string {
  return account === null ? collection : `${collection}@${account}`;
}

function orderKeysOf(
  collection: CollectionName,
  { api, place, account }: StoredObject<CollectionName>,
): OrderKey[] {
  const fields: Partial<Record<string, unknown>> = { ...api };
  const shelf = shelfOf(collection, account ?? null);
  const keys: OrderKey[] = [[shelf, '', '', place]];
  for (const field of INDEXED[collection]) {
    const value = fields[field];
    if (typeof value === 'string') keys.push([shelf, field, value, place]);
  }
  return keys;
}

/** Whether a second lies in a range; without a range, every second does. */
export function isWithin(second: number, range: TimeRange | undefined): boolean {
  if (!range) return true;
  return (
    second > (range.gt ?? -Infinity) &&
    second >= (range.gte ?? -Infinity) &&
    second < (range.lt ?? Infinity) &&
    second <= (range.lte ?? Infinity)
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The fields of an object that have changed, with the values that they had; null where they were not there.
 */
function changedFrom(before: object, after: object): Record<string, unknown> {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const changed: Record<string, unknown> = {};
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is]: [unknown, unknown] = [old.get(name) ?? null, now.get(name) ?? null];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    changed[name] = isRecord(was) && isRecord(is) ? changedFrom(was, is) : was;
  }
  return changed;
}
