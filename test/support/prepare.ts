/**
 * Fetches and makes, once, what suites that run side by side would otherwise all fetch and make at the same
 * time: Redis and a browser, where the machine has none, Postgres data folders to copy, compiled programs,
 * and what the card provider's answers are judged by.
 */
import { redisServer } from '#local/redis/server';
import { makeStripeSchemas } from '#test/conformance/stripe-schemas';
import { installedChromium } from './chromium.js';
import { areProgramsCompiled, compileAskedPrograms } from './compiled-programs.js';
import { compileStack } from './compiled-stack.js';
import { makePreparedCluster } from './prepared-cluster.js';

try {
  // Last: it computes, and the others wait for programs.
  const made = Promise.all([makePreparedCluster(), redisServer().then(installedChromium)]);
  makeStripeSchemas();
  await made;
  if (!areProgramsCompiled()) {
    await compileStack();
    await compileAskedPrograms();
  }
} catch (failure) {
  console.error(failure instanceof Error ? failure.message : failure);
  process.exit(1);
}
