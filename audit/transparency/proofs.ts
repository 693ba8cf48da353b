/** Proofs that an auditor makes from the log itself: of one entry, and of growth between two heads. */
import type { LogSource, RawEvent } from '#log/event-log';
import { JOURNAL } from '#contracts/events/journal';
import { leafOf } from '#log/transparency/leaf';
import {
  checkConsistency,
  consistencyProof,
  inclusionProof,
  rootOf,
  type TreeHead,
} from '#log/transparency/merkle';
import { NoAnchor, type Anchor, type AnchorFile } from './anchor.js';
import { treeOf } from './log-tree.js';

interface EntryProof {
  readonly format: 'encore-entry-proof/1';
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly leaf: string;
  readonly index: number;
  readonly path: readonly string[];
  readonly anchor: AnchorFile;
}

/** Which event is meant: its id, or a revision of the journal. */
type EntryName = { readonly id: string } | { readonly revision: number };

const isMeant = ({ stream, revision, id }: RawEvent, name: EntryName): boolean =>
  'id' in name ? id === name.id : stream === JOURNAL && revision === name.revision;

/** The root of the log's first events is that of the head. Throws {@link NoAnchor}. */
async function assertSameRoot(root: Buffer, { head }: Anchor): Promise<void> {
  if (!root.equals(head.root))
    throw new NoAnchor(
      `The first ${head.size} events of this log are not those over which ${head.origin} was signed, so nothing can be proven by that head. encore audit verify --anchor says more.`,
    );
}

/**
 * Proves an event to stand under a signed head. Throws {@link NoAnchor} where it does not, or the log is
 * another.
 */
export async function proveEntry(source: LogSource, name: EntryName, anchor: Anchor): Promise<EntryProof> {
  let found: { raw: RawEvent; index: number } | undefined;
  const tree = await treeOf(source, (raw, index) => {
    if (found === undefined && isMeant(raw, name)) found = { raw, index };
  });
  if (found === undefined)
    throw new NoAnchor(
      'id' in name
        ? `No event of this log has the id ${name.id}.`
        : `The journal of this log has no revision ${name.revision}.`,
    );
  const { raw, index } = found;
  const { size } = anchor.head;
  if (size > tree.size)
    throw new NoAnchor(
      `The log has ${tree.size} events, and the head was signed over ${size}: its end is missing.`,
    );
  if (index >= size)
    throw new NoAnchor(
      `The head was signed before this event was written: take a newer one. It has ${size} events, and this is number ${index + 1}.`,
    );
  const hashes = tree.hashes(size);
  await assertSameRoot(await rootOf(hashes, size), anchor);
  const { stream, revision, id, type } = raw;
  return {
    format: 'encore-entry-proof/1',
    stream,
    revision,
    id,
    type,
    leaf: leafOf(raw).toString('base64'),
    index,
    path: (await inclusionProof(hashes, index, size)).map((hash) => hash.toString('base64')),
    anchor: anchor.file,
  };
}

interface ConsistencyProof {
  readonly format: 'encore-consistency-proof/1';
  readonly oldSize: number;
  readonly oldRoot: string;
  readonly newSize: number;
  readonly newRoot: string;
  readonly path: readonly string[];
}

/** A head that is to be shown: its size, and its root where that is known from elsewhere. */
export interface NamedHead {
  readonly size: number;
  readonly root?: Buffer;
}

/**
 * Proves that the tree of one size begins with that of another, as this log yields them. Throws {@link
 * NoAnchor}.
 */
export async function proveConsistency(
  source: LogSource,
  old: NamedHead,
  now: NamedHead,
): Promise<ConsistencyProof> {
  if (old.size > now.size)
    throw new NoAnchor(`A tree of ${now.size} events cannot extend one of ${old.size}.`);
  const tree = await treeOf(source);
  if (now.size > tree.size)
    throw new NoAnchor(`The log has ${tree.size} events and not ${now.size}: its end is missing.`);
  const headOf = async ({ size, root: said }: NamedHead): Promise<TreeHead> => {
    const root = await rootOf(tree.hashes(size), size);
    if (said !== undefined && !said.equals(root))
      throw new NoAnchor(
        `The first ${size} events of this log are not those that were signed: the root was ${said.toString('base64')} and is ${root.toString('base64')}.`,
      );
    return { size, root };
  };
  const [oldHead, newHead] = [await headOf(old), await headOf(now)];
  const path = await consistencyProof(tree.hashes(now.size), old.size, now.size);
  checkConsistency(oldHead, newHead, path);
  return {
    format: 'encore-consistency-proof/1',
    oldSize: old.size,
    oldRoot: oldHead.root.toString('base64'),
    newSize: now.size,
    newRoot: newHead.root.toString('base64'),
    path: path.map((hash) => hash.toString('base64')),
  };
}
