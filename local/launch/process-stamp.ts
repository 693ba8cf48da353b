/**
 * Tells one process from a later one that was given the same pid. A lock that only holds a pid names a
 * stranger after a reboot; a lock that holds pid and stamp does not.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * When the process began, in the system's own words; undefined when there is no such process, or only its
 * corpse.
 */
export function processStamp(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      // The name in brackets may itself hold brackets and blanks: what follows the last one is regular.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    const answer = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    }).trim();
    return answer === '' || answer.startsWith('Z') ? undefined : answer.slice(answer.indexOf(' ')).trim();
  } catch {
    return undefined;
  }
}

/** Whether the process that was noted down still runs. */
export function stillRuns(noted: { readonly pid: number; readonly stamp: string }): boolean {
  return processStamp(noted.pid) === noted.stamp;
}

/** The processes in whose environment this variable has this value, as far as we may look. */
export function processesWith(variable: string, value: string): number[] {
  const setting = `${variable}=${value}`;
  if (process.platform === 'linux')
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(setting))
      .map(Number);
  try {
    return execFileSync('ps', ['-axEww', '-o', 'pid=,command='], {
      encoding: 'utf8',
      maxBuffer: 64 * 2 ** 20,
    })
      .split('\n')
      .filter((line) => line.split(' ').includes(setting))
      .map((line) => parseInt(line, 10));
  } catch {
    return [];
  }
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // It has ended, or is somebody else's.
    return [];
  }
}
