/** Two installations at one Redis. */
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { useStack } from '#test/support/stack';
import { OtherInstallations } from './other-installations.js';

const stack = useStack(['redis']);
const MINUTE_MS = 60_000;

it('workers warn while another installation has used their Redis for minutes', async () => {
  const redis = new Redis({ port: stack().ports.redis! });
  let nowMs = 0;
  const workersOf = (token: string) => new OtherInstallations(redis, token, () => nowMs);
  const [ours, alsoOurs, staging] = [workersOf('ours'), workersOf('ours'), workersOf('staging')];
  await alsoOurs.look();
  await ours.look();
  nowMs += 10 * MINUTE_MS;
  await ours.look();
  expect(ours.warning).toBeUndefined();

  await staging.look();
  await ours.look();
  // A token that is being changed looks the same for a while.
  expect(ours.warning).toBeUndefined();
  nowMs += 5 * MINUTE_MS;
  await ours.look();
  expect(ours.warning).toMatch(/^Workers of another installation.*REDIS_URL/);

  // As after a minute in which the other was not there.
  await redis.del('encore:installations');
  await ours.look();
  expect(ours.warning).toBeUndefined();
  await redis.quit();
});
