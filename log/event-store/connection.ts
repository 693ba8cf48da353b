/** Connecting to a node of the event store and leaving it, by the store's client. */
import { EventStoreDBClient } from '@eventstore/db-client';
import { Channel, connectivityState, type ChannelCredentials } from '@grpc/grpc-js';
import { BadSetting } from '#contracts/configuration';
import { watchAppends } from './append-stream.js';
import { messageOf } from './reading.js';
import { directWay, parseStoreUrl, type StoreUrl } from './store-url.js';

const CLOSE_WITHIN_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;
/** Node takes a longer one for a timer of one millisecond. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Events of up to 16 MiB may stand in a log; the client allows as much. */
const LARGEST_MESSAGE = 17 * 1024 * 1024;

/** The options of a connection string, those excepted that the client does not heed. */
const CONNECTION_OPTIONS = new Set(
  [
    'tls',
    'tlsCAFile',
    'userCertFile',
    'userKeyFile',
    'connectionName',
    'defaultDeadline',
    'keepAliveInterval',
    'keepAliveTimeout',
    'maxDiscoverAttempts',
    'discoveryInterval',
    'gossipTimeout',
    'nodePreference',
  ].map((option) => option.toLowerCase()),
);

/** What the client also takes has a blank, a path or a fragment in its name, and is found nowhere. */
const NODE = /^[\w.-]+:\d+$/;

/**
 * A client of the store at a URL; it connects at first use. Throws {@link BadSetting} for a URL that cannot
 * be used; `name` is what the setting is called.
 */
export function clientFor(url: string, name: string): EventStoreDBClient {
  // The client answers what it does not understand by repeating the whole of it, password included.
  const query = url.replace(/^[^/]*:\/\/[^@]*@/, '').split('?')[1] ?? '';
  const unknown = [...query.matchAll(/(?:^|&)([^=&]*)/g)]
    .map(([, option = '']) => option)
    .find((option) => option !== '' && !CONNECTION_OPTIONS.has(option.toLowerCase()));
  // With it the client would pass an append at a wrong revision for one that was written.
  if (unknown?.toLowerCase() === 'throwonappendfailure')
    throw new BadSetting(`${name} has the option "${unknown}": leave it out, Encore relies on its default.`);
  if (unknown !== undefined) throw new BadSetting(`${name} has the option "${unknown}", which is not known.`);
  const client = understood(url, name);
  const { nodes } = parseStoreUrl(url);
  // Whoever cannot be connected to is named in sentences: half a password must not be.
  if (nodes.some((node) => node.includes('@')))
    throw new BadSetting(`${name} has an @ in its password: write it as %40 there.`);
  if (nodes.length === 0 || !nodes.every((node) => NODE.test(node))) throw notUnderstood(name);
  const port = nodes
    .map((node) => Number(node.split(':')[1]))
    .find((number) => number < 1 || number > 65_535);
  if (port !== undefined)
    throw new BadSetting(`${name} names the port ${port}, which is none: ports go from 1 to 65535.`);
  // The client would leave out what stands behind it.
  if (/^[^/]*\/\/[^@/:]*:[^@/]*:[^@/]*@/.test(url))
    throw new BadSetting(`${name} has a colon in its password: write it as %3A there.`);
  return client;
}

function understood(url: string, name: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(url);
  } catch (error) {
    const file = messageOf(error).startsWith('Failed to load certificate');
    throw file ? new BadSetting(`${name} names a certificate file that is not there.`) : notUnderstood(name);
  }
}

const notUnderstood = (name: string): BadSetting =>
  new BadSetting(
    `${name} cannot be understood: it must be like esdb://user:password@host:2113?tls=true&tlsCAFile=/path/to/ca.pem.`,
  );

/** What the client makes its channel with; it is no part of its documented interface. */
interface ChannelMaker {
  createChannel: () => Promise<Channel>;
  resolveUri: () => Promise<string>;
  handleError: (client: unknown, error: Error) => Promise<void>;
}

/**
 * A client of one node, and how its connections are closed: it never closes the last of them itself. A node
 * that was away is found again at once, where the client's own channel would share its pauses with all
 * channels before it, up to two minutes of them.
 */
export function nodeClient(store: StoreUrl, node: string, credentials: ChannelCredentials): NodeClient {
  // Its URLs cannot hold an address of IPv6; nodes may call themselves so.
  const client = EventStoreDBClient.connectionString(store.urlOf(node.startsWith('[') ? 'localhost' : node));
  const inside = client as unknown as Partial<ChannelMaker>;
  const channels: Channel[] = [];
  let isDisposed = false;
  if (typeof inside.createChannel === 'function' && typeof inside.resolveUri === 'function') {
    const { resolveUri } = inside;
    inside.createChannel = async () => {
      for (const old of channels.splice(0)) void closeChannel(old);
      const address = store.isCluster ? node : await resolveUri();
      // A call that was made a moment before the end would open what nobody closes any more.
      if (isDisposed) throw new Error('The connection to the event store was closed');
      const channel = new Channel(address, credentials, channelOptions(store));
      channels.push(channel);
      return channel;
    };
  }
  watchAppends(client);
  // A node of several says who leads, too, but the others are asked about that as well.
  if (store.isCluster && typeof inside.handleError === 'function')
    inside.handleError = () => Promise.resolve();
  return {
    client,
    async dispose() {
      isDisposed = true;
      await dispose(client);
      await Promise.all(channels.splice(0).map(closeChannel));
    },
  };
}

export interface NodeClient {
  readonly client: EventStoreDBClient;
  /** Ends all calls and closes the connection. */
  dispose(): Promise<void>;
}

/** What a channel is made with; settings that the URL leaves out are those of the client. */
export function channelOptions({ options }: StoreUrl): Record<string, number> {
  const milliseconds = (name: string): number => {
    const set = Number(options.get(name) ?? KEEP_ALIVE_MS);
    return set < 0 ? LONGEST_TIMER_MS : Math.min(set, LONGEST_TIMER_MS);
  };
  return {
    'grpc.keepalive_time_ms': milliseconds('keepaliveinterval'),
    'grpc.keepalive_timeout_ms': milliseconds('keepalivetimeout'),
    'grpc.max_receive_message_length': LARGEST_MESSAGE,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 250,
    ...directWay(),
  };
}

/** A channel that is closed while it connects leaves its socket open: until it has, it is waited for. */
async function closeChannel(channel: Channel): Promise<void> {
  const { CONNECTING, SHUTDOWN } = connectivityState;
  if (channel.getConnectivityState(false) === CONNECTING)
    await new Promise<void>((resolve) =>
      channel.watchConnectivityState(CONNECTING, Date.now() + CLOSE_WITHIN_MS, () => resolve()),
    );
  if (channel.getConnectivityState(false) !== SHUTDOWN) channel.close();
}

/**
 * Ends a client's calls. It waits for every call that it ever made; what does not end by itself is not worth
 * a process that hangs.
 */
async function dispose(client: EventStoreDBClient): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    client.dispose(),
    new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    }),
  ]);
  clearTimeout(timer);
}
