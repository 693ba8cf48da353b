/**
 * The profiles of docker-compose.yml and the wiring of `cluster`: three nodes with certificates and a user,
 * found by the processes through whichever of them answers. The nodes are stand-ins, of which the first leads
 * and no other takes its place: what a real cluster does when its leader goes is not shown here.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { developmentCertificate } from '#local/stand-ins/eventstore/development-certificate';
import { Evidence } from '#test/support/evidence';
import { OF_PROFILE, servicesOf } from './compose-file.js';
import { ComposeStack, run, type Service } from './compose-stack.js';
import { tipToRow, worldOf, type World } from './world.js';
import { commandsUnder } from './how-to-commands.js';

const SLOW_MS = 900_000;
const NODES: readonly Service[] = ['eventstore', 'eventstore-2', 'eventstore-3'];
const USER = 'ledger:in-the-proof-only';
const ALONE = 'esdb://eventstore:2113?tls=false';
/** What is looked at of `docker compose config`. */
const Read = z.object({
  services: z.record(
    z.string(),
    z.object({ environment: z.record(z.string(), z.string().nullable()).optional() }),
  ),
});

let stack: ComposeStack;
let world: World;
let evidence: Evidence;

beforeAll(async () => {
  stack = await ComposeStack.find({
    files: ['cluster.yml'],
    profiles: ['cluster'],
    settings: { EVENTSTORE_CLUSTER_SIZE: '3' },
  });
  const certificate = join(stack.folder, 'certificate');
  stack.set('PROOF_CERTIFICATE', certificate);
  await stack.prepare();
  developmentCertificate(certificate, NODES);
  // Its folder is this machine's alone; the nodes run as another user.
  chmodSync(certificate, 0o755);
  chmodSync(join(certificate, 'server.key'), 0o444);
  writeFileSync(join(certificate, 'users'), `${USER}\n`);
  await stack.sh(
    'rm secrets/eventstore_ca && cp certificate/authority.pem secrets/eventstore_ca && chmod 444 secrets/eventstore_ca',
  );
  const seeds = NODES.map((node) => `${node}:2113`).join(',');
  stack.changeSecret(
    'eventstore_url',
    `esdb://${USER}@${seeds}?tls=true&tlsCAFile=/run/secrets/eventstore_ca`,
  );
}, SLOW_MS);
afterAll(async () => {
  await evidence?.close();
  await stack?.down({ forget: true });
}, SLOW_MS);

describe('docker-compose.yml', () => {
  /** What compose makes of the file alone, with these profiles. */
  const config = (profiles: readonly string[], ...options: readonly string[]): Promise<string> =>
    stack.sh(
      `unset COMPOSE_PROFILES; docker compose --file "$(echo "$COMPOSE_FILE" | cut -d: -f1)" \
      ${profiles.map((name) => `--profile ${name}`).join(' ')} --project-directory . config ${options.join(' ')}`,
    );

  it(
    'is understood with every combination of its profiles, and each adds what it says',
    async () => {
      for (let chosen = 0; chosen < 8; chosen += 1) {
        const profiles = Object.keys(OF_PROFILE).filter((_, at) => chosen & (1 << at));
        const services = (await config(profiles, '--services')).trim().split('\n').sort();
        expect([profiles, services]).toEqual([profiles, servicesOf(profiles)]);
      }
    },
    SLOW_MS,
  );

  it(
    'says what is missing instead of making something up',
    async () => {
      for (const name of ['PUBLIC_URL', 'OIDC_ISSUER', 'OIDC_CLIENT_ID', 'STRIPE_PUBLISHABLE_KEY']) {
        const whole = stack.setting(name);
        stack.set(name, '');
        await expect(config([], '--quiet')).rejects.toThrow(`required variable ${name} is missing a value`);
        stack.set(name, whole);
      }
    },
    SLOW_MS,
  );

  it(
    'starts nothing where settings contradict each other, and says why',
    async () => {
      const [one, three] = [ALONE, stack.secret('eventstore_url')];
      for (const [settings, url, sentence] of [
        [{ EVENTSTORE_CLUSTER_SIZE: '1' }, three, 'The profile cluster starts three event stores'],
        [{ COMPOSE_PROFILES: 'sandbox' }, three, 'COMPOSE_PROFILES does not name cluster'],
        [{}, one, 'The secret eventstore_url does not name eventstore-2, eventstore-3'],
        [
          { EVENTSTORE_CLUSTER_SIZE: '1', COMPOSE_PROFILES: 'sandbox' },
          three,
          'The secret eventstore_url names eventstore-2, eventstore-3 beside eventstore',
        ],
      ] as const) {
        const before = Object.keys(settings).map((name) => [name, stack.setting(name)] as const);
        for (const [name, value] of Object.entries(settings)) stack.set(name, value);
        stack.changeSecret('eventstore_url', url);
        await expect(stack.compose('up', '--detach', '--no-build')).rejects.toThrow(/settings/);
        const said = await stack.compose('logs', '--no-log-prefix', 'settings', 'cluster-settings');
        expect(said).toContain(sentence);
        expect(said).not.toContain(USER.split(':')[1]);
        expect((await stack.compose('ps', '--quiet', '--status', 'running')).trim()).toBe('');
        await stack.down();
        for (const [name, value] of before) stack.set(name, value);
      }
      stack.changeSecret('eventstore_url', three);
    },
    SLOW_MS,
  );

  it(
    'holds no password, key or token: each is the name of a file',
    async () => {
      const { services } = Read.parse(JSON.parse(await config(Object.keys(OF_PROFILE), '--format', 'json')));
      for (const [service, { environment = {} }] of Object.entries(services))
        for (const [name, value] of Object.entries(environment))
          if (
            /PASSWORD|SECRET|KEY|TOKEN|DATABASE_URL|REDIS_URL|EVENTSTORE_URL/.test(name) &&
            name !== 'STRIPE_PUBLISHABLE_KEY'
          )
            expect([service, name, value]).toEqual([
              service,
              expect.stringMatching(/_FILE$/),
              expect.stringMatching(/^\/run\/secrets\//),
            ]);
    },
    SLOW_MS,
  );
});

describe('three nodes', () => {
  it(
    'are started by the profile, each known by its name to the others, and serve with their certificates',
    async () => {
      await stack.up();
      await stack.healthy(NODES);
      for (const node of NODES) {
        // By the very settings that EventStoreDB reads.
        const script = `
          const { connect } = require('node:tls');
          const { readFileSync } = require('node:fs');
          const ca = readFileSync('/run/certificate/authority.pem');
          const own = process.env.EVENTSTORE_NODE_HOST_ADVERTISE_AS;
          const places = [...process.env.EVENTSTORE_GOSSIP_SEED.split(','), own + ':2113'];
          Promise.all(places.map((place) => new Promise((resolve, reject) => {
            const [host, port] = place.split(':');
            const socket = connect({ host, port: Number(port), servername: host, ca }, () => { socket.end(); resolve(host); });
            socket.once('error', reject);
          }))).then((hosts) => console.log(own + ': ' + hosts.sort().join(' ') + ' of ' + process.env.EVENTSTORE_CLUSTER_SIZE));`;
        const said = await stack.compose('exec', '-T', node, 'node', '-e', script);
        expect(said).toBe(`${node}: ${NODES.join(' ')} of 3\n`);
      }
    },
    SLOW_MS,
  );

  it(
    'take a tip to a row by the leader, whichever of them is asked for it',
    async () => {
      const authority = encodeURIComponent(join(stack.folder, 'certificate/authority.pem'));
      world = worldOf(stack);
      world.env.EVENTSTORE_URL = `esdb://${USER}@localhost:${new URL(`http://${stack.setting('PROOF_EVENTSTORE_BIND')}`).port}?tls=true&tlsCAFile=${authority}`;
      evidence = new Evidence(() => world);
      await tipToRow(world, evidence);
      expect(await stack.compose('run', '--rm', '-T', 'audit', 'verify')).toContain(
        'The books are in order.',
      );
    },
    SLOW_MS,
  );

  it(
    'are found while one of them is away',
    async () => {
      const [away] = await stack.containers('eventstore-2');
      expect(await stack.stop(away!.id)).toBe(0);
      await stack.sh('docker compose up --detach --no-deps --force-recreate ledger projections');
      await stack.healthy(['ledger', 'projections', 'proxy', 'workers']);
      await tipToRow(world, evidence);
      await run('docker', ['start', away!.id]);
      await stack.healthy(NODES);
      await evidence.holds();
    },
    SLOW_MS,
  );

  it(
    'are backed up and restored through the one that leads',
    async () => {
      const before = await evidence.everything();
      await stack.sh(commandsUnder('back-up.md', '## Back up'));
      await evidence.close();
      await stack.down();
      const volumes = ['log', 'log-2', 'log-3', 'postgres', 'redis', 'archive', 'backup'];
      await run('docker', [
        'volume',
        'rm',
        ...volumes.map((name) => `${stack.setting('COMPOSE_PROJECT_NAME')}_${name}`),
      ]);
      await stack.sh(commandsUnder('back-up.md', '## A cluster of three'));
      await stack.sh(commandsUnder('back-up.md', '## Restore'));
      evidence = new Evidence(() => world);
      expect((await evidence.everything()).revision).toBe(before.revision);
      await evidence.holds();
      await tipToRow(world, evidence);
    },
    SLOW_MS,
  );
});
