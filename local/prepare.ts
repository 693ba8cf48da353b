/**
 * Fetches and makes, once, what suites that run side by side would otherwise all fetch and make at the same time: Redis,
 * where the machine has none, and a Postgres data folder to copy.
 */
import { ProgramFailed, repositoryRoot } from './launch/program.js';
import { makeTemplate, templateFolder } from './postgres/cluster.js';
import { redisServer } from './redis/server.js';

try {
  await Promise.all([redisServer(), makeTemplate(templateFolder(repositoryRoot()))]);
} catch (failure) {
  if (!(failure instanceof ProgramFailed)) throw failure;
  console.error(failure.message);
  process.exit(1);
}
