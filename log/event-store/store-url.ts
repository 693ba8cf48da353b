/** The event store's URL: which nodes it names, and the URL of each of them. */
import { readFileSync } from 'node:fs';
import { credentials, type ChannelCredentials } from '@grpc/grpc-js';

const DEFAULT_PORT = 2113;

export interface StoreUrl {
  /** The nodes that the URL names, as `host:port`. */
  readonly nodes: readonly string[];
  /**
   * Whether it is a store of several nodes, which say themselves who leads: more than one is named, or a DNS
   * name is to be looked up for them.
   */
  readonly isCluster: boolean;
  /** Whether the one name is a DNS name that stands for all nodes. */
  readonly isDiscovered: boolean;
  readonly options: ReadonlyMap<string, string>;
  /** The name of the user; undefined where it names none. */
  readonly user: string | undefined;
  /** `user:password` as it is shown to the store; undefined where it names none. */
  readonly userAndPassword: string | undefined;
  /** The URL of one node, with the same user and options. */
  readonly urlOf: (node: string) => string;
}

/** Takes a URL apart that the event store's client has taken. */
export function parseStoreUrl(url: string): StoreUrl {
  const [, scheme = '', user = '', hosts = '', query = ''] =
    /^(esdb(?:\+discover)?):\/\/(?:([^@]*)@)?([^/?]*)\/?(?:\?(.*))?$/.exec(url.trim()) ?? [];
  const named = hosts
    .split(',')
    .filter((host) => host !== '')
    .map((host) => (host.includes(':') ? host : `${host}:${DEFAULT_PORT}`));
  const nodes = [...new Set(named)];
  const isDiscovered = scheme === 'esdb+discover';
  const options = new Map(
    query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', ...values] = pair.split('=');
        const value = values.join('=');
        return [name.toLowerCase().replaceAll(/[_-]/g, ''), decodeURIComponent(value)] as const;
      }),
  );
  return {
    // The client takes the first name alone where names are to be looked up.
    nodes: isDiscovered ? nodes.slice(0, 1) : nodes,
    isCluster: isDiscovered || nodes.length > 1,
    isDiscovered,
    options,
    user: user === '' ? undefined : decodeURIComponent(user.split(':')[0]!),
    userAndPassword: user === '' ? undefined : user.split(':').map(decodeURIComponent).join(':'),
    urlOf: (node) => `esdb://${user === '' ? '' : `${user}@`}${node}${query === '' ? '' : `?${query}`}`,
  };
}

/** What a connection to any of the nodes proves itself with, and trusts. */
export function channelCredentials({ options }: StoreUrl): ChannelCredentials {
  if (options.get('tls') === 'false') return credentials.createInsecure();
  const file = (name: string): Buffer | null => {
    const path = options.get(name);
    return path === undefined ? null : readFileSync(path);
  };
  return credentials.createSsl(file('tlscafile'), file('userkeyfile'), file('usercertfile'));
}

/**
 * Options of each channel. Shells and engines of containers name a proxy for the web (`http_proxy`), and gRPC
 * would take it: the way to the event store is direct, unless `grpc_proxy` names one for it.
 */
export const directWay = (): Record<string, number> =>
  process.env.grpc_proxy ? {} : { 'grpc.enable_http_proxy': 0 };
