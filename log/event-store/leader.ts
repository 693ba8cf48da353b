/** Who leads the event store's nodes, by what they say of themselves and of each other. */

/** What a node says of one node of its cluster. */
export interface Member {
  /** `host:port`, as the cluster itself calls the node. */
  readonly address: string;
  /** A `replica` only reads along: it neither leads nor has a say in who does. */
  readonly role: 'leader' | 'voter' | 'replica';
  readonly isAlive: boolean;
}

/** What one node has answered. */
export interface NodeAnswer {
  /** Where it was asked. */
  readonly node: string;
  readonly members: readonly Member[];
}

/** Every node that anybody names, replicas included. */
export const nodesIn = (answers: readonly NodeAnswer[]): string[] => [
  ...new Set(answers.flatMap(({ members }) => members.map(({ address }) => address))),
];

/**
 * The node that leads: it answers and claims to, it sees more than half of all nodes, and more than half of all
 * nodes name it. Undefined where there is none. A node that is cut off from the others claims to lead as before,
 * and one that stands still is named by the others for a while. `atLeast` is how many nodes there are by the
 * settings: a node that has just started may know of fewer.
 */
export function leaderOf(answers: readonly NodeAnswer[], atLeast: number): string | undefined {
  const voters = new Set(
    answers.flatMap(({ members }) =>
      members.filter(({ role }) => role !== 'replica').map(({ address }) => address),
    ),
  );
  const votes = new Map<string, string>();
  for (const { node, members } of answers) {
    const leaders = members.filter(({ role, isAlive }) => role === 'leader' && isAlive);
    // A node that names two has not heard yet which of them was given up.
    if (voters.has(node) && leaders.length === 1) votes.set(node, leaders[0]!.address);
  }
  const size = Math.max(voters.size, atLeast);
  const needed = Math.floor(size / 2) + 1;
  return answers.find(({ node, members }) => {
    const away = members.filter(({ role, isAlive }) => role !== 'replica' && !isAlive).length;
    const named = [...votes.values()].filter((vote) => vote === node).length;
    return votes.get(node) === node && size - away >= needed && named >= needed;
  })?.node;
}
