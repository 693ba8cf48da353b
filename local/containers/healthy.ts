/**
 * Whether the process of this container serves; the image's health check. Which one it is stands in the process list, so one
 * image has one check for all its roles:
 *
 *     node dist/local/containers/healthy.js
 *
 * Exits 0, or 1 with one sentence.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { roleIn, type Asked } from './role.js';

const WITHIN_MS = 4_000;

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

function takesConnections(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: WITHIN_MS }, () => {
      socket.end();
      resolve();
    });
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(new Error('It does not answer.')));
  });
}

async function check({ role, port, path }: Asked): Promise<void> {
  if (path === undefined) return takesConnections(port);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(WITHIN_MS) });
  if (!answer.ok) throw new Error(`${role} answered ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
}

try {
  const asked = roleIn(commandLines(), process.env);
  if (asked === undefined) throw new Error('None of the roles that serve runs here.');
  await check(asked);
} catch (failure) {
  process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exitCode = 1;
}
