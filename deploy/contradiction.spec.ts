import { describe, expect, it } from '@jest/globals';
import { contradictionIn } from './contradiction.js';

const ALONE = 'esdb://eventstore:2113?tls=false';
const THREE = 'esdb://eventstore:2113,eventstore-2:2113,eventstore-3:2113?tls=false';

describe('the settings of the compose file', () => {
  it.each([
    ['', '1', ALONE],
    ['sandbox', '1', ALONE],
    ['', '1', 'esdb://ledger:p%40ss@eventstore:2113?tls=true&tlsCAFile=/run/secrets/eventstore_ca'],
    ['cluster', '3', THREE],
    ['sandbox, cluster', '3', 'esdb://ledger:p@eventstore-3:2113,eventstore-2:2113,eventstore:2113?tls=true'],
    // Stores that are elsewhere.
    ['', '1', 'esdb://store.example:2113,other.example:2113?tls=true'],
    ['cluster', '3', 'esdb+discover://store.example'],
    // What is wrong with it the processes say.
    ['', '1', ''],
  ])('go together: profiles "%s", size %s, %s', (profiles, clusterSize, eventStoreUrl) =>
    expect(contradictionIn({ profiles, clusterSize, eventStoreUrl })).toBeUndefined(),
  );

  it.each([
    ['cluster', '1', THREE, 'EVENTSTORE_CLUSTER_SIZE is 1: set it to 3, or leave the profile out.'],
    ['sandbox', '3', THREE, 'COMPOSE_PROFILES does not name cluster: name it there, or leave the size out.'],
    ['cluster', '2', THREE, 'EVENTSTORE_CLUSTER_SIZE is 2: it must be 1, or 3 with the profile cluster.'],
    ['', 'three', ALONE, 'EVENTSTORE_CLUSTER_SIZE is three: it must be 1, or 3 with the profile cluster.'],
    ['cluster', '3', ALONE, 'The secret eventstore_url does not name eventstore-2, eventstore-3: '],
    ['', '1', THREE, 'The secret eventstore_url names eventstore-2, eventstore-3 beside eventstore: '],
    ['', '1', 'esdb://eventstore-2:2113?tls=false', 'The secret eventstore_url does not name eventstore: '],
    ['cluster', '3', THREE.replace('?', ',store.example:2113?'), 'names store.example beside eventstore, '],
  ])('contradict each other: profiles "%s", size %s, %s', (profiles, clusterSize, eventStoreUrl, sentence) =>
    expect(contradictionIn({ profiles, clusterSize, eventStoreUrl })).toContain(sentence),
  );

  it('are spoken of without the password', () =>
    expect(
      contradictionIn({
        profiles: 'cluster',
        clusterSize: '3',
        eventStoreUrl: 'esdb://ledger:hush-hush@eventstore:2113?tls=true',
      }),
    ).not.toContain('hush'));
});
