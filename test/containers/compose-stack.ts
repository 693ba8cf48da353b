/**
 * The stack of docker-compose.yml, for its proof: brought up, looked at, hurt and taken down through the engine's own
 * commands, as an operator would.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryRoot } from '#local/launch/program';

const FOLDER = join(repositoryRoot(), 'test/containers');
const LOOK_EVERY_MS = 500;
const PATIENCE_MS = 300_000;
const LARGEST_OUTPUT_BYTES = 64 * 1024 * 1024;

export type Service =
  | 'proxy'
  | 'ledger'
  | 'projections'
  | 'workers'
  | 'eventstore'
  | 'postgres'
  | 'redis'
  | 'identity'
  | 'stripe';
const SERVICES: readonly Service[] = [
  'proxy',
  'ledger',
  'projections',
  'workers',
  'eventstore',
  'postgres',
  'redis',
  'identity',
  'stripe',
];

export interface Container {
  readonly id: string;
  readonly health: string;
  readonly restarts: number;
  readonly startedAt: string;
}

/** Runs a program to its end; throws with its last words when it fails. */
function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: repositoryRoot(), maxBuffer: LARGEST_OUTPUT_BYTES }, (error, out, err) => {
      if (error) reject(new Error(`${program} ${args.join(' ')} failed:\n${out.slice(-2000)}\n${err.slice(-4000)}`));
      else resolve(out);
    });
  });
}

/** `docker compose`, or the program of its own that it was before. */
async function composeProgram(): Promise<readonly [string, ...string[]]> {
  return run('docker', ['compose', 'version']).then(
    () => ['docker', 'compose'] as const,
    () => ['docker-compose'] as const,
  );
}

/** The settings that the stack is started with. */
export function proofSettings(): Readonly<Record<string, string>> {
  const lines = readFileSync(join(FOLDER, 'proof.env'), 'utf8').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => (/^[A-Z]/.test(line) ? [[line.split('=')[0]!, line.replace(/^[^=]*=/, '')]] : [])),
  );
}

export class ComposeStack {
  private constructor(private readonly program: readonly [string, ...string[]]) {}

  static async find(): Promise<ComposeStack> {
    return new ComposeStack(await composeProgram());
  }

  /** A verb of `docker compose` on this stack. */
  compose(...args: readonly string[]): Promise<string> {
    const [program, ...first] = this.program;
    const files = ['--file', 'docker-compose.yml', '--file', 'test/containers/compose.yml'];
    return run(program, [...first, '--env-file', 'test/containers/proof.env', ...files, '--profile', 'sandbox', ...args]);
  }

  /** Starts everything and waits until all of it says that it is healthy. */
  async up(): Promise<void> {
    await run('sh', ['local/containers/secrets.sh', this.secretsFolder, 'sandbox']);
    await this.compose('up', '--detach', '--no-build');
    await this.healthy();
  }

  /** Takes all containers away; what is in volumes stays, unless it is forgotten too. */
  async down({ forget = false } = {}): Promise<void> {
    await this.compose('down', '--timeout', '60', ...(forget ? ['--volumes'] : []));
  }

  /** A secret, as the containers were given it. */
  secret(name: string): string {
    return readFileSync(join(repositoryRoot(), this.secretsFolder, name), 'utf8').trim();
  }

  private get secretsFolder(): string {
    return proofSettings().ENCORE_SECRETS ?? '';
  }

  /** The containers of a service, in the order of their numbers. */
  async containers(service: Service): Promise<Container[]> {
    const ids = (await this.compose('ps', '-q', service)).split('\n').filter((id) => id !== '');
    if (ids.length === 0) return [];
    const format = '{{.Name}} {{.Id}} {{.State.Health.Status}} {{.RestartCount}} {{.State.StartedAt}}';
    const lines = (await run('docker', ['inspect', '--format', format, ...ids])).trim().split('\n').sort();
    return lines.map((line) => {
      const [, id = '', health = '', restarts = '', startedAt = ''] = line.split(' ');
      return { id, health, restarts: Number(restarts), startedAt };
    });
  }

  /** Waits until every container of these services is healthy. */
  async healthy(services: readonly Service[] = SERVICES): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    for (const service of services)
      for (;;) {
        const found = await this.containers(service);
        if (found.length > 0 && found.every(({ health }) => health === 'healthy')) break;
        if (Date.now() > end) throw new Error(`${service} is not healthy: ${JSON.stringify(found)}\n${await this.logs(service)}`);
        await pause(LOOK_EVERY_MS);
      }
  }

  /** Ends a container's process with SIGKILL, unseen by the engine until it is gone, and waits until it was started again. */
  async kill9(service: Service, at = 0): Promise<void> {
    const container = (await this.containers(service))[at];
    if (!container) throw new Error(`There is no ${service} ${at + 1}.`);
    // The first process is the engine's init; its child is ours. A kill by the engine would count as a wish to stop it.
    const script = `process.kill(Number(require('fs').readFileSync('/proc/1/task/1/children','utf8').split(' ')[0]),'SIGKILL')`;
    await run('docker', ['exec', container.id, 'node', '-e', script]);
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const now = (await this.containers(service)).find(({ id }) => id === container.id);
      if (now && now.restarts > container.restarts && now.startedAt !== container.startedAt) return;
      if (Date.now() > end) throw new Error(`${service} was killed and did not come back.\n${await this.logs(service)}`);
      await pause(LOOK_EVERY_MS);
    }
  }

  /** The last words of a service. */
  logs(service: Service): Promise<string> {
    return this.compose('logs', '--tail', '40', service);
  }
}
