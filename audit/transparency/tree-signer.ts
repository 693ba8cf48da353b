/**
 * Builds the tree over our streams in the order of the whole log, and signs its head: what extends the last
 * head, and nothing else. It begins at the log's first event, at each start and after each broken connection
 * (behind the next may be another store), and until the signed head is reached it only compares. What differs
 * stops it, loudly, and it looks again from time to time whether that was mended.
 */
import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isOurStream, OUR_PREFIXES } from '#contracts/events/our-streams';
import { JOURNAL } from '#contracts/events/journal';
import { START } from '#contracts/log';
import { LogUnavailable, type EventLog, type RawEvent } from '#log/event-log';
import {
  openCheckpoint,
  signCheckpoint,
  signJournalNote,
  type Checkpoint,
} from '#log/transparency/checkpoint';
import { leafOf } from '#log/transparency/leaf';
import { leafHash } from '#log/transparency/merkle';
import { NoteRefused, type Signer } from '#log/transparency/note';
import { GrowingTree, TILE_WIDTH, tilePath, type Tile } from '#log/transparency/tiles';
import {
  bytesIn,
  CHECKPOINT_FILE,
  JOURNAL_LEAF_BYTES,
  JOURNAL_LEAVES_FILE,
  JOURNAL_NOTE_FILE,
  VERIFIER_KEY_FILE,
} from '#log/transparency/tree-folder';
import { FolderLock, FolderInUse } from '../exported-log/folder-lock.js';
import { FollowerLoop, type FollowerLoopOptions, type FollowerState } from '../follower-loop.js';
import { originOf } from './epoch.js';

/** So many entries of the journal are written at once while the log is read. */
const LEAVES_AT_ONCE = 4_096;

/** The log, or what lies in the folder, is not what was signed; the message says where. */
class NotWhatWasSigned extends Error {
  override readonly name = 'NotWhatWasSigned';
}

/** The log ends before what was signed. A node that lags behind looks so, for a while. */
class EndsBeforeHead extends NotWhatWasSigned {}

/** `comparing`: the log is read from its first event and compared with what was published. */
export type SignerState = FollowerState<'comparing'>;

interface TreeSignerOptions extends FollowerLoopOptions<'comparing'> {
  readonly log: Pick<EventLog, 'follow' | 'witness'>;
  readonly folder: string;
  readonly signer: Signer;
  /** How often a head is signed, in milliseconds. */
  readonly everyMs: number;
  readonly now?: () => Date;
  readonly onDrop?: (why: string) => void;
}

const isFinding = (error: unknown): boolean =>
  error instanceof NotWhatWasSigned || error instanceof NoteRefused || error instanceof FolderInUse;

export class TreeSigner {
  #head: Checkpoint | undefined;
  #signedAt: Date | undefined;
  #growing: Growth | undefined;
  readonly #loop: FollowerLoop<'comparing'>;

  constructor(private readonly options: TreeSignerOptions) {
    this.#loop = new FollowerLoop(
      {
        what: 'The tree',
        live: (signal) => this.#life(signal),
        isFinding,
        endsBefore: (error) => error instanceof EndsBeforeHead,
      },
      options,
    );
  }

  get state(): SignerState {
    return this.#loop.state;
  }

  /** The head that was signed last; undefined before the first. */
  get head(): Checkpoint | undefined {
    return this.#head;
  }

  /** When the journal's end was last signed. */
  get signedAt(): Date | undefined {
    return this.#signedAt;
  }

  /** How many events of the log are in no signed head yet, as far as it was read. */
  get unsigned(): number {
    return Math.max(0, (this.#growing?.tree.size ?? 0) - (this.#head?.size ?? 0));
  }

  start(): void {
    this.#loop.start();
  }

  /** Ends after what is being written. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** From the first event to the end of a connection. */
  async #life(ending: AbortSignal): Promise<void> {
    const { folder } = this.options;
    await mkdir(folder, { recursive: true });
    const lock = await FolderLock.take(folder);
    try {
      this.#head = await this.#published();
      await this.#follow(lock, ending);
    } finally {
      await lock.release();
    }
  }

  async #published(): Promise<Checkpoint | undefined> {
    const { folder, signer } = this.options;
    const key = (await bytesIn(folder, VERIFIER_KEY_FILE))?.toString('utf8');
    if (key !== undefined && key.trim() !== signer.verifier.text)
      throw new NotWhatWasSigned(
        `${folder} holds the tree of another key, ${key.trim()}. Give back the key that signed it, or begin a new tree: encore transparency --new-tree.`,
      );
    if (key === undefined) await put(folder, VERIFIER_KEY_FILE, `${signer.verifier.text}\n`);
    const checkpoint = (await bytesIn(folder, CHECKPOINT_FILE))?.toString('utf8');
    if (checkpoint === undefined) return undefined;
    const head = openCheckpoint(checkpoint, signer.verifier);
    const origin = await originOf(folder, signer.verifier.name);
    if (head.origin !== origin)
      throw new NotWhatWasSigned(
        `${folder} is at the tree ${origin}, and its checkpoint is of ${head.origin}: run encore transparency --new-tree again.`,
      );
    return head;
  }

  async #follow(lock: FolderLock, ending: AbortSignal): Promise<void> {
    const { log, folder, signer, everyMs, onDrop } = this.options;
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    ending.addEventListener('abort', leave, { once: true });
    const growth = new Growth(folder, await originOf(folder, signer.verifier.name), this.#head);
    this.#growing = growth;
    let leader = log.witness();
    let isReading = false;
    let isCaughtUp = false;
    let failure: unknown;
    // One at a time: a head is signed between two events, and the tree stands still meanwhile.
    let turn: Promise<void> = Promise.resolve();
    const inTurn = (work: () => Promise<void>): Promise<void> => (turn = turn.then(work));
    const sign = (): Promise<void> =>
      inTurn(async () => {
        if (!isCaughtUp || leaving.signal.aborted) return;
        await leader.confirm();
        leader = log.witness();
        await lock.assertHeld();
        await growth.publish();
        const signedAt = (this.options.now ?? (() => new Date()))();
        this.#head = await this.#sign(growth, signedAt);
        this.#signedAt = signedAt;
        this.#loop.becomeLive();
        this.#loop.progressed();
      });
    let isSigning = false;
    const timer = setInterval(() => {
      // A slow disk must not pile up heads that wait to be signed.
      if (isSigning) return;
      isSigning = true;
      sign()
        .catch((error: unknown) => {
          failure ??= error;
          leave();
        })
        .finally(() => (isSigning = false));
    }, everyMs);
    try {
      for await (const item of log.follow(START, OUR_PREFIXES, leaving.signal)) {
        if (!isReading) this.#loop.reads('comparing');
        isReading = true;
        if (item.kind === 'dropped') onDrop?.(item.why);
        if (item.kind === 'event' && isOurStream(item.event.stream)) {
          await inTurn(() => growth.take(item.event));
          // A closed month names a head of before; the close itself is to be in one at once.
          if (isCaughtUp && item.event.type === 'MonthClosed') await sign();
        }
        if (item.kind === 'caught-up' && !isCaughtUp) {
          const { size = 0 } = this.#head ?? {};
          if (growth.tree.size < size) {
            await leader.confirm();
            throw new EndsBeforeHead(
              `The log ends after ${growth.tree.size} events, and the signed head has ${size}: it has lost some.`,
            );
          }
          this.#loop.foundWhole();
          isCaughtUp = true;
          await sign();
        }
      }
      if (failure !== undefined) throw failure;
      if (!ending.aborted) throw new LogUnavailable('The subscription to the log ended');
    } finally {
      clearInterval(timer);
      ending.removeEventListener('abort', leave);
      leave();
      await turn.catch(() => undefined);
    }
  }

  async #sign(growth: Growth, signedAt: Date): Promise<Checkpoint> {
    const { folder, signer } = this.options;
    const head = { origin: growth.origin, size: growth.tree.size, root: growth.tree.root() };
    if (head.size !== this.#head?.size || head.origin !== this.#head.origin)
      await put(folder, CHECKPOINT_FILE, signCheckpoint(head, signer));
    await put(
      folder,
      JOURNAL_NOTE_FILE,
      signJournalNote({ origin: head.origin, size: head.size, signedAt, journal: growth.journal }, signer),
    );
    return head;
  }
}

/**
 * The tree as far as the log was read. What the folder holds of it is compared, and what it lacks is written.
 */
class Growth {
  readonly tree = new GrowingTree();
  /** The journal's last entry, as it was read. */
  journal: { readonly revision: number; readonly hash: string } | undefined;
  /** Entries of the journal that are not compared or written yet; the first is at this revision. */
  #leaves: Buffer[] = [];
  #leavesFrom = 0;

  constructor(
    private readonly folder: string,
    readonly origin: string,
    private readonly head: Checkpoint | undefined,
  ) {}

  /** Adds the next event. Throws {@link NotWhatWasSigned}. */
  async take(raw: RawEvent): Promise<void> {
    const leaf = leafOf(raw);
    if (raw.stream === JOURNAL) {
      const expected = (this.journal?.revision ?? -1) + 1;
      if (raw.revision !== expected)
        throw new NotWhatWasSigned(`The journal has revision ${raw.revision} where ${expected} is expected.`);
      this.journal = { revision: raw.revision, hash: leaf.toString('base64url') };
      const place = Buffer.alloc(JOURNAL_LEAF_BYTES);
      place.writeBigUInt64BE(BigInt(this.tree.size));
      leaf.copy(place, JOURNAL_LEAF_BYTES - leaf.length);
      this.#leaves.push(place);
    }
    for (const { tile, bytes } of this.tree.append(leafHash(leaf))) await this.#keepTile(tile, bytes);
    const { size, root } = this.head ?? {};
    if (this.tree.size === size && root && !this.tree.root().equals(root))
      throw new NotWhatWasSigned(
        `The first ${size} events of the log are not those of the signed head: up to ${raw.stream} at revision ${raw.revision} something was changed, removed or put in.`,
      );
    if (this.#leaves.length >= LEAVES_AT_ONCE) await this.#keepLeaves();
  }

  /** Makes all durable that a head of this size needs. */
  async publish(): Promise<void> {
    await this.#keepLeaves();
    for (const { tile, bytes } of this.tree.partialTiles()) await this.#keepTile(tile, bytes);
  }

  /** Writes a tile, or compares it with the one that is there. */
  async #keepTile(tile: Tile, bytes: Buffer): Promise<void> {
    const path = tilePath(tile);
    const there = await bytesIn(this.folder, path);
    if (there === undefined) await put(this.folder, path, bytes);
    else if (!there.equals(bytes))
      throw new NotWhatWasSigned(
        `${path} is not what the log yields: the log, or this file, was changed since it was published.`,
      );
    // Whoever still has the former head takes the full tile instead.
    if (tile.width === TILE_WIDTH) await rm(join(this.folder, `${path}.p`), { recursive: true, force: true });
  }

  /** Writes the leaves in hand, or compares them with those that are there. */
  async #keepLeaves(): Promise<void> {
    if (this.#leaves.length === 0) return;
    const bytes = Buffer.concat(this.#leaves);
    const from = this.#leavesFrom * JOURNAL_LEAF_BYTES;
    const path = join(this.folder, JOURNAL_LEAVES_FILE);
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o644);
    try {
      const there = Buffer.alloc(bytes.length);
      const { bytesRead } = await file.read(there, 0, there.length, from);
      // A record that was cut off in the middle is written again.
      const whole = bytesRead - (bytesRead % JOURNAL_LEAF_BYTES);
      if (!there.subarray(0, whole).equals(bytes.subarray(0, whole)))
        throw new NotWhatWasSigned(
          `${JOURNAL_LEAVES_FILE} is not what the log yields: the log, or this file, was changed since it was published.`,
        );
      if (whole < bytes.length) {
        await file.write(bytes, whole, bytes.length - whole, from + whole);
        await file.datasync();
      }
    } finally {
      await file.close();
    }
    this.#leavesFrom += this.#leaves.length;
    this.#leaves = [];
  }
}

/** Writes a file so that whoever reads it finds all of the old or all of the new. */
async function put(folder: string, name: string, content: string | Buffer): Promise<void> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.unfinished`;
  const written = await open(unfinished, 'w', 0o644);
  try {
    await written.writeFile(content);
    await written.datasync();
  } finally {
    await written.close();
  }
  await rename(unfinished, file);
}
