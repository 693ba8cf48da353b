/**
 * Fetches and makes, once, what suites that run side by side would otherwise all fetch and make at the same
 * time: Redis and a browser, where the machine has none, a Postgres data folder to copy, and what the card
 * provider's answers are judged by.
 */
import { repositoryRoot } from '#local/launch/program';
import { makeTemplate, templateFolder } from '#local/postgres/cluster';
import { redisServer } from '#local/redis/server';
import { makeStripeSchemas } from '#test/conformance/stripe-schemas';
import { installedChromium } from './chromium.js';

try {
  // Last: it computes, and the others wait for programs.
  const made = Promise.all([
    makeTemplate(templateFolder(repositoryRoot())),
    redisServer().then(installedChromium),
  ]);
  makeStripeSchemas();
  await made;
} catch (failure) {
  console.error(failure instanceof Error ? failure.message : failure);
  process.exit(1);
}
