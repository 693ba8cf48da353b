/** The front against small servers in this process: what goes through it comes out unchanged. */
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { front, type Upstreams } from './front.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
const frontOf = (upstreams: Upstreams): Promise<number> => serve(front(upstreams));

/** Says who it is and what it was asked. */
const mirror =
  (name: string): RequestListener =>
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('x-name', name);
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.setHeader('x-asked', JSON.stringify({ url: request.url, headers: request.headers }));
      response.end(Buffer.concat(chunks));
    });
  };
async function closedPort(): Promise<number> {
  const port = await serve(() => undefined);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return port;
}

describe('the front', () => {
  it('sends /identity to the identity provider and everything else to the ledgers in turn', async () => {
    const port = await frontOf({
      identity: await serve(mirror('i')),
      ledgers: [await serve(mirror('1')), await serve(mirror('2'))],
    });
    const nameFor = async (path: string): Promise<string | null> =>
      (await fetch(`http://127.0.0.1:${port}${path}`)).headers.get('x-name');
    expect(await nameFor('/identity/auth?x=1')).toBe('i');
    expect(await nameFor('/identity')).toBe('i');
    expect(['1', '2']).toContain(await nameFor('/identityless'));
    expect(new Set([await nameFor('/'), await nameFor('/api/auth/user')])).toEqual(new Set(['1', '2']));
  });

  it('passes any bytes on, with a length and without one, and any header, also doubled ones', async () => {
    const port = await frontOf({ ledgers: [await serve(mirror('1'))] });
    const bytes = randomBytes(1_500_000);
    const whole = await fetch(`http://127.0.0.1:${port}/a?b=%20c`, {
      method: 'POST',
      body: bytes,
      headers: { 'x-own': 'kept' },
    });
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    expect(whole.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(JSON.parse(String(whole.headers.get('x-asked')))).toMatchObject({
      url: '/a?b=%20c',
      headers: { 'x-own': 'kept' },
    });

    const streamed = await new Promise<IncomingMessage>((resolve) => {
      const asking = httpRequest({ port, host: '127.0.0.1', method: 'PUT', path: '/s' }, resolve);
      asking.write(bytes.subarray(0, 700_000));
      asking.end(bytes.subarray(700_000));
    });
    const parts: Buffer[] = [];
    for await (const part of streamed as AsyncIterable<Buffer>) parts.push(part);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  it.each(['PUT', 'POST', 'PATCH', 'DELETE', 'GET'])(
    'passes on a %s without a body as one',
    async (method) => {
      const port = await frontOf({ ledgers: [await serve(mirror('1'))] });
      const headers = { 'content-type': 'application/json' };
      const answer = await new Promise<IncomingMessage>((resolve) => {
        const asking = httpRequest({ port, host: '127.0.0.1', method, path: '/', headers }, resolve);
        // As command lines send it: neither a length nor pieces.
        asking.useChunkedEncodingByDefault = false;
        asking.removeHeader('content-length');
        asking.end();
      });
      answer.resume();
      const asked = JSON.parse(String(answer.headers['x-asked'])) as { headers: Record<string, string> };
      expect(asked.headers).not.toHaveProperty('transfer-encoding');
      expect(['0', undefined]).toContain(asked.headers['content-length']);
    },
  );

  it('says itself where a request came from, whatever the browser claims', async () => {
    const port = await frontOf({ ledgers: [await serve(mirror('1'))] });
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      headers: {
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-proto': 'https',
        forwarded: 'for=6.6.6.6',
        'x-real-ip': '6.6.6.6',
      },
    });
    const { headers } = JSON.parse(String(answer.headers.get('x-asked'))) as {
      headers: Record<string, string>;
    };
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      host: `127.0.0.1:${port}`,
    });
    expect(headers).not.toHaveProperty('forwarded');
    expect(headers).not.toHaveProperty('x-real-ip');
  });

  it('lets a stream of events through as it comes, and tells the ledger when the browser leaves', async () => {
    let left: () => void = () => undefined;
    const browserLeft = new Promise<void>((resolve) => (left = resolve));
    const ledger = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      response.on('close', left);
    });
    const port = await frontOf({ ledgers: [ledger] });
    const leaving = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${port}/events`, { signal: leaving.signal });
    const first = await answer.body?.getReader().read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe('data: 1\n\n');
    leaving.abort();
    await browserLeft;
  });

  it('passes on an answer that came before the body was sent, and answers what comes behind it', async () => {
    const ledger = await serve((request, response) => {
      if (request.method === 'GET') response.end('next');
      else response.writeHead(413).end('too large');
    });
    const port = await frontOf({ ledgers: [ledger] });
    for (let n = 0; n < 20; n += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body: 'x'.repeat(3_000_000),
      });
      expect([answer.status, await answer.text()]).toEqual([413, 'too large']);
      const next = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) });
      expect(await next.text()).toBe('next');
    }
  });

  it('passes over a ledger that is down, with the body whole', async () => {
    const port = await frontOf({
      ledgers: [await closedPort(), await serve(mirror('2')), await closedPort()],
    });
    for (let n = 0; n < 6; n += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: `tip ${n}` });
      expect(await answer.text()).toBe(`tip ${n}`);
    }
  });

  it('answers 503 with a plain sentence while no ledger is up, as a page where one was asked for', async () => {
    const port = await frontOf({ ledgers: [await closedPort()] });
    const call = await fetch(`http://127.0.0.1:${port}/api/settings`, { method: 'POST', body: 'x' });
    expect(call.status).toBe(503);
    expect(await call.json()).toEqual({ message: 'Encore cannot be reached. Try again in a moment.' });
    expect(call.headers.get('retry-after')).toBe('1');
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(503);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('retry-after')).toBe('1');
    expect(await page.text()).toContain('Encore cannot be reached.');
  });

  it('says what the proxy of production says, in the same words', async () => {
    const config = await readFile('deploy/haproxy.cfg', 'utf8');
    const port = await frontOf({ ledgers: [await closedPort()] });
    const own = await fetch(`http://127.0.0.1:${port}/api/settings`);
    expect(
      config
        .split('\n')
        .find((line) => line.includes('http-error status 503'))
        ?.trim(),
    ).toBe(
      `http-error status 503 content-type application/json string '${await own.text()}' ${['Retry-After', 'Cache-Control', 'X-Content-Type-Options'].map((name) => `hdr ${name} ${own.headers.get(name)}`).join(' ')}`,
    );
  });

  it('never sends a command twice: one that was cut off is answered 502', async () => {
    let asked = 0;
    const ledger = await serve((request) => {
      asked += 1;
      request.socket.destroy();
    });
    const port = await frontOf({ ledgers: [ledger, await serve(mirror('2'))] });
    const answers = [];
    for (let n = 0; n < 4; n += 1)
      answers.push((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'pay' })).status);
    expect(answers.sort()).toEqual([200, 200, 502, 502]);
    expect(asked).toBe(2);
  });
});
