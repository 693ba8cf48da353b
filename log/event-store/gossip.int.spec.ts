/** Asking all nodes at once who leads: over the wire, of nodes that answer as they are told. */
import { Server, ServerCredentials, credentials, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Gossip, readMembers } from './gossip.js';
import { field, numberField } from './wire.js';

const LEADER = 8;
const FOLLOWER = 6;
const READ_ONLY_REPLICA = 14;

const running: { end(): void }[] = [];
afterEach(() => {
  for (const it of running.splice(0)) it.end();
});

interface PlayedNode {
  readonly address: string;
  asked: number;
  /** What it answers: who leads by its word. It stands still while there is nothing. */
  says:
    | { readonly cluster: readonly string[]; readonly leader: string; readonly replica?: string }
    | 'an error'
    | undefined;
}

const member = (address: string, leader: string, replica?: string): Buffer => {
  const [host = '', port = ''] = address.split(':');
  return field(
    1,
    numberField(3, address === leader ? LEADER : address === replica ? READ_ONLY_REPLICA : FOLLOWER),
    numberField(4, 1),
    field(5, field(1, host), numberField(2, Number(port))),
  );
};

async function node(): Promise<PlayedNode> {
  const server = new Server();
  const raw = (bytes: Buffer): Buffer => bytes;
  const played: PlayedNode = { address: '', asked: 0, says: undefined };
  server.addService(
    {
      read: {
        path: '/event_store.client.gossip.Gossip/Read',
        requestStream: false,
        responseStream: false,
        requestSerialize: raw,
        requestDeserialize: raw,
        responseSerialize: raw,
        responseDeserialize: raw,
      },
    },
    {
      read: (_: unknown, answer: (error: object | null, bytes?: Buffer) => void) => {
        const { says } = played;
        played.asked += 1;
        if (says === 'an error') answer({ code: status.UNAVAILABLE, details: 'Server Is Not Ready' });
        else if (says)
          answer(null, Buffer.concat(says.cluster.map((it) => member(it, says.leader, says.replica))));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  running.push({ end: () => server.forceShutdown() });
  return Object.assign(played, { address: `127.0.0.1:${port}` });
}

function gossipOf(...seeds: readonly string[]): Gossip {
  const gossip = new Gossip({ seeds, isDiscovered: false, credentials: credentials.createInsecure() });
  running.push({ end: () => gossip.close() });
  return gossip;
}

/** The leader, as soon as one is known: a busy machine may not connect within a question's second. */
async function found(gossip: Gossip): Promise<string> {
  for (;;) {
    const leader = await gossip.whoLeads();
    if (leader !== undefined) return leader;
  }
}

describe('asking who leads', () => {
  it('takes an address of IPv6 for what it is', () => {
    const addressed = (host: string): Buffer => field(1, field(5, field(1, host), numberField(2, 2113)));
    expect(readMembers(addressed('fd00::1'))[0]?.address).toBe('[fd00::1]:2113');
    expect(readMembers(addressed('10.0.0.1'))[0]?.address).toBe('10.0.0.1:2113');
  });

  it('takes an address at which a node looked for others for no node', () => {
    const listed = field(
      1,
      numberField(3, 9),
      numberField(4, 1),
      field(5, field(1, 'node-2'), numberField(2, 2113)),
    );
    expect(readMembers(listed)).toEqual([{ address: 'node-2:2113', role: 'seed', isAlive: true }]);
  });

  it('is answered where the others agree, though one stands still and one is gone', async () => {
    const [a, b, c, frozen] = await Promise.all([node(), node(), node(), node()]);
    const cluster = [...[a, b, c, frozen].map(({ address }) => address), '127.0.0.1:1'];
    a.says = b.says = c.says = { cluster, leader: b.address };
    expect(await found(gossipOf(...cluster))).toBe(b.address);
    expect(frozen.says).toBeUndefined();
  });

  it('is answered though one of three is gone, where the settings name one beside them that only reads along', async () => {
    const [a, b, replica] = await Promise.all([node(), node(), node()]);
    const cluster = [...[a, b, replica].map(({ address }) => address), '127.0.0.1:1'];
    const says = { cluster, leader: a.address, replica: replica.address };
    a.says = b.says = replica.says = says;
    const gossip = gossipOf(...cluster);
    for (let n = 0; n < 3 && (await gossip.whoLeads()) === undefined; n += 1);
    expect(await gossip.whoLeads()).toBe(a.address);
  });

  it('finds the nodes that the settings do not name, and takes nobody that does not answer itself', async () => {
    const [a, b, c] = await Promise.all([node(), node(), node()]);
    const cluster = [a.address, b.address, c.address];
    a.says = b.says = { cluster, leader: c.address };
    const gossip = gossipOf(a.address, b.address);
    expect(await gossip.whoLeads()).toBeUndefined();
    expect(await gossip.whoLeads()).toBeUndefined();
    c.says = a.says;
    expect(await found(gossip)).toBe(c.address);
  });

  it('knows nobody while the nodes answer with errors, and asks again', async () => {
    const a = await node();
    a.says = 'an error';
    const gossip = gossipOf(a.address);
    expect(await gossip.whoLeads()).toBeUndefined();
    a.says = { cluster: [a.address], leader: a.address };
    expect(await found(gossip)).toBe(a.address);
  });

  it('gives nobody an answer that was asked for before', async () => {
    const a = await node();
    a.says = { cluster: [a.address], leader: a.address };
    const gossip = gossipOf(a.address);
    await Promise.all([gossip.whoLeads(), gossip.whoLeads(), gossip.whoLeads()]);
    // The second and the third share a question.
    expect(a.asked).toBe(2);
  });
});
