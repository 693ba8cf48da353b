/** How processes and commands begin and end, whichever they are: their exit codes, sentences and answers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prepareDatabase } from '../database.js';
import { startEventStore, type RunningEventStore } from '#test/conformance/eventstore-process';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';

const stack = useStack(['postgres', 'eventstore', 'redis']);
const NO_DATABASE = 'postgres://postgres@127.0.0.1:1/encore';

beforeAll(() => prepareDatabase(stack().env.DATABASE_URL!));

type Settings = Readonly<Record<string, string>>;

/** A program of dist/ with the settings of the stack and some more, on ports that it picks itself. */
class Started {
  readonly #child;
  readonly #ended: Promise<unknown[]>;
  out = '';
  err = '';

  constructor(name: string, settings: Settings, words: readonly string[] = []) {
    const program = join(process.cwd(), 'dist', 'processes', `${name}.js`);
    const ports = ['LEDGER_PORT', 'LEDGER_INTERNAL_PORT', 'PROJECTIONS_PORT', 'WORKERS_PORT'];
    const env = stack().env;
    const own = {
      LOG_LEVEL: 'silent',
      ...Object.fromEntries(ports.map((port) => [port, '0'])),
      // The stack's certificates for passes are not made here.
      ...Object.fromEntries(Object.keys(env).flatMap((key) => (/^APPLE_/.test(key) ? [[key, '']] : []))),
    };
    this.#child = spawn(process.execPath, [program, ...words], {
      env: { ...process.env, ...env, ...own, ...settings },
    });
    this.#child.stdout.on('data', (text) => (this.out += String(text)));
    this.#child.stderr.on('data', (text) => (this.err += String(text)));
    this.#ended = once(this.#child, 'close');
  }

  async ready(): Promise<{ port: number }> {
    for (;;) {
      const line = /^\{"ready":true.*\}$/m.exec(this.out);
      if (line) return JSON.parse(line[0]) as { port: number };
      const [text] = await Promise.race([once(this.#child.stdout, 'data'), this.#ended]);
      if (typeof text === 'number') throw new Error(this.err);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  closeStdin(): void {
    this.#child.stdin.end();
  }

  async code(): Promise<unknown> {
    return (await this.#ended)[0];
  }
}

describe.each(['ledger', 'projections', 'workers'])('the process %s', (name) => {
  it('says its ports in one line, answers like the others, and exits 0 when it is told to end', async () => {
    const started = new Started(name, {});
    const { port } = await started.ready();
    const text = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    expect(await text('/healthz')).toBe('{"alive":true}');
    // Workers are degraded here: they have no ledger.
    expect(JSON.parse(await text('/readyz'))).toEqual(
      expect.objectContaining({ ready: expect.any(Boolean), reasons: expect.any(Array) }),
    );
    started.signal('SIGTERM');
    expect([await started.code(), started.err]).toEqual([0, '']);
  });

  it('exits 2 for a wrong setting, with one sentence', async () => {
    const started = new Started(name, { DATABASE_URL: 'mysql://x' });
    expect([await started.code(), started.out]).toEqual([2, '']);
    expect(started.err).toMatch(/^DATABASE_URL is wrong: must be a URL .*\n$/);
  });

  it('exits 1 when it cannot start, with one sentence', async () => {
    const port = name === 'workers' ? 'WORKERS_PORT' : 'DATABASE_URL';
    const blocked = new URL(stack().env.DATABASE_URL!).port;
    const started = new Started(name, { [port]: name === 'workers' ? blocked : NO_DATABASE });
    expect(await started.code()).toBe(1);
    expect(started.err).toMatch(
      new RegExp(`^The ${name} could not start: .*(ECONNREFUSED|EADDRINUSE).*\\n$`),
    );
  });
});

describe('a command in a checkout', () => {
  const NO_STORE = { EVENTSTORE_URL: '', DATABASE_URL: '' };
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'encore-no-data-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['audit', ['verify']],
    ['encore', ['audit', 'verify']],
    ['encore', ['operate', 'unclaimed', '--list']],
    ['rebuild', ['--compare-only']],
  ])(
    'names the data folder where it looked for a stack, and then the settings: %s %j',
    async (name, words) => {
      const started = new Started(name, { ...NO_STORE, ENCORE_DATA: folder }, words);
      expect([await started.code(), started.out]).toEqual([2, '']);
      const looked = `There is no data of "make start" in ${folder}: start it, name its folder with ENCORE_DATA, or set what is missing here. `;
      expect(started.err.slice(0, looked.length)).toBe(looked);
      expect(started.err.slice(looked.length)).toMatch(/^(EVENTSTORE|DATABASE)_URL is not set: .*\n$/);
    },
  );

  it('says how the read models are rebuilt, and refuses another word, also where there is no store', async () => {
    const help = new Started('rebuild', { ...NO_STORE, ENCORE_DATA: folder }, ['--help']);
    expect([await help.code(), help.out, help.err]).toEqual([0, 'Usage: rebuild [--compare-only]\n', '']);
    const unknown = new Started('rebuild', { ...NO_STORE, ENCORE_DATA: folder }, ['--compare']);
    expect([await unknown.code(), unknown.err]).toEqual([
      2,
      '"--compare" is not known. Usage: rebuild [--compare-only]\n',
    ]);
  });
});

it('a process ends when whoever started it is gone', async () => {
  const started = new Started('projections', { ENCORE_PARENT: '1' });
  await started.ready();
  started.closeStdin();
  expect(await started.code()).toBe(0);
});

it.each([['production'], ['']])(
  'a process refuses what production may not have, all at once, where NODE_ENV is "%s"',
  async (nodeEnv) => {
    const settings = {
      NODE_ENV: nodeEnv,
      TEST_CLOCK_FILE: '/dev/null',
      REDIS_URL: 'redis://redis.example',
      MAIL_FROM: 'Encore <hello@encore.example>',
    };
    const started = new Started('workers', settings);
    expect([await started.code(), started.out]).toEqual([2, '']);
    expect(started.err.trimEnd().split('\n')).toEqual([
      'TEST_CLOCK_FILE moves the clock of a suite; in production leave it unset.',
      expect.stringMatching(/^REDIS_URL leads to Redis without TLS: /),
      expect.stringMatching(/^REDIS_URL has no password: /),
      ...(nodeEnv === '' ? [expect.stringMatching(/^NODE_ENV is not set, which means production: /)] : []),
    ]);
  },
);

it('a ledger with the settings of make start does not start as production, and says why in one list', async () => {
  const started = new Started('ledger', {
    NODE_ENV: '',
    PUBLIC_URL: 'http://localhost:3000',
    OIDC_ISSUER: 'http://localhost:3000/identity',
    OIDC_CLIENT_ID: 'encore',
    OIDC_CLIENT_SECRET: 'a'.repeat(32),
    ENCORE_MASTER_KEY: '0'.repeat(64),
    STRIPE_WEBHOOK_SECRET: 'whsec_',
  });
  expect([await started.code(), started.out]).toEqual([2, '']);
  const names = ['PUBLIC_URL', 'OIDC_ISSUER', 'OIDC_ACR_VALUES', 'OIDC_CLIENT_SECRET', 'ENCORE_MASTER_KEY'];
  for (const name of [...names, 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'])
    expect(started.err).toMatch(new RegExp(`^${name} .*\\.$`, 'm'));
});

describe.each(['audit', 'rebuild', 'rewrap'])('the command %s', (name) => {
  it.each([
    ['a wrong setting', { DATABASE_URL: 'mysql://x' }],
    ['a store that cannot be reached', { DATABASE_URL: NO_DATABASE }],
  ])('exits 2 for %s, with one sentence', async (_, settings) => {
    const started = new Started(name, settings, name === 'audit' ? ['verify'] : []);
    expect([await started.code(), started.out]).toEqual([2, '']);
    expect(started.err.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('with an event store that cannot be used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shell-'));
  const certificate = join(folder, 'certificate');
  let store: RunningEventStore;
  beforeAll(async () => {
    store = await startEventStore({
      flags: ['--development-certificate', certificate],
      env: { STAND_IN_USERS: 'ledger:hush-hush\nreader:hush-hush ordinary' },
    });
  });
  afterAll(async () => {
    await store.stop();
    rmSync(folder, { recursive: true });
  });

  const trusting = () => `tls=true&tlsCAFile=${encodeURIComponent(join(certificate, 'authority.pem'))}`;
  const CASES: [what: string, url: () => string, sentence: RegExp][] = [
    [
      'a wrong password',
      () => `esdb://ledger:other-words@localhost:${store.port}?${trusting()}`,
      /The event store does not know the user "ledger" with the password that EVENTSTORE_URL has: /,
    ],
    [
      'a user who may not read $all',
      () => `esdb://reader:hush-hush@localhost:${store.port}?${trusting()}`,
      /The user "reader" of EVENTSTORE_URL may not read \$all, .*the group \$admins, .*in the stream \$\$\$all/,
    ],
    [
      'a certificate that nobody vouches for',
      () => `esdb://ledger:hush-hush@localhost:${store.port}?tls=true`,
      /The certificate that the event store at localhost:\d+ shows .* is vouched for by nobody /,
    ],
    [
      'TLS at the event store alone',
      () => `esdb://ledger:hush-hush@localhost:${store.port}?tls=false`,
      /EVENTSTORE_URL says tls=false, and the event store at localhost:\d+ speaks TLS only: /,
    ],
    [
      'TLS in the URL alone',
      () => `esdb://localhost:${new URL(stack().env.EVENTSTORE_URL!).port}?tls=true`,
      /EVENTSTORE_URL asks for TLS, and the event store at localhost:\d+ speaks without it: /,
    ],
  ];

  it.each(CASES)('a command exits 2 and says what to do about %s', async (_, url, sentence) => {
    const started = new Started('audit', { EVENTSTORE_URL: url() }, ['verify', '--events-only']);
    expect([await started.code(), started.out]).toEqual([2, '']);
    expect(started.err).toMatch(new RegExp(`^The audit could not be done: ${sentence.source}.*\n$`));
    expect(started.err).not.toMatch(/hush-hush|other-words/);
  });

  it.each(sampled(CASES, CASES.slice(0, 1)))(
    'the ledger exits 1 and says what to do about %s',
    async (_, url, sentence) => {
      const started = new Started('ledger', { EVENTSTORE_URL: url() });
      expect([await started.code(), started.out]).toEqual([1, '']);
      expect(started.err).toMatch(new RegExp(`^The ledger could not start: ${sentence.source}.*\n$`));
      expect(started.err).not.toMatch(/hush-hush|other-words/);
    },
  );

  it('a copy names the one of its two event stores', async () => {
    const file = join(folder, 'target');
    writeFileSync(file, `esdb://ledger:other-words@localhost:${store.port}?${trusting()}\n`);
    const started = new Started('audit', {}, ['copy', '--to-file', file]);
    expect([await started.code(), started.out]).toEqual([2, '']);
    expect(started.err).toMatch(
      /the copy is not complete: The event store does not know the user "ledger" with the password that --to has: /,
    );
  });

  it.each(sampled(CASES, CASES.slice(2, 3)))(
    'the projections say in /readyz and in their log what to do about %s',
    async (_, url, sentence) => {
      const started = new Started('projections', { EVENTSTORE_URL: url(), LOG_LEVEL: 'warn' });
      const { port } = await started.ready();
      let said = '';
      while (!sentence.test(said)) {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
        said = ((await answer.json()) as { reasons: string[] }).reasons.join(' ');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      started.signal('SIGTERM');
      expect(await started.code()).toBe(0);
      const lines = started.out.split('\n').filter((line) => line.includes('the event store cannot be used'));
      expect(lines.map((line) => (JSON.parse(line) as { why: string }).why)).toEqual([said]);
      expect(`${started.out}${started.err}${said}`).not.toMatch(/hush-hush|other-words/);
    },
  );
});
