/**
 * docker-compose.yml as Docker Compose takes it: merge keys, substitution, profiles and files of variables.
 * Only what that file uses is understood; anything else throws.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { repositoryRoot } from '#local/launch/program';

const Variables = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .default({})
  .transform((all) =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value ?? '')])),
  );

const Service = z.object({
  image: z.string(),
  profiles: z.array(z.string()).default([]),
  environment: Variables,
  env_file: z.array(z.string()).default([]),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  depends_on: z
    .record(z.string(), z.object({ condition: z.string(), required: z.boolean().default(true) }))
    .default({}),
});
const File = z.object({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.object({ enable_ipv6: z.boolean().default(false) })).default({}),
  volumes: z.record(z.string(), z.object({})),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
type ComposeService = z.output<typeof Service>;
export type ComposeFile = z.output<typeof File>;

/** The services that start whatever the profiles are. */
const ALWAYS = [
  'archive',
  'eventstore',
  'ledger',
  'migrate',
  'postgres',
  'projections',
  'proxy',
  'redis',
  'settings',
  'transparency',
  'workers',
];
/** What each profile adds. */
export const OF_PROFILE: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['identity', 'stripe'],
  cluster: ['cluster-settings', 'eventstore-2', 'eventstore-3'],
  tools: ['audit', 'operate'],
};

/** The names of all services that start with these profiles, in order. */
export const servicesOf = (profiles: readonly string[]): readonly string[] =>
  [...ALWAYS, ...profiles.flatMap((name) => OF_PROFILE[name] ?? [])].sort();

type Settings = Readonly<Record<string, string>>;

const SUBSTITUTED = /\$(?:(\$)|(\w+)|\{(\w+)(?:(:?[-?+])([^{}]*))?\})/g;

/** What becomes of `${NAME:-otherwise}` and its like. */
function substituted(text: string, settings: Settings): string {
  return text.replace(
    SUBSTITUTED,
    (whole, dollar?: string, short?: string, long?: string, operator = '', words = '') => {
      if (dollar !== undefined) return '$';
      const name = short ?? long ?? '';
      const value = settings[name];
      const isThere = operator.startsWith(':') ? Boolean(value) : value !== undefined;
      if (operator.endsWith('+')) return isThere ? words : '';
      if (isThere || operator === '') return value ?? '';
      if (operator.endsWith('-')) return words;
      throw new Error(`${whole}: ${name} must be set.`);
    },
  );
}

function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => eachText(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, eachText(one, change)]));
}

/** The lines `NAME=value` of a file; comments and empty lines are passed over. */
export function variablesIn(path: string): Settings {
  const lines = readFileSync(join(repositoryRoot(), path), 'utf8').split('\n');
  return Object.fromEntries(
    lines
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
        if (name === undefined || value === undefined) throw new Error(`${path} has the line "${line}".`);
        return [name, value];
      }),
  );
}

/** The services that start with these settings, each with its whole environment. */
export function composed(text: string, settings: Settings): ComposeFile {
  const raw: unknown = parse(text, { merge: true });
  const file = File.parse(eachText(raw, (one) => substituted(one, settings)));
  const profiles = (settings.COMPOSE_PROFILES ?? '').split(',');
  const started = Object.entries(file.services).filter(
    ([, service]) =>
      service.profiles.length === 0 || service.profiles.some((name) => profiles.includes(name)),
  );
  const services = started.map(([name, service]): [string, ComposeService] => [
    name,
    {
      ...service,
      environment: { ...Object.assign({}, ...service.env_file.map(variablesIn)), ...service.environment },
    },
  ]);
  return { ...file, services: Object.fromEntries(services) };
}
