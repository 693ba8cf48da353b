/** A guest who pays another way than they began: what they left cannot be paid as well. */
import { describe, expect, it } from '@jest/globals';
import { EARLIER_STANDS } from '#contracts/plain/earlier-payment';
import { EndEarlierPayments, OpenGuestPayment } from '#ledger/bus/payments';
import { idFrom, userKey } from '#ledger/journal/keys';
import { EndEarlierPaymentsHandler } from './earlier-payments.js';
import { OpenGuestPaymentHandler } from './guest-payments.js';

const [GUEST, FROM] = ['gst_wren', { correlationId: 'spec', network: '192.0.2.7' }];
const [EARLIER_KEY, KEY] = ['01999999-0000-7000-8000-000000000001', '01999999-0000-7000-8000-000000000002'];
const EARLIER = idFrom('pay', userKey(GUEST, EARLIER_KEY));
const BODY = { amount: 1_000, method: 'card', note: undefined, name: undefined } as const;

/**
 * What is asked of the rest of the ledger, where the earlier payment stands like this once it was given up.
 */
function ledgerWhere(earlier: { readonly status: string }) {
  const calls: string[] = [];
  const process = {
    giveUp: async (paymentId: string) => {
      calls.push(`give up ${paymentId}`);
      return Promise.resolve({ status: earlier.status });
    },
  };
  const checkout = {
    open: async (_guest: string, _body: object, key: string) => {
      calls.push(`open ${key}`);
      return Promise.resolve({ answer: {}, position: undefined });
    },
  };
  const journal = {
    look: async (_kind: string, id: string) => Promise.resolve(id === EARLIER ? earlier : undefined),
  };
  const ends = new EndEarlierPaymentsHandler(process as never, journal as never);
  const bus = { execute: async (command: EndEarlierPayments) => ends.execute(command) };
  const handler = new OpenGuestPaymentHandler(checkout as never, bus as never);
  const pay = (insteadOf: readonly string[] = [], guest = GUEST) =>
    handler.execute(new OpenGuestPayment(guest, 'usr_juno', BODY, KEY, insteadOf, FROM));
  return { calls, pay };
}

describe('a guest who pays another way', () => {
  it('has what they left ended before the other way is opened', async () => {
    const { calls, pay } = ledgerWhere({ status: 'canceled' });
    await pay([EARLIER_KEY]);
    expect(calls).toEqual([`give up ${EARLIER}`, `open ${KEY}`]);
  });

  it('has all ended that they left, the first also where a second one never came here', async () => {
    const { calls, pay } = ledgerWhere({ status: 'canceled' });
    await pay([EARLIER_KEY, '01999999-0000-7000-8000-000000000003']);
    expect(calls).toEqual([`give up ${EARLIER}`, `open ${KEY}`]);
  });

  it.each(['settled', 'open'])(
    'pays nothing more where what they left is %s all the same',
    async (status) => {
      const { calls, pay } = ledgerWhere({ status });
      await expect(pay([EARLIER_KEY])).rejects.toMatchObject({
        answer: { status: 409, code: EARLIER_STANDS },
      });
      expect(calls).toEqual([`give up ${EARLIER}`]);
    },
  );

  it('ends no payment of anybody else, and none where they name none', async () => {
    const { calls, pay } = ledgerWhere({ status: 'open' });
    await pay([EARLIER_KEY], 'gst_thief');
    await pay();
    await pay([KEY]);
    expect(calls).toEqual([`open ${KEY}`, `open ${KEY}`, `open ${KEY}`]);
  });
});
