/**
 * What a process in production refuses to start with: what belongs to the stand-ins of `local/`, and what is
 * weak, used twice, missing or in the clear. All of it is told at once, each in a sentence that names the
 * setting and what to do.
 */
import { SETTINGS, type Configuration, type SettingKey } from '#contracts/configuration';
import { LIMIT_NAMES } from '#contracts/limits';
import { wordsOf } from '#ledger/identity/assurance';
import { weaknessOf, weaknessOfKey } from './secret-strength.js';

/** The settings of one process, as far as they could be read. */
export type CheckedSettings = Partial<Configuration>;
type Rule = (settings: CheckedSettings) => readonly (string | undefined)[];

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const isLoopback = (host: string): boolean => LOOPBACK.test(host);
const originOf = (url: string | undefined): string | undefined => url && new URL(url).origin;

/** A sentence on everything that production may not have; none where it may start. */
export function refusedInProduction(settings: CheckedSettings): readonly string[] {
  if (settings.NODE_ENV !== 'production') return [];
  return RULES.flatMap((rule) => rule(settings)).filter((sentence) => sentence !== undefined);
}

const cardProvider: Rule = (settings) => {
  const { ENCORE_STAGING, STRIPE_API_URL, STRIPE_SCRIPT_URL } = settings;
  const keys = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY'] as const;
  return [
    ...keys.map((name) => {
      const isTest = settings[name]?.includes('_test_');
      if (isTest === true && ENCORE_STAGING !== 'on')
        return `${name} is a sandbox key; production needs a live one, or ENCORE_STAGING=on to rehearse it.`;
      if (isTest === false && ENCORE_STAGING === 'on')
        return `${name} is a live key, and ENCORE_STAGING=on says on every page that no real money moves: take a sandbox key, or leave ENCORE_STAGING out.`;
      return undefined;
    }),
    STRIPE_API_URL && 'STRIPE_API_URL names a stand-in; in production leave it unset.',
    STRIPE_SCRIPT_URL && 'STRIPE_SCRIPT_URL names a stand-in; in production leave it unset.',
  ];
};

const signIn: Rule = ({ OIDC_ISSUER, OIDC_INTERNAL_URL, PUBLIC_URL, OIDC_ACR_VALUES, OIDC_AMR_REQUIRED }) => {
  const issuer = OIDC_ISSUER === undefined ? undefined : new URL(OIDC_ISSUER);
  const isLocal = issuer && (isLoopback(issuer.hostname) || issuer.origin === originOf(PUBLIC_URL));
  return [
    issuer && issuer.protocol !== 'https:'
      ? 'OIDC_ISSUER is a plain-http address; in production it must begin with https://.'
      : undefined,
    OIDC_INTERNAL_URL?.startsWith('http:')
      ? 'OIDC_INTERNAL_URL is a plain-http address; in production it must begin with https://.'
      : undefined,
    isLocal ? 'OIDC_ISSUER is the local identity provider; production needs a real one.' : undefined,
    PUBLIC_URL?.startsWith('http:')
      ? 'PUBLIC_URL is a plain-http address; in production it must begin with https://, or the session’s cookie would travel in the clear.'
      : undefined,
    issuer && !isStrong(OIDC_ACR_VALUES, OIDC_AMR_REQUIRED)
      ? 'OIDC_ACR_VALUES and OIDC_AMR_REQUIRED are unset, or name what a password alone is, so that one would sign in: set one of them to what your identity provider calls a strong sign-in, such as OIDC_AMR_REQUIRED=mfa.'
      : undefined,
  ];
};

/** What one knows, and nothing besides: RFC 8176. */
const KNOWN_ALONE: ReadonlySet<string> = new Set(['pwd', 'pin', 'kba']);
/**
 * A class without any assurance: OpenID Connect Core 1.0, section 2; one of those asked for is enough to sign
 * in.
 */
const NO_ASSURANCE = '0';

/** Whether a sign-in takes more than a password, as far as the words of the two settings tell. */
function isStrong(acr: string | undefined, amr: string | undefined): boolean {
  const [classes, methods] = [wordsOf(acr), wordsOf(amr)];
  const isOfClass = classes.length > 0 && !classes.includes(NO_ASSURANCE);
  return isOfClass || methods.some((method) => !KNOWN_ALONE.has(method));
}

/** The widest network that proxies can be of: a private one (10.0.0.0/8), a provider's (IPv6: /16). */
const WIDEST_NETWORK = { v4: 8, v6: 16 } as const;

const proxies: Rule = ({ TRUSTED_PROXIES }) =>
  (TRUSTED_PROXIES ?? '').split(',').map((written) => {
    const [address = '', length] = written.trim().split('/');
    const isWide =
      length !== undefined &&
      prefixOf(length) < (address.includes(':') ? WIDEST_NETWORK.v6 : WIDEST_NETWORK.v4);
    return isWide
      ? `TRUSTED_PROXIES has ${written.trim()}, which is nearly everybody: whoever connects could claim to be at any address. Name the proxies before the ledger.`
      : undefined;
  });

/** The length of a network's prefix, also where it is written as a mask. */
const prefixOf = (length: string): number =>
  length.includes('.')
    ? length
        .split('.')
        .reduce((bits, part) => bits + (Number(part) >>> 0).toString(2).replaceAll('0', '').length, 0)
    : Number(length);

const mail: Rule = ({ SMTP_URL, MAIL_FROM }) => {
  if (SMTP_URL === undefined) return [];
  const { username, password } = new URL(SMTP_URL);
  return [
    // A relay may know its senders by their address.
    username === '' && password === '' ? undefined : passwordRefused('SMTP_URL', username, password),
    /@localhost>?$/.test(MAIL_FROM ?? '')
      ? 'MAIL_FROM is at localhost, which no mail server takes mail from: set the sender, such as Encore <hello@example.com>.'
      : undefined,
  ];
};

/** What a webhook's secret has after its prefix, at least. */
const WEBHOOK_CHARACTERS = 24;
const MASTER_KEYS = ['ENCORE_MASTER_KEY', 'ENCORE_NEW_MASTER_KEY', 'TRANSPARENCY_KEY'] as const;
// The one of before may be weak, which is a reason to change it.
const WEBHOOK_SECRETS = [
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_WEBHOOK_SECRET_NEXT',
  'STRIPE_CONNECT_WEBHOOK_SECRET',
  'STRIPE_CONNECT_WEBHOOK_SECRET_NEXT',
] as const;
const OWN_SECRETS = [
  'ENCORE_INTERNAL_TOKEN',
  'METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
  'APPLE_PASS_KEY_PASSPHRASE',
] as const;

const secretsOfOurs: Rule = (settings) => [
  ...MASTER_KEYS.map((name) => {
    const weakness = settings[name] === undefined ? undefined : weaknessOfKey(settings[name]);
    return weakness && `${name} is no random key: ${weakness}. Make one with openssl rand -hex 32.`;
  }),
  ...WEBHOOK_SECRETS.map((name) => {
    const secret = settings[name]?.slice('whsec_'.length);
    if (secret === undefined) return undefined;
    const weakness =
      secret.length < WEBHOOK_CHARACTERS
        ? `after whsec_ it has ${secret.length} characters, and ${WEBHOOK_CHARACTERS} are the least`
        : weaknessOf(secret);
    return (
      weakness &&
      `${name} is not what the card provider gave out: ${weakness}. Copy the secret of the endpoint whole.`
    );
  }),
  ...OWN_SECRETS.map((name) => {
    const weakness = settings[name] === undefined ? undefined : weaknessOf(settings[name]);
    return weakness && `${name} can be guessed: ${weakness}. Make another with openssl rand -hex 32.`;
  }),
];

/** The stores that are reached by a URL of one host, with whether the URL asks for TLS that is checked. */
const POSTGRES_URLS = [
  'DATABASE_URL',
  'LEDGER_DATABASE_URL',
  'PROJECTIONS_DATABASE_URL',
  'WORKERS_DATABASE_URL',
  'AUDIT_DATABASE_URL',
  'BACKUP_DATABASE_URL',
] as const;
/** Whom Redis means by a password without a user. */
const REDIS_USER = 'default';

/** Whether libpq or `pg` would check the server's certificate. */
function isTlsOfPostgres({ searchParams }: URL): boolean {
  // Of several the client takes the last.
  const mode = searchParams.getAll('sslmode').at(-1);
  if (mode === 'verify-full' || mode === 'verify-ca') return true;
  // In libpq's own meaning `require` checks nothing; `pg` checks unless it is asked for that meaning.
  return mode === 'require' && searchParams.get('uselibpqcompat') !== 'true';
}

const inTheClear = (name: string, what: string, remedy: string): string =>
  `${name} leads to ${what} without TLS: ${remedy}, or set STORES_INTERNAL=true where that network is this system’s alone.`;

const stores: Rule = (settings) => {
  const isInternal = settings.STORES_INTERNAL === 'true';
  const mayBeClear = (host: string): boolean => isInternal || isLoopback(host);
  const said: (string | undefined)[] = [];
  for (const name of POSTGRES_URLS) {
    const text = settings[name];
    if (text === undefined) continue;
    const url = new URL(text);
    // Its client goes where the query says, whatever stands before it.
    const hosts = [url.hostname, ...url.searchParams.getAll('host')];
    if (!hosts.every(mayBeClear) && !isTlsOfPostgres(url))
      said.push(inTheClear(name, 'Postgres', 'add ?sslmode=verify-full'));
    said.push(passwordRefused(name, url.username, url.password));
  }
  if (settings.REDIS_URL !== undefined) {
    const url = new URL(settings.REDIS_URL);
    if (!mayBeClear(url.hostname) && url.protocol !== 'rediss:')
      said.push(inTheClear('REDIS_URL', 'Redis', 'let it begin with rediss://'));
    said.push(passwordRefused('REDIS_URL', url.username || REDIS_USER, url.password));
  }
  said.push(...eventStore(settings.EVENTSTORE_URL, mayBeClear));
  const inner = settings.LEDGER_INTERNAL_URL && new URL(settings.LEDGER_INTERNAL_URL);
  if (inner && inner.protocol === 'http:' && !mayBeClear(inner.hostname))
    said.push(inTheClear('LEDGER_INTERNAL_URL', 'the ledgers’ internal port', 'let it begin with https://'));
  return said;
};

function eventStore(url: string | undefined, mayBeClear: (host: string) => boolean): (string | undefined)[] {
  if (url === undefined) return [];
  const [, user, hosts = '', query = ''] =
    /^[^/]*:\/\/(?:([^/?]*)@)?([^/?]*)[^?]*(?:\?(.*))?$/.exec(url) ?? [];
  // Its client takes the names of options in any spelling.
  const options = new Map(
    [...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]),
  );
  const isClear = hosts.split(',').every((host) => mayBeClear(host.replace(/:\d+$/, '')));
  const [name = '', password = ''] = (user ?? '').split(':');
  return [
    options.get('tls') === 'false' && !isClear
      ? inTheClear('EVENTSTORE_URL', 'the event store', 'take tls=false out of it')
      : undefined,
    options.get('tlsverifycert') === 'false' && !isClear
      ? 'EVENTSTORE_URL has tlsVerifyCert=false, which lets anybody answer for the event store: take it out, and name the authority by tlsCAFile.'
      : undefined,
    // Without users it takes everybody, and that is for a network of its own, as it is without TLS.
    user === undefined && options.get('tls') === 'false'
      ? undefined
      : passwordRefused('EVENTSTORE_URL', name, password),
  ];
}

/** As it is sent: a stray % stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function passwordRefused(name: string, user: string, written: string): string | undefined {
  const password = decoded(written);
  if (password === '')
    return `${name} has no password: give the user ${user || '(none)'} one there, and put it into the URL.`;
  const weakness = password === user ? 'it is the user’s name' : weaknessOf(password);
  return (
    weakness &&
    `${name} has a password that can be guessed: ${weakness}. Give the user another, made with openssl rand -hex 24.`
  );
}

/** Every secret among these settings, with the name that people know it by. */
function secretsIn(settings: CheckedSettings): readonly (readonly [name: string, secret: string])[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (typeof value !== 'string' || value === '') return [];
    if (!/_URL$/.test(name)) return 'secret' in SETTINGS[name as SettingKey] ? [[name, value] as const] : [];
    const [, password = ''] = /^[^/]*:\/\/[^/?@]*?:([^/?]*)@/.exec(value) ?? [];
    return password === '' ? [] : [[`the password in ${name}`, decoded(password)] as const];
  });
}

/** A secret without what is before it by its kind; hexadecimal digits mean the same bytes in either case. */
function bareSecret(written: string): string {
  const secret = written.replace(/^whsec_/, '');
  return /^[\da-f]+$/i.test(secret) ? secret.toLowerCase() : secret;
}

/** Whoever learns one secret must not have another by it. */
const usedTwice: Rule = (settings) => {
  const byValue = new Map<string, string[]>();
  for (const [name, written] of secretsIn(settings)) {
    const secret = bareSecret(written);
    byValue.set(secret, [...(byValue.get(secret) ?? []), name]);
  }
  return [...byValue.values()].map((names) =>
    names.length < 2
      ? undefined
      : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are the same secret: give each its own, or whoever learns one has the other.`,
  );
};

const limits: Rule = ({ LIMITS }) =>
  LIMIT_NAMES.filter((limit) => LIMITS?.[limit] === Infinity).map(
    (limit) => `LIMITS switches ${limit} off; in production give it a number.`,
  );

const ofSuites: Rule = ({ TEST_CLOCK_FILE }) => [
  TEST_CLOCK_FILE && 'TEST_CLOCK_FILE moves the clock of a suite; in production leave it unset.',
];

const RULES: readonly Rule[] = [
  ofSuites,
  limits,
  cardProvider,
  signIn,
  proxies,
  secretsOfOurs,
  stores,
  mail,
  usedTwice,
];
