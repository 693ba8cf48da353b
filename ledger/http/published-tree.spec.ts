/** What of the tree's folder anybody may read, and what nobody. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { servePublishedTree } from './published-tree.js';

let folder: string;
let server: FastifyInstance;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'encore-tree-'));
  for (const name of ['tile/0/000.p', 'epoch-1/tile/0']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of [
    'checkpoint',
    'journal-leaves',
    'writer.lock',
    'tile/0/000.p/5',
    'epoch-1/checkpoint',
    'epoch-1/journal-leaves',
  ])
    writeFileSync(join(folder, name), `content of ${name}`);
  server = fastify();
  servePublishedTree(server, folder);
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Exactly this path: fetch would tidy it up. */
async function get(path: string, from: FastifyInstance = server) {
  const { port } = from.server.address() as AddressInfo;
  const [answer] = (await once(
    request({ host: '127.0.0.1', port, path: `/transparency/${path}` }).end(),
    'response',
  )) as [IncomingMessage];
  return { statusCode: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

describe('the published tree', () => {
  it('is read by anybody: heads for some seconds, tiles for good', async () => {
    const head = await get('checkpoint');
    expect([head.body, head.headers['content-type'], head.headers['cache-control']]).toEqual([
      'content of checkpoint',
      'text/plain; charset=utf-8',
      'public, max-age=5',
    ]);
    const tile = await get('tile/0/000.p/5');
    expect([tile.body, tile.headers['content-type'], tile.headers['access-control-allow-origin']]).toEqual([
      'content of tile/0/000.p/5',
      'application/octet-stream',
      '*',
    ]);
    expect(tile.headers['cache-control']).toMatch(/immutable/);
    expect((await get('epoch-1/checkpoint')).body).toBe('content of epoch-1/checkpoint');
  });

  it.each([
    'journal-leaves',
    'epoch-1/journal-leaves',
    'writer.lock',
    'tile/0/001',
    'tile/0/..%2f..%2fwriter.lock',
    '../transparency/journal-leaves',
    'epoch-1/epoch-1/checkpoint',
    '',
  ])('shows nothing else: %s', async (path) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).not.toMatch(/content of/);
  });

  it('is nowhere without a folder', async () => {
    const bare = fastify();
    servePublishedTree(bare, undefined);
    await bare.listen({ host: '127.0.0.1', port: 0 });
    expect((await get('checkpoint', bare)).statusCode).toBe(404);
    await bare.close();
  });
});
