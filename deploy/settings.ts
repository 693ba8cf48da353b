/**
 * The service `settings` of docker-compose.yml, for which all others wait: whether what the file was told can
 * go together.
 *
 *     COMPOSE_PROFILES=… EVENTSTORE_CLUSTER_SIZE=… EVENTSTORE_URL_FILE=… node dist/deploy/settings.js
 *
 * Exits 0, or 2 with one sentence.
 */
import { readFileSync } from 'node:fs';
import { contradictionIn } from './contradiction.js';

const { COMPOSE_PROFILES = '', EVENTSTORE_CLUSTER_SIZE = '1', EVENTSTORE_URL_FILE } = process.env;
const contradiction = contradictionIn({
  profiles: COMPOSE_PROFILES,
  clusterSize: EVENTSTORE_CLUSTER_SIZE,
  eventStoreUrl: EVENTSTORE_URL_FILE === undefined ? '' : readFileSync(EVENTSTORE_URL_FILE, 'utf8'),
});
if (contradiction !== undefined) {
  process.stderr.write(`${contradiction} Nothing was started.\n`);
  process.exitCode = 2;
}
