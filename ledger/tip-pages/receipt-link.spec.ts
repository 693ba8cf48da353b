/**
 * What a guest's receipt link is good for, whatever became of the performer's page or of the guest's own
 * data.
 */
import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#edge/refusal';
import { guestOf, TipPageViewController } from './tip-page-view.controller.js';
import { JUNOS_PAGE } from '#test/support/shown-tip-page';
import type { PaidTip, ShownTipPage } from './tip-page-reads.js';

const TOKEN = 'AAAAAAAAAAAAAAAAAAAAAA';
const TIP: PaidTip = {
  id: 'pay_7q4m2k9dabcdefghjkmnpqrstv',
  recipientId: 'usr_juno',
  kind: 'payment',
  amountMinor: 1000,
  refundedMinor: 0,
  disputedMinor: 0,
  status: 'completed',
  method: 'card',
  note: 'For the encore',
  guestName: 'Wren',
  thanks: null,
  failureReason: null,
  settledAt: new Date('2026-07-01T21:44:05Z'),
  isClaimed: false,
};

/** An answer that is written down. */
class WrittenReply {
  status = 200;
  body = '';
  readonly raw = {};
  readonly server = {};
  code(status: number): this {
    this.status = status;
    return this;
  }
  type(): this {
    return this;
  }
  header(): this {
    return this;
  }
  send(body: string): this {
    this.body = body;
    return this;
  }
}

interface World {
  readonly page?: ShownTipPage;
  readonly closedOwner?: string;
  readonly isForgotten?: boolean;
}

/** The pages over what is known of a performer and a guest. */
function pagesOf({ page, closedOwner, isForgotten = false }: World) {
  const done: string[] = [];
  const parts = {
    pages: {
      byKey: () => Promise.resolve(page),
      closedOwner: () => Promise.resolve(closedOwner),
    },
    payments: {
      ofGuest: (id: string) => Promise.resolve(id === guestOf(TOKEN) ? TIP : undefined),
    },
    receipts: {
      isForgotten: () => Promise.resolve(isForgotten),
      mail: () => Promise.resolve(void done.push('mail')),
      forget: () => Promise.resolve(void done.push('forget')),
    },
    settings: {
      publicUrl: 'https://encore.example',
      isStaging: false,
      script: () => '',
      font: () => undefined,
    },
    bus: { execute: () => Promise.resolve(void done.push('pay')) },
  };
  const none = {} as never;
  const controller = new TipPageViewController(
    parts.pages as never,
    none,
    parts.payments as never,
    parts.receipts as never,
    parts.settings,
    { isClosed: false, isStale: false } as never,
    none,
    none,
    parts.bus as never,
  );
  const request = { headers: {}, query: {}, id: 'c1', ip: '192.0.2.1' } as unknown as FastifyRequest;
  const receipt = async (handle = 'junoplays', token = TOKEN): Promise<WrittenReply> => {
    const reply = new WrittenReply();
    await controller.receipt(handle, token, request, reply as unknown as FastifyReply);
    return reply;
  };
  return { controller, request, receipt, done };
}
const refusalOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => (error instanceof Refusal ? error.answer.status : error),
  );

describe('a receipt link', () => {
  it('of a performer whose account is closed still shows, mails and forgets', async () => {
    const { controller, request, receipt, done } = pagesOf({ closedOwner: 'usr_juno' });
    const { status, body } = await receipt();
    expect([status, body]).toEqual([200, expect.stringContaining('A closed account')]);
    await controller.mail('junoplays', TOKEN, { email: 'wren@example.com' });
    await controller.forget('junoplays', TOKEN, request);
    expect(done).toEqual(['mail', 'forget']);
  });

  it('is nobody’s under a handle of somebody else, and without a payment on a closed account', async () => {
    expect((await pagesOf({ closedOwner: 'usr_milo' }).receipt()).status).toBe(404);
    const other = 'BBBBBBBBBBBBBBBBBBBBBA';
    expect((await pagesOf({ closedOwner: 'usr_juno' }).receipt('junoplays', other)).status).toBe(404);
  });

  it('of a guest who was forgotten mails nothing and says so', async () => {
    const { controller, receipt, done } = pagesOf({ page: JUNOS_PAGE, isForgotten: true });
    expect((await receipt()).body).not.toContain('Send it to my email');
    const mailed = controller.mail('junoplays', TOKEN, { email: 'wren@example.com' });
    expect(await refusalOf(mailed)).toBe(409);
    expect(done).toEqual([]);
  });
});

describe('a guest’s payment', () => {
  const body = { token: TOKEN, amount: 1000, method: 'card' as const };

  it('is refused before it is opened where the guest was forgotten: nothing can be sealed for them', async () => {
    const { controller, request, done } = pagesOf({ page: JUNOS_PAGE, isForgotten: true });
    const paid = controller.pay('junoplays', body as never, 'key', request);
    expect(await refusalOf(paid)).toBe(410);
    expect(done).toEqual([]);
  });

  it('is refused in words about the money where the page was taken back meanwhile', async () => {
    const { controller, request } = pagesOf({ page: { ...JUNOS_PAGE, isPublished: false } });
    await expect(controller.pay('junoplays', body as never, 'key', request)).rejects.toThrow(
      'Nothing was paid',
    );
  });
});
