/**
 * The pages over HTTP, in a process of their own: what serves files is loaded in a way that suites cannot
 * load it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NONCE_PLACEHOLDER } from '#contracts/plain/page-nonce';
import { repositoryRoot } from '#local/launch/program';

const PROGRAM = `
  import { fastify } from 'fastify';
  import helmet from '@fastify/helmet';
  import { contentSecurity } from '#ledger/http/content-security';
  import { servePages } from '#ledger/http/pages';
  const server = fastify();
  await server.register(helmet, contentSecurity({
    publicUrl: 'http://localhost:3000',
    stripeScriptUrl: 'https://js.stripe.com/endive/stripe.js',
    stripeOrigins: '',
  }));
  await servePages(server, process.argv[1]);
  await server.listen({ host: '127.0.0.1', port: 0 });
  process.send(server.server.address().port);
`;

let folder: string;
let child: ChildProcess;
let port = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'encore-pages-'));
  mkdirSync(join(folder, 'assets'));
  mkdirSync(join(folder, '.vite'));
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><style nonce="${NONCE_PLACEHOLDER}"></style>start`,
  );
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
  writeFileSync(join(folder, 'manifest.webmanifest'), '{}');
  writeFileSync(join(folder, 'service-worker.js'), 'worker');
  writeFileSync(join(folder, '.vite/manifest.json'), '{"secret":1}');
  writeFileSync(join(folder, 'assets/index-abc.js'), 'plain');
  writeFileSync(join(folder, 'assets/index-abc.js.br'), 'smaller');
  child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, folder], {
    cwd: repositoryRoot(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  [port] = (await once(child, 'message')) as [number];
});
afterAll(async () => {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

/** Exactly this path: fetch would tidy it up. */
async function get(path: string, headers: Record<string, string> = {}) {
  const [answer] = (await once(request({ host: '127.0.0.1', port, path, headers }).end(), 'response')) as [
    import('node:http').IncomingMessage,
  ];
  const unpacked = answer.headers['content-encoding'] === 'gzip' ? answer.pipe(createGunzip()) : answer;
  return { statusCode: answer.statusCode ?? 0, headers: answer.headers, body: await text(unpacked) };
}

describe('the pages', () => {
  it.each(['/', '/index.html', '/history', '/tip/juno.valastro', '/.vite/manifest.json', '/../package.json'])(
    'answer %s with the start page, asked for anew each time',
    async (url) => {
      // A person's id is no file, whatever it looks like.
      const { statusCode, body, headers } = await get(url);
      expect([statusCode, headers['cache-control']]).toEqual([200, 'no-cache']);
      expect(body).toMatch(/^<!doctype html>.*start$/);
    },
  );

  it('lead to a tip page whose address a program has encoded', async () => {
    const { statusCode, headers } = await get('/%40junoplays/paid/abc?redirect_status=succeeded');
    expect([statusCode, headers.location]).toEqual([302, '/@junoplays/paid/abc?redirect_status=succeeded']);
    expect((await get('/%40/%40//evil.example')).headers.location).toBe('/@/%40//evil.example');
    expect((await get('/@//evil.example')).statusCode).toBe(200);
  });

  it('lead to a tip page whose address a program has ended with a slash', async () => {
    const { statusCode, headers } = await get('/@junoplays/?from=bio');
    expect([statusCode, headers.location]).toEqual([302, '/@junoplays?from=bio']);
    expect((await get('/@junoplays/paid/abc/')).headers.location).toBe('/@junoplays/paid/abc');
    for (const path of ['/@junoplays//', '/@junoplays%2F', '/@/'])
      expect((await get(path)).statusCode).toBe(200);
    expect((await get('/history/')).statusCode).toBe(200);
  });

  it('have the landing page written into the first one of whoever has no session', async () => {
    const written = join(folder, 'stranger.html');
    writeFileSync(written, '<!doctype html>landing');
    expect((await get('/')).body).toBe('<!doctype html>landing');
    expect((await get('/', { cookie: 'other=1; __Host-encore_session=x' })).body).toMatch(/start$/);
    expect((await get('/history')).body).toMatch(/start$/);
    rmSync(written);
  });

  it('are written with the nonce of their own answer, which its policy names', async () => {
    const nonces = new Set<string>();
    for (const encoding of ['identity', 'gzip']) {
      const answer = await get('/', { 'accept-encoding': encoding });
      const policy = String(answer.headers['content-security-policy']);
      const [, nonce = ''] = /style-src 'nonce-([^']+)'/.exec(policy) ?? [];
      expect(answer.body).toBe(`<!doctype html><style nonce="${nonce}"></style>start`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(2);
  });

  it('give out an asset for good, compressed for whoever takes it', async () => {
    const compressed = await get('/assets/index-abc.js', { 'accept-encoding': 'br, gzip' });
    expect([compressed.body, compressed.headers['content-encoding']]).toEqual(['smaller', 'br']);
    expect(compressed.headers['content-type']).toMatch(/javascript/);
    const plain = await get('/assets/index-abc.js');
    expect(plain.body).toBe('plain');
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('give out other files for an hour', async () =>
    expect((await get('/icon.svg')).headers['cache-control']).toBe('public, max-age=3600'));

  it('say what an app is that can be installed, as what it is', async () => {
    const { headers, body } = await get('/manifest.webmanifest');
    expect([body, headers['content-type'], headers['cache-control']]).toEqual([
      '{}',
      expect.stringMatching(/^application\/manifest\+json/),
      'public, max-age=3600',
    ]);
  });

  it('have the service worker asked for anew each time', async () => {
    const { headers, body } = await get('/service-worker.js');
    expect([body, headers['cache-control']]).toEqual(['worker', 'no-cache']);
    expect(headers['content-type']).toMatch(/javascript/);
  });

  it.each(['/assets/gone.js', '/gone.svg', '/api', '/api/none', '/assets/../../secret.json'])(
    'have nothing at %s, and do not pretend to',
    async (url) => {
      const { statusCode, body } = await get(url);
      expect(body).not.toContain('start');
      expect(statusCode).toBeGreaterThanOrEqual(400);
    },
  );

  it.each(['/payments.html', '/tip.pdf', '/gone.svg'])(
    'answer %s with the start page, which says that there is no such page, where somebody opens it as one',
    async (url) => {
      const { statusCode, body } = await get(url, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
      expect(body).toMatch(/^<!doctype html>.*start$/);
      expect(statusCode).toBe(200);
    },
  );

  it('give out a file as what it is, also where somebody opens it', async () =>
    expect((await get('/icon.svg', { accept: 'text/html,*/*' })).body).toBe('<svg/>'));

  it('serve what a build puts there while they run', async () => {
    writeFileSync(join(folder, 'assets/index-new.js'), 'new');
    expect((await get('/assets/index-new.js')).body).toBe('new');
  });

  it('say what to do when nothing was built', async () => {
    rmSync(join(folder, 'index.html'));
    const { statusCode, body } = await get('/');
    expect([statusCode, body]).toEqual([
      503,
      'The pages are not built yet. Run `npm run build`, then load this page again.',
    ]);
  });
});
