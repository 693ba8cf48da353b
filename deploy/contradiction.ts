/** What docker-compose.yml is told that cannot go together, before anything starts. */

interface ComposeSettings {
  /** `COMPOSE_PROFILES`, with commas. */
  readonly profiles: string;
  /** `EVENTSTORE_CLUSTER_SIZE`. */
  readonly clusterSize: string;
  /** The secret `eventstore_url`. */
  readonly eventStoreUrl: string;
}

/** The event store's services in docker-compose.yml; the first alone where there is no cluster. */
const NODES = ['eventstore', 'eventstore-2', 'eventstore-3'];

const listOf = (names: readonly string[]): string => names.join(', ');

/** The hosts of `esdb://user:password@one:2113,two:2113?tls=true`; none where it cannot be read. */
function hostsOf(url: string): string[] {
  const [, hosts = ''] = /^[^/]*:\/\/(?:[^/?]*@)?([^/?]*)/.exec(url.trim()) ?? [];
  return hosts
    .split(',')
    .map((host) => host.replace(/:\d+$/, '').trim())
    .filter((host) => host !== '');
}

/**
 * One sentence on the first pair of settings that contradict each other, and what to do; undefined without
 * one.
 */
export function contradictionIn({
  profiles,
  clusterSize,
  eventStoreUrl,
}: ComposeSettings): string | undefined {
  const isCluster = profiles
    .split(',')
    .map((name) => name.trim())
    .includes('cluster');
  if (clusterSize !== '1' && clusterSize !== '3')
    return `EVENTSTORE_CLUSTER_SIZE is ${clusterSize}: it must be 1, or 3 with the profile cluster.`;
  if (isCluster && clusterSize !== '3')
    return `The profile cluster starts three event stores, and EVENTSTORE_CLUSTER_SIZE is ${clusterSize}: set it to 3, or leave the profile out.`;
  if (!isCluster && clusterSize === '3')
    return 'EVENTSTORE_CLUSTER_SIZE is 3, and COMPOSE_PROFILES does not name cluster: name it there, or leave the size out.';
  const hosts = new Set(hostsOf(eventStoreUrl));
  const expected = isCluster ? NODES : NODES.slice(0, 1);
  // An event store that is elsewhere is nothing that this file knows of.
  if (!NODES.some((node) => hosts.has(node))) return undefined;
  const missing = expected.filter((node) => !hosts.has(node));
  if (missing.length > 0)
    return `The secret eventstore_url does not name ${listOf(missing)}: with the profile cluster it names ${listOf(NODES)}.`;
  const extra = [...hosts].filter((host) => !expected.includes(host));
  if (extra.length > 0)
    return `The secret eventstore_url names ${listOf(extra)} beside ${listOf(expected)}${
      isCluster ? '.' : ': without the profile cluster there is one event store.'
    }`;
  return undefined;
}
