/** A server of Node's with bounds that a suite can wait for; over real sockets, but for other addresses. */
import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CONNECTION_BOUNDS, Connections } from './connections.js';
import { refuseConnection } from './malformed.js';

const BOUNDS = {
  ...CONNECTION_BOUNDS,
  headersMs: 300,
  bodyMs: 300,
  requestMs: 2_000,
  bodyBytesPerSecond: 4_096,
  perAddress: 3,
};
const POST = 'POST / HTTP/1.1\r\nHost: a\r\n';

let server: Server;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
});

const readsAll: RequestListener = (request, response) =>
  void text(request).then(
    (body) => response.end(`${body.length} bytes`),
    () => undefined,
  );

async function serve(listener: RequestListener, isProxy = false): Promise<() => Socket> {
  server = createServer({ connectionsCheckingInterval: 50 }, listener);
  server.on('clientError', refuseConnection);
  new Connections(BOUNDS, () => isProxy).watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
}

/** What comes until the server ends the connection; a byte is sent meanwhile, again and again. */
async function heardUntilCut(socket: Socket, byte = ''): Promise<string> {
  let heard = '';
  socket.on('data', (part) => (heard += part.toString()));
  const trickle = setInterval(() => byte !== '' && socket.writable && socket.write(byte), 20);
  await once(socket, 'close');
  clearInterval(trickle);
  return heard;
}

describe('a connection', () => {
  it.each([
    ['that says nothing', '', ''],
    ['whose headers never end', `${POST}X-A: `, 'a'],
    ['whose body trickles', `${POST}Content-Length: 200000\r\n\r\n`, 'a'],
    ['whose body trickles in pieces', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
    ['whose body does not come', `${POST}Content-Length: 5\r\n\r\n`, ''],
  ])('%s is told so and cut', async (_, beginning, byte) => {
    const socket = (await serve(readsAll))();
    socket.write(beginning);
    const heard = await heardUntilCut(socket, byte);
    expect(heard).toMatch(/^HTTP\/1\.1 408 /);
    expect(heard).toContain('{"message":"The request did not arrive in time.');
  });

  it('that goes on with a body nobody reads is cut too, behind its answer', async () => {
    const socket = (await serve((_request, response) => void response.writeHead(401).end('no')))();
    socket.write(`${POST}Content-Length: 200000\r\n\r\n`);
    const heard = await heardUntilCut(socket, 'a');
    expect(heard).toMatch(/^HTTP\/1\.1 401 /);
    expect(heard).not.toContain('408');
  });

  it('whose body is long and comes at a good rate is let finish', async () => {
    const socket = (await serve(readsAll))();
    const piece = 'a'.repeat(1_000);
    socket.write(`${POST}Content-Length: 30000\r\nConnection: close\r\n\r\n`);
    expect(await heardUntilCut(socket, piece)).toContain('30000 bytes');
  });

  it('whose request is there is waited for as long as its answer takes', async () => {
    // Longer than every deadline: another connection is seen to be cut meanwhile, twice.
    let answer: () => void = () => undefined;
    const open = await serve((_request, response) => void (answer = () => response.end('late')));
    const patient = open();
    patient.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const heard = heardUntilCut(patient);
    await heardUntilCut(open());
    await heardUntilCut(open());
    answer();
    expect(await heard).toMatch(/late$/);
  });
});

describe('an address that holds all the connections it may', () => {
  it('still gets a whole request through: the one waited for the longest makes room', async () => {
    const open = await serve(readsAll);
    const held = [open(), open(), open()];
    for (const socket of held) socket.write(`${POST}X-A: `);
    while ((await countOf(server)) < 3) await new Promise(setImmediate);
    const honest = open();
    honest.write(`${POST}Content-Length: 3\r\nConnection: close\r\n\r\ntip`);
    const [first] = await Promise.all([
      Promise.race(held.map(async (socket, n) => once(socket, 'close').then(() => n))),
      heardUntilCut(honest).then((heard) => expect(heard).toContain('3 bytes')),
    ]);
    expect(first).toBe(0);
  });

  it('is all that one subscriber has of IPv6', () => {
    const server = Object.assign(new EventEmitter(), { setTimeout: () => undefined }) as unknown as Server;
    new Connections(BOUNDS, () => false).watch(server);
    const cut: string[] = [];
    for (let n = 1; n <= 5; n++) {
      const remoteAddress = `2001:db8:1:20${n}::${n}`;
      server.emit(
        'connection',
        Object.assign(new EventEmitter(), { remoteAddress, destroy: () => void cut.push(remoteAddress) }),
      );
    }
    server.emit('close');
    expect(cut).toHaveLength(2);
  });

  it('is not counted where it is a proxy, behind which everybody is', async () => {
    const open = await serve(readsAll, true);
    const held = [open(), open(), open(), open(), open()];
    while ((await countOf(server)) < held.length) await new Promise(setImmediate);
    expect(held.every((socket) => !socket.destroyed)).toBe(true);
  });
});

const countOf = (of: Server): Promise<number> =>
  new Promise((resolve, reject) =>
    of.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
