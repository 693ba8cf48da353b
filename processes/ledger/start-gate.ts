/**
 * The gate before the log, with who has seen the log from outside: rows, and the archive where there is one.
 */
import type pg from 'pg';
import type { Logger } from 'pino';
import { openArchive } from '#audit/exported-log/archive';
import { JOURNAL } from '#contracts/events/journal';
import { isOurStream } from '#contracts/events/our-streams';
import { GatedLog } from '#ledger/start-gate/gated-log';
import type { KnownEvent, KnownSource } from '#ledger/start-gate/known-events';
import type { Epoch } from '#ledger/journal/state';
import { epochBeganMs } from '#ledger/start-gate/epoch-time';
import type { LostEntries } from '#ledger/start-gate/lost-entries';
import { WritesClosed } from '#ledger/rejection';
import { StartGate } from '#ledger/start-gate/start-gate';
import { carriedHash } from '#log/chain';
import type { EventLog } from '#log/event-log';
import { writeLogRecovery } from '#log/log-recovery';
import { LogRecoveryWatch } from '#log/log-recovery-watch';
import { TreeFolder } from '#log/transparency/tree-folder';
import { plainMessage } from '#projections/engine/database';
import { readCheckpoints } from '#projections/engine/checkpoints';

interface StartGateOptions {
  readonly log: EventLog;
  readonly pool: pg.Pool;
  /** Connections to the read models. */
  readonly reads: pg.Pool;
  /** Folders with what was seen of the log. */
  readonly folders: SeenFolders;
  readonly note: Logger;
  /** The last epoch that a recovery began. */
  readonly epoch: () => Epoch | undefined;
  readonly beforeFirst: () => Promise<void>;
  readonly changed: (closed: string | undefined) => void;
  /** The journal's last entry, as this process has it. */
  readonly ownEnd: () => { readonly revision: number; readonly hash: string } | undefined;
}

export interface LedgerGate {
  readonly gate: StartGate;
  /** The log for whatever writes. */
  readonly gated: GatedLog;
  readonly watch: LogRecoveryWatch;
  /** For whoever meets an object of ours that the log does not know. */
  readonly lost: LostEntries;
}

/** Makes the gate; `gate.start` and `watch.start` begin to look. */
export function ledgerGate({
  log,
  pool,
  reads,
  folders,
  note,
  epoch,
  beforeFirst,
  changed,
  ownEnd,
}: StartGateOptions): LedgerGate {
  let failing: string | undefined;
  const gate: StartGate = new StartGate({
    log,
    sources: outsideSources(reads, folders),
    own: () => {
      const end = ownEnd();
      const { lastAppended } = gated;
      return [
        ...(end ? [{ stream: JOURNAL, revision: end.revision, hash: end.hash }] : []),
        ...(lastAppended ? [lastAppended] : []),
      ];
    },
    beforeFirst,
    async writeRow(loss) {
      const row = await writeLogRecovery(pool, loss);
      // Its end is told of a row that was seen, however short it stood.
      watch.note(row);
      return row;
    },
    changed(closed) {
      changed(closed);
      if (closed !== undefined) note.fatal({ why: closed }, 'nothing is appended to the log');
      else note.warn('the log may be appended to again');
    },
    failed(error) {
      const why = plainMessage(error);
      if (why !== failing) note.warn({ why }, 'the log could not be compared with what others have seen');
      failing = why;
    },
  });
  const gated = new GatedLog(log, gate);
  const watch = new LogRecoveryWatch({ db: pool, changed: (recovery) => gate.noteRecovery(recovery) });
  const lost: LostEntries = {
    async found(kind, objectId, madeAt) {
      const beganMs = await epochBeganMs(log, epoch());
      if (beganMs !== undefined && (madeAt === undefined || Date.parse(madeAt) < beganMs)) return;
      const last = await log.lastOf(JOURNAL);
      await gate.found({
        reason: `The card provider has the ${kind} ${objectId}, which this ledger made, and no entry of the log names it.`,
        logRevision: last?.revision ?? -1,
        logHash: last && carriedHash(last),
        knownFrom: 'provider',
      });
      throw new WritesClosed(gate.closed ?? 'The log has lost something.');
    },
  };
  return { gate, gated, watch, lost };
}

/** Folders outside of both stores that know something of the log; undefined where there is none. */
interface SeenFolders {
  /** The exported log. */
  readonly archive: string | undefined;
  /** The published tree. */
  readonly tree: string | undefined;
}

/** The folders that a process' settings name. */
export const seenFolders = (settings: {
  readonly ENCORE_ARCHIVE?: string | undefined;
  readonly ENCORE_TRANSPARENCY?: string | undefined;
}): SeenFolders => ({ archive: settings.ENCORE_ARCHIVE, tree: settings.ENCORE_TRANSPARENCY });

/** Who has seen the log from outside. */
export const outsideSources = (reads: pg.Pool, { archive, tree }: SeenFolders): KnownSource[] => [
  { from: 'rows', known: () => knownToRows(reads) },
  ...(archive === undefined ? [] : [{ from: 'archive' as const, known: () => knownToArchive(archive) }]),
  ...(tree === undefined ? [] : [{ from: 'anchor' as const, known: () => knownToTree(tree) }]),
];

/**
 * Where the journal ended by the last signed note. Throws NoteRefused for a note that its key has not signed.
 */
async function knownToTree(folder: string): Promise<KnownEvent[]> {
  const head = await new TreeFolder(folder).head();
  return head?.note.journal ? [{ stream: JOURNAL, ...head.note.journal }] : [];
}

/** What the read models have seen: each checkpoint notes the event that it stands at. */
async function knownToRows(reads: pg.Pool): Promise<KnownEvent[]> {
  const checkpoints = await readCheckpoints(reads);
  const revision = Math.max(-1, ...checkpoints.map(({ journalRevision }) => journalRevision));
  const events = checkpoints.flatMap(({ lastEvent }) => lastEvent ?? []);
  const once = new Map<string, KnownEvent>(events.map((event) => [event.id, event]));
  return [...once.values(), ...(revision < 0 ? [] : [{ stream: JOURNAL, revision }])];
}

async function knownToArchive(folder: string): Promise<KnownEvent[]> {
  const { head, events } = await openArchive(folder);
  const known: KnownEvent[] = head.journal ? [{ stream: JOURNAL, ...head.journal }] : [];
  if (head.events > 0)
    for await (const event of events(head.events - 1))
      // What the store was told about a stream is archived, too, and the store keeps only the last of that.
      if (isOurStream(event.stream))
        known.push({
          stream: event.stream,
          revision: event.revision,
          id: event.id,
          hash: carriedHash(event),
        });
  return known;
}
