/**
 * The parts of the stack and how each is started: the stand-ins for services that have no URL in the
 * environment, then the application's own processes, and one front that browsers reach. `up` and the test
 * suites start them from here.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ProgramFailed, type Program } from '../launch/program.js';
import { makePassAuthority, passSettings } from '../passes/authority.js';
import { databaseUrl, OWNER, postgres } from '../postgres/cluster.js';
import { redis, redisUrl } from '../redis/server.js';
import type { Secrets } from '../settings.js';

/** Services that can be replaced: a URL in the environment takes their place. */
export type StandIn = 'postgres' | 'redis' | 'eventstore' | 'stripe' | 'identity' | 'mail';
/** The application's own processes. */
type AppPart = `ledger-${number}` | 'projections' | 'workers' | 'archive' | 'transparency' | Second;
/** One more of what is usually started once: any number may run. */
export type Second = 'projections-2' | 'workers-2';
export type Part = StandIn | AppPart | 'front';

/** Which setting takes the place of which stand-in. */
const REPLACED_BY: Readonly<Record<StandIn, readonly string[]>> = {
  postgres: ['DATABASE_URL', 'DATABASE_URL_FILE'],
  redis: ['REDIS_URL', 'REDIS_URL_FILE'],
  eventstore: ['EVENTSTORE_URL', 'EVENTSTORE_URL_FILE'],
  stripe: ['STRIPE_API_URL', 'STRIPE_SECRET_KEY', 'STRIPE_SECRET_KEY_FILE'],
  identity: ['OIDC_ISSUER', 'OIDC_ISSUER_FILE'],
  mail: ['SMTP_URL', 'SMTP_URL_FILE'],
};
export const STAND_INS = Object.keys(REPLACED_BY) as StandIn[];

const PATH_OF_WEBHOOKS = '/api/webhooks/stripe';
const PATH_OF_CONNECT_WEBHOOKS = '/api/webhooks/stripe/connect';
const READY_LINE = /^\{.*"ready":true.*\}$/m;
const READY_WITHIN_MS = 60_000;

/** Everything that decides how the parts are started. */
export interface StackPlan {
  /** The repository. */
  readonly root: string;
  readonly dataFolder: string;
  readonly publicPort: number;
  readonly publicUrl: string;
  readonly ledgers: number;
  /** By the names of {@link portNames}. */
  readonly ports: Readonly<Record<string, number>>;
  readonly secrets: Secrets;
  /** The settings that were given from outside; they go before ours. */
  readonly given: Readonly<Record<string, string | undefined>>;
  /** A Postgres data folder to copy instead of making one. */
  readonly postgresTemplate?: string;
  /** That folder has the tables of this build and the roles, with the passwords of `secrets`. */
  readonly isDatabasePrepared?: boolean;
  /** The data goes with the stack: Postgres need not sync it. */
  readonly isThrownAway?: boolean;
}

/** The stand-ins that have to be started, because nothing in the environment takes their place. */
export function standInsFor(given: StackPlan['given']): StandIn[] {
  return STAND_INS.filter((part) => !REPLACED_BY[part].some((name) => given[name]));
}

/** The application's processes, in the order of their start. */
export function appParts(ledgers: number): AppPart[] {
  return [
    'projections',
    ...Array.from({ length: ledgers }, (_, n): AppPart => `ledger-${n + 1}`),
    'workers',
    'archive',
    'transparency',
  ];
}

/** The order in which to stop: the front first, the stores last. */
export function stopOrder(ledgers: number): Part[] {
  const readers = ['workers-2', 'workers', 'projections-2', 'projections'] as const;
  return [
    'front',
    ...readers,
    ...ledgerParts(ledgers),
    // What the ledgers wrote last is archived, too.
    'archive',
    'transparency',
    'identity',
    'mail',
    'stripe',
    'eventstore',
    'redis',
    'postgres',
  ];
}

/** The inner ports that a stack needs. */
export function portNames(ledgers: number): string[] {
  return [
    ...STAND_INS,
    'inbox',
    ...ledgerParts(ledgers).flatMap((part) => [part, `${part}-internal`]),
    'projections',
    'workers',
    'archive',
    'transparency',
    'queues',
  ];
}

/** The roles of Postgres, as `encore migrate` makes them, and the setting that names each. */
const ROLE_SETTINGS = {
  ledger: 'LEDGER_DATABASE_URL',
  projections: 'PROJECTIONS_DATABASE_URL',
  workers: 'WORKERS_DATABASE_URL',
  audit: 'AUDIT_DATABASE_URL',
  backup: 'BACKUP_DATABASE_URL',
} as const;
type DatabaseRole = keyof typeof ROLE_SETTINGS;

/** Where each role finds Postgres, by its setting; nothing where the database is somebody else's. */
export function databaseRoles(plan: StackPlan): Record<string, string> {
  if (!standInsFor(plan.given).includes('postgres')) return {};
  return Object.fromEntries(
    (Object.entries(ROLE_SETTINGS) as [DatabaseRole, string][]).map(([role, setting]) => {
      const password = plan.secrets[`POSTGRES_${role.toUpperCase() as Uppercase<DatabaseRole>}_PASSWORD`];
      return [setting, databaseUrl(port(plan, 'postgres'), { name: `encore_${role}`, password })];
    }),
  );
}

/** The environment of a process that signs in to Postgres as a role. */
function asRole(plan: StackPlan, role: DatabaseRole, env: Record<string, string>): Record<string, string> {
  const url = databaseRoles(plan)[ROLE_SETTINGS[role]];
  return url === undefined ? env : { ...env, DATABASE_URL: url };
}

/** Whether a part signs in to Postgres, whose tables and roles are made before. */
export const usesDatabase = (part: Part): boolean => /^(ledger|projections|workers)/.test(part);

/**
 * The environment that every process of the application gets, its own ports excepted. Its DATABASE_URL is the
 * owner's.
 */
export function appEnvironment(plan: StackPlan): Record<string, string> {
  const { ports, given, secrets, publicUrl } = plan;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) env[name] = value;
  const missing = new Set(standInsFor(given));
  // Images and shells say production of how packages are installed. What stands in for a store is none of it.
  if (missing.size > 0 && env.NODE_ENV === 'production') delete env.NODE_ENV;
  const own: Record<string, string> = {
    NODE_ENV: 'development',
    PUBLIC_URL: publicUrl,
    ENCORE_MASTER_KEY: secrets.ENCORE_MASTER_KEY,
    ENCORE_INTERNAL_TOKEN: secrets.ENCORE_INTERNAL_TOKEN,
    ENCORE_ARCHIVE: join(plan.dataFolder, 'archive'),
    ENCORE_TRANSPARENCY: join(plan.dataFolder, 'transparency'),
    LEDGER_INTERNAL_URL: `http://127.0.0.1:${ports['ledger-1-internal']}`,
  };
  if (missing.has('postgres'))
    own.DATABASE_URL = databaseUrl(port(plan, 'postgres'), {
      name: OWNER,
      password: secrets.POSTGRES_PASSWORD,
    });
  if (missing.has('redis')) own.REDIS_URL = redisUrl(port(plan, 'redis'));
  if (missing.has('eventstore')) own.EVENTSTORE_URL = eventStoreUrl(plan);
  if (missing.has('identity')) {
    own.OIDC_ISSUER = `${publicUrl}/identity`;
    // User ids derive from this name and not from the URL: another PORT must not make strangers of everybody.
    own.OIDC_ISSUER_NAME = 'local';
    own.OIDC_CLIENT_ID = 'encore';
    own.OIDC_CLIENT_SECRET = secrets.OIDC_CLIENT_SECRET;
  }
  if (missing.has('stripe')) {
    // The stand-in is this stack's alone.
    own.STRIPE_ACCOUNT = 'exclusive';
    // It takes as many calls as come, unless a suite switches its limits on.
    own.STRIPE_REQUESTS_PER_SECOND = '10000';
    own.STRIPE_REQUESTS_PER_ENDPOINT = '10000';
    own.STRIPE_API_URL = `http://127.0.0.1:${port(plan, 'stripe')}`;
    own.STRIPE_SCRIPT_URL = `http://localhost:${port(plan, 'stripe')}/v3/`;
    own.STRIPE_SECRET_KEY = secrets.STRIPE_SECRET_KEY;
    own.STRIPE_PUBLISHABLE_KEY = secrets.STRIPE_PUBLISHABLE_KEY;
    own.STRIPE_WEBHOOK_SECRET = secrets.STRIPE_WEBHOOK_SECRET;
    own.STRIPE_CONNECT_WEBHOOK_SECRET = secrets.STRIPE_CONNECT_WEBHOOK_SECRET;
  }
  if (missing.has('mail')) own.SMTP_URL = `smtp://127.0.0.1:${port(plan, 'mail')}`;
  for (const [name, value] of Object.entries(own)) if (!env[name] && !env[`${name}_FILE`]) env[name] = value;
  // All of these or none: a certificate that was given does not go with our authority.
  if (signsPassesItself(given)) Object.assign(env, passSettings(passFolder(plan)));
  return env;
}

/** Whether passes are signed by a development authority of ours, because no certificate was given. */
const signsPassesItself = (given: StackPlan['given']): boolean =>
  !Object.keys(given).some((name) => /^APPLE_/.test(name));
const passFolder = ({ dataFolder }: StackPlan): string => join(dataFolder, 'passes');

const EVENTSTORE_USER = 'encore';
/** The stand-in makes its certificate there at its first start, with the authority that vouches for it. */
const eventStoreCertificate = ({ dataFolder }: StackPlan): string =>
  join(dataFolder, 'eventstore-certificate');
const hasSecureEventStore = ({ given }: StackPlan): boolean => given.ENCORE_EVENTSTORE_TLS === 'on';

/**
 * To a server of EventStoreDB a variable with its prefix is an option of its own; EVENTSTORE_URL is ours, and
 * would end it.
 */
const withoutServerOptions = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('EVENTSTORE_')));

function eventStoreUrl(plan: StackPlan): string {
  const place = port(plan, 'eventstore');
  if (!hasSecureEventStore(plan)) return `esdb://127.0.0.1:${place}?tls=false`;
  // TLS goes by names: Node warns of a server named by its address.
  const authority = encodeURIComponent(join(eventStoreCertificate(plan), 'authority.pem'));
  return `esdb://${EVENTSTORE_USER}:${plan.secrets.EVENTSTORE_PASSWORD}@localhost:${place}?tls=true&tlsCAFile=${authority}`;
}

/** How to start a part. Throws {@link ProgramFailed} with one sentence when it cannot be started here. */
export async function programFor(plan: StackPlan, part: Part): Promise<Program> {
  const folder = join(plan.dataFolder, part);
  const logFile = join(plan.dataFolder, 'logs', `${part}.log`);
  const env = appEnvironment(plan);
  if (part === 'postgres')
    return postgres({
      folder,
      logFile,
      port: port(plan, part),
      password: plan.secrets.POSTGRES_PASSWORD,
      template: plan.postgresTemplate,
      isThrownAway: plan.isThrownAway,
    });
  if (part === 'redis') return redis({ folder, logFile, port: port(plan, part) });
  if (part === 'eventstore') {
    const args = ['--port', port(plan, part), '--data', folder];
    const alone = withoutServerOptions(env);
    if (!hasSecureEventStore(plan)) return ours('local/stand-ins/eventstore/main', args, alone);
    return ours(
      'local/stand-ins/eventstore/main',
      [...args, '--development-certificate', eventStoreCertificate(plan)],
      {
        ...alone,
        STAND_IN_USERS: `${EVENTSTORE_USER}:${plan.secrets.EVENTSTORE_PASSWORD}`,
      },
    );
  }
  if (part === 'stripe')
    return ours(
      'local/stand-ins/stripe/main',
      [
        ...['--port', port(plan, part), '--data', folder],
        ...['--webhook-url', `http://127.0.0.1:${plan.publicPort}${PATH_OF_WEBHOOKS}`],
        ...['--connect-webhook-url', `http://127.0.0.1:${plan.publicPort}${PATH_OF_CONNECT_WEBHOOKS}`],
      ],
      env,
    );
  if (part === 'identity')
    return ours('local/stand-ins/identity/main', ['--port', port(plan, part), '--data', folder], env);
  if (part === 'mail')
    return ours(
      'local/stand-ins/mail/main',
      ['--port', port(plan, part), '--inbox-port', port(plan, 'inbox'), '--data', folder],
      env,
    );
  if (part === 'front')
    return ours(
      'local/front/main',
      [
        ...['--port', plan.publicPort],
        ...(standInsFor(plan.given).includes('identity') ? ['--identity', port(plan, 'identity')] : []),
        ...(standInsFor(plan.given).includes('mail') ? ['--inbox', port(plan, 'inbox')] : []),
        ...ledgerParts(plan.ledgers).flatMap((ledger) => ['--ledger', port(plan, ledger)]),
      ],
      env,
    );
  if (part === 'projections' || part === 'projections-2')
    return ours('processes/projections', [], {
      ...asRole(plan, 'projections', env),
      PROJECTIONS_PORT: String(port(plan, part)),
    });
  if (part === 'workers')
    return ours('processes/workers', [], {
      ...asRole(plan, 'workers', env),
      WORKERS_PORT: String(port(plan, part)),
      BULL_BOARD_PORT: env.BULL_BOARD_PORT ?? String(port(plan, 'queues')),
    });
  if (part === 'archive')
    return ours('processes/operate', ['archive', '--follow'], {
      ...env,
      ARCHIVE_PORT: String(port(plan, part)),
    });
  if (part === 'transparency')
    return ours('processes/transparency', [], {
      ...env,
      // Nobody else has the key; and another PORT must not make another tree.
      TRANSPARENCY_KEY: env.TRANSPARENCY_KEY ?? plan.secrets.TRANSPARENCY_KEY,
      TRANSPARENCY_NAME: env.TRANSPARENCY_NAME ?? 'localhost/transparency',
      TRANSPARENCY_PORT: String(port(plan, part)),
    });
  if (part === 'workers-2')
    return ours('processes/workers', [], {
      ...asRole(plan, 'workers', env),
      WORKERS_PORT: String(port(plan, part)),
    });
  return ours('processes/ledger', [], {
    ...asRole(plan, 'ledger', env),
    // The journal makes much that lives for a moment: room for it to die young is worth a fifth more entries
    // a second.
    NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`.trim(),
    LEDGER_PORT: String(port(plan, part)),
    LEDGER_INTERNAL_PORT: String(port(plan, `${part}-internal`)),
  });

  function ours(built: string, args: readonly (string | number)[], own: Record<string, string>): Program {
    const main = join(plan.root, 'dist', `${built}.js`);
    if (!existsSync(main)) throw new ProgramFailed(`${main} is missing: build first, with \`make build\`.`);
    return {
      name: part,
      command: process.execPath,
      args: [main, ...args.map(String)],
      env: own,
      cwd: plan.root,
      ready: READY_LINE,
      readyWithinMs: READY_WITHIN_MS,
      stopSignal: 'SIGTERM',
      logFile,
      // The data of a part are readable by its owner only.
      prepare: async () => {
        if (args.includes(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
        if (built === 'processes/ledger' && signsPassesItself(plan.given))
          await makePassAuthority(passFolder(plan));
      },
      leftovers: /EADDRINUSE|Port \d+ is in use/,
    };
  }
}

function ledgerParts(ledgers: number): `ledger-${number}`[] {
  return Array.from({ length: ledgers }, (_, n): `ledger-${number}` => `ledger-${n + 1}`);
}

function port(plan: StackPlan, name: string): number {
  const found = plan.ports[name];
  if (found === undefined) throw new Error(`No port was picked for ${name}.`);
  return found;
}
