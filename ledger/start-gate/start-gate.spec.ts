/**
 * The gate before the log: open over a log that has all that others have seen of it, and closed over any
 * other.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { JOURNAL } from '#contracts/events/journal';
import type { RawEvent } from '#log/event-log';
import type { LogRecovery } from '#log/log-recovery';
import { record, type Tip } from '#log/record';
import { carriedHash, GENESIS } from '#log/chain';
import { MemoryLog } from '#test/support/memory-log';
import { WritesClosed } from '../rejection.js';
import { GatedLog } from './gated-log.js';
import type { KnownEvent, LogLoss } from './known-events.js';
import { StartGate } from './start-gate.js';

const SETTINGS = 'settings-usr_juno';
const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
};

/** A journal of so many accounts, and a settings stream of one event behind it. */
function logOf(accounts: number): MemoryLog {
  const log = new MemoryLog();
  let tip: Tip = { revision: -1, hash: GENESIS, recordedAtMs: 0 };
  for (let n = 0; n < accounts; n++) {
    const opened = {
      type: 'AccountOpened',
      data: { account: `user/usr_${n}/available`, userId: `usr_${n}` },
    } as const;
    const recording = record(JOURNAL, opened, { correlationId: 'c' }, tip, 1_000);
    log.put(JOURNAL, recording.event);
    tip = recording.tip;
  }
  return log;
}

/** A log that a recovery began anew after its third event; `lost` was the last of the history before. */
function givenUp() {
  const before = logOf(5);
  const lost = lastOf(before);
  const log = logOf(3);
  log.put(JOURNAL, {
    id: 'epoch',
    type: 'EpochBegun',
    data: { commonRevision: 2, lostRevision: 4, lostHash: lost.hash },
    metadata: {},
  });
  return { before, lost, log };
}

function changeSettings(log: MemoryLog, revision: number): void {
  log.put(SETTINGS, {
    id: `s${revision}`,
    type: 'SettingsChanged',
    data: {},
    metadata: { hash: `h${revision}` },
  });
}

const seen = ({ stream, revision, id, ...event }: RawEvent): KnownEvent => ({
  stream,
  revision,
  id,
  hash: carriedHash(event),
});
const lastOf = (log: MemoryLog, stream: string = JOURNAL): KnownEvent =>
  seen(log.all.findLast((event) => event.stream === stream)!);

/** The log as a back-up of then has it. */
function restore(log: MemoryLog, events: number): void {
  log.all.splice(events);
  log.reindex();
}

function gateOver(
  log: MemoryLog,
  {
    rows = [],
    archive = [],
    anchor = [],
  }: { rows?: KnownEvent[]; archive?: KnownEvent[]; anchor?: KnownEvent[] } = {},
) {
  const world = { rows, archive, anchor, written: [] as LogLoss[], told: [] as (string | undefined)[] };
  const gate: StartGate = new StartGate({
    log,
    sources: [
      { from: 'rows', known: () => Promise.resolve(world.rows) },
      { from: 'archive', known: () => Promise.resolve(world.archive) },
      { from: 'anchor', known: () => Promise.resolve(world.anchor) },
    ],
    own: () => (gated.lastAppended === undefined ? [] : [gated.lastAppended]),
    writeRow: (loss) => {
      world.written.push(loss);
      return Promise.resolve({ ...loss, foundAt: new Date(1_000) });
    },
    changed: (closed) => world.told.push(closed),
    againMs: 1,
  });
  const gated = new GatedLog(log, gate);
  gate.start();
  ends.push(() => gate.stop());
  const append = (stream: string, revision: number) =>
    gated.append(stream, [{ id: crypto.randomUUID(), type: 'X', data: {}, metadata: {} }], revision, 5_000);
  return { gate, gated, world, append };
}

const ROW: LogRecovery = {
  foundAt: new Date(5),
  reason: 'Found elsewhere.',
  logRevision: 1,
  knownFrom: 'archive',
};

describe('a gate over a log that lacks nothing', () => {
  it.each<[string, (log: MemoryLog) => { rows?: KnownEvent[]; archive?: KnownEvent[] }]>([
    ['that nobody has seen anything of', () => ({})],
    [
      'that rows and archive have seen to its end',
      (log) => ({ rows: [lastOf(log)], archive: [lastOf(log)] }),
    ],
    ['that rows have seen less of', (log) => ({ rows: [seen(log.all[0]!)] })],
    ['whose rows are of a build that noted no event', () => ({ rows: [{ stream: JOURNAL, revision: 2 }] })],
    [
      'that was copied to another store, where all positions are others',
      (log) => {
        const rows = [lastOf(log)];
        log.all.forEach((event, at) =>
          log.all.splice(at, 1, { ...event, position: { commit: BigInt(at + 7), prepare: BigInt(at + 7) } }),
        );
        log.reindex();
        return { rows };
      },
    ],
  ])('opens over one %s', async (_, knownOf) => {
    const log = logOf(3);
    const { append, world } = gateOver(log, knownOf(log));
    await append(JOURNAL, 2);
    expect(world.written).toEqual([]);
  });

  it('opens over an empty one that nobody has seen', async () => {
    const { append } = gateOver(new MemoryLog());
    await append(JOURNAL, -1);
  });

  it('lets nothing through before it has compared', async () => {
    const log = logOf(1);
    let asked: (rows: KnownEvent[]) => void = () => undefined;
    const rows = new Promise<KnownEvent[]>((resolve) => (asked = resolve));
    const gate = new StartGate({
      log,
      sources: [{ from: 'rows', known: () => rows }],
      own: () => [],
      writeRow: () => Promise.reject(new Error('nothing is lost')),
      againMs: 1,
    });
    ends.push(() => gate.stop());
    gate.start();
    const appended = new GatedLog(log, gate).append(
      JOURNAL,
      [{ id: 'a', type: 'X', data: {}, metadata: {} }],
      0,
      5_000,
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(log.appends).toBe(0);
    asked([lastOf(log)]);
    expect((await appended).revision).toBe(1);
  });
});

describe('a gate over a log that has lost something', () => {
  it.each(['rows', 'archive', 'anchor'] as const)(
    'closes where %s have seen more of the journal',
    async (from) => {
      const log = logOf(5);
      const known = lastOf(log);
      restore(log, 3);
      const { append, world, gate } = gateOver(log, { [from]: [known] });
      await expect(append(JOURNAL, 2)).rejects.toThrow(WritesClosed);
      await until(() => world.written.length > 0);
      expect(world.written).toEqual([
        expect.objectContaining({
          reason: expect.stringContaining('revision 4 of journal'),
          logRevision: 2,
          logHash: lastOf(log).hash,
          knownRevision: 4,
          knownHash: known.hash,
          knownFrom: from,
        }),
      ]);
      expect(gate.closed).toMatch(/^The log is in recovery.*Run: encore operate recover$/);
      expect(log.appends).toBe(0);
    },
  );

  it('closes where the journal’s head is the same and another stream ends earlier', async () => {
    const log = logOf(2);
    changeSettings(log, 0);
    changeSettings(log, 1);
    const rows = [lastOf(log, SETTINGS), lastOf(log)];
    restore(log, 3);
    const { append, world } = gateOver(log, { rows });
    await expect(append(JOURNAL, 1)).rejects.toThrow(WritesClosed);
    expect(world.written[0]).toMatchObject({
      reason: expect.stringMatching(/revision 1 of settings-usr_juno .* ends at revision 0/),
      knownRevision: 1,
      logRevision: 1,
    });
  });

  it('closes where another event stands at a known revision', async () => {
    const rows = [lastOf(logOf(2))];
    const { append, world } = gateOver(logOf(2), { rows });
    await expect(append(JOURNAL, 1)).rejects.toThrow(WritesClosed);
    expect(world.written[0]?.reason).toMatch(/the log has AccountOpened .* in its place/);
  });

  it('closes over an empty log that rows have seen full', async () => {
    const rows = [lastOf(logOf(2))];
    const { append, world } = gateOver(new MemoryLog(), { rows });
    await expect(append(JOURNAL, -1)).rejects.toThrow(WritesClosed);
    expect(world.written[0]).toMatchObject({ logRevision: -1, knownRevision: 1 });
  });

  it('closes when another store comes back in the place of the one that it wrote to', async () => {
    const log = logOf(2);
    const { append, world, gate } = gateOver(log);
    await append(JOURNAL, 1);
    restore(log, 2);
    log.breakConnections();
    await until(() => !gate.isOpen);
    await expect(append(JOURNAL, 1)).rejects.toThrow(WritesClosed);
    expect(world.written[0]).toMatchObject({ knownFrom: 'ledger', knownRevision: 2, logRevision: 1 });
  });

  it('closes when another ledger has found it, and opens when an operator has ended it', async () => {
    const log = logOf(2);
    const { append, gate } = gateOver(log);
    await append(JOURNAL, 1);
    gate.noteRecovery(ROW);
    await expect(append(JOURNAL, 2)).rejects.toThrow(WritesClosed);
    gate.noteRecovery(undefined);
    await append(JOURNAL, 2);
  });

  it('stays shut, and tries again, while the row cannot be written', async () => {
    const log = logOf(3);
    const rows = [lastOf(log)];
    restore(log, 2);
    let isAway = true;
    const written: LogLoss[] = [];
    const gate = new StartGate({
      log,
      sources: [{ from: 'rows', known: () => Promise.resolve(rows) }],
      own: () => [],
      writeRow(loss) {
        if (isAway) return Promise.reject(new Error('Postgres is away'));
        written.push(loss);
        return Promise.resolve({ ...loss, foundAt: new Date(1) });
      },
      failed: () => void (failures += 1),
      againMs: 1,
    });
    let failures = 0;
    ends.push(() => gate.stop());
    gate.start();
    await until(() => failures > 1);
    expect([gate.isOpen, written]).toEqual([false, []]);
    isAway = false;
    await until(() => written.length > 0);
    expect(gate.closed).toMatch(/in recovery/);
  });

  it('asks for a new start where the log that was recovered is another history than its own', async () => {
    const log = logOf(2);
    const { append, gate, world } = gateOver(log);
    await append(JOURNAL, 1);
    gate.noteRecovery(ROW);
    restore(log, 2);
    log.put(JOURNAL, { id: 'other', type: 'X', data: {}, metadata: {} });
    gate.noteRecovery(undefined);
    await expect(append(JOURNAL, 2)).rejects.toThrow(WritesClosed);
    expect(gate.closed).toMatch(/Start it again/);
    expect(world.written).toEqual([]);
  });

  it('opens over a new epoch, whoever remembers the history that was given up', async () => {
    const { before, lost, log } = givenUp();
    const { append } = gateOver(log, { archive: [lost, seen(before.all[3]!)] });
    await append(JOURNAL, 3);
  });

  it.each([
    ['no longer than the new one', 1],
    ['longer than the new one', 0],
  ])('waits over rows of a history that was given up, %s, until they are gone', async (_, more) => {
    const { lost, log } = givenUp();
    for (let n = 0; n < more; n++)
      log.put(JOURNAL, { id: `m${n}`, type: 'X', data: {}, metadata: { hash: `m${n}` } });
    const { gate, world, append } = gateOver(log, { rows: [lost, { stream: JOURNAL, revision: 4 }] });
    await until(() => gate.waiting !== undefined || gate.isOpen || gate.closed !== undefined);
    expect([gate.isOpen, gate.closed, world.written]).toEqual([false, undefined, []]);
    expect(gate.waiting).toMatch(
      /The read models are of a history that a recovery gave up: .*drop schema read cascade/,
    );
    world.rows = [];
    await append(JOURNAL, 3 + more);
  });
});

describe('a gate over streams whose metadata hide events', () => {
  const describeStream = (log: MemoryLog, stream: string, data: object): void =>
    void log.put(`$$${stream}`, { id: crypto.randomUUID(), type: '$metadata', data, metadata: {} });

  it.each<[string, object, RegExp]>([
    [JOURNAL, { $tb: 2 ** 63 }, /The metadata of the stream "journal" hides events \(\$tb: /],
    [
      JOURNAL,
      { $maxCount: 2 },
      /"journal" hides events \(\$maxCount: 2\).*of type \$metadata in \$\$journal/,
    ],
    [SETTINGS, { $maxAge: 60 }, /"settings-usr_juno" hides events \(\$maxAge: 60\)/],
  ])('is closed by that of %s: %j', async (stream, metadata, sentence) => {
    const log = logOf(2);
    describeStream(log, stream, metadata);
    const { append, gate, world } = gateOver(log);
    await expect(append(JOURNAL, 1)).rejects.toThrow(WritesClosed);
    expect(gate.closed).toMatch(sentence);
    expect([world.written, log.appends]).toEqual([[], 0]);
    describeStream(log, stream, {});
    await until(() => gate.isOpen);
    await append(JOURNAL, 1);
  });

  it('closes at once when that happens while it runs', async () => {
    const log = logOf(2);
    const { append, gate } = gateOver(log);
    await append(JOURNAL, 1);
    describeStream(log, JOURNAL, { $maxCount: 1 });
    await until(() => gate.closed !== undefined);
    await expect(append(JOURNAL, 2)).rejects.toThrow(WritesClosed);
  });

  it('heeds neither streams of others nor what hides nothing', async () => {
    const log = logOf(2);
    describeStream(log, 'journals-2', { $maxCount: 1 });
    describeStream(log, JOURNAL, { note: 'ours', $acl: { $r: ['$admins'] } });
    await gateOver(log).append(JOURNAL, 1);
  });

  it('is closed by a journal that does not begin at its first entry', async () => {
    const log = logOf(4);
    log.all.splice(0, 2);
    log.reindex();
    const { append, gate } = gateOver(log);
    await expect(append(JOURNAL, 3)).rejects.toThrow(WritesClosed);
    expect(gate.closed).toMatch(/"journal" begins at revision 2: what came before was removed/);
  });
});
