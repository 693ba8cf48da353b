/**
 * docker-compose.yml by the rules of EventStoreDB itself: which variables it knows, how many seeds go with
 * which size, where its data are. A server that does not like its environment ends at its start, so the file
 * is judged for each of its profiles and sizes; where those contradict each other, nothing may start at all.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { contradictionIn } from '../../deploy/contradiction.js';
import { repositoryRoot } from '#local/launch/program';
import { refusedEnvironment } from '#local/stand-ins/eventstore/environment';
import { composed, variablesIn, type ComposeFile } from './compose-file.js';

const compose = readFileSync(join(repositoryRoot(), 'docker-compose.yml'), 'utf8');

/** In `.env` in any case. */
const NEEDED = {
  PUBLIC_URL: 'https://encore.example',
  OIDC_ISSUER: 'https://login.example',
  OIDC_CLIENT_ID: 'encore',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
};
const PROFILES = ['', 'sandbox', 'tools', 'cluster', 'sandbox,cluster', 'sandbox,tools,cluster'];
const SIZES = [undefined, '1', '3'];
const ALONE = 'esdb://eventstore:2113?tls=false';
const THREE = 'esdb://eventstore:2113,eventstore-2:2113,eventstore-3:2113?tls=false';

const withSettings = (text: string, profiles: string, size: string | undefined): ComposeFile =>
  composed(text, {
    ...NEEDED,
    COMPOSE_PROFILES: profiles,
    ...(size === undefined ? {} : { EVENTSTORE_CLUSTER_SIZE: size }),
  });

const isNode = (name: string): boolean => /^eventstore(-\d)?$/.test(name);

/** Each sentence is a reason for a server of this file not to start, or not to keep what it is given. */
function complaints({ services, volumes }: ComposeFile): string[] {
  const nodes = Object.entries(services).filter(([name]) => isNode(name));
  return nodes.flatMap(([name, { environment, volumes: mounted }]) => {
    const found = [refusedEnvironment(environment)];
    const {
      EVENTSTORE_DB: folder,
      EVENTSTORE_GOSSIP_SEED: seeds = '',
      EVENTSTORE_CLUSTER_SIZE: size,
    } = environment;
    const [volume] =
      mounted.find((one) => folder !== undefined && one.split(':')[1] === folder)?.split(':') ?? [];
    if (volume === undefined || !(volume in volumes))
      found.push('EVENTSTORE_DB is on no volume that has a name.');
    for (const product of ['EVENTSTORE', 'KURRENTDB'])
      if (environment[`${product}_TELEMETRY_OPTOUT`] !== 'true')
        found.push(`${product} tells its maker about itself.`);
    const others = nodes.filter(([other]) => other !== name).map(([other]) => `${other}:2113`);
    if (Number(size) !== nodes.length) found.push(`The size is ${size}, and ${nodes.length} start.`);
    if (seeds !== (nodes.length > 1 ? others.join(',') : '')) found.push(`The seeds are "${seeds}".`);
    if (environment.EVENTSTORE_NODE_HOST_ADVERTISE_AS !== name) found.push('It is known by another name.');
    return found.flatMap((sentence) => (sentence === undefined ? [] : [`${name}: ${sentence}`]));
  });
}

/** What the service `settings` would say; the secret names the nodes that the profiles start. */
const contradiction = (file: ComposeFile, eventStoreUrl: string): string | undefined =>
  contradictionIn({
    profiles: file.services.settings!.environment.COMPOSE_PROFILES!,
    clusterSize: file.services.settings!.environment.EVENTSTORE_CLUSTER_SIZE!,
    eventStoreUrl,
  });

describe('docker-compose.yml on EventStoreDB itself', () => {
  describe.each(PROFILES)('with the profiles "%s"', (profiles) => {
    const isCluster = profiles.includes('cluster');
    it.each(SIZES)('and the size %s, starts what can run, or nothing', (size) => {
      const file = withSettings(compose, profiles, size);
      const said = contradiction(file, isCluster ? THREE : ALONE);
      const isMeant = isCluster === (size === '3');
      expect(said === undefined).toBe(isMeant);
      if (isMeant) expect(complaints(file)).toEqual([]);
    });
  });

  it('waits for the word on its settings with every service, those that only a person runs excepted', () => {
    const { services } = withSettings(compose, 'sandbox,cluster,tools', '3');
    const waits = (name: string): boolean =>
      Object.entries(services[name]!.depends_on).some(
        ([other, { condition, required }]) =>
          required && (other === 'settings' ? condition === 'service_completed_successfully' : waits(other)),
      );
    expect(
      Object.keys(services)
        .filter((name) => !waits(name))
        .sort(),
    ).toEqual(['audit', 'cluster-settings', 'operate', 'settings']);
    // The profile named on the command line shows only in what it starts.
    expect(services['cluster-settings']!.environment.COMPOSE_PROFILES).toBe('cluster');
    expect(services.settings!.depends_on['cluster-settings']).toEqual({
      condition: 'service_completed_successfully',
      required: false,
    });
  });

  it('starts ledgers and projections without waiting until the event store serves', () => {
    const { services } = withSettings(compose, '', undefined);
    for (const name of ['ledger', 'projections'])
      expect(services[name]!.depends_on.eventstore).toEqual({ condition: 'service_started', required: true });
  });

  it('has the folders of its volumes in the image that lays them out, for the user that the servers run as', () => {
    const { services } = withSettings(compose, 'cluster', '3');
    const places = ['settings', 'cluster-settings'].flatMap((name) => services[name]!.volumes);
    expect(places).toEqual(
      Object.keys(services)
        .filter(isNode)
        .map((name) => `${name}:/volumes/${name}`),
    );
    const dockerfile = readFileSync(join(repositoryRoot(), 'Dockerfile'), 'utf8');
    for (const place of places)
      expect(dockerfile).toMatch(new RegExp(`mkdir -p .*${place.split(':')[1]}\\b`));
  });

  it.each(['local/sandbox.env', 'test/containers/proof.env'])('takes the settings of %s', (path) => {
    const settings = { COMPOSE_PROFILES: 'sandbox', ...variablesIn(path) };
    expect(complaints(composed(compose, settings))).toEqual([]);
  });
});

describe('the rules', () => {
  it('find what kept the file from running on the real server before', () => {
    const before = `
      x-settings: &settings
        EVENTSTORE_INSECURE: 'true'
        EVENTSTORE_CLUSTER_SIZE: \${EVENTSTORE_CLUSTER_SIZE:-1}
      services:
        eventstore:
          image: eventstore
          environment:
            <<: *settings
            EVENTSTORE_NODE_HOST_ADVERTISE_AS: eventstore
            EVENTSTORE_GOSSIP_SEED: eventstore-2:2113,eventstore-3:2113
            EVENTSTORE_USERS_FILE: /users
          volumes: ['eventstore:/var/lib/eventstore']
      volumes: { eventstore: {} }
      secrets: {}`;
    expect(complaints(withSettings(before, '', undefined))).toEqual([
      expect.stringMatching(/^eventstore: EVENTSTORE_USERS_FILE is no option of EventStoreDB/),
      'eventstore: EVENTSTORE_DB is on no volume that has a name.',
      'eventstore: EVENTSTORE tells its maker about itself.',
      'eventstore: KURRENTDB tells its maker about itself.',
      'eventstore: The seeds are "eventstore-2:2113,eventstore-3:2113".',
    ]);
    expect(complaints(withSettings(before.replace(/\n.*USERS_FILE.*/, ''), '', '1'))[0]).toMatch(
      /EVENTSTORE_CLUSTER_SIZE is 1 and EVENTSTORE_GOSSIP_SEED names 2 nodes/,
    );
  });
});
