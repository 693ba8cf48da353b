/** For how long an answer to a command waits for the read models. */
import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import type { Position } from '#contracts/log';
import { ReadYourWrites } from './read-models.js';

describe('an answer to a command', () => {
  const position: Position = { commit: 9n, prepare: 9n };

  it.each([
    ['waits for read models that are at work', false, 3_000],
    ['waits for none that are known to stand still, and says that it may be out of date', true, 0],
  ])('%s', async (_, areBehind, waitsMs) => {
    const [waited, headers] = [[] as number[], {} as Record<string, string>];
    const readModels = {
      waitFor: async (_position: Position, timeoutMs: number) => {
        waited.push(timeoutMs);
        return !areBehind;
      },
    };
    const reply = {
      header: (name: string, value: string) => (headers[name] = value),
    } as unknown as FastifyReply;
    const reads = new ReadYourWrites(readModels, 3_000, () => areBehind);
    expect(await reads.hold(reply, position)).toBe(!areBehind);
    expect(waited).toEqual([waitsMs]);
    expect(headers['x-encore-stale']).toBe(areBehind ? 'true' : undefined);
  });
});
