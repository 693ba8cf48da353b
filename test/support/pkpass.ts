/**
 * A pass as a phone takes it apart: its files, and whether its signature holds by somebody else's program.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

const ENTRY = 0x02014b50;
const END = 0x06054b50;

/** The files of a zip archive, by name. */
export function filesIn(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || archive.readUInt32LE(end) !== END) throw new Error('Not a zip archive');
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let n = archive.readUInt16LE(end + 10); n > 0; n -= 1) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error('The archive’s directory is broken');
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = archive.readUInt32LE(at + 42);
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = archive.subarray(from, from + size);
    files.set(
      archive.toString('utf8', at + 46, at + 46 + name),
      method === 0 ? bytes : inflateRawSync(bytes),
    );
    at += 46 + name + extra + comment;
  }
  return files;
}

/** What pass.json says. */
export const passIn = (files: Map<string, Buffer>): unknown =>
  JSON.parse(files.get('pass.json')?.toString() ?? 'null');

/** The files whose hash differs from what the manifest says of them, or that it does not name. */
export function unlisted(files: Map<string, Buffer>): string[] {
  const manifest = JSON.parse(files.get('manifest.json')?.toString() ?? '{}') as Record<string, string>;
  return [...files]
    .filter(([name]) => name !== 'manifest.json' && name !== 'signature')
    .filter(([name, bytes]) => manifest[name] !== createHash('sha1').update(bytes).digest('hex'))
    .map(([name]) => name);
}

/**
 * What openssl says of the manifest's signature, with this authority as the only one that it trusts. Throws
 * its words for a bad one.
 */
export function verifySignature(files: Map<string, Buffer>, authorityPem: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'encore-pass-'));
  const file = (name: string, content: Buffer | string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  try {
    const [signature, manifest] = [
      file('signature', files.get('signature')!),
      file('manifest', files.get('manifest.json')!),
    ];
    const trusted = ['-CAfile', file('authority.pem', authorityPem), '-purpose', 'any'];
    return execFileSync(
      'openssl',
      ['smime', '-verify', '-inform', 'DER', '-in', signature, '-content', manifest, '-binary', ...trusted],
      { encoding: 'utf8', stdio: 'pipe' },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
