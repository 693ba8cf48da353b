/** Who leads, by what each of the nodes says: on a table of answers. */
import { describe, expect, it } from '@jest/globals';
import { leaderOf, nodesIn, whyNoneLeads, type Member, type NodeAnswer } from './leader.js';

/**
 * What a node says of its cluster, in short: `A* b C! s?` is A leading, b following, C known to be away, s a
 * seed.
 */
function said(node: string, cluster: string): NodeAnswer {
  const members = cluster.split(' ').map((word): Member => {
    const [, mark = ''] = /([*~?])/.exec(word) ?? [];
    const role = ({ '*': 'leader', '~': 'replica', '?': 'seed' } as const)[mark] ?? 'voter';
    return { address: word[0]!, role, isAlive: !word.includes('!') };
  });
  return { node, members };
}
const table = (answers: Readonly<Record<string, string>>): NodeAnswer[] =>
  Object.entries(answers).map(([node, cluster]) => said(node, cluster));

describe('the leader of three nodes', () => {
  it.each([
    ['all agree', { A: 'A* B C', B: 'A* B C', C: 'A* B C' }, 'A'],
    ['the leader lists itself alone, but the others name it', { A: 'A*', B: 'A* B', C: 'A* C' }, 'A'],
    ['one is away', { A: 'A* B C!', B: 'A* B C!' }, 'A'],
    ['the old leader was killed and another stands', { B: 'A*! B* C', C: 'A! B* C' }, 'B'],
    [
      'the old one is cut off and claims to lead as before',
      { A: 'A* B! C!', B: 'A! B* C', C: 'A! B* C' },
      'B',
    ],
    ['one has not heard of the new leader yet', { A: 'A* B! C!', B: 'A! B* C', C: 'A* B C' }, undefined],
    ['one that answers names the old leader beside the new one', { B: 'A! B* C', C: 'A* B* C' }, undefined],
    ['the leader stands still while the others still name it', { B: 'A* B C', C: 'A* B C' }, undefined],
    ['the others elect', { A: 'A* B! C!', B: 'A! B C', C: 'A! B C' }, undefined],
    ['the leader alone can be reached', { A: 'A* B C' }, undefined],
    ['a leader that just resigns is named by nobody', { A: 'A B C', B: 'A B C', C: 'A B C' }, undefined],
    ['nobody answers', {}, undefined],
    [
      'each was told of the others by other names than they have',
      { A: 'A* B C x? y?', B: 'A* B C x? z?', C: 'A* B C y? z?' },
      'A',
    ],
    [
      'one was replaced at another address and is remembered, and another is away',
      { A: 'A* B! C! D', D: 'A* B! C! D' },
      'A',
    ],
    [
      'one was replaced, and the old leader is cut off',
      { A: 'A* B! C! D!', C: 'A! B! C* D', D: 'A! B! C* D' },
      'C',
    ],
    ['one was replaced, and the leader lost both others', { A: 'A* B! C! D!' }, undefined],
  ])('when %s', (_, answers, leader) => {
    expect(leaderOf(table(answers), 3)).toBe(leader);
  });
});

describe('the leader', () => {
  it('is the only node of a cluster of one', () => {
    expect(leaderOf(table({ A: 'A*' }), 1)).toBe('A');
  });

  it('is not believed from one node that knows of fewer nodes than the settings name', () => {
    expect(leaderOf(table({ A: 'A*' }), 3)).toBeUndefined();
  });

  it('is not one node that has lost the only other one it knew', () => {
    expect(leaderOf(table({ A: 'A* B!' }), 1)).toBeUndefined();
  });

  it('needs more than half of five nodes, not counting read-only replicas', () => {
    const five = 'A* B C D E r~ s~';
    expect(leaderOf(table({ A: five, B: five, r: five, s: five }), 5)).toBeUndefined();
    expect(leaderOf(table({ A: five, B: five, C: five }), 5)).toBe('A');
  });

  it('needs two nodes: one that answers under two names counts once', () => {
    expect(leaderOf(table({ A: 'A* B C', seed: 'A* B C' }), 3)).toBeUndefined();
  });

  it('is looked for among all nodes that any node knows of', () => {
    expect(nodesIn(table({ seed: 'A* B s?', B: 'A* B C~' }))).toEqual(['A', 'B', 'C']);
  });
});

describe('why none leads', () => {
  it.each([
    [{}, 'ABC', undefined],
    [{ A: 'A B C', B: 'A B C', C: 'A B C' }, 'ABC', { kind: 'not-elected' }],
    [{ A: 'A B C!', B: 'A B C!' }, 'ABC', { kind: 'not-elected' }],
    [{ A: 'A* B! C!' }, 'A', { kind: 'too-few', size: 3, silent: ['B', 'C'] }],
    [{ A: 'A*' }, 'AB', { kind: 'too-few', size: 2, silent: ['B'] }],
    [{ A: 'X Y Z', B: 'X Y Z' }, 'ABC', { kind: 'elsewhere', addresses: ['X', 'Y', 'Z'] }],
    [{ A: 'X Y Z', X: 'X Y Z', Y: 'X Y Z' }, 'A', { kind: 'not-elected' }],
  ])('is told of %j where the settings name %s', (answers, named, why) => {
    expect(whyNoneLeads(table(answers), [...named])).toEqual(why);
  });
});
