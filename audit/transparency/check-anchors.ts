/** Whether a log is the one over which anchors were signed. Reads it once, in flat memory. */
import { JOURNAL } from '#contracts/events/journal';
import type { LogSource, RawEvent } from '#log/event-log';
import { leafOf } from '#log/transparency/leaf';
import { EMPTY_ROOT, leafHash } from '#log/transparency/merkle';
import { GrowingTree } from '#log/transparency/tiles';
import type { Check } from '../report.js';
import type { Anchor } from './anchor.js';
import { ourEvents } from './log-tree.js';

const WHAT_TO_DO =
  'Take nothing of this log for granted: keep it and the anchor as they are, and compare it with the archive and with backups.';

const add = (anchors: Map<number, Anchor[]>, at: number, anchor: Anchor): void =>
  void anchors.set(at, [...(anchors.get(at) ?? []), anchor]);

/** Looks at each event of a log, in order, and says which anchors it does not fit. */
class AnchorCheck {
  readonly #tree = new GrowingTree();
  readonly #findings: string[] = [];
  readonly #bySize = new Map<number, Anchor[]>();
  readonly #byRevision = new Map<number, Anchor[]>();
  #journalEnd = -1;

  constructor(private readonly anchors: readonly Anchor[]) {
    for (const anchor of anchors) {
      add(this.#bySize, anchor.head.size, anchor);
      if (anchor.note.journal) add(this.#byRevision, anchor.note.journal.revision, anchor);
      if (anchor.head.size === 0 && !anchor.head.root.equals(EMPTY_ROOT))
        this.#findings.push(`The head of ${anchor.head.origin} says another root of a tree without leaves.`);
    }
  }

  take(raw: RawEvent): void {
    const leaf = leafOf(raw);
    this.#tree.append(leafHash(leaf));
    const where = `${raw.stream} at revision ${raw.revision}`;
    for (const { head } of this.#bySize.get(this.#tree.size) ?? []) {
      const root = this.#tree.root();
      if (!root.equals(head.root))
        this.#findings.push(
          `The first ${head.size} events, up to ${where}, are not those over which ${head.origin} was signed: the root was ` +
            `${head.root.toString('base64')} and is ${root.toString('base64')}. Something among them was changed, removed, put in or reordered. ${WHAT_TO_DO}`,
        );
    }
    if (raw.stream !== JOURNAL) return;
    this.#journalEnd = raw.revision;
    for (const { note } of this.#byRevision.get(raw.revision) ?? []) {
      const hash = leaf.toString('base64url');
      if (hash !== note.journal?.hash)
        this.#findings.push(
          `${where}: the hash was ${note.journal?.hash} by the note signed at ${note.signedAt.toISOString()} and is ${hash}: the journal was written again from there or before. ${WHAT_TO_DO}`,
        );
    }
  }

  /** To be asked once all of the log was looked at. */
  check(): Check {
    const findings = [...this.#findings];
    for (const { head, note } of this.anchors) {
      if (head.size > this.#tree.size)
        findings.push(
          `The log has ${this.#tree.size} events, and ${head.origin} was signed over ${head.size}: its end is missing. Run: encore operate recover`,
        );
      if (note.journal && note.journal.revision > this.#journalEnd)
        findings.push(
          `The journal ends at revision ${this.#journalEnd}, and at ${note.signedAt.toISOString()} it ended at ${note.journal.revision}. Run: encore operate recover`,
        );
    }
    const sizes = this.anchors.map(({ head }) => head.size);
    return {
      name: 'signed heads',
      figure: `${this.anchors.length} over ${Math.max(0, ...sizes)} of ${this.#tree.size} events`,
      findings,
    };
  }
}

/** Holds a log against anchors whose signatures were checked. */
export async function checkAnchors(source: LogSource, anchors: readonly Anchor[]): Promise<Check> {
  const check = new AnchorCheck(anchors);
  for await (const raw of ourEvents(source)) check.take(raw);
  return check.check();
}
