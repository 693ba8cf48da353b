/**
 * Bench (j): the auditor's commands over one file, each as a process of its own: how many entries it takes a
 * second of a core, and how much memory at most. Verify is measured once more over a log of twice the length:
 * memory must stay flat.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFile, writeLogFile } from '#audit/exported-log/log-file';
import { JOURNAL } from '#contracts/events/journal';
import { recorded } from '#log/event-log';
import { repositoryRoot } from '#local/launch/program';
import { longHistory } from './long-history.js';
import type { Row } from './measure.js';

const ENTRIES = Number(process.env.BENCH_AUDIT_ENTRIES ?? '1000000');
const ACCOUNT = 'user/usr_000001/available';
const MEBIBYTE = 1024 * 1024;

/** Tells, as the last thing, what the process took: microseconds of a core, and kibibytes. */
const TELLS_USAGE = `data:text/javascript,${encodeURIComponent(
  'process.on("exit",()=>{const u=process.resourceUsage();process.stderr.write("\\n"+JSON.stringify({cpu:u.userCPUTime+u.systemCPUTime,rss:u.maxRSS}))})',
)}`;

interface Usage {
  readonly seconds: number;
  readonly mebibytes: number;
}

/** Runs `encore audit WORDS…` to its end. Throws where it did not find all in order. */
function audited(...words: string[]): Promise<Usage> {
  const program = join(repositoryRoot(), 'dist/processes/encore.js');
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--import', TELLS_USAGE, program, 'audit', ...words],
      { maxBuffer: 256 * MEBIBYTE },
      (error, out, err) => {
        if (error) return reject(new Error(`encore audit ${words.join(' ')}: ${out.slice(0, 2_000)}${err}`));
        const told = JSON.parse(err.slice(err.lastIndexOf('{'))) as { cpu: number; rss: number };
        resolve({ seconds: told.cpu / 1e6, mebibytes: Math.round(told.rss / 1024) });
      },
    );
  });
}

async function lastMonthOf(file: string): Promise<string> {
  const last = await new LogFile(file).lastOf(JOURNAL);
  if (!last) throw new RangeError(`${file} holds no entry.`);
  return recorded(last).metadata.recordedAt.slice(0, 'YYYY-MM'.length);
}

export async function benchAudit(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-audit-'));
  try {
    const [file, longer] = [join(folder, 'log.jsonl.gz'), join(folder, 'longer.jsonl.gz')];
    await writeLogFile(longHistory(ENTRIES), file);
    const rows: Row[] = [];
    const measure = async (bench: string, entries: number, ...words: string[]): Promise<Usage> => {
      const usage = await audited(...words);
      const of = `${entries.toLocaleString('en')} entries`;
      const note = `${usage.mebibytes} MiB at most`;
      rows.push({ bench, of, value: Math.round(entries / usage.seconds), unit: 'a second of a core', note });
      return usage;
    };
    const from = ['--from-file', file];
    await measure('audit export', ENTRIES, 'export', '--log', join(folder, 'again.jsonl.gz'), ...from);
    const once = await measure('audit verify', ENTRIES, 'verify', ...from);
    // The last month: a statement reads the log up to its end.
    const month = await lastMonthOf(file);
    await measure('audit statement', ENTRIES, 'statement', '--account', ACCOUNT, '--month', month, ...from);
    await measure('audit explain', ENTRIES, 'explain', ACCOUNT, ...from);
    await writeLogFile(longHistory(ENTRIES * 2), longer);
    const twice = await measure('audit verify', ENTRIES * 2, 'verify', '--from-file', longer);
    rows.push({
      bench: 'audit verify, memory',
      of: `${ENTRIES.toLocaleString('en')} more`,
      value: twice.mebibytes - once.mebibytes,
      unit: 'MiB',
    });
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
