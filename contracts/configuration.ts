/**
 * Every setting of every process, in one table: what it is, what it is when unset, and what a good one looks
 * like. A secret may come as `X` or, as a file's path, `X_FILE`; an empty or blank one is unset.
 * Docs/reference/settings.md is made from this table.
 */
import proxyAddr from '@fastify/proxy-addr';
import { z } from 'zod';
import { limitsFrom, type Limits } from './limits.js';
import { isTimeZone } from './plain/months.js';
import { areProviderOrigins, STRIPE_PUBLISHED_ORIGINS } from './provider-origins.js';

const wholeNumber = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};
const oneOf = <const T extends readonly [string, ...string[]]>(...words: T) =>
  z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}` });
const port = wholeNumber(0, 65_535);
const isUrl = (text: string, schemes: readonly string[]): boolean =>
  URL.canParse(text) && schemes.includes(new URL(text).protocol.replace(':', ''));
const urlWhere = (holds: (text: string, schemes: readonly string[]) => boolean, schemes: readonly string[]) =>
  z.string().refine((text) => holds(text, schemes), {
    message: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  });
const url = (...schemes: string[]) => urlWhere(isUrl, schemes);
/**
 * The nodes of a cluster stand side by side, which is no URL to anybody else:
 * `esdb://user:password@one:2113,two:2113?tls=true`.
 */
const eventStoreUrl = urlWhere(
  (text, schemes) => {
    const [, before = '', hosts = '', after = ''] = /^([^/]*:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/.exec(text) ?? [];
    return hosts.split(',').every((host) => host !== '' && isUrl(`${before}${host}${after}`, schemes));
  },
  ['esdb', 'esdb+discover'],
);
const secret = (bytes: number) =>
  z.string().refine((text) => text.length >= bytes, { message: `must have at least ${bytes} characters` });
const masterKey = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'must be 32 bytes as 64 hexadecimal digits (openssl rand -hex 32)');
/** Whether the HTTP server's own parser accepts them. */
function areProxies(written: string): boolean {
  try {
    proxyAddr.compile(written.split(',').map((each) => each.trim()));
    return true;
  } catch {
    return false;
  }
}
const webhookSecret = z.string().startsWith('whsec_', 'must begin with whsec_');
const pemText = z
  .string()
  .regex(/-----BEGIN [A-Z0-9 ]+-----/, 'must be text in PEM form, which begins with -----BEGIN');
const count = wholeNumber(1, 1_000_000);
/** Long enough for the owner of an account to notice that somebody else recovers or deletes it. */
const hours = wholeNumber(24, 24 * 30);
/** Node.js fires a timer of more than 24 days at once. */
const LONGEST_PAUSE_SECONDS = 24 * 60 * 60;
const secondsError = `must be a number of seconds from 0.05 to ${LONGEST_PAUSE_SECONDS}`;
/** Fractions are for test suites, which would only wait. */
const seconds = z.coerce
  .number({ error: secondsError })
  .min(0.05, { error: secondsError })
  .max(LONGEST_PAUSE_SECONDS, { error: secondsError });

const limits = z
  .string()
  .default('')
  .transform((text, context): Limits => {
    const read = limitsFrom(text);
    if (!('problem' in read)) return read;
    context.addIssue({ code: 'custom', message: read.problem });
    return z.NEVER;
  });

interface Setting<T extends z.ZodType> {
  readonly schema: T;
  readonly what: string;
  readonly secret?: true;
}
const setting = <T extends z.ZodType>(what: string, schema: T): Setting<T> => ({ what, schema });
const secretSetting = <T extends z.ZodType>(what: string, schema: T): Setting<T> => ({
  what,
  schema,
  secret: true,
});

/** Secret: the password in it is what `migrate` gives the role. */
const roleUrl = (whose: string) =>
  secretSetting(
    `Postgres for ${whose}; \`migrate\` makes the role with the password that stands there`,
    url('postgres', 'postgresql').optional(),
  );

/** The settings of the application's processes. What the local stack adds is in local/settings.ts. */
export const SETTINGS = {
  NODE_ENV: setting(
    '`production` refuses what belongs to a sandbox, and what is weak, used twice, missing or in the clear; `make start` sets `development`',
    oneOf('production', 'development', 'test').default('production'),
  ),
  STORES_INTERNAL: setting(
    '`true`: Postgres, Redis, the event store and the ledgers’ internal port are on a network of this system alone, as in docker-compose.yml, and may be reached without TLS',
    oneOf('true', 'false').default('false'),
  ),
  ENCORE_STAGING: setting(
    '`on`: production with the card provider’s test keys, to rehearse it; every page says that no real money moves',
    oneOf('on', 'off').default('off'),
  ),
  PUBLIC_URL: setting(
    'where browsers reach the app; the origin of links, cookies and sign-in',
    url('http', 'https').default('http://localhost:3000'),
  ),
  EVENTSTORE_URL: setting(
    'the event store; where it asks for credentials, `esdb://user:password@host:2113?tls=true&tlsCAFile=…`',
    eventStoreUrl,
  ),
  DATABASE_URL: setting(
    'Postgres, for read models, data keys and sessions; for each process with a role of its own, and for `migrate` and `operate` with the owner of the database',
    url('postgres', 'postgresql'),
  ),
  LEDGER_DATABASE_URL: roleUrl('the role encore_ledger'),
  PROJECTIONS_DATABASE_URL: roleUrl('the role encore_projections'),
  WORKERS_DATABASE_URL: roleUrl('the role encore_workers'),
  AUDIT_DATABASE_URL: roleUrl('the role encore_audit'),
  BACKUP_DATABASE_URL: roleUrl('the role encore_backup, which `operate backup` signs in as'),
  REDIS_URL: setting(
    'Redis, for queues, and for the calls of the card provider that ledgers share out',
    url('redis', 'rediss'),
  ),
  OIDC_ISSUER: setting('the identity provider (OpenID Connect)', url('http', 'https')),
  OIDC_ISSUER_NAME: setting(
    'a lasting name for the identity provider: user ids derive from it and the subject. Unset: OIDC_ISSUER',
    z.string().min(1).optional(),
  ),
  OIDC_INTERNAL_URL: setting(
    'where the ledger itself reaches the identity provider, when that is not OIDC_ISSUER: from inside a network of its own',
    url('http', 'https').optional(),
  ),
  OIDC_CLIENT_ID: setting('this app at the identity provider', z.string().min(1)),
  OIDC_CLIENT_SECRET: secretSetting('its secret there', secret(16)),
  OIDC_ACR_VALUES: setting(
    'how strongly people must sign in: classes of the identity provider’s, with spaces. Each sign-in asks for them, and one whose ID token has none of them as `acr` is refused',
    z.string().optional(),
  ),
  OIDC_AMR_REQUIRED: setting(
    'methods of sign-in (RFC 8176), such as `mfa`, with spaces: a sign-in whose ID token does not have all of them in `amr` is refused',
    z.string().optional(),
  ),
  STRIPE_SECRET_KEY: secretSetting(
    'the card provider’s secret key',
    z.string().regex(/^(sk|rk)_(test|live)_/, 'must begin with sk_test_ or sk_live_'),
  ),
  STRIPE_PUBLISHABLE_KEY: setting(
    'the card provider’s key for browsers',
    z.string().regex(/^pk_(test|live)_/, 'must begin with pk_test_ or pk_live_'),
  ),
  STRIPE_WEBHOOK_SECRET: secretSetting('signs the card provider’s webhooks', webhookSecret),
  STRIPE_WEBHOOK_SECRET_NEXT: secretSetting(
    'the one that takes its place: while it is rolled, both are taken',
    webhookSecret.optional(),
  ),
  STRIPE_CONNECT_WEBHOOK_SECRET: secretSetting(
    'signs the card provider’s webhooks about connected accounts, which have an endpoint of their own',
    webhookSecret,
  ),
  STRIPE_CONNECT_WEBHOOK_SECRET_NEXT: secretSetting(
    'the one that takes its place: while it is rolled, both are taken',
    webhookSecret.optional(),
  ),
  STRIPE_API_URL: setting(
    'where the card provider’s API is, when it is not Stripe itself',
    url('http', 'https').optional(),
  ),
  STRIPE_REQUESTS_PER_SECOND: setting(
    'how many calls a second the card provider takes of all ledgers together. Unset: what it publishes, 100 with live keys and 25 with test keys',
    count.optional(),
  ),
  STRIPE_REQUESTS_PER_ENDPOINT: setting('how many of them it takes at one endpoint', count.default(25)),
  STRIPE_SCRIPT_URL: setting(
    'the script that defines `window.Stripe`, when it is not Stripe’s own',
    url('http', 'https').optional(),
  ),
  STRIPE_ORIGINS: setting(
    'the origins of Stripe’s that a page may load from, by directive, as Stripe publishes them',
    z
      .string()
      .refine(
        areProviderOrigins,
        'must be parts such as `frame-src https://js.stripe.com`, separated by semicolons, of script-src, frame-src, connect-src and img-src',
      )
      .default(STRIPE_PUBLISHED_ORIGINS),
  ),
  APPLE_PASS_CERTIFICATE: setting(
    'the certificate of the pass type, in PEM form, for Apple Wallet passes; without all of these there are none',
    pemText.optional(),
  ),
  APPLE_PASS_KEY: secretSetting('its key, in PEM form', pemText.optional()),
  APPLE_PASS_KEY_PASSPHRASE: secretSetting(
    'what opens that key, where it is locked',
    z.string().min(1).optional(),
  ),
  APPLE_WWDR_CERTIFICATE: setting(
    'the certificate of Apple’s that issued it, in PEM form',
    pemText.optional(),
  ),
  APPLE_PASS_TYPE_ID: setting(
    'the pass type, such as pass.com.example.encore',
    z.string().startsWith('pass.', 'must begin with pass.').optional(),
  ),
  APPLE_TEAM_ID: setting(
    'the team at Apple, ten letters and digits',
    z
      .string()
      .regex(/^[A-Z0-9]{10}$/, 'must be ten capital letters and digits')
      .optional(),
  ),
  ENCORE_MASTER_KEY: secretSetting(
    'wraps the users’ data keys; 32 bytes as 64 hexadecimal digits',
    masterKey,
  ),
  ENCORE_NEW_MASTER_KEY: secretSetting(
    'the master key to come: opens what it wraps already, while one process after the other is given it',
    masterKey.optional(),
  ),
  ENCORE_PREVIOUS_MASTER_KEY: secretSetting(
    'the master key of before: opens what it still wraps, until `rewrap` has wrapped all of it anew',
    masterKey.optional(),
  ),
  ENCORE_ARCHIVE: setting(
    'the folder of the exported log, which the archive writes, and a ledger compares the log with before it writes. Unset: there is none',
    z.string().min(1).optional(),
  ),
  ENCORE_INTERNAL_TOKEN: secretSetting('what workers show at the ledger’s internal port', secret(24)),
  LEDGER_PORT: setting('the ledger’s public port; 0 picks a free one', port.default(3001)),
  METRICS_TOKEN: secretSetting(
    'what Prometheus shows as a bearer token at /metrics of each process. Unset: only the same host is told the figures',
    secret(24).optional(),
  ),
  LEDGER_INTERNAL_PORT: setting(
    'the ledger’s internal port: the workers’ commands, and /metrics; on loopback unless LEDGER_INTERNAL_HOST says otherwise',
    port.default(3002),
  ),
  LEDGER_INTERNAL_HOST: setting('the address of the internal port', z.string().default('127.0.0.1')),
  LEDGER_INTERNAL_URL: setting(
    'where workers reach a ledger’s internal port',
    url('http', 'https').default('http://127.0.0.1:3002'),
  ),
  LEDGER_HOST: setting('the address of the public port', z.string().default('127.0.0.1')),
  TRUSTED_PROXIES: setting(
    'whose X-Forwarded-* headers count: addresses or networks of the proxies before the ledger, with commas',
    z
      .string()
      .refine(
        areProxies,
        'must be addresses or networks with commas, such as 10.0.0.0/8, or loopback, linklocal or uniquelocal',
      )
      .default('loopback'),
  ),
  PROJECTIONS_PORT: setting('health and metrics of the projections', port.default(3003)),
  PROJECTIONS_HOST: setting('the address of that port', z.string().default('127.0.0.1')),
  WORKERS_PORT: setting('health and metrics of the workers', port.default(3004)),
  WORKERS_HOST: setting('the address of that port', z.string().default('127.0.0.1')),
  ARCHIVE_PORT: setting('health and metrics of the archive', port.default(3006)),
  ARCHIVE_HOST: setting('the address of that port', z.string().default('127.0.0.1')),
  ENCORE_TRANSPARENCY: setting(
    'the folder of the published tree over the log, which `encore transparency` writes, ledgers serve under `/transparency/`, and compare the log with before they write. Unset: there is none',
    z.string().min(1).optional(),
  ),
  TRANSPARENCY_KEY: secretSetting('the Ed25519 key that signs the head of the tree', masterKey),
  TRANSPARENCY_NAME: setting(
    'the name of the tree and of its key, which stands in every head. Unset: the host of PUBLIC_URL with `/transparency`',
    z.string().min(1).optional(),
  ),
  TRANSPARENCY_EVERY_SECONDS: setting('how often a head of the tree is signed', seconds.default(60)),
  TRANSPARENCY_PORT: setting('health and metrics of the tree’s publisher', port.default(3007)),
  TRANSPARENCY_HOST: setting('the address of that port', z.string().default('127.0.0.1')),
  BULL_BOARD_PORT: setting(
    'the workers’ page of their queues, on loopback only; without it there is none',
    port.optional(),
  ),
  LOG_LEVEL: setting(
    'what is logged: trace, debug, info, warn, error, silent',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info'),
  ),
  LIMITS: setting(
    'limits that are to be others than in [the table of limits](limits.md), by name: `wallets=40 look-up-user=10`; outside of production also `wallets=off`',
    limits,
  ),
  SESSION_IDLE_DAYS: setting('days without use after which a session ends', wholeNumber(1, 90).default(7)),
  SESSION_LONGEST_DAYS: setting(
    'days after which a session ends however much it is used',
    wholeNumber(1, 90).default(30),
  ),
  PLACES_FILE: setting(
    'a file in MaxMind’s MMDB form, of cities: people are shown from which place a session is used. Unset: no places',
    z.string().min(1).optional(),
  ),
  SECURITY_TRAIL_DAYS: setting(
    'days for which a line of the security trail is kept; what is older is deleted',
    wholeNumber(1, 3_650).default(400),
  ),
  ENCORE_OPERATOR: setting(
    'who runs an operator’s command, for the security trail. Unset: the login name, at the host’s name',
    z
      .string()
      .regex(/^[\w.@-]{1,100}$/, 'must be letters, digits and . _ @ - only')
      .optional(),
  ),
  STRIPE_ACCOUNT: setting(
    '`exclusive`: the account at the card provider is this ledger’s alone, and top-ups, payouts to its bank and what the provider charges are booked unasked; `shared`: others use it too, and those are counted until an operator books them',
    oneOf('exclusive', 'shared').default('shared'),
  ),
  BOOKS_TIME_ZONE: setting(
    'the time zone in which months of the books begin and end, such as `America/New_York`. It is founded with the ledger and never changes. Unset: UTC',
    z.string().refine(isTimeZone, 'must be the name of a time zone, such as America/New_York').optional(),
  ),
  REFUNDS_PER_HOUR: setting(
    'how many charges that no payment explains are given back in an hour at most, by all ledgers together; the rest waits',
    count.default(30),
  ),
  READ_YOUR_WRITES_MS: setting(
    'how long an answer waits for the read models, in milliseconds',
    wholeNumber(1, 60_000).default(3000),
  ),
  CARE_EVERY_SECONDS: setting(
    'how often workers look after open payments, payouts, and unapplied money',
    seconds.default(60),
  ),
  PAYOUT_RETRY_SECONDS: setting(
    'how long a payout waits after its first attempt at the provider came to nothing; twice as long each time, six hours at most',
    seconds.default(300),
  ),
  SCHEDULES_EVERY_SECONDS: setting(
    'how often workers look for subscriptions and scheduled payments that are due',
    seconds.default(5),
  ),
  SMTP_URL: secretSetting(
    'the mail server that takes what people are to be told: `smtp://user:password@host:587`, or `smtps://…`; in the clear only on loopback, or outside production. Unset: nothing is mailed, and production refuses to start',
    url('smtp', 'smtps').optional(),
  ),
  MAIL_FROM: setting(
    'whom mails come from, such as `Encore <hello@example.com>`',
    z
      .string()
      .regex(
        /^[^\p{Cc}<>]*(<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
        'must be an address, or a name and an <address>',
      )
      .default('Encore <no-reply@localhost>'),
  ),
  MAIL_EVERY_SECONDS: setting('how often workers look for what is to be mailed', seconds.default(5)),
  TEST_CLOCK_FILE: setting(
    'suites only, refused in production: a file that holds by how many milliseconds the clock of schedules is ahead',
    z.string().optional(),
  ),
  RECONCILE_EVERY_MINUTES: setting(
    'how often workers compare the log with the card provider',
    wholeNumber(1, 7 * 24 * 60).default(60),
  ),
  ACCOUNT_RECOVERY_HOURS: setting(
    'how long the recovery of an account waits before it can be completed, in hours: a day at least',
    hours.default(72),
  ),
  FORGETTING_HOURS: setting(
    'how long somebody who asked to be forgotten has to call it off, in hours: a day at least',
    hours.default(72),
  ),
  RESIDENT_WINDOW_MINUTES: setting(
    'how long the journal keeps idempotency keys in memory',
    wholeNumber(1, 7 * 24 * 60).default(10),
  ),
  RESIDENT_WINDOW_ENTRIES: setting('how many it keeps at most', wholeNumber(1, 100_000_000).default(200_000)),
} as const satisfies Record<string, Setting<z.ZodType>>;

export type SettingKey = keyof typeof SETTINGS;
export type Configuration<K extends SettingKey = SettingKey> = {
  [N in K]: z.infer<(typeof SETTINGS)[N]['schema']>;
};

/**
 * Settings are missing or wrong; the message is a sentence for each, a line by itself, for whoever starts the
 * process.
 */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
}

/** Settings as far as they could be read, and one sentence for each that could not. */
interface ReadConfiguration {
  readonly values: Partial<Configuration>;
  readonly problems: readonly string[];
}

/**
 * Reads the named settings. `readFile` opens the file that `X_FILE` names. Each one that is missing or wrong
 * is one plain sentence; a secret's value is never part of it.
 */
export function readConfiguration(
  names: readonly SettingKey[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): ReadConfiguration {
  const values: Partial<Record<SettingKey, unknown>> = {};
  const problems: string[] = [];
  for (const name of new Set(names)) {
    const { schema, what } = SETTINGS[name];
    const file = env[`${name}_FILE`]?.trim();
    // A line of a file from Windows ends with a character that nobody sees.
    let written = env[name]?.trim() || undefined;
    if (written === undefined && file) {
      try {
        written = readFile(file).trim() || undefined;
      } catch {
        problems.push(`${name}_FILE names a file that cannot be read: ${file}`);
        continue;
      }
    }
    const result = schema.safeParse(written);
    if (result.success) values[name] = result.data;
    else
      problems.push(
        written === undefined
          ? `${name} is not set: ${what}.`
          : `${name} is wrong: ${result.error.issues[0]?.message ?? 'not understood'}. It is ${what}.`,
      );
  }
  return { values: values as Partial<Configuration>, problems };
}
