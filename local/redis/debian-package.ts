/**
 * Unpacks a Debian package and the libraries it needs into a folder of ours: nothing is installed, no service starts, and
 * no rights are needed. Where this machine has no package lists yet, they are fetched into a folder of ours as well.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ONLY_NEEDED = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map((kind) => `--no-${kind}`);

/** Whether this system has the tools: Debian and what descends from it. */
export function hasDebianPackages(): boolean {
  return ['/usr/bin/apt-get', '/usr/bin/apt-cache', '/usr/bin/dpkg-query', '/usr/bin/dpkg-deb'].every((file) => existsSync(file));
}

/**
 * Unpacks `name`, and what it needs and this machine lacks, into `folder` (made whole or not at all). Throws what apt
 * said when it cannot.
 */
export async function unpackDebianPackage(name: string, folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'encore-packages-'));
  const unfinished = `${folder}.unfinished-${process.pid}`;
  try {
    // Files that apt would hand to its own user cannot be handed over in a folder of ours.
    const ours = process.getuid?.() === 0 ? ['-o', 'APT::Sandbox::User=root'] : [];
    try {
      await download(name, work, ours);
    } catch {
      await download(name, work, [...ours, ...(await fetchLists(work, ours))]);
    }
    mkdirSync(unfinished, { recursive: true });
    for (const file of readdirSync(work).filter((entry) => entry.endsWith('.deb')))
      await run('dpkg-deb', ['--extract', join(work, file), unfinished]);
    try {
      renameSync(unfinished, folder);
    } catch (failure) {
      // Another process unpacked it in the same moment: theirs is as good as ours.
      if (!existsSync(folder)) throw failure;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The folders of an unpacked package that hold libraries, for LD_LIBRARY_PATH. */
export function libraryFolders(folder: string): string[] {
  const found: string[] = [];
  for (const base of ['usr/lib', 'lib'].map((part) => join(folder, part))) {
    if (!existsSync(base)) continue;
    found.push(base, ...readdirSync(base, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [join(base, e.name)] : [])));
  }
  return found;
}

async function download(name: string, into: string, options: readonly string[]): Promise<void> {
  const installed = new Set((await run('dpkg-query', ['-W', '-f', '${Package}\n'])).stdout.split('\n'));
  const { stdout } = await run('apt-cache', [...options, 'depends', '--recurse', ...ONLY_NEEDED, name]);
  const lacking = stdout.split('\n').filter((line) => /^[a-z0-9]/.test(line) && !installed.has(line.trim()));
  // Alternatives of packages that are here already are listed too; only libraries are looked for beside the package.
  const wanted = lacking.filter((entry) => entry === name || /^lib|^lua-/.test(entry));
  if (!wanted.includes(name)) wanted.push(name);
  try {
    await run('apt-get', [...options, 'download', ...wanted], { cwd: into });
  } catch {
    // One name that only stands for others spoils the whole list; such a one may be left out, the package itself may not.
    for (const entry of wanted)
      await run('apt-get', [...options, 'download', entry], { cwd: into }).catch((failure: unknown) => {
        if (entry === name) throw failure;
      });
  }
}

async function fetchLists(work: string, options: readonly string[]): Promise<string[]> {
  const state = join(work, 'state');
  const cache = join(work, 'cache');
  mkdirSync(join(state, 'lists/partial'), { recursive: true });
  mkdirSync(join(cache, 'archives/partial'), { recursive: true });
  const own = [
    ...['-o', `Dir::State=${state}`, '-o', 'Dir::State::status=/var/lib/dpkg/status'],
    ...['-o', `Dir::Cache=${cache}`, '-o', 'APT::Update::Error-Mode=any'],
  ];
  await run('apt-get', [...options, ...own, '-qq', 'update']);
  return own;
}
