/**
 * The stack of docker-compose.yml, for its proofs: brought up, looked at, hurt and taken down through the
 * engine's own commands, as an operator would. Commands run in a folder of their own, with the stack's
 * settings in the environment, so that what a how-to says can be run as it is written: its `secrets` and
 * `backup` are in that folder.
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryRoot } from '#local/launch/program';

const HERE = join(repositoryRoot(), 'test/containers');
const LOOK_EVERY_MS = 500;
const PATIENCE_MS = 300_000;
const LARGEST_OUTPUT_BYTES = 64 * 1024 * 1024;

export type Service =
  | 'proxy'
  | 'ledger'
  | 'projections'
  | 'workers'
  | 'archive'
  | 'transparency'
  | 'eventstore'
  | 'eventstore-2'
  | 'eventstore-3'
  | 'postgres'
  | 'redis'
  | 'identity'
  | 'stripe';
const SERVICES: readonly Service[] = [
  'proxy',
  'ledger',
  'projections',
  'workers',
  'archive',
  'transparency',
  'eventstore',
  'postgres',
  'redis',
  'identity',
  'stripe',
];

interface Container {
  readonly id: string;
  readonly health: string;
  readonly restarts: number;
  readonly startedAt: string;
}

type Settings = Readonly<Record<string, string>>;

/** Runs a program to its end; throws with its last words when it fails. */
export function run(
  program: string,
  args: readonly string[],
  cwd = repositoryRoot(),
  env: Settings = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, maxBuffer: LARGEST_OUTPUT_BYTES, env: { ...process.env, ...env } };
    execFile(program, args, options, (error, out, err) => {
      if (error)
        reject(new Error(`${program} ${args.join(' ')} failed:\n${out.slice(-2000)}\n${err.slice(-4000)}`));
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
function proofSettings(): Settings {
  const lines = readFileSync(join(HERE, 'proof.env'), 'utf8').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) =>
      /^[A-Z]/.test(line) ? [[line.split('=')[0]!, line.replace(/^[^=]*=/, '')]] : [],
    ),
  );
}

export interface StackOptions {
  /** Further files that change docker-compose.yml, of this folder. */
  readonly files?: readonly string[];
  readonly profiles?: readonly string[];
  readonly settings?: Settings;
}

export class ComposeStack {
  /** Where commands are run; taken away with the stack. */
  readonly folder = join(repositoryRoot(), 'secrets/proof');
  readonly #settings: Record<string, string>;

  private constructor(
    private readonly program: readonly [string, ...string[]],
    { files = [], profiles = [], settings = {} }: StackOptions,
  ) {
    this.#settings = {
      ...proofSettings(),
      ENCORE_SECRETS: join(this.folder, 'secrets'),
      COMPOSE_FILE: [
        'docker-compose.yml',
        ...['stand-ins.yml', 'proof.yml', ...files].map((file) => `test/containers/${file}`),
      ]
        .map((file) => join(repositoryRoot(), file))
        .join(':'),
      COMPOSE_PROFILES: ['sandbox', ...profiles].join(','),
      ...settings,
    };
  }

  static async find(started: StackOptions = {}): Promise<ComposeStack> {
    return new ComposeStack(await composeProgram(), started);
  }

  /** Changes a setting, as the operator does in `.env`. */
  set(name: string, value: string): void {
    this.#settings[name] = value;
  }

  /** Leaves a setting to what docker-compose.yml says. */
  unset(name: string): void {
    delete this.#settings[name];
  }

  setting(name: string): string {
    return this.#settings[name] ?? '';
  }

  /** A verb of `docker compose` on this stack. */
  compose(...args: readonly string[]): Promise<string> {
    const [program, ...first] = this.program;
    return run(program, [...first, ...args], this.folder, this.#settings);
  }

  /** Runs lines of a shell as an operator would type them; the first that fails ends them. */
  sh(lines: string): Promise<string> {
    return run('sh', ['-euc', lines], this.folder, this.#settings);
  }

  /**
   * Makes the folder anew with secrets of its own. Whatever ran before under this name is taken away, with
   * its data.
   */
  async prepare(): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    await this.down({ forget: true });
    mkdirSync(this.folder, { recursive: true });
    symlinkSync(join(repositoryRoot(), 'deploy'), join(this.folder, 'deploy'));
    await this.sh('sh deploy/secrets.sh secrets sandbox');
  }

  /** Starts everything and waits until all of it says that it is healthy. */
  async up(): Promise<void> {
    await this.compose('up', '--detach', '--no-build');
    await this.healthy();
  }

  /** Takes all containers away; what is in volumes stays, unless it is forgotten too. */
  async down({ forget = false } = {}): Promise<void> {
    await this.compose('down', '--timeout', '60', '--remove-orphans', ...(forget ? ['--volumes'] : []));
    if (forget) rmSync(this.folder, { recursive: true, force: true });
  }

  /** A secret, as the containers were given it. */
  secret(name: string): string {
    return readFileSync(join(this.folder, 'secrets', name), 'utf8').trim();
  }

  /** Changes a secret's file; containers see it when they are made anew. */
  changeSecret(name: string, value: string): void {
    const file = join(this.folder, 'secrets', name);
    if (!existsSync(file)) throw new Error(`There is no secret ${name}.`);
    unlinkSync(file);
    writeFileSync(file, `${value}\n`);
    chmodSync(file, 0o444);
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
    for (const service of services)
      await this.until(
        async () => {
          const found = await this.containers(service);
          return found.length > 0 && found.every(({ health }) => health === 'healthy');
        },
        service,
        'to be healthy',
      );
  }

  /**
   * Ends a container's process with SIGKILL, unseen by the engine until it is gone, and waits until it was
   * started again.
   */
  async kill9(service: Service, at = 0): Promise<void> {
    const container = (await this.containers(service))[at];
    if (!container) throw new Error(`There is no ${service} ${at + 1}.`);
    // The first process is the engine's init; its child is ours. A kill by the engine would count as a wish
    // to stop it.
    const script = `process.kill(Number(require('fs').readFileSync('/proc/1/task/1/children','utf8').split(' ')[0]),'SIGKILL')`;
    // With the container ends what is run in it: whether it was killed is seen below.
    await run('docker', ['exec', container.id, 'node', '-e', script]).catch(() => undefined);
    await this.until(
      async () => {
        const now = (await this.containers(service)).find(({ id }) => id === container.id);
        return (
          now !== undefined && now.restarts > container.restarts && now.startedAt !== container.startedAt
        );
      },
      service,
      'to come back after it was killed',
    );
  }

  /** Looks again and again; a machine that is busy with other things is waited for. */
  async until(look: () => Promise<boolean>, service: Service, what: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!(await look())) {
      if (Date.now() > end)
        throw new Error(
          `Waited in vain for ${service} ${what}: ${JSON.stringify(await this.containers(service))}\n${await this.logs(service)}`,
        );
      await pause(LOOK_EVERY_MS);
    }
  }

  /**
   * Tells a container to end, as the engine does, within the time that the compose file grants; returns its
   * exit status.
   */
  async stop(id: string, withinSeconds = 30): Promise<number> {
    await run('docker', ['stop', '--time', String(withinSeconds), id]);
    return Number(await run('docker', ['inspect', '--format', '{{.State.ExitCode}}', id]));
  }

  /** The last words of a service. */
  logs(service: Service): Promise<string> {
    return this.compose('logs', '--tail', '40', service);
  }
}
