/** Reads a file that somebody else made: whole, but never more of it than is agreed on. */
import { readFileSync, statSync } from 'node:fs';

/** A file of the provider's or the bank's cannot be read. The message says what is wrong and where. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

export const MEBIBYTE = 1024 * 1024;

/**
 * The file's text. Throws {@link UnreadableFile} where it is missing, larger than `mostBytes`, or no UTF-8.
 */
export function readBounded(file: string, mostBytes: number): string {
  let bytes: Buffer;
  try {
    const { size } = statSync(file);
    if (size > mostBytes)
      throw new UnreadableFile(
        `${file} has ${size} bytes; at most ${mostBytes / MEBIBYTE} MiB are read. Split it by month.`,
      );
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(`${file} cannot be read. Is it there, and may you read it?`);
  }
  return textOf(bytes);
}

/** Throws {@link UnreadableFile} for bytes that are no UTF-8. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile('The file is not in UTF-8. Export it again, or convert it.');
  }
}
