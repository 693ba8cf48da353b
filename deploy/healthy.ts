/**
 * Whether the process of this container serves; the image's health check. Which process that is, it reads
 * from the process list, so one image has one check for all its roles:
 *
 *     node dist/deploy/healthy.js
 *
 * Exits 0, or 1 with one sentence.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { roleIn, type RunningRole } from './role.js';

/** Less than the engine waits for the check. A machine that is busy takes long to start it. */
const WITHIN_MS = 8_000;

function commandLines(): string[][] {
  const lines: string[][] = [];
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name))
      try {
        lines.push(readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0'));
      } catch {
        // It ended meanwhile.
      }
  return lines;
}

/** By the plain client: `fetch` takes longer to load than the answer takes, and this is asked for all day. */
function isReady({ role, port }: RunningRole): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(
      { port, path: '/readyz', host: '127.0.0.1', agent: false, timeout: WITHIN_MS },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.once('error', reject).once('end', () => {
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`${role} answered ${answer.statusCode}: ${text.slice(0, 500)}`));
        });
      },
    );
    request.once('error', reject);
    request.once('timeout', () => request.destroy(new Error(`${role} does not answer.`)));
  });
}

try {
  const running = roleIn(commandLines(), process.env);
  if (running === undefined) throw new Error('None of the roles that serve runs here.');
  await isReady(running);
} catch (failure) {
  process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exitCode = 1;
}
