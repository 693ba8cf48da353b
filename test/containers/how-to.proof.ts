/**
 * The how-tos of an operator, walked on the stack of docker-compose.yml: every command as it is written, and
 * after each what it promises. Where a command names a thing that stand-in images have elsewhere, the proof
 * says so beside it.
 */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASS_TYPE } from '#contracts/api/passes';
import { repositoryRoot } from '#local/launch/program';
import { makePassAuthority, PASS_TYPE_ID, TEAM_ID } from '#local/passes/authority';
import { Crowd } from '#test/support/crowd';
import { Evidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { ComposeStack, run } from './compose-stack.js';
import { tipToRow, worldOf, type World } from './world.js';
import { commandsUnder } from './how-to-commands.js';

const SLOW_MS = 900_000;
const AT_ONCE = 2;
const NEW_STORE = 'encore-proof-new-store';
const NEXT_IMAGE = 'encore:proof-next';
/** The same program once more, as another image. */
const THIRD_IMAGE = 'encore:proof-third';

let stack: ComposeStack;
let world: World;
let evidence: Evidence;
let crowd: Crowd;

/** Everything looks at the stack anew: with the secrets and the stores that it has now. */
async function lookAnew(): Promise<void> {
  await evidence?.close();
  world = worldOf(stack);
  evidence = new Evidence(() => world);
}

async function inOrder(): Promise<void> {
  expect(await stack.compose('run', '--rm', '-T', 'audit', 'verify')).toContain('The books are in order.');
}

beforeAll(async () => {
  stack = await ComposeStack.find();
  await run('docker', ['rm', '--force', '--volumes', NEW_STORE]).catch(() => undefined);
  await stack.prepare();
  await stack.sh(commandsUnder('deploy.md', '## Start'));
  await lookAnew();
  crowd = await Crowd.gather(world.url, new CardProviderWorld(() => world));
}, SLOW_MS);
afterAll(async () => {
  await evidence?.close();
  await run('docker', ['rm', '--force', '--volumes', NEW_STORE]).catch(() => undefined);
  await stack?.down({ forget: true });
  await run('docker', ['image', 'rm', '--force', THIRD_IMAGE, NEXT_IMAGE]);
}, SLOW_MS);

describe('an operator', () => {
  it(
    'scales out: every ledger gets its share, nothing is done twice, and there are as many as the settings say',
    async () => {
      const before = await stack.containers('ledger');
      for (const setting of ['LEDGERS=4', 'PROJECTIONS=2', 'WORKERS=2']) {
        expect(page('scale-out.md')).toContain(`\`${setting}\``);
        const [name = '', count = ''] = setting.split('=');
        stack.set(name, count);
      }
      await stack.sh(commandsUnder('scale-out.md', '# How to scale out'));
      await stack.healthy();
      const ledgers = await stack.containers('ledger');
      expect(await counts()).toEqual({ ledger: 4, projections: 2, workers: 2 });
      expect(ledgers.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
      const { rows } = await evidence.db.query<{ max: string }>(
        "select current_setting('max_connections') as max",
      );
      expect(page('scale-out.md')).toContain(`takes ${rows[0]?.max}:`);
      await crowd.tip(40, 4);
      for (const { id } of ledgers) expect(await run('docker', ['logs', id])).toContain('"method":"POST"');
      await crowd.cameOutRight(evidence);
      for (const name of ['LEDGERS', 'PROJECTIONS', 'WORKERS']) stack.unset(name);
      await stack.sh('docker compose up --detach --wait');
      expect(await counts()).toEqual({ ledger: 2, projections: 1, workers: 1 });
    },
    SLOW_MS,
  );

  it(
    'upgrades to new tables and a new image while everybody is answered, also where two projectors run',
    async () => {
      stack.set('PROJECTIONS', '2');
      await stack.sh('docker compose up --detach --wait');
      const version = await tableVersion();
      await buildNextImage();
      stack.set('ENCORE_IMAGE', NEXT_IMAGE);
      const { repeats } = crowd;
      const visitor = await Visitor.arrive(world.url);
      const upgraded = (async () => {
        await stack.sh(commandsUnder('upgrade.md', '## A new version of a read model, without downtime'));
        return true;
      })().finally(() => visitor.leave());
      while (visitor.isThere) await crowd.tip(AT_ONCE, AT_ONCE);
      expect(await upgraded).toBe(true);
      await visitor.hasLeft();
      process.stdout.write(
        `Asked ${visitor.asked} times during the upgrade, answered ${visitor.asked - visitor.missed.length} times.\n`,
      );
      expect(visitor.asked).toBeGreaterThan(100);
      expect(visitor.missed).toEqual([]);
      expect(crowd.repeats - repeats).toBe(0);
      expect(await tableVersion()).not.toBe(version);
      expect(await counts()).toEqual({ ledger: 2, projections: 2, workers: 1 });
      expect(await images()).toEqual([NEXT_IMAGE]);
      await stack.healthy();
      await crowd.settled(evidence);
      await inOrder();
    },
    SLOW_MS,
  );

  it(
    'upgrades where no table has a new version, and leaves as many ledgers as there were',
    async () => {
      await stack.sh('docker compose up --detach --no-recreate --scale ledger=3 --wait ledger');
      const before = await stack.containers('ledger');
      await stack.sh(commandsUnder('upgrade.md', '# How to upgrade'));
      await stack.healthy();
      expect((await counts()).ledger).toBe(3);
      const after = (await stack.containers('ledger')).map(({ id }) => id);
      expect(before.filter(({ id }) => after.includes(id))).toEqual([]);
      await inOrder();
      stack.unset('PROJECTIONS');
      await stack.sh('docker compose up --detach --wait');
      expect(await counts()).toEqual({ ledger: 2, projections: 1, workers: 1 });
    },
    SLOW_MS,
  );

  it(
    'upgrades to new kinds of events: all ledgers in one go',
    async () => {
      await stack.sh(
        `printf 'FROM ${stack.setting('ENCORE_IMAGE')}\nLABEL kinds=new\n' | DOCKER_BUILDKIT=0 docker build --quiet --tag ${THIRD_IMAGE} -`,
      );
      stack.set('ENCORE_IMAGE', THIRD_IMAGE);
      await stack.sh(commandsUnder('upgrade.md', '## New kinds of events'));
      expect(await images()).toEqual([THIRD_IMAGE]);
      await stack.healthy();
      await tipToRow(world, evidence);
      await inOrder();
    },
    SLOW_MS,
  );

  it(
    'sets up passes for Apple Wallet, by files that were empty until then',
    async () => {
      const milo = await Person.signUp(world.url, 'Milo');
      expect((await milo.post('/api/apple-wallet/generate-qr-pass', {})).status).toBe(501);
      const folder = join(stack.folder, 'passes');
      await makePassAuthority(folder);
      for (const [from, to] of Object.entries({
        'pass.pem': 'pass.pem',
        'pass.key': 'pass.key',
        'authority.pem': 'wwdr.pem',
      }))
        copyFileSync(join(folder, from), join(stack.folder, to));
      stack.set('APPLE_PASS_TYPE_ID', PASS_TYPE_ID);
      stack.set('APPLE_TEAM_ID', TEAM_ID);
      const put = commandsUnder('deploy.md', '## Secrets').split('\n')[1]!;
      await stack.sh(`${put}\n${commandsUnder('apple-wallet.md', '# Set up Apple Wallet passes')}`);
      const pass = await milo.post('/api/apple-wallet/generate-qr-pass', {});
      expect([pass.status, pass.headers.get('content-type')]).toEqual([200, PASS_TYPE]);
    },
    SLOW_MS,
  );

  it(
    'rotates every key: the app goes on with the new ones, and the old ones open nothing',
    async () => {
      const put = commandsUnder('rotate-keys.md', '## Changing a file').split('\n')[0]!;
      const old = Object.fromEntries(
        ['internal_token', 'redis_url', 'database_url', 'master_key'].map((name) => [
          name,
          stack.secret(name),
        ]),
      );
      const juno = await tipToRow(world, evidence);
      // The card provider and the identity provider roll theirs; the stand-ins have no overlap and are
      // started with the new ones.
      await stack.sh(`${put}
        put stripe_secret_key "sk_test_$(openssl rand -hex 24)"
        put stripe_webhook_secret "whsec_$(openssl rand -hex 24)"
        put stripe_connect_webhook_secret "whsec_$(openssl rand -hex 24)"
        put oidc_client_secret "$(openssl rand -hex 32)"
        docker compose up --detach --force-recreate --no-deps --wait stripe identity
        ${commandsUnder('rotate-keys.md', '## Changing a file').split('\n').slice(1).join('\n')}`);
      await lookAnew();
      await tipToRow(world, evidence);
      for (const heading of [
        '## The token between ledgers and workers',
        '## The password of Redis',
        '## The passwords of Postgres',
      ])
        await stack.sh(`${put}\n${commandsUnder('rotate-keys.md', heading)}`);
      await stack.healthy();
      await lookAnew();
      await tipToRow(world, evidence);
      const said = await stack.sh(`${put}\n${commandsUnder('rotate-keys.md', '## The master key')}`);
      expect(said).toMatch(/^[1-9]\d* data keys are wrapped by the present master key now\./m);
      expect(said).toContain('The books are in order.');
      await lookAnew();
      await tipToRow(world, evidence);
      // Sealed by a key that the old master key had wrapped.
      expect((await juno.me()).firstName).toBe('Juno');
      for (const [name, value] of Object.entries(old))
        expect([name, stack.secret(name)]).not.toEqual([name, value]);
      await expect(
        stack.compose(
          'exec',
          '-T',
          '--env',
          `URL=${old.database_url}`,
          'postgres',
          'sh',
          '-c',
          'psql "$URL" --command "select 1"',
        ),
      ).rejects.toThrow('password authentication failed');
      await expect(
        stack.sh(`docker compose run --rm -T --env ENCORE_MASTER_KEY_FILE= \\
          --env ENCORE_MASTER_KEY="$(openssl rand -hex 32)" --entrypoint encore operate rewrap`),
      ).rejects.toThrow('is wrapped by neither of the two master keys');
      await inOrder();
    },
    SLOW_MS,
  );

  it(
    'backs up, loses everything but the secrets, and restores it',
    async () => {
      const before = await evidence.everything();
      await stack.sh(commandsUnder('back-up.md', '## Back up'));
      await stack.healthy();
      await evidence.close();
      await stack.compose('down');
      const volumes = ['log', 'postgres', 'redis', 'archive', 'backup'].map(
        (name) => `${stack.setting('COMPOSE_PROJECT_NAME')}_${name}`,
      );
      await run('docker', ['volume', 'rm', ...volumes]);
      await stack.sh(commandsUnder('back-up.md', '## Restore'));
      evidence = new Evidence(() => world);
      // Places are the new store's; every event, row and hash is what it was.
      const after = await evidence.everything();
      expect(after.revision).toBe(before.revision);
      expect(withoutPlaces(after.rows)).toEqual(withoutPlaces(before.rows));
      await inOrder();
      await tipToRow(world, evidence);
    },
    SLOW_MS,
  );

  it(
    'moves the log to another event store: the audit passes on both, and the app goes on there',
    async () => {
      const before = await evidence.everything();
      await run('docker', [
        ...['run', '--detach', '--init', '--name', NEW_STORE, '--network-alias', 'new-store'],
        ...[
          '--network',
          `${stack.setting('COMPOSE_PROJECT_NAME')}_stores`,
          '--publish',
          `${stack.setting('PROOF_NEW_STORE_BIND')}:2113`,
        ],
        ...[stack.setting('SANDBOX_IMAGE'), 'eventstore', '--port', '2113'],
      ]);
      const url =
        'esdb://ledger:PASSWORD@eventstore.example:2113?tls=true&tlsCAFile=/run/secrets/eventstore_ca';
      const said = await stack.sh(
        commandsUnder('move.md', '## On the compose stack', { [url]: 'esdb://new-store:2113?tls=false' }),
      );
      // The old log, its copy alone, and the app on the copy.
      expect(said.match(/The books are in order\./g)).toHaveLength(3);
      expect(stack.secret('old_store')).toBe('esdb://eventstore:2113?tls=false');
      expect(existsSync(join(stack.folder, 'secrets/new_store'))).toBe(false);
      stack.set('PROOF_EVENTSTORE_BIND', stack.setting('PROOF_NEW_STORE_BIND'));
      await lookAnew();
      const after = await evidence.everything();
      expect(after.revision).toBe(before.revision);
      expect(withoutPlaces(after.rows)).toEqual(withoutPlaces(before.rows));
      await tipToRow(world, evidence);
      await inOrder();
    },
    SLOW_MS,
  );
});

const page = (name: string): string => readFileSync(join(repositoryRoot(), 'docs/how-to', name), 'utf8');

const OF_THE_APP = ['ledger', 'projections', 'workers'] as const;

/** How many there are of each process of the app. */
async function counts(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const service of OF_THE_APP) found[service] = (await stack.containers(service)).length;
  return found;
}

/** The images that they run, and the two processes beside them. */
async function images(): Promise<string[]> {
  const found = new Set<string>();
  for (const service of [...OF_THE_APP, 'archive', 'transparency'] as const)
    for (const { id } of await stack.containers(service))
      found.add((await run('docker', ['inspect', '--format', '{{.Config.Image}}', id])).trim());
  return [...found];
}

/** Rows but for places in the log, which are other ones in every store. */
function withoutPlaces(rows: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [
      table,
      all.map((row) => row.replace(/"position": "[^"]*"/, '')),
    ]),
  );
}

/** The image with another version of one read model's tables: an index more in their declaration. */
async function buildNextImage(): Promise<void> {
  // In the programs, and in the modules that `rebuild` reads.
  const change = `
    const { readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs');
    let changed = 0;
    for (const name of readdirSync('/app/dist', { recursive: true })) {
      const path = '/app/dist/' + name;
      if (!path.endsWith('.js') || !statSync(path).isFile()) continue;
      const text = readFileSync(path, 'utf8');
      const next = text.replace(
        /(["'])(create index )transactions_of_payer( on transactions )/,
        (whole, quote, create, on) => quote + create + 'transactions_by_day' + on + '(opened_at)' + quote + ', ' + whole);
      if (next === text) continue;
      changed += 1;
      writeFileSync(path, next);
    }
    if (changed < 2) throw new Error('The tables were found in ' + changed + ' files.');`;
  const file = [
    `FROM ${stack.setting('ENCORE_IMAGE')}`,
    'USER 0',
    `RUN ${JSON.stringify(['node', '-e', change])}`,
    'USER 1000:1000',
  ].join('\n');
  writeFileSync(join(stack.folder, 'next.Dockerfile'), file);
  await stack.sh(`DOCKER_BUILDKIT=0 docker build --quiet --tag ${NEXT_IMAGE} - < next.Dockerfile`);
}

async function tableVersion(): Promise<string> {
  const { rows } = await evidence.db.query<{ version: string }>(
    "select version from checkpoints where model = 'transactions'",
  );
  return rows[0]?.version ?? '';
}

/** A user who reads the app again and again and records each request that is not answered. */
class Visitor {
  asked = 0;
  readonly missed: string[] = [];
  isThere = true;
  readonly #visit: Promise<void>;

  private constructor(private readonly person: Person) {
    this.#visit = this.look();
  }

  static async arrive(url: string): Promise<Visitor> {
    return new Visitor(await Person.signUp(url, 'Milo'));
  }

  leave(): void {
    this.isThere = false;
  }
  hasLeft(): Promise<void> {
    return this.#visit;
  }

  private async look(): Promise<void> {
    const ask = async (path: string): Promise<void> => {
      this.asked += 1;
      const answer = await this.person.get(path).catch((failure: unknown) => String(failure));
      if (typeof answer === 'string') this.missed.push(`${path}: ${answer}`);
      else if (answer.status !== 200)
        this.missed.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    };
    while (this.isThere) {
      await Promise.all(['/', '/api/auth/user', '/api/transactions'].map(ask));
      await pause(100);
    }
  }
}
