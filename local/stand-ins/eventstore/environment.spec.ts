import { describe, expect, it } from '@jest/globals';
import { refusedEnvironment } from './environment.js';

const TWO_SEEDS = 'eventstore-2:2113,eventstore-3:2113';

describe('the environment of an event store', () => {
  it.each([
    [{}],
    [{ PATH: '/bin', ENCORE_EVENTSTORE_TLS: 'on', STAND_IN_USERS_FILE: '/users', KURRENTDB_ANYTHING: '1' }],
    [{ EVENTSTORE_INSECURE: 'true', EVENTSTORE_DB: '/events', EVENTSTORE_TELEMETRY_OPTOUT: 'true' }],
    [{ EVENTSTORE_GOSSIP_SEED: '' }],
    [{ EVENTSTORE_GOSSIP_SEED: 'eventstore-2:2113', EVENTSTORE_CLUSTER_SIZE: '1' }],
    [{ EVENTSTORE_GOSSIP_SEED: TWO_SEEDS, EVENTSTORE_CLUSTER_SIZE: '3' }],
    [{ EVENTSTORE_CLUSTER_SIZE: '3' }],
    [{ EVENTSTORE_OF_NOBODY: '1', EVENTSTORE_ALLOW_UNKNOWN_OPTIONS: 'True' }],
  ])('is taken with %j', (env) => expect(refusedEnvironment(env)).toBeUndefined());

  it.each([
    [
      { EVENTSTORE_USERS_FILE: '/users' },
      'EVENTSTORE_USERS_FILE is no option of EventStoreDB, which ends by such a variable at its start.',
    ],
    [
      { EVENTSTORE_GOSSIP_SEED: TWO_SEEDS },
      'EVENTSTORE_CLUSTER_SIZE is 1 and EVENTSTORE_GOSSIP_SEED names 2 nodes: a node alone has at most one.',
    ],
    [
      { EVENTSTORE_CLUSTER_SIZE: '3', EVENTSTORE_DISCOVER_VIA_DNS: 'false' },
      'EVENTSTORE_CLUSTER_SIZE is 3 and EVENTSTORE_GOSSIP_SEED names no other node.',
    ],
    [
      { EVENTSTORE_CLUSTER_SIZE: 'three' },
      'EVENTSTORE_CLUSTER_SIZE must be a whole number above 0, not three.',
    ],
  ])('ends it with %j', (env, sentence) => expect(refusedEnvironment(env)).toBe(sentence));
});
