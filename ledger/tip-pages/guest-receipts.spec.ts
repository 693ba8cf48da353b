/** How often a guest's receipt is mailed, and to whom. */
import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { Vault } from '#log/vault';
import type { Messages, NewMessage } from '../bus/messages.js';
import { LimitCounts, OwnCounter } from '../limits/counter.js';
import type { StreamRunner } from '../streams/runner.js';
import { GuestReceipts } from './guest-receipts.js';
import type { PaidTip } from './tip-page-reads.js';

/** The receipts of one process, and the mails that were put there. */
function receipts() {
  const put: NewMessage[] = [];
  const messages: Messages = { put: (message) => Promise.resolve(void put.push(message)) };
  const counts = new LimitCounts({ counter: new OwnCounter(), secret: Buffer.alloc(32) });
  const slice = new GuestReceipts({} as CommandBus, {} as Vault, counts, messages, {} as StreamRunner);
  const mail = (paymentId: string, to: string): Promise<void> => {
    const payment = { id: paymentId, recipientId: 'usr_juno', amountMinor: 50 } as PaidTip;
    return slice.mail({ guestId: 'gst_a', payment, to, path: '/@juno/paid/token' });
  };
  return { put, mail };
}
const refused = (words: string) => ({
  answer: { status: 429, message: expect.stringContaining(words), retryAfterSeconds: expect.any(Number) },
});

describe('the receipt of one payment', () => {
  it('is mailed to five addresses a day: nobody mails a performer’s name to a list of strangers', async () => {
    const { put, mail } = receipts();
    for (let n = 0; n < 5; n += 1) await mail('pay_1', `stranger.${n}@example.org`);
    await expect(mail('pay_1', 'one.more@example.org')).rejects.toMatchObject(
      refused('This receipt was mailed many times today.'),
    );
    expect(put).toHaveLength(5);
    await mail('pay_2', 'one.more@example.org');
  });

  it('does not fill one mailbox, however many payments there are', async () => {
    const { mail } = receipts();
    for (let n = 0; n < 5; n += 1) await mail(`pay_${n}`, 'Ada@example.org');
    await expect(mail('pay_6', 'ada@example.org')).rejects.toMatchObject(
      refused('Receipts were mailed to this address many times today.'),
    );
  });
});
