/**
 * Writing an exported log: events go to the end of the last file, and count as archived once the disk has
 * them. A line that a kill or a power cut left unfinished is cut when the folder is opened for writing again.
 */
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Position } from '#contracts/log';
import type { RawEvent } from '#log/event-log';
import { endOf } from './archive.js';
import { FolderInUse, FolderLock } from './folder-lock.js';
import { eventText, headBehind, headerText, lineOf, movedText, type ArchiveHead } from './lines.js';
import { segmentName } from './segments.js';

/** A file that has reached this size gets no more. */
const SEGMENT_BYTES = 32 * 1024 * 1024;

interface ArchiveWriterOptions {
  readonly segmentBytes?: number;
}

export class ArchiveWriter {
  /** What is left of a write that failed half-way is cut before the next one. */
  #isDirty = false;

  private constructor(
    readonly folder: string,
    private readonly lock: FolderLock,
    private readonly segmentBytes: number,
    private file: FileHandle,
    private size: number,
    private end: ArchiveHead,
    /** How many events the files before the present one hold. */
    private first: number,
  ) {}

  /**
   * Opens a folder for writing, and makes it where there is none. Throws {@link FolderInUse} while another
   * process writes to it, and ArchiveDamaged.
   */
  static async open(folder: string, options: ArchiveWriterOptions = {}): Promise<ArchiveWriter> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = await FolderLock.take(folder);
    try {
      const { head, segments, wholeBytes, unfinished } = await endOf(folder);
      if (unfinished) await rm(unfinished.file);
      const { segmentBytes = SEGMENT_BYTES } = options;
      const last = segments.at(-1);
      if (!last) {
        const { file, size, hash } = await begin(folder, head);
        return new ArchiveWriter(folder, lock, segmentBytes, file, size, { ...head, hash }, head.events);
      }
      const file = await open(last.file, 'r+');
      await file.truncate(wholeBytes);
      await file.datasync();
      return new ArchiveWriter(folder, lock, segmentBytes, file, wholeBytes, head, last.first);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** How far the log is archived, for certain. */
  get head(): ArchiveHead {
    return this.end;
  }

  /**
   * Writes events behind the last. They are on the disk when this returns; when it throws, none of them
   * counts, and the same may be written again. Throws {@link FolderInUse}, and what the disk says.
   */
  async append(events: readonly RawEvent[]): Promise<void> {
    if (events.length === 0) return;
    if (this.size >= this.segmentBytes && this.end.events > this.first) await this.#nextSegment();
    const lines: Buffer[] = [];
    let head = this.end;
    for (const event of events) {
      const { bytes, hash } = lineOf(head.hash, eventText(event));
      lines.push(bytes);
      head = headBehind(head, event, hash);
    }
    await this.#write(Buffer.concat(lines), head);
  }

  /** Notes that the log is in another store now, where its last event stands at this position. */
  async moved(position: Position): Promise<void> {
    const { bytes, hash } = lineOf(this.end.hash, movedText(position));
    await this.#write(bytes, { ...this.end, position, hash });
  }

  /** Lets the folder go. */
  async close(): Promise<void> {
    await this.file.close();
    await this.lock.release();
  }

  async #write(bytes: Buffer, head: ArchiveHead): Promise<void> {
    await this.lock.assertHeld();
    if (this.#isDirty) await this.file.truncate(this.size);
    else if ((await this.file.stat()).size !== this.size)
      throw new FolderInUse(`Another process has written to ${this.folder}. One folder has one writer.`);
    this.#isDirty = true;
    let written = 0;
    while (written < bytes.length)
      written += (await this.file.write(bytes, written, bytes.length - written, this.size + written))
        .bytesWritten;
    await this.file.datasync();
    this.#isDirty = false;
    this.size += bytes.length;
    this.end = head;
  }

  async #nextSegment(): Promise<void> {
    await this.lock.assertHeld();
    const { file, size, hash } = await begin(this.folder, this.end);
    await this.file.close();
    [this.file, this.size, this.first] = [file, size, this.end.events];
    this.end = { ...this.end, hash };
  }
}

/** Makes a segment with its first line. */
async function begin(
  folder: string,
  head: ArchiveHead,
): Promise<{ file: FileHandle; size: number; hash: string }> {
  const { bytes, hash } = lineOf(head.hash, headerText(head));
  // One whose first line could not be written, on a full disk, is written over.
  const file = await open(join(folder, segmentName(head.events)), 'w', 0o600);
  try {
    await file.write(bytes);
    await file.sync();
    const directory = await open(folder, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  return { file, size: bytes.length, hash };
}
