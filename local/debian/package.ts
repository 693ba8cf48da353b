/**
 * Unpacks Debian packages and the libraries they need into a folder of ours: nothing is installed, no service
 * starts, and no rights are needed. Where this machine has no package lists yet, they are fetched into a
 * folder of ours as well.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ONLY_NEEDED = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
  (kind) => `--no-${kind}`,
);

/** Where something that was fetched once is kept for all data folders. */
export function cacheFolder(name: string): string {
  const cache = process.env.XDG_CACHE_HOME?.startsWith('/')
    ? process.env.XDG_CACHE_HOME
    : join(homedir(), '.cache');
  return join(cache, 'encore', name);
}

/** Whether this system has the tools: Debian and what descends from it. */
export function hasDebianPackages(): boolean {
  return ['/usr/bin/apt-get', '/usr/bin/apt-cache', '/usr/bin/dpkg-query', '/usr/bin/dpkg-deb'].every(
    (file) => existsSync(file),
  );
}

/**
 * Unpacks the packages, and the libraries that they need and this machine lacks, into `folder` (made whole or
 * not at all). Throws what apt said when it cannot.
 */
export async function unpackDebianPackages(names: readonly string[], folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'encore-packages-'));
  const unfinished = `${folder}.unfinished-${process.pid}`;
  try {
    // Files that apt would hand to its own user cannot be handed over in a folder of ours.
    const ours = process.getuid?.() === 0 ? ['-o', 'APT::Sandbox::User=root'] : [];
    try {
      await download(names, work, ours);
    } catch {
      await download(names, work, [...ours, ...(await fetchLists(work, ours))]);
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

/** The folders of unpacked packages that hold libraries, for LD_LIBRARY_PATH. */
export function libraryFolders(folder: string): string[] {
  const found = new Set<string>();
  for (const base of ['usr/lib', 'lib'].map((part) => join(folder, part))) {
    if (!existsSync(base)) continue;
    for (const entry of readdirSync(base, { withFileTypes: true, recursive: true }))
      if (/\.so(?:\.|$)/.test(entry.name)) found.add(entry.parentPath);
  }
  return [...found];
}

async function download(names: readonly string[], into: string, options: readonly string[]): Promise<void> {
  const installed = new Set((await run('dpkg-query', ['-W', '-f', '${Package}\n'])).stdout.split('\n'));
  const { stdout } = await run('apt-cache', [...options, 'depends', '--recurse', ...ONLY_NEEDED, ...names]);
  const lacking = stdout.split('\n').filter((line) => /^[a-z0-9]/.test(line) && !installed.has(line.trim()));
  // Of what is needed, what helps to install and configure is not needed here: the packages asked for, and
  // libraries.
  const wanted = new Set([...names, ...lacking.filter((entry) => /^lib|^lua-/.test(entry))]);
  try {
    await run('apt-get', [...options, 'download', ...wanted], { cwd: into });
  } catch {
    // One name that only stands for others spoils the whole list; such a one may be left out, the package
    // itself may not.
    for (const entry of wanted)
      await run('apt-get', [...options, 'download', entry], { cwd: into }).catch((failure: unknown) => {
        if (names.includes(entry)) throw failure;
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
