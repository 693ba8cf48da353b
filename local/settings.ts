/**
 * The settings of the local stack itself, and what it keeps in its data folder: made-up secrets and the
 * ports it picked. The settings of the application's own processes are in contracts/configuration.ts; they
 * pass through from the environment, and whatever has a URL there is not started here.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort, isFree } from './launch/free-port.js';

/** A setting or a kept file is wrong; the message is one sentence for whoever starts the stack. */
export class BadLocalSetting extends Error {
  override readonly name = 'BadLocalSetting';
}

/** The settings of `make start`. Docs/reference/settings.md is made from this table and the application's. */
export const LOCAL_SETTINGS = {
  PORT: { what: 'where the app is opened: http://localhost:PORT', unset: '3000' },
  ENCORE_DATA: { what: 'the folder that holds all data', unset: './.data' },
  LEDGERS: { what: 'how many ledger processes share the journal', unset: '1' },
  ENCORE_DEMO: {
    what: 'on: people and some weeks of tips are there from the first start; off: nobody is. Only with the stand-ins, on localhost',
    unset: 'on',
  },
  ENCORE_EVENTSTORE_TLS: {
    what: 'on: the event store’s stand-in speaks TLS, with a certificate made for it, and lets in only who has a password',
    unset: 'off',
  },
} as const;

export interface LocalSettings {
  readonly port: number;
  /** Absolute. */
  readonly dataFolder: string;
  readonly ledgers: number;
  /** The origin that browsers use. */
  readonly publicUrl: string;
  /** Whether to set up the demo: its people's password is in the source, so only localhost may reach them. */
  readonly demo: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings; relative folders are seen from `root`. Throws {@link BadLocalSetting} with one plain
 * sentence.
 */
export function localSettings(env: Environment, root: string): LocalSettings {
  const port = wholeNumber(env, 'PORT', 1, 65_535);
  const ledgers = wholeNumber(env, 'LEDGERS', 1, 16);
  const publicUrl = (env.PUBLIC_URL || new URL(`http://localhost:${port}`).origin).replace(/\/+$/, '');
  if (
    !URL.canParse(publicUrl) ||
    !/^https?:$/.test(new URL(publicUrl).protocol) ||
    new URL(publicUrl).origin !== publicUrl
  )
    throw new BadLocalSetting(
      `PUBLIC_URL is ${publicUrl}: it must be an origin, such as http://localhost:3000.`,
    );
  const demo = env.ENCORE_DEMO || LOCAL_SETTINGS.ENCORE_DEMO.unset;
  if (demo !== 'on' && demo !== 'off')
    throw new BadLocalSetting(`ENCORE_DEMO is ${demo}: it must be on or off.`);
  const tls = env.ENCORE_EVENTSTORE_TLS || LOCAL_SETTINGS.ENCORE_EVENTSTORE_TLS.unset;
  if (tls !== 'on' && tls !== 'off')
    throw new BadLocalSetting(`ENCORE_EVENTSTORE_TLS is ${tls}: it must be on or off.`);
  const isHere = /^(localhost|127\.0\.0\.1)$/.test(new URL(publicUrl).hostname);
  const dataFolder = resolve(root, env.ENCORE_DATA || LOCAL_SETTINGS.ENCORE_DATA.unset);
  return { port, ledgers, publicUrl, demo: demo === 'on' && isHere, dataFolder };
}

function wholeNumber(env: Environment, name: 'PORT' | 'LEDGERS', least: number, most: number): number {
  const written = env[name] || LOCAL_SETTINGS[name].unset;
  const value = Number(written);
  if (!/^\d+$/.test(written) || value < least || value > most)
    throw new BadLocalSetting(`${name} is ${written}: it must be a whole number from ${least} to ${most}.`);
  return value;
}

/** Made up once for a data folder. Each goes by the name of the setting it fills, or is part of. */
export interface Secrets {
  readonly OIDC_CLIENT_SECRET: string;
  readonly EVENTSTORE_PASSWORD: string;
  readonly ENCORE_MASTER_KEY: string;
  /** Postgres' owner, and the role of each process. */
  readonly POSTGRES_PASSWORD: string;
  readonly POSTGRES_LEDGER_PASSWORD: string;
  readonly POSTGRES_PROJECTIONS_PASSWORD: string;
  readonly POSTGRES_WORKERS_PASSWORD: string;
  readonly POSTGRES_AUDIT_PASSWORD: string;
  readonly POSTGRES_BACKUP_PASSWORD: string;
  readonly ENCORE_INTERNAL_TOKEN: string;
  /** Signs the published tree. */
  readonly TRANSPARENCY_KEY: string;
  readonly STRIPE_WEBHOOK_SECRET: string;
  readonly STRIPE_CONNECT_WEBHOOK_SECRET: string;
  readonly STRIPE_SECRET_KEY: string;
  readonly STRIPE_PUBLISHABLE_KEY: string;
}

/** Nothing in it has to be quoted, in a URL or in SQL. */
const password = (): string => randomBytes(24).toString('hex');

/** The secrets of a data folder, made up and kept there (readable by its owner only) when it has none. */
export function secretsOf(dataFolder: string): Secrets {
  const file = join(dataFolder, 'secrets.json');
  const made: Secrets = {
    OIDC_CLIENT_SECRET: randomBytes(32).toString('base64url'),
    EVENTSTORE_PASSWORD: randomBytes(24).toString('base64url'),
    ENCORE_MASTER_KEY: randomBytes(32).toString('hex'),
    POSTGRES_PASSWORD: password(),
    POSTGRES_LEDGER_PASSWORD: password(),
    POSTGRES_PROJECTIONS_PASSWORD: password(),
    POSTGRES_WORKERS_PASSWORD: password(),
    POSTGRES_AUDIT_PASSWORD: password(),
    POSTGRES_BACKUP_PASSWORD: password(),
    ENCORE_INTERNAL_TOKEN: randomBytes(32).toString('base64url'),
    TRANSPARENCY_KEY: randomBytes(32).toString('hex'),
    STRIPE_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString('hex')}`,
    STRIPE_CONNECT_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString('hex')}`,
    STRIPE_SECRET_KEY: `sk_test_${randomBytes(24).toString('hex')}`,
    STRIPE_PUBLISHABLE_KEY: `pk_test_${randomBytes(24).toString('hex')}`,
  };
  // Never made up anew beside data that the old ones protect: without the master key, names in the log are
  // lost.
  const kept = existsSync(file) ? readKept<Partial<Secrets>>(file) : {};
  const secrets = { ...made, ...kept };
  if (Object.keys(secrets).some((name) => !(name in kept))) keep(file, secrets);
  return secrets;
}

/** Ports that were picked once and are kept, so that links into the stack survive a restart. */
export class KeptPorts {
  readonly #file: string;
  readonly #ports: Record<string, number>;

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, 'ports.json');
    this.#ports = existsSync(this.#file) ? readKept<Record<string, number>>(this.#file) : {};
  }

  /** The ports as they were picked last, whoever has them now. */
  get kept(): Readonly<Record<string, number>> {
    return { ...this.#ports };
  }

  /** The ports of these names; one that a stranger took meanwhile, or that is new, is picked and kept. */
  async take(names: readonly string[], reserved: readonly number[]): Promise<Record<string, number>> {
    const taken = new Set([...reserved, ...Object.values(this.#ports)]);
    for (const name of names) {
      const port = this.#ports[name];
      if (port !== undefined && !reserved.includes(port) && (await isFree(port))) continue;
      const picked = await freePort(taken);
      taken.add(picked);
      this.#ports[name] = picked;
    }
    keep(this.#file, this.#ports);
    return { ...this.#ports };
  }
}

function readKept<T>(file: string): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    throw new BadLocalSetting(
      `${file} cannot be read as JSON: repair it, or start over with \`make reset\`.`,
    );
  }
}

function keep(file: string, content: object): void {
  mkdirSync(resolve(file, '..'), { recursive: true });
  const unfinished = `${file}.unfinished`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}
