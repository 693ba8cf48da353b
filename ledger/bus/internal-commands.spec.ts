import { describe, expect, it } from '@jest/globals';
import { InternalCommands } from './internal-commands.js';

describe('what workers ask', () => {
  it('is carried out by the slice that named itself, and nobody else', async () => {
    const done: string[] = [];
    const commands = new InternalCommands()
      .on(
        'SyncPayment',
        async ({ intentId }, { causationId }) => void done.push(`${intentId} for ${causationId}`),
      )
      .on('ReconcileSince', async () => ({ looked: 7, failed: ['pi_b'] }));
    expect(await commands.carryOut({ type: 'SyncPayment', intentId: 'pi_a' }, 'spec')).toEqual({
      looked: 1,
      failed: [],
    });
    const since = '2026-03-10T12:00:00.000Z';
    expect(await commands.carryOut({ type: 'ReconcileSince', since }, 'spec')).toEqual({
      looked: 7,
      failed: ['pi_b'],
    });
    expect(done).toEqual(['pi_a for worker:SyncPayment']);
  });

  it('is refused loudly where no slice does it, and may not be done by two', async () => {
    const commands = new InternalCommands().on('SyncPayment', async () => undefined);
    await expect(commands.carryOut({ type: 'ResumePayment', paymentId: 'pay_a' }, 'spec')).rejects.toThrow(
      'ResumePayment',
    );
    expect(() => commands.on('SyncPayment', async () => undefined)).toThrow('two slices');
  });
});
