/**
 * The stores of a suite in containers: TEST_STACK=containers (`make test-containers`) runs Postgres, Redis
 * and the event store by testcontainers, from the images that docker-compose.yml names, instead of the
 * embedded ones. This file alone decides; a suite sees the same stack, at the same ports, and can kill and
 * restart its parts in the same way.
 */
import type { StartedTestContainer } from 'testcontainers';
import type { Part } from '#local/stack/parts';
import type { RunningProgram } from '#local/launch/program';

/** What a suite may do with a part of its stack, wherever that runs. */
export type StartedPart = Pick<
  RunningProgram,
  'start' | 'stop' | 'kill9' | 'restart' | 'output' | 'lastWords' | 'pid'
>;
export type Store = 'postgres' | 'redis' | 'eventstore';

/** Marks what suites started, so that whoever runs them can take away what a killed suite left. */
const LABEL = 'encore-test';
const SERVES_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 100;

interface Kind {
  readonly image: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly healthy: ['CMD', ...string[]] | ['CMD-SHELL', string];
}

/** The same images as the compose file's, by the same settings. */
const KINDS: Readonly<Record<Store, (postgresPassword: string) => Kind>> = {
  postgres: (password) => ({
    image: process.env.POSTGRES_IMAGE || 'postgres:17.6-bookworm',
    port: 5432,
    env: {
      POSTGRES_DB: 'encore',
      // As in the compose file: a role that nobody is asked the password of could not be told from one that
      // is.
      POSTGRES_PASSWORD: password,
      POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C.UTF-8',
    },
    healthy: ['CMD', 'pg_isready', '-h', '127.0.0.1', '-U', 'postgres', '-d', 'encore'],
  }),
  redis: () => ({
    image: process.env.REDIS_IMAGE || 'redis:7.4.2-bookworm',
    port: 6379,
    env: {},
    command: [
      'redis-server',
      '--appendonly',
      'yes',
      '--save',
      '',
      '--maxmemory-policy',
      'noeviction',
      '--protected-mode',
      'no',
    ],
    healthy: ['CMD-SHELL', 'redis-cli ping | grep -q PONG'],
  }),
  eventstore: () => ({
    image: process.env.EVENTSTORE_IMAGE || 'eventstore/eventstore:23.10.1-bookworm-slim',
    port: 2113,
    env: {
      EVENTSTORE_INSECURE: 'true',
      EVENTSTORE_RUN_PROJECTIONS: 'None',
      EVENTSTORE_TELEMETRY_OPTOUT: 'true',
      KURRENTDB_TELEMETRY_OPTOUT: 'true',
    },
    // The image of our stand-ins is told which of them to be.
    command: process.env.EVENTSTORE_COMMAND?.split(' '),
    healthy: ['CMD-SHELL', 'curl -fs http://127.0.0.1:2113/health/live || stand-in healthy 2113'],
  }),
};

/** Whether this part of a stack with these settings runs in a container. */
export function runsInContainer(
  part: Part,
  given: Readonly<Record<string, string | undefined>>,
): part is Store {
  // A suite that asks for TLS is about the certificate that the embedded event store makes for itself.
  if (part === 'eventstore' && given.ENCORE_EVENTSTORE_TLS === 'on') return false;
  return process.env.TEST_STACK === 'containers' && part in KINDS;
}

/** Loaded only where it is used: it is large, and most suites have no use for it. */
const library = () => import('testcontainers');
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A store in a container, on the port that the embedded one would have had. Its data last as long as the
 * container.
 */
export class ContainedStore implements StartedPart {
  readonly pid = undefined;
  #started: StartedTestContainer | undefined;

  constructor(
    readonly store: Store,
    private readonly hostPort: number,
    private readonly postgresPassword = '',
  ) {}

  /** Starts it, or starts it again, and waits until it serves. */
  async start(): Promise<void> {
    if (this.#started) {
      await (await this.#container()).start();
      return this.#serves();
    }
    const { image, port, env, command, healthy } = KINDS[this.store](this.postgresPassword);
    const { GenericContainer, Wait } = await library();
    const container = new GenericContainer(image)
      .withExposedPorts({ container: port, host: this.hostPort })
      .withEnvironment({ ...env })
      .withLabels({ [LABEL]: this.store })
      .withHealthCheck({ test: healthy, interval: 500, timeout: 5_000, retries: 240 })
      .withWaitStrategy(Wait.forHealthCheck())
      .withStartupTimeout(SERVES_WITHIN_MS);
    this.#started = await (command ? container.withCommand([...command]) : container).start();
  }

  async stop(): Promise<void> {
    await (await this.#container()).stop({ t: 30 }).catch(unlessStopped);
  }

  /** Ends it at once, as a power cut would. */
  async kill9(): Promise<void> {
    const container = await this.#container();
    await container.kill({ signal: 'SIGKILL' }).catch(unlessStopped);
    await container.wait();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Takes the container away, with its data. */
  async remove(): Promise<void> {
    if (this.#started) await (await this.#container()).remove({ force: true, v: true });
    this.#started = undefined;
  }

  output(): string {
    return '';
  }
  lastWords(): string {
    return `It runs in a container: docker logs ${this.#started?.getName() ?? '(not started)'}`;
  }

  async #container() {
    if (!this.#started) throw new Error(`${this.store} was not started.`);
    const { getContainerRuntimeClient } = await library();
    return (await getContainerRuntimeClient()).container.getById(this.#started.getId());
  }

  async #serves(): Promise<void> {
    const container = await this.#container();
    const end = Date.now() + SERVES_WITHIN_MS;
    for (;;) {
      const { State } = await container.inspect();
      if (State.Health?.Status === 'healthy') return;
      if (!State.Running || Date.now() > end)
        throw new Error(`${this.store} does not serve. ${this.lastWords()}`);
      await pause(LOOK_EVERY_MS);
    }
  }
}

/** The engine says 304 or 409 of a container that has ended already. */
function unlessStopped(failure: unknown): void {
  const status = failure instanceof Error && 'statusCode' in failure ? failure.statusCode : undefined;
  if (status !== 304 && status !== 409) throw failure;
}
