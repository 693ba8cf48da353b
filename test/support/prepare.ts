/**
 * Fetches and makes, once, what suites that run side by side would otherwise all fetch and make at the same
 * time: Redis and a browser, where the machine has none, and a Postgres data folder to copy.
 */
import { repositoryRoot } from '#local/launch/program';
import { makeTemplate, templateFolder } from '#local/postgres/cluster';
import { redisServer } from '#local/redis/server';
import { installedChromium } from './chromium.js';

try {
  await Promise.all([makeTemplate(templateFolder(repositoryRoot())), redisServer().then(installedChromium)]);
} catch (failure) {
  console.error(failure instanceof Error ? failure.message : failure);
  process.exit(1);
}
