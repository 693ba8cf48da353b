/** Whom somebody was as a guest is forgotten with them. */
import { describe, expect, it } from '@jest/globals';
import type { ReadModels } from '../http/read-models.js';
import { ForgetGuestsOf } from '../bus/forget-user.js';
import { StreamParked, Unavailable } from '../rejection.js';
import type { GuestReceipts } from './guest-receipts.js';
import { ForgetGuestsOfHandler } from './tip-pages.handlers.js';

const SINCE = { commit: 7n, prepare: 7n };
const asked = new ForgetGuestsOf('usr_wren', SINCE, { correlationId: 'spec' });

/** The handler over guests whom the user has claimed; `broken` is one who cannot be forgotten now. */
function handler({ areRowsThere = true, broken = '', parked = '' } = {}) {
  const forgotten: string[] = [];
  const receipts = {
    async forget(guestId: string) {
      if (guestId === parked) throw new StreamParked(`guest-${guestId}`, 1, 'unreadable');
      if (guestId === broken) throw new Unavailable('Away.');
      forgotten.push(guestId);
    },
  } as unknown as GuestReceipts;
  const claimed = {
    of: (userId: string) => Promise.resolve(userId === 'usr_wren' ? ['gst_a', 'gst_b'] : []),
  };
  const readModels: ReadModels = {
    waitFor: (position) => Promise.resolve(position === SINCE && areRowsThere),
  };
  return { forgotten, handler: new ForgetGuestsOfHandler(receipts, claimed, readModels) };
}

describe('forgetting whom somebody was as a guest', () => {
  it('destroys what each of those guests wrote', async () => {
    const { forgotten, handler: guests } = handler();
    await guests.execute(asked);
    expect(forgotten).toEqual(['gst_a', 'gst_b']);
  });

  it('waits for the rows, which may not show the last claim: whoever asks asks again', async () => {
    const { forgotten, handler: guests } = handler({ areRowsThere: false });
    await expect(guests.execute(asked)).rejects.toBeInstanceOf(Unavailable);
    expect(forgotten).toEqual([]);
  });

  it('leaves nobody out for one who cannot be forgotten now, and is not done before that', async () => {
    const { forgotten, handler: guests } = handler({ broken: 'gst_a' });
    await expect(guests.execute(asked)).rejects.toBeInstanceOf(Unavailable);
    expect(forgotten).toEqual(['gst_b']);
  });

  it('tells of one who is parked before one who cannot be forgotten now: only an operator helps there', async () => {
    const { handler: guests } = handler({ broken: 'gst_a', parked: 'gst_b' });
    await expect(guests.execute(asked)).rejects.toBeInstanceOf(StreamParked);
  });
});
