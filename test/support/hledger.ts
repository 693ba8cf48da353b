/**
 * hledger for suites: the machine's own, or the one unpacked from its Debian package without installing it.
 * It shares no code with ours.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, hasDebianPackages, libraryFolders, unpackDebianPackages } from '#local/debian/package';

const run = promisify(execFile);
const USUAL_FOLDERS = ['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'];

/** A hledger that can be started, and where its libraries are. */
export interface Hledger {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The account of the ledger that a name in hledger stands for: `liabilities:user:usr_1:available` →
 * `user/usr_1/available`.
 */
export const accountFromHledger = (name: string): string => name.split(':').slice(1).join('/');

/** Finds hledger on this machine, or fetches it. Throws one sentence that says what to install. */
export async function hledger(): Promise<Hledger> {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...USUAL_FOLDERS];
  // Its output is UTF-8 whatever this machine speaks.
  const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
  for (const folder of folders)
    if (isProgram(join(folder, 'hledger'))) return { command: join(folder, 'hledger'), env };
  const unpacked = cacheFolder('hledger');
  const command = join(unpacked, 'usr/bin/hledger');
  const sentence = 'These suites need hledger: install it (apt-get install hledger, brew install hledger).';
  if (!isProgram(command)) {
    if (!hasDebianPackages()) throw new Error(sentence);
    try {
      await unpackDebianPackages(['hledger'], unpacked);
    } catch (failure) {
      throw new Error(`${sentence} (Fetching its package failed.)`, { cause: failure });
    }
  }
  return { command, env: { ...env, LD_LIBRARY_PATH: libraryFolders(unpacked).join(':') } };
}

/** What hledger answers: its output, and its exit status. */
export async function askHledger(
  { command, env }: Hledger,
  args: readonly string[],
  cwd = '/',
): Promise<{ status: number; out: string; err: string }> {
  try {
    const { stdout, stderr } = await run(command, [...args], { env, cwd, maxBuffer: 256 * 1024 * 1024 });
    return { status: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: number; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { status: code, out: stdout ?? '', err: stderr ?? '' };
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
