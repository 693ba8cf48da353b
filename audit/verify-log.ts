/**
 * Reads the whole log once, in order, and holds every rule against it that can be checked without the
 * database: the chain, the order of revisions and times, the keys, and the money. The figures are derived
 * from what entries say (audit/derivation), not from the postings that they carry.
 *
 * What the chain cannot show is a log whose end was cut off: that takes an anchor kept outside, or read
 * models that have seen more than the log still holds (verify-rows.ts).
 */
import { available, currencyOf, isPersonal } from '#contracts/plain/accounts';
import { JOURNAL, postingsOf, type JournalEvent } from '#contracts/events/journal';
import { isOurStream, isSystemStream, ourStreamOfMetadata } from '#contracts/events/our-streams';
import { comparePositions, START, type Position, type RecordedEvent } from '#contracts/log';
import { ReadRefused, recorded, type LogSource, type RawEvent } from '#log/event-log';
import { ChainBroken, ChainVerifier } from '#log/chain';
import { readQuarantine, type Quarantined } from '#log/quarantine';
import { assertBalanced } from '#projections/balances/project';
import { plainMessage } from '#projections/engine/database';
import { hiddenBy, hidingPart, notShown, rightsIn } from '#log/hidden-events';
import { IdSet } from './flat/id-set.js';
import { Column, IdTable } from './flat/id-table.js';
import { StreamEnds } from './flat/stream-ends.js';
import type { DueClock } from './relations/consent.js';
import { Relations } from './relations/relations.js';
import type { Check } from './report.js';

/** `recordedAt` may be so far ahead of the store's own clock: the writer refuses more. */
const CLOCK_SKEW_MS = 5 * 60_000;

interface LogVerified {
  readonly checks: readonly Check[];
  /** Balances at the end of the log, credit minus debit, by account. */
  readonly balances: ReadonlyMap<string, number>;
  /** Balances just after the position asked for; absent when the log holds no event at that position. */
  readonly balancesAt: ReadonlyMap<string, number> | undefined;
}

/** From where on entries are judged. What stands before was verified once, and a head was signed over it. */
export interface Since {
  /** The first journal entry of this revision or a later one, … */
  readonly fromRevision: number;
  /** … that was recorded at this time or later, in milliseconds since 1970. */
  readonly fromMs: number;
  /** How many events the signed head covers. */
  readonly signedSize: number;
}

const isSince = (raw: RawEvent, { fromRevision, fromMs }: Since): boolean =>
  raw.stream === JOURNAL && raw.revision >= fromRevision && recordedMsOf(raw) >= fromMs;

/** When an event says that it was recorded; not a number where it does not say so. */
function recordedMsOf({ metadata: { value } }: RawEvent): number {
  return typeof value === 'object' && value !== null && 'recordedAt' in value
    ? Date.parse(String(value.recordedAt))
    : Number.NaN;
}

/**
 * Verifies the log. `position` is a place at which the balances are wanted as well. With `since` all of it is
 * read, followed and held against its chain, and only what is wrong from there on is told. `dueClock` is by
 * which clock schedules are due. Throws LogUnavailable.
 */
export async function verifyLog(
  log: LogSource,
  position?: Position,
  since?: Since,
  dueClock?: DueClock,
): Promise<LogVerified> {
  const relations = new Relations(dueClock);
  const reader = new LogReader(relations, (await readQuarantine(log)).quarantined);
  let balancesAt: ReadonlyMap<string, number> | undefined;
  if (position && comparePositions(position, START) <= 0) balancesAt = new Map();
  for await (const raw of log.readAll(START, [''])) {
    // The store's own streams are not ours and not chained; some of them hide events of ours.
    if (isSystemStream(raw.stream)) {
      reader.metadata(raw);
      continue;
    }
    if (!isOurStream(raw.stream)) {
      reader.passOver(raw);
      continue;
    }
    if (since && isSince(raw, since)) reader.judgeFromHere(since);
    reader.next(raw);
    if (position && comparePositions(raw.position, position) === 0)
      balancesAt = new Map(relations.balances.all());
  }
  if (since) reader.judgeFromHere(since);
  await reader.findFirstUses(log);
  await reader.findFirstEvents(log);
  await reader.tryRights(log);
  await relations.lookAgain(log);
  return { checks: reader.checks(), balances: relations.balances.all(), balancesAt };
}

/** So many are named in a line. */
const NAMED = 5;

const listOf = (places: readonly string[]): string =>
  `${places.length}: ${places.slice(0, NAMED).join(', ')}${places.length > NAMED ? ', …' : ''}`;

/** The revision at which something happened, by id. */
class Revisions {
  readonly #ids = new IdTable();
  /** The revision + 1. */
  readonly #revision = new Column(Uint32Array);

  get size(): number {
    return this.#ids.size;
  }

  get(id: string): number | undefined {
    const row = this.#ids.find(id);
    return row < 0 ? undefined : this.#revision.get(row) - 1;
  }

  set(id: string, revision: number): void {
    this.#revision.set(this.#ids.row(id), revision + 1);
  }
}

/** The fields that are stored and were not read as they stand, by name: what is in them may name people. */
function unread(stored: unknown, read: unknown): string {
  const isWithin = typeof stored === 'object' && stored !== null && typeof read === 'object' && read !== null;
  if (!isWithin) return '';
  const known = new Map<string, unknown>(Object.entries(read));
  return Object.entries(stored)
    .flatMap(([name, value]) => {
      const within = unread(value, known.get(name));
      if (within !== '') return [`${name}: ${within}`];
      return JSON.stringify(known.get(name)) === JSON.stringify(value) ? [] : [`"${name}"`];
    })
    .join(', ');
}

/**
 * Whether bytes are this text. What is ASCII alone, as nearly all events are, is compared without a copy of
 * the text.
 */
const isText = (bytes: Buffer, text: string): boolean =>
  (bytes.length === text.length && bytes.toString('latin1') === text) || bytes.equals(Buffer.from(text));

/** The JSON that a ledger would write; undefined for what is nested deeper than anybody can write. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** Whether every field that is stored was read, and as it stands there. */
function isRead(stored: unknown, read: unknown): boolean {
  if (typeof stored !== 'object' || stored === null) return stored === read;
  if (typeof read !== 'object' || read === null) return false;
  const [fields, known] = [stored as Record<string, unknown>, read as Record<string, unknown>];
  for (const name in fields) if (!isRead(fields[name], known[name])) return false;
  return true;
}

class LogReader {
  readonly #journalChain = new ChainVerifier(JOURNAL);
  readonly #streams = new StreamEnds();
  readonly #ids = new IdSet();
  /** Ids of events that were met before, or look so. */
  readonly #idsAgain = new Set<string>();
  readonly #keys = new IdSet();
  /** By key that was used before, or looks so: the revisions at which it was used again. */
  readonly #usedAgain = new Map<string, number[]>();
  /** Where an occurrence was collected. */
  readonly #collected = new Revisions();
  /** By occurrence and attempt: where it was decided that it is not paid. */
  readonly #refused = new Revisions();
  readonly #findings = {
    chain: [] as string[],
    bytes: [] as string[],
    revisions: [] as string[],
    readable: [] as string[],
    ids: [] as string[],
    keys: [] as string[],
    times: [] as string[],
    entries: [] as string[],
    overdrawn: [] as string[],
    occurrences: [] as string[],
  };
  readonly #foreignStreams = new Set<string>();
  #foreignEvents = 0;
  #events = 0;
  #entries = 0;
  /** By stream of ours whose metadata were ever set: what in them hides events, as they stand last. */
  readonly #hiding = new Map<string, string | undefined>();
  /** By stream of ours whose metadata say who may use it: what they say last. */
  readonly #rights = new Map<string, string>();
  /** Streams that the store does not let us read on their own: $all shows them nevertheless. */
  readonly #refusals: string[] = [];
  /** Where the ledger was founded. */
  #founded: number | undefined;

  /** Each epoch that a recovery began, in words. */
  readonly #epochs: string[] = [];

  /** What operators took out, as the log was read. */
  readonly #takenOut: string[] = [];
  /** Where a stream other than the journal first cannot be read: its readers stand there. */
  readonly #parked = new Map<string, number>();

  /** What stands before the place from which on is judged. */
  #before: Check | undefined;

  constructor(
    private readonly relations: Relations,
    private readonly quarantined: Quarantined,
  ) {}

  /** One of the store's own events: what the metadata of a stream of ours say last. */
  metadata({ stream, data }: RawEvent): void {
    const described = ourStreamOfMetadata(stream);
    if (described === undefined) return;
    this.#hiding.set(described, hidingPart(data.value));
    const rights = rightsIn(data.value);
    if (rights) this.#rights.set(described, JSON.stringify(rights));
    else this.#rights.delete(described);
  }

  /** Reads each stream whose metadata say who may: whoever reads it by its name may be locked out. */
  async tryRights(log: Pick<LogSource, 'readStream'>): Promise<void> {
    for (const stream of this.#rights.keys())
      try {
        for await (const _ of log.readStream(stream, 0, 1)) break;
      } catch (error) {
        if (!(error instanceof ReadRefused)) throw error;
        this.#refusals.push(notShown(stream, error).message);
      }
  }

  /** A line that names the streams whose metadata say who may use them: we never write such. */
  #rightsLines(): Check[] {
    if (this.#rights.size === 0) return [];
    const rights = [...this.#rights].map(([stream, said]) => `${stream} by $acl ${said}`);
    return [{ name: 'rights of streams', figure: listOf(rights), findings: this.#refusals }];
  }

  /** A line where the metadata of a stream hide events, or did: the store may have let go of them since. */
  #hidingLines(): Check[] {
    const hiding = [...this.#hiding].flatMap(([stream, part]) =>
      part === undefined ? [] : [{ stream, part }],
    );
    if (this.#hiding.size === 0) return [];
    return [
      {
        name: 'no stream hides events',
        figure: `metadata of ${this.#hiding.size} streams`,
        findings: hiding.map(({ stream, part }) => hiddenBy(stream, part).message),
      },
    ];
  }

  /** Another application's event: counted, not judged. */
  passOver({ stream }: RawEvent): void {
    this.#foreignEvents += 1;
    this.#foreignStreams.add(stream);
  }

  /**
   * What was found so far of the rules is not told: it was told when what stands before was verified. Once.
   */
  judgeFromHere({ signedSize }: Since): void {
    if (this.#before) return;
    const events = this.#events;
    this.#before = {
      name: 'what was verified before',
      figure: `${events} events, ${this.#entries} entries: followed, not judged again`,
      findings:
        signedSize >= events
          ? []
          : [
              `The head was signed over ${signedSize} events, and ${events} are not judged: name a later head, or an earlier place.`,
            ],
    };
    const { times, entries, overdrawn, occurrences } = this.#findings;
    for (const findings of [times, entries, overdrawn, occurrences]) findings.length = 0;
    this.#idsAgain.clear();
    this.#usedAgain.clear();
    this.relations.judgeFromHere();
  }

  next(raw: RawEvent): void {
    this.#events += 1;
    const where = `${raw.stream} at revision ${raw.revision}`;
    if (raw.stream !== JOURNAL && this.quarantined.has(raw)) return this.#passOverQuarantined(raw, where);
    this.#chain(raw);
    if (!this.#ids.add(raw.id)) this.#idsAgain.add(raw.id);
    const end = this.#streams.endOf(raw.stream);
    const before = this.#streams.revisionOf(end);
    if (raw.revision !== before + 1)
      this.#findings.revisions.push(`${where}: the revision before it is ${before < 0 ? 'none' : before}`);
    this.#streams.setRevision(end, raw.revision);
    let event: RecordedEvent;
    try {
      event = recorded(raw);
    } catch (error) {
      this.#findings.readable.push(`${where}: ${plainMessage(error)}`);
      this.#park(raw);
      return;
    }
    this.#bytes(raw, event, where);
    this.#times(event, raw, this.#streams.recordedMsOf(end), where);
    this.#streams.setRecordedMs(end, Date.parse(event.metadata.recordedAt));
    if (raw.stream === JOURNAL) this.#entry(event as RecordedEvent<JournalEvent>, where);
    else this.relations.other(event);
  }

  /**
   * Looks again, in the log, for the entries that had used a key which was used once more: keys are not kept.
   * Does nothing where there is none.
   */
  async findFirstUses(log: Pick<LogSource, 'readStream'>): Promise<void> {
    if (this.#usedAgain.size === 0) return;
    const found: { readonly revision: number; readonly finding: string }[] = [];
    for await (const raw of log.readStream(JOURNAL, 0)) {
      const { value } = raw.metadata;
      const key = typeof value === 'object' && value !== null && 'key' in value ? value.key : undefined;
      if (typeof key !== 'string') continue;
      const again = this.#usedAgain.get(key);
      if (!again) continue;
      this.#usedAgain.delete(key);
      for (const revision of again)
        // Another key may only have looked like this one: then this is its first use.
        if (revision > raw.revision)
          found.push({
            revision,
            finding: `${JOURNAL} at revision ${revision}: the key "${key}" was used at revision ${raw.revision}`,
          });
    }
    found.sort((a, b) => a.revision - b.revision);
    this.#findings.keys.push(...found.map(({ finding }) => finding));
  }

  /**
   * Looks again, in the whole log, for events that have the id of another one: where an event stands is not
   * kept. Does nothing where there is none.
   */
  async findFirstEvents(log: Pick<LogSource, 'readAll'>): Promise<void> {
    if (this.#idsAgain.size === 0) return;
    const first = new Map<string, string>();
    for await (const raw of log.readAll(START, [''])) {
      if (!this.#idsAgain.has(raw.id) || !isOurStream(raw.stream)) continue;
      if (raw.stream !== JOURNAL && this.quarantined.has(raw)) continue;
      const where = `${raw.stream} at revision ${raw.revision}`;
      const before = first.get(raw.id);
      if (before === undefined) first.set(raw.id, where);
      else this.#findings.ids.push(`${where}: the event ${raw.id} is the one of ${before}`);
    }
  }

  checks(): Check[] {
    const found = this.#findings;
    const accounts = [...this.relations.balances.all()];
    const sums = new Map<string, bigint>();
    for (const [account, balance] of accounts)
      sums.set(currencyOf(account), (sums.get(currencyOf(account)) ?? 0n) + BigInt(balance));
    const personal = accounts.filter(([account]) => isPersonal(account));
    return [
      {
        name: 'chain of every stream',
        figure: `${this.#streams.size} streams, ${this.#events} events`,
        findings: found.chain,
      },
      { name: 'revisions without gaps', figure: `${this.#events} events`, findings: found.revisions },
      { name: 'bytes as a ledger writes them', figure: `${this.#events} events`, findings: found.bytes },
      { name: 'every event readable', figure: `${this.#events} events`, findings: found.readable },
      { name: 'no event twice', figure: `${this.#ids.size} ids`, findings: found.ids },
      { name: 'no idempotency key twice', figure: `${this.#keys.size} keys`, findings: found.keys },
      { name: 'times in order and not ahead', figure: `${this.#events} events`, findings: found.times },
      { name: 'every entry balanced', figure: `${this.#entries} entries`, findings: found.entries },
      {
        name: 'trial balance zero',
        figure: `${accounts.length} accounts, ${[...sums].map(([currency, sum]) => `${currency} ${sum}`).join(', ') || 'no money'}`,
        findings: [...sums]
          .filter(([, sum]) => sum !== 0n)
          .map(([currency, sum]) => `all ${currency} accounts add up to ${sum} minor units`),
      },
      {
        name: 'overdrawn by refund or dispute',
        figure: `${personal.length} accounts of people, ${personal.filter(([, balance]) => balance < 0).length} in debt`,
        findings: found.overdrawn,
      },
      {
        name: 'occurrences collected once',
        figure: `${this.#collected.size} occurrences`,
        findings: found.occurrences,
      },
      ...this.relations.checks(),
      ...(this.#before ? [this.#before] : []),
      ...this.#hidingLines(),
      ...this.#rightsLines(),
      ...this.#epochLines(),
      ...this.#standing(),
      ...this.#passedOver(),
    ];
  }

  /** A line that names the recoveries that were not word for word, where there were any. */
  #epochLines(): Check[] {
    if (this.#epochs.length === 0) return [];
    return [{ name: 'epochs after the first', figure: this.#epochs.join('; '), findings: [] }];
  }

  /** An event that an operator took out is no finding, whatever is wrong with it: readers pass over it. */
  #passOverQuarantined(raw: RawEvent, where: string): void {
    this.#takenOut.push(where);
    const end = this.#streams.endOf(raw.stream);
    this.#streams.setRevision(end, raw.revision);
    const chain = this.#streams.chainOf(raw.stream, end);
    chain.skip(raw);
    this.#streams.keepChain(end, chain);
  }

  #park({ stream, revision }: RawEvent): void {
    if (stream !== JOURNAL && !this.#parked.has(stream)) this.#parked.set(stream, revision);
  }

  /** Lines that name what stands still, whose faults are told above, and what operators took out. */
  #standing(): Check[] {
    const parked = [...this.#parked].map(([stream, revision]) => `${stream} at revision ${revision}`);
    return [
      { name: 'parked streams', figure: listOf(parked), findings: [] },
      { name: 'quarantined events', figure: listOf(this.#takenOut), findings: [] },
    ].filter((_, at) => [parked, this.#takenOut][at]!.length > 0);
  }

  /** A line that says what was not judged, where there is such a thing. */
  #passedOver(): Check[] {
    const streams = this.#foreignStreams.size;
    if (streams === 0) return [];
    const figure = `${this.#foreignEvents} events of ${streams} streams, not judged`;
    return [{ name: 'streams of others', figure, findings: [] }];
  }

  #chain(raw: RawEvent): void {
    const end = this.#streams.endOf(raw.stream);
    if (this.#streams.isBroken(end)) return;
    const chain = raw.stream === JOURNAL ? this.#journalChain : this.#streams.chainOf(raw.stream, end);
    try {
      chain.next(raw);
    } catch (error) {
      if (!(error instanceof ChainBroken)) throw error;
      this.#streams.breakChain(end);
      this.#findings.chain.push(error.message);
      this.#park(raw);
      return;
    }
    if (chain !== this.#journalChain) this.#streams.keepChain(end, chain);
  }

  /**
   * The same JSON in other bytes, such as a field that stands twice, may say something else to another
   * program; and what no field of the event is, no check looks at.
   */
  #bytes(raw: RawEvent, { type, data, metadata }: RecordedEvent, where: string): void {
    for (const [name, { bytes, value }, read] of [
      ['data', raw.data, data],
      ['metadata', raw.metadata, metadata],
    ] as const) {
      const json = jsonOf(value);
      if (json === undefined || !isText(bytes, json))
        this.#findings.bytes.push(`${where}: ${type}: its ${name} are not the JSON that a ledger writes`);
      // An older version is read with fields that it did not have, never without one that it had.
      else if (!isRead(value, read))
        this.#findings.bytes.push(
          `${where}: ${type}: its ${name} have ${unread(value, read)}, which such an event has not`,
        );
    }
  }

  #times(event: RecordedEvent, raw: RawEvent, beforeMs: number, where: string): void {
    const { recordedAt } = event.metadata;
    // Compared as times, not as text: a zone or a missing fraction must not decide.
    if (Date.parse(recordedAt) < beforeMs)
      this.#findings.times.push(
        `${where}: recorded at ${recordedAt}, before the event in front of it (${new Date(beforeMs).toISOString()})`,
      );
    if (Date.parse(recordedAt) > raw.createdAt.getTime() + CLOCK_SKEW_MS)
      this.#findings.times.push(
        `${where}: recorded at ${recordedAt}, more than five minutes ahead of the store (${raw.createdAt.toISOString()})`,
      );
  }

  #entry(event: RecordedEvent<JournalEvent>, where: string): void {
    this.#entries += 1;
    const { key } = event.metadata;
    if (key === undefined) this.#findings.keys.push(`${where}: the entry has no key`);
    else if (!this.#keys.add(key))
      this.#usedAgain.set(key, [...(this.#usedAgain.get(key) ?? []), event.revision]);
    try {
      assertBalanced(event);
    } catch (error) {
      this.#findings.entries.push(`${where}: ${plainMessage(error)}`);
    }
    this.relations.entry(event);
    if (event.type === 'LedgerFounded') {
      if (this.#founded !== undefined)
        this.#findings.entries.push(`${where}: the ledger was founded at revision ${this.#founded}`);
      this.#founded ??= event.revision;
    }
    if (event.type === 'EpochBegun') {
      const { commonRevision, lostRevision } = event.data;
      const lost = lostRevision === undefined ? 'an unknown end' : `revision ${lostRevision}`;
      this.#epochs.push(
        `one from revision ${event.revision}, which has all up to ${commonRevision} and lost the history up to ${lost}`,
      );
    }
    this.#overdraft(event, where);
    this.#occurrence(event, where);
  }

  #overdraft(event: RecordedEvent<JournalEvent>, where: string): void {
    // A refund or a dispute may leave a recipient in debt, and nobody else.
    const debtor =
      event.type === 'PaymentRefunded' || event.type === 'DisputeFundsWithdrawn'
        ? event.data.recipientId
        : undefined;
    for (const { debit } of postingsOf(event)) {
      if (debtor !== undefined && debit === available(debtor)) continue;
      // What a recovery wins back had been covered once, perhaps by what is lost.
      if (event.metadata.recovered) continue;
      const balance = this.relations.balances.of(debit);
      if (isPersonal(debit) && balance < 0)
        this.#findings.overdrawn.push(`${where}: ${event.type} leaves ${debit} at ${balance} minor units`);
    }
  }

  #occurrence(event: RecordedEvent<JournalEvent>, where: string): void {
    this.#attempt(event, where);
    if ((event.type !== 'TransferPosted' && event.type !== 'PaymentSettled') || !event.data.occurrence)
      return;
    const { occurrenceId } = event.data.occurrence;
    const first = this.#collected.get(occurrenceId);
    if (first === undefined) this.#collected.set(occurrenceId, event.revision);
    else
      this.#findings.occurrences.push(
        `${where}: occurrence ${occurrenceId} was collected at revision ${first}`,
      );
  }

  /** What becomes of an attempt is decided once: one that was refused moves no money later. */
  #attempt(event: RecordedEvent<JournalEvent>, where: string): void {
    if (
      event.type !== 'TransferPosted' &&
      event.type !== 'PaymentOpened' &&
      event.type !== 'CollectionRefused'
    )
      return;
    if (!event.data.occurrence) return;
    const { occurrenceId, attempt } = event.data.occurrence;
    const refused = this.#refused.get(`${occurrenceId} ${attempt}`);
    if (event.type === 'CollectionRefused') this.#refused.set(`${occurrenceId} ${attempt}`, event.revision);
    else if (refused !== undefined)
      this.#findings.occurrences.push(
        `${where}: attempt ${attempt} at occurrence ${occurrenceId} was refused at revision ${refused}`,
      );
  }
}
