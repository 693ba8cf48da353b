// What a build is made from, as one hash: a build whose fingerprint is that of the last one need not be made
// again.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** All files below a folder, in an order that is always the same. */
export const filesUnder = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** The hash of these files and folders of `root`, specs excepted: they are built into nothing. */
export function fingerprint(root, names) {
  const hash = createHash('sha256');
  for (const file of names
    .map((name) => join(root, name))
    .flatMap((path) => (statSync(path).isFile() ? [path] : filesUnder(path)))) {
    if (/\.(spec|test)\.tsx?$/.test(file)) continue;
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
