/** The ways to pay that are offered: what the provider has active, and all where nothing is known. */
import { describe, expect, it } from '@jest/globals';
import type { PaymentMethod } from '#contracts/events/journal';
import { ActiveMethods } from './active-methods.js';

function methods(...answers: readonly (readonly PaymentMethod[] | Error)[]) {
  let nowMs = 0;
  let asked = 0;
  const read = (): Promise<readonly PaymentMethod[]> => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const active = new ActiveMethods(read, () => nowMs);
  return { active, asked: () => asked, later: (ms: number) => (nowMs += ms) };
}
const MINUTE = 60_000;

describe('what can be paid with', () => {
  it('is what the provider has active, asked every ten minutes', async () => {
    const { active, asked, later } = methods(['card'], ['card', 'cashapp']);
    expect(await active.offered()).toEqual(['card']);
    later(9 * MINUTE);
    expect(await active.offered()).toEqual(['card']);
    expect(asked()).toBe(1);
    later(MINUTE);
    expect(await active.offered()).toEqual(['card', 'cashapp']);
  });

  it('is everything where nothing is known, or nothing is active', async () => {
    expect(await methods(new Error('away')).active.offered()).toEqual(['card', 'cashapp']);
    expect(await methods([]).active.offered()).toEqual(['card', 'cashapp']);
  });

  it('stays what was known while the provider is away', async () => {
    const { active, later } = methods(['card'], new Error('away'));
    await active.offered();
    later(11 * MINUTE);
    expect(await active.offered()).toEqual(['card']);
  });

  it('is not what the provider left out of a payment', async () => {
    const { active } = methods(['card', 'cashapp']);
    await active.offered();
    active.noteLeftOut('cashapp', 2_000);
    expect(await active.offered()).toEqual(['card']);
  });

  it('is also what the provider left out of a payment of a sum that it may not take', async () => {
    const { active } = methods(['card', 'cashapp']);
    active.noteLeftOut('cashapp', 200_001);
    active.noteLeftOut('cashapp', 50);
    expect(await active.offered()).toEqual(['card', 'cashapp']);
  });
});
