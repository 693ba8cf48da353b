/** Who leads the event store's nodes, by what they say of themselves and of each other. */

/** What a node says of one node of its cluster. */
export interface Member {
  /** `host:port`, as the cluster itself calls the node. */
  readonly address: string;
  /**
   * A `replica` only reads along: it neither leads nor has a say in who does. A `seed` is no node: an address
   * at which a node was told to look for others, which may be one of theirs under another name.
   */
  readonly role: 'leader' | 'voter' | 'replica' | 'seed';
  readonly isAlive: boolean;
}

/** What one node has answered. */
export interface NodeAnswer {
  /** Where it was asked. */
  readonly node: string;
  readonly members: readonly Member[];
}

const hasVote = ({ role }: Member): boolean => role === 'leader' || role === 'voter';

/** Every node that anybody names, replicas included. */
export const nodesIn = (answers: readonly NodeAnswer[]): string[] => [
  ...new Set(
    answers.flatMap(({ members }) =>
      members.filter(({ role }) => role !== 'seed').map(({ address }) => address),
    ),
  ),
];

const votersIn = (answers: readonly NodeAnswer[]): Set<string> =>
  new Set(answers.flatMap(({ members }) => members.filter(hasVote).map(({ address }) => address)));

/**
 * Of the nodes that the settings name, those that may have a vote: all that nobody knows to read along only.
 */
export function namedVoters(answers: readonly NodeAnswer[], named: readonly string[]): readonly string[] {
  const replicas = new Set(
    answers.flatMap(({ members }) =>
      members.filter(({ role }) => role === 'replica').map(({ address }) => address),
    ),
  );
  return named.filter((address) => !replicas.has(address));
}

/** Why no node leads. */
export type WhyNoneLeads =
  /** They answer where the settings name them, and nowhere where they themselves say that they are. */
  | { readonly kind: 'elsewhere'; readonly addresses: readonly string[] }
  /** Half of all, or fewer, answer. */
  | { readonly kind: 'too-few'; readonly size: number; readonly silent: readonly string[] }
  | { readonly kind: 'not-elected' };

/**
 * Why no node leads, where none does; undefined where nothing answered. `named` are the nodes of the
 * settings. The nodes must have been asked at the addresses that they give themselves.
 */
export function whyNoneLeads(
  answers: readonly NodeAnswer[],
  named: readonly string[],
): WhyNoneLeads | undefined {
  if (answers.length === 0) return undefined;
  const answered = new Set(answers.map(({ node }) => node));
  const voters = [...votersIn(answers)];
  const silent = voters.filter((address) => !answered.has(address));
  if (silent.length === voters.length) return { kind: 'elsewhere', addresses: voters };
  // One that the settings name by another name than its own answers there.
  const more = voters.length < named.length ? named.filter((address) => !answered.has(address)) : [];
  const away = [...new Set([...silent, ...more])];
  const size = Math.max(voters.length, named.length);
  return away.length >= size / 2 ? { kind: 'too-few', size, silent: away } : { kind: 'not-elected' };
}

/** Fewer nodes than that cannot outvote one of them. */
const LEAST_CLUSTER = 3;

/**
 * The node that leads: it answers and claims to, it sees more than half of all nodes, and more than half of
 * all nodes name it. Undefined where there is none. A node that is cut off from the others claims to lead as
 * before, and one that stands still is named by the others for a while. `atLeast` is how many nodes there are
 * by the settings: a node that has just started may know of fewer.
 */
export function leaderOf(answers: readonly NodeAnswer[], atLeast: number): string | undefined {
  const voters = votersIn(answers);
  const votes = new Map<string, string>();
  for (const { node, members } of answers) {
    const leaders = members.filter(({ role, isAlive }) => role === 'leader' && isAlive);
    // A node that names two has not heard yet which of them was given up.
    if (voters.has(node) && leaders.length === 1) votes.set(node, leaders[0]!.address);
  }
  return answers.find(({ node, members }) => {
    const gone = members.filter((member) => hasVote(member) && !member.isAlive).length;
    // A cluster has an odd number of nodes: of an even one, one that is gone was replaced at another address.
    // The others remember it for half an hour.
    const isMoreThanAll = voters.size % 2 === 0 && voters.size > Math.max(atLeast, LEAST_CLUSTER);
    const replaced = gone > 0 && isMoreThanAll ? 1 : 0;
    const size = Math.max(voters.size - replaced, atLeast);
    const needed = Math.floor(size / 2) + 1;
    const away = gone - replaced;
    const named = [...votes.values()].filter((vote) => vote === node).length;
    return votes.get(node) === node && size - away >= needed && named >= needed;
  })?.node;
}
