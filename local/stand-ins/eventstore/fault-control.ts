/**
 * Who makes faults in the three nodes tells it here, over HTTP on a port of its own: `GET /` answers how the
 * nodes are, `POST /nodes/NODE/FAULT` makes a fault and answers the same afterwards. NODE is 1, 2, 3,
 * `leader`, or `follower` (the first running one that does not lead).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { UnfitFault, type ThreeNodes, type UnansweredAppend } from './three-nodes.js';

interface FaultOptions {
  /** The fault begins with the next append, which is kept or lost and not answered. */
  readonly unanswered?: UnansweredAppend;
  /** How far a follower lags; without it, it stands still. */
  readonly behindMs?: number;
}

const FAULTS = ['kill', 'end', 'freeze', 'thaw', 'cut-off', 'heal', 'lag', 'start'] as const;
type Fault = (typeof FAULTS)[number];
const isFault = (name: string): name is Fault => (FAULTS as readonly string[]).includes(name);

/** Serves it on this machine and answers the port; 0 takes a free one. */
export async function listenForFaults(
  nodes: ThreeNodes,
  port: number,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    answer(nodes, request).then(
      (report) => send(response, 200, report),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        send(response, error instanceof UnfitFault ? 409 : 500, { message });
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { server, port: (server.address() as { port: number }).port };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}

async function answer(nodes: ThreeNodes, request: IncomingMessage): Promise<unknown> {
  if (request.method === 'GET' && request.url === '/') return nodes.report();
  const [, whom = '', fault = ''] = /^\/nodes\/(\w+)\/([a-z-]+)$/.exec(request.url ?? '') ?? [];
  if (request.method !== 'POST' || !isFault(fault))
    throw new UnfitFault(`GET / or POST /nodes/1|2|3|leader|follower/${FAULTS.join('|')}.`);
  let body = '';
  for await (const chunk of request) body += String(chunk);
  await make(nodes, nodeNamed(nodes, whom), fault, body === '' ? {} : (JSON.parse(body) as FaultOptions));
  return nodes.report();
}

function nodeNamed(nodes: ThreeNodes, whom: string): number {
  const { leader, nodes: all } = nodes.report();
  const found =
    whom === 'leader'
      ? leader
      : whom === 'follower'
        ? all.find(({ id, condition }) => id !== leader && condition === 'running')?.id
        : Number(whom);
  if (found === undefined) throw new UnfitFault(`There is no ${whom} now.`);
  return found;
}

async function make(nodes: ThreeNodes, id: number, fault: Fault, options: FaultOptions): Promise<void> {
  const { unanswered, behindMs } = options;
  if (unanswered === undefined) {
    await makeNow(nodes, id, fault, behindMs);
    return;
  }
  if (fault !== 'kill' && fault !== 'freeze' && fault !== 'cut-off')
    throw new UnfitFault(`No append is left unanswered by ${fault}; only by kill, freeze and cut-off.`);
  const begin = {
    kill: () => nodes.kill(id),
    freeze: () => nodes.freeze(id),
    'cut-off': () => nodes.cutOff(id),
  };
  nodes.atNextAppend(id, unanswered, begin[fault]);
}

function makeNow(nodes: ThreeNodes, id: number, fault: Fault, behindMs?: number): Promise<void> | void {
  switch (fault) {
    case 'kill':
      return nodes.kill(id);
    case 'end':
      return nodes.end(id);
    case 'freeze':
      return nodes.freeze(id);
    case 'thaw':
      return nodes.thaw(id);
    case 'cut-off':
      return nodes.cutOff(id);
    case 'heal':
      return nodes.heal(id);
    case 'lag':
      return nodes.lag(id, behindMs);
    case 'start':
      return nodes.start(id);
  }
}
