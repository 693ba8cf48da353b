/** Which events tell whom what, and under which key. */
import { describe, expect, it } from '@jest/globals';
import type { ContentOf } from '#contracts/api/messages';
import type { DomainEvent } from '#contracts/events/index';
import type { RecordedEvent } from '#contracts/log';
import { ADA, JUNO, MILO } from '#test/support/journal-spec';
import { textOf } from './message-texts.js';
import { messagesOf, type OlderFacts } from './messages-from-log.js';

const RECORDED = '2026-03-02T08:00:00.000Z';
const OCCURRED = '2026-03-01T20:00:00.000Z';
const CANCELED_AT = 5;
const older: OlderFacts = {
  scheduleTerms: (stream, amountMinor = 900) =>
    Promise.resolve(
      stream === 'subscription-sub_1' ? { recipientId: JUNO, amountMinor, currency: 'usd' } : undefined,
    ),
  wasCanceled: (stream, before) => Promise.resolve(stream === 'subscription-sub_1' && before > CANCELED_AT),
  bankAccountOfPayout: (userId, payoutId) =>
    Promise.resolve(userId === JUNO && payoutId === 'out_1' ? 'ba_1' : undefined),
  claimerOf: (guestId) => Promise.resolve({ gst_milo: MILO, gst_juno: JUNO }[guestId]),
  hadPasskeyEvent: (_, { passkeyId }, before) => Promise.resolve(passkeyId === 'pk_again' && before > 1),
  earlierAddresses: (userId) => Promise.resolve(userId === JUNO ? [OCCURRED] : []),
  forgettingAskedAt: (stream, before) =>
    Promise.resolve(stream === `user-${JUNO}` && before > 2 ? OCCURRED : undefined),
  refusalLink: (userId, token) => Promise.resolve(`link of ${userId} by ${token}`),
};
const told = (event: DomainEvent, recovered?: true, id = 'evt_1', revision = 0, stream = 'any') =>
  messagesOf(
    {
      ...event,
      id,
      stream,
      revision,
      position: { commit: 0n, prepare: 0n },
      metadata: { version: 1, recordedAt: RECORDED, correlationId: 'spec', hash: 'h', recovered },
    } as RecordedEvent,
    older,
  );

const paid = { payerId: MILO, recipientId: JUNO, amountMinor: 2050, currency: 'usd', postings: [] };
const settled: DomainEvent = {
  type: 'PaymentSettled',
  data: { paymentId: 'pay_1', ...paid, intentId: 'pi_1', chargeId: 'ch_1', occurredAt: OCCURRED },
};
const payout = { payoutId: 'out_1', userId: JUNO, amountMinor: 24_000, currency: 'usd', postings: [] };
const occurrence = {
  scheduleKind: 'subscription',
  scheduleId: 'sub_1',
  payerId: MILO,
  occurrenceId: 'occ_1',
  dueAt: OCCURRED,
  attempt: 2,
  at: RECORDED,
} as const;
const card = { code: 'expired_card', reason: 'Your card has expired.' };

describe('a wish to be forgotten', () => {
  it('is told when it was asked for, and when it came to nothing, as the ledger tells it that was asked', async () => {
    const asked: DomainEvent = {
      type: 'ForgettingRequested',
      data: { userId: JUNO, requestedAt: OCCURRED, dueAt: RECORDED },
    };
    const about = { userId: JUNO, key: `forgetting:${OCCURRED}` };
    expect(await told(asked)).toEqual([
      {
        ...about,
        kind: 'forgetting_asked',
        facts: { happensAt: RECORDED },
        at: new Date(OCCURRED),
        isRecovered: undefined,
      },
    ]);
    const ended: DomainEvent = {
      type: 'ForgettingRequestEnded',
      data: { userId: JUNO, why: 'money_left', endedAt: RECORDED },
    };
    expect(await told(ended, undefined, 'evt_1', 3, `user-${JUNO}`)).toEqual([
      {
        ...about,
        kind: 'forgetting_cancelled',
        facts: { why: 'money_left' },
        at: new Date(RECORDED),
        isRecovered: undefined,
      },
    ]);
    // Where it cannot be read what ended, nobody is held up.
    expect(await told(ended, undefined, 'evt_1', 1, `user-${JUNO}`)).toEqual([]);
  });
});

describe('an address that was changed', () => {
  it('is told, and another name or picture is not', async () => {
    const changed: DomainEvent = { type: 'ProfileChanged', data: { userId: JUNO, profile: 'sealed:a:b' } };
    expect(await told(changed)).toEqual([]);
    const data = { ...changed.data, newAddressAt: OCCURRED };
    expect(await told({ ...changed, data } as DomainEvent)).toMatchObject([
      { userId: JUNO, kind: 'address_changed', facts: { changedAt: OCCURRED }, at: new Date(OCCURRED) },
    ]);
  });
});

describe('the recovery of an account', () => {
  const about = { userId: JUNO, recoveryId: 'rec_1' };
  const started: DomainEvent = {
    type: 'AccountRecoveryStarted',
    data: {
      ...about,
      startedBy: 'owner',
      startedAt: OCCURRED,
      completableFrom: '2026-03-04T20:00:00.000Z',
      lapsesAt: '2026-03-11T20:00:00.000Z',
      signedInAt: OCCURRED,
      refusalToken: 'sealed:usr_juno:token',
    },
  };

  it('is told when it begins, also to the addresses of before, each mail with the link that refuses it', async () => {
    const facts = { completesAt: '2026-03-04T20:00:00.000Z', startedBy: 'owner' };
    const sealedLink = 'link of usr_juno by sealed:usr_juno:token';
    const common = { userId: JUNO, at: new Date(OCCURRED), sealedLink };
    expect(await told(started)).toEqual([
      { ...common, kind: 'recovery_started', key: 'recovery-started:rec_1', facts },
      {
        ...common,
        kind: 'recovery_started_earlier',
        key: `recovery-started:rec_1:${OCCURRED}`,
        facts: { ...facts, changedAt: OCCURRED },
      },
    ]);
  });

  it('is told when it was refused, and when it was completed', async () => {
    const refused: DomainEvent = {
      type: 'AccountRecoveryRefused',
      data: { ...about, refusedBy: 'link', refusedAt: OCCURRED, againFrom: RECORDED },
    };
    const completed: DomainEvent = {
      type: 'AccountRecoveryCompleted',
      data: { ...about, completedAt: OCCURRED },
    };
    const common = { userId: JUNO, at: new Date(OCCURRED), facts: {} };
    expect(await told(refused)).toEqual([
      { ...common, kind: 'recovery_refused', key: 'recovery-refused:rec_1' },
    ]);
    expect(await told(completed)).toEqual([
      { ...common, kind: 'recovery_completed', key: 'recovery-completed:rec_1' },
    ]);
  });
});

describe('a payment that was made', () => {
  it('is told to who paid and to who was paid, at the time when it happened', async () =>
    expect(await told(settled)).toMatchObject([
      { userId: MILO, kind: 'receipt', key: 'pay_1', facts: { amountMinor: 2050, recipientId: JUNO } },
      { userId: JUNO, kind: 'tip_received', key: 'pay_1', at: new Date(OCCURRED), facts: { payerId: MILO } },
    ]));

  it('is told under the same key by whichever event says so, and known as recovered where it was', async () => {
    const again = await told(settled, true, 'evt_of_the_recovery');
    expect(again.map(({ key }) => key)).toEqual((await told(settled)).map(({ key }) => key));
    expect(again).toMatchObject([{ isRecovered: true }, { isRecovered: true }]);
  });

  it('by balance is told alike, at the time when the ledger took it', async () =>
    expect(await told({ type: 'TransferPosted', data: { transferId: 'trf_1', ...paid } })).toMatchObject([
      { userId: MILO, kind: 'receipt', key: 'trf_1', at: new Date(RECORDED) },
      { userId: JUNO, kind: 'tip_received', key: 'trf_1' },
    ]));

  it('names nobody in what is kept', async () =>
    expect(
      JSON.stringify(
        await told({ type: 'TransferPosted', data: { transferId: 'trf_1', ...paid, note: 'sealed:x' } }),
      ),
    ).not.toContain('sealed'));
});

describe('thanks', () => {
  const { payerId: _, amountMinor: __, currency: ___, postings: ____, ...to } = paid;
  const thanked = (payerId: string): DomainEvent => ({
    type: 'PayerThanked',
    data: { paymentId: 'pay_1', ...to, payerId, thanks: 'thank_you' },
  });
  it('are told to whoever paid, a guest by mail alone', async () => {
    const facts = { paymentId: 'pay_1', recipientId: JUNO, thanks: 'thank_you' };
    expect(await told(thanked(MILO))).toMatchObject([{ userId: MILO, kind: 'thanks', key: 'pay_1', facts }]);
    expect(await told(thanked('gst_wren'))).toMatchObject([
      { userId: 'gst_wren', kind: 'guest_thanks', facts },
    ]);
  });
});

describe('a payout', () => {
  it('is told when it is asked for, with the bank account', async () =>
    expect(await told({ type: 'PayoutRequested', data: { ...payout, bankAccountId: 'ba_1' } })).toMatchObject(
      [{ userId: JUNO, kind: 'payout_requested', key: 'out_1', facts: { bankAccountId: 'ba_1' } }],
    ));

  it('is told when it arrives, with the bank account that it was asked for to', async () =>
    expect(
      await told({
        type: 'PayoutCompleted',
        data: { ...payout, providerPayoutId: 'po_1', occurredAt: OCCURRED },
      }),
    ).toMatchObject([
      { kind: 'payout_paid', key: 'out_1', facts: { bankAccountId: 'ba_1', amountMinor: 24_000 } },
    ]));

  it('is told when it fails, with the reason', async () =>
    expect(
      await told({
        type: 'PayoutFailed',
        data: {
          ...payout,
          userId: ADA,
          code: 'account_closed',
          reason: 'The account is closed',
          occurredAt: OCCURRED,
        },
      }),
    ).toMatchObject([
      {
        userId: ADA,
        kind: 'payout_failed',
        facts: { reason: 'The account is closed', bankAccountId: undefined },
      },
    ]));

  it('that made up for a debt when it failed does not say that the money is back', async () => {
    const names = { people: new Map(), bankAccounts: new Map(), cards: new Map() };
    const failed = { ...payout, code: 'account_closed', reason: 'It is closed.', occurredAt: OCCURRED };
    const saidOf = async (madeUpMinor: number) => {
      const ownerMinor = failed.amountMinor - madeUpMinor;
      const [message] = await told({ type: 'PayoutFailed', data: { ...failed, ownerMinor, madeUpMinor } });
      return textOf(message as ContentOf<'payout_failed'>, names).text;
    };
    expect(await saidOf(failed.amountMinor)).toMatch(
      /It made up for what you owed, which had been written off\.$/,
    );
    expect(await saidOf(1_050)).toContain(
      '$10.50 of it made up for what you owed, which had been written off. The rest is back in your balance.',
    );
  });
});

describe('a payment of a schedule that fails', () => {
  it('says what it was for at the time, and from which it was to be paid', async () => {
    const charged = { from: 'card', cardId: 'crd_visa' } as const;
    const failed = { ...occurrence, ...card, amountMinor: 1200, charged, retryAt: RECORDED };
    expect(await told({ type: 'OccurrenceAttemptFailed', data: failed })).toMatchObject([
      { kind: 'payment_failed', facts: { amountMinor: 1200, charged } },
    ]);
  });

  it('says when it is tried again', async () =>
    expect(
      await told({
        type: 'OccurrenceAttemptFailed',
        data: { ...occurrence, ...card, retryAt: '2026-03-03T08:00:00.000Z' },
      }),
    ).toMatchObject([
      {
        userId: MILO,
        kind: 'payment_failed',
        key: 'occ_1:2:tried-again',
        facts: { recipientId: JUNO, amountMinor: 900, then: 'tried-again', by: '2026-03-03T08:00:00.000Z' },
      },
    ]));

  it('says that the bank wants it confirmed, and until when', async () =>
    expect(
      await told({
        type: 'OccurrenceConfirmationNeeded',
        data: {
          ...occurrence,
          paymentId: 'pay_1',
          reason: 'Confirm it.',
          confirmBy: '2026-03-03T08:00:00.000Z',
        },
      }),
    ).toMatchObject([{ facts: { then: 'needs-confirmation', paymentId: 'pay_1' } }]));

  it('says that the subscription is paused, once: the pause itself is not told beside it', async () => {
    expect(await told({ type: 'OccurrenceFailed', data: { ...occurrence, ...card } })).toMatchObject([
      { facts: { then: 'paused' } },
    ]);
    const pausedFor = (code?: string): DomainEvent => ({
      type: 'SubscriptionPaused',
      data: { subscriptionId: 'sub_1', payerId: MILO, code, reason: 'Please check.', at: RECORDED },
    });
    expect(await told(pausedFor('expired_card'))).toEqual([]);
    expect(await told(pausedFor())).toEqual([]);
  });

  it('that was paused because its record was lost does not say that nobody was charged, nor what to pay now', async () => {
    const reason = 'An outage lost the record of this time.';
    const data = { subscriptionId: 'sub_1', payerId: MILO, code: 'log_recovery', reason, at: RECORDED };
    const [message] = await told({ type: 'SubscriptionPaused', data });
    expect(message).toMatchObject({ kind: 'payment_failed', userId: MILO });
    const names = { people: new Map([[JUNO, 'Juno']]), bankAccounts: new Map(), cards: new Map() };
    expect(textOf(message as ContentOf<'payment_failed'>, names)).toEqual({
      title: 'Subscription paused',
      text: 'Your subscription of $9.00 to Juno is paused. An outage lost the record of this time.',
      actions: [
        { label: 'See it in your history', href: '/history' },
        { label: 'Open subscriptions', href: '/subscriptions' },
      ],
    });
  });

  it('and pauses its subscription is paid now only until the next one is due, which it says', async () => {
    const [message] = await told({ type: 'OccurrenceFailed', data: { ...occurrence, ...card } });
    const names = { people: new Map([[JUNO, 'Juno']]), bankAccounts: new Map(), cards: new Map() };
    expect(textOf(message as ContentOf<'payment_failed'>, names).text).toBe(
      '$9.00 to Juno did not go through: Your card has expired. You have not been charged. The subscription is paused: change the card, then resume it. Until the next payment is due you can also pay this one now.',
    );
  });
});

describe('a payment of what was canceled while it was under way', () => {
  const failed: DomainEvent = { type: 'OccurrenceFailed', data: { ...occurrence, ...card } };
  it('offers nothing that is not taken any more', async () => {
    const [message] = await told(failed, undefined, 'evt_1', CANCELED_AT + 1);
    expect(message).toMatchObject({ userId: MILO, kind: 'payment_failed', facts: { then: 'canceled' } });
    // Told before there was another word for it, it is not told a second time.
    expect(message?.key).toBe('occ_1:2:paused');
    const names = { people: new Map([[JUNO, 'Juno']]), bankAccounts: new Map(), cards: new Map() };
    const { text, actions } = textOf(message as ContentOf<'payment_failed'>, names);
    expect(text).toBe(
      '$9.00 to Juno did not go through: Your card has expired. You have not been charged. It is canceled: no more money is taken for it.',
    );
    expect(actions).toEqual([{ label: 'Open subscriptions', href: '/subscriptions' }]);
  });
  it('is told as any other where it failed before that', async () =>
    expect(await told(failed, undefined, 'evt_1', CANCELED_AT)).toMatchObject([
      { facts: { then: 'paused' } },
    ]));
});

describe('a payment that goes back', () => {
  const refund = {
    paymentId: 'pay_1',
    payerId: MILO,
    recipientId: JUNO,
    amountMinor: 500,
    originalMinor: 2050,
    occurredAt: OCCURRED,
    postings: [],
  };

  it('is told to both, each return by itself', async () => {
    const returned = (refundId: string): DomainEvent => ({
      type: 'PaymentRefunded',
      data: { ...refund, refundId, refundedMinor: 500 },
    });
    expect(await told(returned('re_1'))).toMatchObject([
      { userId: MILO, kind: 'payment_refunded', key: 're_1', facts: { amountMinor: 500, recipientId: JUNO } },
      { userId: JUNO, kind: 'tip_refunded', key: 're_1', facts: { amountMinor: 500, payerId: MILO } },
    ]);
    expect(await told(returned('re_2'))).toMatchObject([{ key: 're_2' }, { key: 're_2' }]);
  });

  it('is told to a guest by mail alone', async () =>
    expect(
      await told({
        type: 'PaymentRefunded',
        data: { ...refund, payerId: 'gst_wren', refundId: 're_1', refundedMinor: 500 },
      }),
    ).toMatchObject([{ userId: 'gst_wren', kind: 'guest_refunded', key: 're_1' }, { kind: 'tip_refunded' }]));

  it('is told to a guest by mail, and to who has claimed their receipts', async () => {
    const returned = async (payerId: string) =>
      told({
        type: 'PaymentRefunded',
        data: { ...refund, payerId, refundId: 're_1', refundedMinor: 500 },
      });
    expect(await returned('gst_milo')).toMatchObject([
      { userId: 'gst_milo', kind: 'guest_refunded', key: 're_1' },
      { userId: MILO, kind: 'payment_refunded', key: 're_1', facts: { amountMinor: 500, recipientId: JUNO } },
      { userId: JUNO, kind: 'tip_refunded', key: 're_1' },
    ]);
    // It stands in the list of who received it as received.
    expect(await returned('gst_juno')).toMatchObject([{ kind: 'guest_refunded' }, { kind: 'tip_refunded' }]);
  });

  it('is told to who has the money again when it did not arrive', async () =>
    expect(
      await told({
        type: 'RefundFailed',
        data: { ...refund, refundId: 're_1', refundedMinor: 0, reason: 'expired_or_canceled_card' },
      }),
    ).toMatchObject([{ userId: JUNO, kind: 'refund_failed', key: 're_1' }]));

  it('is told as far as it came back: what a dispute took of it meanwhile did not', async () => {
    const failed = (recipientMinor: number) => {
      const disputedMinor = refund.amountMinor - recipientMinor;
      const parts = { recipientMinor, disputedMinor, refundedMinor: 0, reason: 'lost_or_stolen_card' };
      return { type: 'RefundFailed', data: { ...refund, ...parts, refundId: 're_1' } } as const;
    };
    expect(await told(failed(300))).toMatchObject([{ kind: 'refund_failed', facts: { amountMinor: 300 } }]);
    expect(await told(failed(0))).toEqual([]);
  });

  it('because it is disputed is told to who was paid, from the beginning to how it ended', async () => {
    const dispute = {
      disputeId: 'dp_1',
      chargeId: 'ch_1',
      amountMinor: 2050,
      currency: 'usd',
      occurredAt: OCCURRED,
    };
    const ours = { ...dispute, paymentId: 'pay_1', payerId: MILO, recipientId: JUNO };
    expect(await told({ type: 'DisputeOpened', data: { ...ours, reason: 'fraudulent' } })).toMatchObject([
      { userId: JUNO, kind: 'dispute_opened', key: 'dp_1', facts: { payerId: MILO } },
    ]);
    expect(await told({ type: 'DisputeWon', data: ours })).toMatchObject([{ kind: 'dispute_won' }]);
    expect(await told({ type: 'DisputeLost', data: ours })).toMatchObject([{ kind: 'dispute_lost' }]);
    expect(await told({ type: 'DisputeLost', data: dispute })).toEqual([]);
  });
});

describe('a subscription that ends', () => {
  const ended = (code?: string): DomainEvent => ({
    type: 'SubscriptionCanceled',
    data: { subscriptionId: 'sub_1', payerId: MILO, code, reason: code && 'They have left.', at: RECORDED },
  });

  it('is told to its payer where we ended it', async () =>
    expect(await told(ended('recipient_forgotten'))).toMatchObject([
      { userId: MILO, kind: 'schedule_ended', key: 'sub_1', facts: { recipientId: JUNO, amountMinor: 900 } },
    ]));

  it('is not told to who ended it, nor to who has left', async () => {
    expect(await told(ended())).toEqual([]);
    expect(await told(ended('payer_forgotten'))).toEqual([]);
  });
});

describe('what guards an account', () => {
  it('is told each time that one passkey is added or removed', async () => {
    const data = { userId: JUNO, passkeyId: 'pk_again' };
    const added: DomainEvent = {
      type: 'PasskeyEnrolled',
      data: { ...data, credential: 'sealed:usr_juno:x' },
    };
    const keysOf = async (event: DomainEvent, revision: number) =>
      (await told(event, undefined, 'evt_1', revision)).map(({ kind, key }) => `${kind} ${key}`);
    expect(await keysOf(added, 0)).toEqual(['passkey_added pk_again']);
    expect(await keysOf(added, 2)).toEqual([`passkey_added pk_again:${RECORDED}`]);
    expect(await keysOf({ type: 'PasskeyRemoved', data }, 3)).toEqual([
      `passkey_removed pk_again:${RECORDED}`,
    ]);
  });

  it('is told when no passkey is asked for any more, and no other switch is', async () => {
    const off = (setting: 'biometricEnabled' | 'privacyModeEnabled'): DomainEvent => ({
      type: 'SettingSwitchedOff',
      data: { userId: JUNO, setting },
    });
    expect(await told(off('biometricEnabled'))).toMatchObject([
      { userId: JUNO, kind: 'passkey_switched_off', key: RECORDED, at: new Date(RECORDED) },
    ]);
    expect(await told(off('privacyModeEnabled'))).toEqual([]);
    const on = { ...off('biometricEnabled'), type: 'SettingSwitchedOn' } as DomainEvent;
    expect(await told(on)).toEqual([]);
  });

  it('is told when it changes', async () => {
    const passkey = { userId: JUNO, passkeyId: 'pk_1' };
    expect(
      await told({ type: 'PasskeyEnrolled', data: { ...passkey, credential: 'sealed:usr_juno:x' } }),
    ).toMatchObject([{ userId: JUNO, kind: 'passkey_added', key: 'pk_1', facts: {} }]);
    expect(await told({ type: 'PasskeyRemoved', data: passkey })).toMatchObject([
      { kind: 'passkey_removed' },
    ]);
    expect(
      await told({
        type: 'BankAccountAdded',
        data: { userId: JUNO, bankAccountId: 'ba_1', externalAccountId: 'ba_x' },
      }),
    ).toMatchObject([{ kind: 'bank_account_added', key: 'ba_1' }]);
  });
});
