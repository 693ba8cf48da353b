/**
 * The rules of what happens to a charge after its money came in: disputes and the provider's fees, and who
 * bears them.
 */
import { describe, expect, it } from '@jest/globals';
import { platform } from '#contracts/plain/accounts';
import {
  closeDispute,
  dispute,
  failRefund,
  failUnapplied,
  given,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  MILO_AVAILABLE,
  open,
  openAccount,
  providerFee,
  refund,
  reinstateDisputed,
  returnUnapplied,
  settle,
  transfer,
  withdrawDisputed,
} from '#test/support/journal-spec';

const tip = { paymentId: 'pay_1', amount: '20.00' };
const CLEARING = platform('card-clearing');
const LOSSES = platform('dispute-losses');
const UNAPPLIED = platform('unapplied');
const paid = [openAccount(JUNO), openAccount(MILO), open(tip), settle(tip)];
const disputed = [...paid, dispute(tip)];
const withdrawn = [...disputed, withdrawDisputed(tip)];

describe('a dispute', () => {
  it('is a fact and moves no money', () =>
    void given(...paid)
      .when(dispute(tip))
      .then('DisputeOpened', { [JUNO_AVAILABLE]: '20.00', [CLEARING]: '-20.00' }));
  it('takes the payment from the recipient when the provider takes it from us, and the fee from the platform', () => {
    const event = given(...disputed)
      .when(withdrawDisputed(tip))
      .then('DisputeFundsWithdrawn', {
        [JUNO_AVAILABLE]: '0',
        [LOSSES]: '-15.00',
        [CLEARING]: '15.00',
        [MILO_AVAILABLE]: '0',
      });
    expect(event.data).toMatchObject({
      recipientMinor: 2000,
      platformMinor: 0,
      unappliedMinor: 0,
      feeMinor: 1500,
    });
  });
  it('leaves a debt when the recipient has spent the money', () =>
    void given(...paid, transfer('20.00', JUNO, MILO), dispute(tip))
      .when(withdrawDisputed(tip))
      .then('DisputeFundsWithdrawn', { [JUNO_AVAILABLE]: '-20.00' }));
  it('that is won gives each what they bore, and the fee only if the provider does', () => {
    given(...withdrawn)
      .when(reinstateDisputed(tip))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '20.00', [LOSSES]: '-15.00' });
    given(...withdrawn)
      .when(reinstateDisputed(tip, '20.00', '15.00'))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '20.00', [LOSSES]: '0', [CLEARING]: '-20.00' });
    given(...withdrawn, reinstateDisputed(tip))
      .when(closeDispute(tip, 'won'))
      .then('DisputeWon', { [JUNO_AVAILABLE]: '20.00' });
  });
  it('that is lost changes nothing more', () =>
    void given(...withdrawn)
      .when(closeDispute(tip, 'lost'))
      .then('DisputeLost', { [JUNO_AVAILABLE]: '0' }));
  it('never takes more from the recipient than is left of the payment: the platform bears the rest', () => {
    const event = given(...paid, refund(tip, '15.00'), dispute(tip))
      .when(withdrawDisputed(tip))
      .then('DisputeFundsWithdrawn', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-30.00' });
    expect(event.data).toMatchObject({ recipientMinor: 500, platformMinor: 1500 });
    given(...paid, refund(tip, '15.00'), dispute(tip), withdrawDisputed(tip))
      .when(reinstateDisputed(tip))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '5.00', [LOSSES]: '-15.00' });
  });
  it('takes from the recipient what a refund had left to them after all, once it fails', () => {
    const refunded = [...paid, refund(tip, '15.00'), dispute(tip), withdrawDisputed(tip)];
    const { data } = given(...refunded)
      .when(failRefund(tip))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-15.00', [CLEARING]: '15.00' });
    expect(data).toMatchObject({ amountMinor: 1500, recipientMinor: 0, disputedMinor: 1500 });
    // Won after that, all of it is the recipient's.
    given(...refunded, failRefund(tip))
      .when(reinstateDisputed(tip))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '20.00', [LOSSES]: '-15.00' });
    // A dispute of a part takes that part, also of two refunds that fail one after the other.
    const twice = [
      ...paid,
      refund(tip, '12.00', 're_1'),
      refund(tip, '8.00', 're_2'),
      dispute(tip),
      withdrawDisputed(tip, '10.00'),
    ];
    given(...twice)
      .when(failRefund(tip, 're_2'))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-17.00' });
    given(...twice, failRefund(tip, 're_2'))
      .when(failRefund(tip, 're_1'))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '10.00', [LOSSES]: '-15.00' });
    // Won before it fails, the refund is the recipient's: what the platform bore has come back to it.
    given(...refunded, reinstateDisputed(tip))
      .when(failRefund(tip))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '20.00', [LOSSES]: '-15.00' });
  });
  it('takes nothing a second time where a refund is told of after it', () => {
    const { data } = given(...withdrawn)
      .when(refund(tip, '15.00'))
      .then('PaymentRefunded', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-30.00', [CLEARING]: '30.00' });
    expect(data).toMatchObject({
      amountMinor: 1500,
      refundedMinor: 1500,
      recipientMinor: 0,
      disputedMinor: 1500,
    });
    // As where the refund is told of first: what comes back is whose it was.
    given(...withdrawn, refund(tip, '15.00'))
      .when(reinstateDisputed(tip))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '5.00', [LOSSES]: '-15.00' });
    given(...withdrawn, refund(tip, '15.00'))
      .when(failRefund(tip))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-15.00', [CLEARING]: '15.00' });
    // A dispute of a part leaves the rest to be given back.
    given(...paid, dispute(tip), withdrawDisputed(tip, '8.00'))
      .when(refund(tip, '15.00'))
      .then('PaymentRefunded', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-18.00' });
    const whole = given(...withdrawn, reinstateDisputed(tip))
      .when(refund(tip, '15.00'))
      .then('PaymentRefunded', { [JUNO_AVAILABLE]: '5.00', [LOSSES]: '-15.00' });
    expect(Object.keys(whole.data)).not.toContain('disputedMinor');
  });
  it('is booked step by step once, each by its own id', () => {
    given(...disputed)
      .when(dispute(tip))
      .thenNothing();
    given(...withdrawn)
      .when(withdrawDisputed(tip))
      .thenNothing();
    given(...withdrawn, reinstateDisputed(tip))
      .when(reinstateDisputed(tip))
      .thenNothing();
    for (const outcome of ['won', 'lost'] as const)
      given(...withdrawn, closeDispute(tip, 'won'))
        .when(closeDispute(tip, outcome))
        .thenNothing();
  });
  it('that was lost is won on appeal: the money is the recipient’s again, and each sees it', () => {
    const lost = [...withdrawn, closeDispute(tip, 'lost')];
    const appealed = [...lost, reinstateDisputed(tip), closeDispute(tip, 'won')];
    given(...lost)
      .when(reinstateDisputed(tip))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '20.00', [LOSSES]: '-15.00' });
    given(...lost, reinstateDisputed(tip))
      .when(closeDispute(tip, 'won'))
      .then('DisputeWon', { [JUNO_AVAILABLE]: '20.00' });
    // Word of its first end may be old, and word of its last is told again.
    for (const outcome of ['won', 'lost'] as const)
      given(...appealed)
        .when(closeDispute(tip, outcome))
        .thenNothing();
  });
  it('that was merely an inquiry and became a dispute is lost after all', () => {
    const inquiry = [...disputed, closeDispute(tip, 'won')];
    given(...inquiry, withdrawDisputed(tip))
      .when(closeDispute(tip, 'lost'))
      .then('DisputeLost', { [JUNO_AVAILABLE]: '0' });
  });
  it('may take and give back more than once', () =>
    void given(...withdrawn, reinstateDisputed(tip))
      .when(withdrawDisputed(tip, '20.00', '0', 2))
      .then('DisputeFundsWithdrawn', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-15.00' }));
  it('of a charge that nobody booked, and a step of a dispute that nobody opened, are refused', () => {
    given(...paid)
      .when(dispute({ ...tip, charge: 'ch_unknown' }))
      .thenRejects('ChargeNotFound');
    for (const step of [withdrawDisputed(tip), reinstateDisputed(tip), closeDispute(tip, 'won')])
      given(...paid)
        .when(step)
        .thenRejects('DisputeNotFound');
  });
});

describe('a dispute of money that no payment explains', () => {
  const stray = { paymentId: 'pay_stray', amount: '20.00' };
  const held = [openAccount(JUNO), openAccount(MILO), settle(stray)];

  it('takes what is held, so that nothing is left to give back', () => {
    given(...held, dispute(stray))
      .when(withdrawDisputed(stray))
      .then('DisputeFundsWithdrawn', { [UNAPPLIED]: '0', [LOSSES]: '-15.00' });
  });
  it('that took what was on its way back is the platform’s loss, once it has arrived there', () => {
    const taken = [...held, dispute(stray), withdrawDisputed(stray)];
    const back = returnUnapplied('ch_pay_stray', '20.00');
    const { data } = given(...taken)
      .when(back)
      .then('UnappliedRefunded', { [UNAPPLIED]: '0', [LOSSES]: '-35.00', [CLEARING]: '35.00' });
    expect(data).toMatchObject({ amountMinor: 2_000, unappliedMinor: 0, disputedMinor: 2_000 });
    given(...taken, back)
      .when(back)
      .thenNothing();
    given(...taken, back)
      .when(reinstateDisputed(stray))
      .then('DisputeFundsReinstated', { [UNAPPLIED]: '0', [LOSSES]: '-15.00', [CLEARING]: '15.00' });
    given(...taken, back)
      .when(failUnapplied('ch_pay_stray', 're_ch_pay_stray'))
      .then('UnappliedRefundFailed', { [UNAPPLIED]: '0', [LOSSES]: '-15.00' });
  });
  it('that took a part is the platform’s loss by that part, and by no more than it took', () => {
    const taken = [...held, dispute(stray), withdrawDisputed(stray, '5.00')];
    given(...taken)
      .when(returnUnapplied('ch_pay_stray', '18.00'))
      .then('UnappliedRefunded', { [UNAPPLIED]: '0', [LOSSES]: '-18.00' });
    given(...taken)
      .when(returnUnapplied('ch_pay_stray', '20.01'))
      .thenRejects('RefundNotHeld');
  });
  it('says of one that went back whole nothing but that', () => {
    const { data } = given(...held)
      .when(returnUnapplied('ch_pay_stray', '20.00'))
      .then('UnappliedRefunded', { [UNAPPLIED]: '0' });
    expect(Object.keys(data)).not.toContain('disputedMinor');
  });
  it('after it went back is the platform’s loss', () =>
    void given(...held, returnUnapplied('ch_pay_stray', '20.00'), dispute(stray))
      .when(withdrawDisputed(stray))
      .then('DisputeFundsWithdrawn', { [UNAPPLIED]: '0', [LOSSES]: '-35.00' }));
  it('that took what had gone back keeps it, should that not have arrived: it must not go back once more', () => {
    const [back, failed] = [
      returnUnapplied('ch_pay_stray', '20.00'),
      failUnapplied('ch_pay_stray', 're_ch_pay_stray'),
    ];
    const taken = [...held, back, dispute(stray), withdrawDisputed(stray)];
    const { data } = given(...taken)
      .when(failed)
      .then('UnappliedRefundFailed', { [UNAPPLIED]: '0', [LOSSES]: '-15.00', [CLEARING]: '15.00' });
    expect(data).toMatchObject({ amountMinor: 2_000, unappliedMinor: 0, disputedMinor: 2_000 });
    given(...taken, failed)
      .when(reinstateDisputed(stray))
      .then('DisputeFundsReinstated', { [UNAPPLIED]: '20.00', [LOSSES]: '-15.00' });
  });
  it('that is won makes it held again', () => {
    given(...held, dispute(stray), withdrawDisputed(stray))
      .when(reinstateDisputed(stray))
      .then('DisputeFundsReinstated', { [UNAPPLIED]: '20.00' });
    given(...held, dispute(stray), withdrawDisputed(stray), reinstateDisputed(stray))
      .when(returnUnapplied('ch_pay_stray', '20.00'))
      .then('UnappliedRefunded', { [UNAPPLIED]: '0' });
  });
});

describe('the provider’s fee', () => {
  it('is the platform’s, and the recipient has the whole payment', () =>
    void given(...paid)
      .when(providerFee(tip, '0.88'))
      .then('ProviderFeeBooked', {
        [platform('fees')]: '-0.88',
        [CLEARING]: '-19.12',
        [JUNO_AVAILABLE]: '20.00',
      }));
  it('of nothing is told all the same: its entry says when the money can be used', () => {
    const event = given(...paid)
      .when(providerFee(tip, '0', '2026-03-03T00:00:00.000Z'))
      .then('ProviderFeeBooked', { [CLEARING]: '-20.00' });
    expect(event.data).toMatchObject({
      amountMinor: 0,
      netMinor: 2000,
      availableOn: '2026-03-03T00:00:00.000Z',
      postings: [],
    });
    given(...paid, providerFee(tip, '0'))
      .when(providerFee(tip, '0'))
      .thenNothing();
  });
  it('is booked once', () =>
    given(...paid, providerFee(tip, '0.88'))
      .when(providerFee(tip, '0.88'))
      .thenNothing());
  it('is taken for unapplied money too', () =>
    void given(settle(tip))
      .when(providerFee(tip, '0.88'))
      .then('ProviderFeeBooked', { [platform('fees')]: '-0.88', [UNAPPLIED]: '20.00' }));
  it('leaves what came less the fee: a sum that says something else says nothing', () => {
    const fee = providerFee(tip, '0.88');
    const netOf = (changes: object): unknown =>
      given(...paid)
        .when({ ...fee, ...changes } as typeof fee)
        .then('ProviderFeeBooked').data;
    expect(netOf({})).toMatchObject({ netMinor: 1912 });
    expect(netOf({ netMinor: 2912 })).toMatchObject({ netMinor: null });
    // Of another currency nobody knows what should be left.
    expect(netOf({ netMinor: 2912, currency: 'eur' })).toMatchObject({ netMinor: 2912 });
  });
  it('of an unknown charge is refused', () =>
    given(...paid)
      .when(providerFee({ ...tip, charge: 'ch_unknown' }, '0.88'))
      .thenRejects('ChargeNotFound'));
});

describe('one charge', () => {
  const other = { paymentId: 'pay_2', amount: '20.00', charge: 'ch_pay_1' };

  it('pays one payment, though its metadata should name another later', () =>
    given(...paid, open(other))
      .when(settle(other))
      .thenNothing());
  it('that was unapplied stays that, though the payment it names is opened later', () =>
    given(openAccount(JUNO), openAccount(MILO), settle(tip), open(tip)).when(settle(tip)).thenNothing());
});

describe('unapplied money', () => {
  const stray = settle({ paymentId: 'pay_stray', amount: '20.00' });
  const CHARGE = 'ch_pay_stray';
  const part = (amount: string, refundId: string) =>
    ({ ...returnUnapplied(CHARGE, amount), refundId }) as never;

  it('goes back in parts, never more than is held', () => {
    given(stray, part('12.00', 're_1'))
      .when(part('8.00', 're_2'))
      .then('UnappliedRefunded', { [UNAPPLIED]: '0' });
    given(stray, part('12.00', 're_1')).when(part('8.01', 're_2')).thenRejects('RefundNotHeld');
    given(stray, part('12.00', 're_1')).when(part('12.00', 're_1')).thenNothing();
  });
  it('whose refund did not arrive is held again, once, and goes back another time', () => {
    given(stray, part('20.00', 're_1'))
      .when(failUnapplied(CHARGE, 're_1'))
      .then('UnappliedRefundFailed', { [UNAPPLIED]: '20.00', [CLEARING]: '-20.00' });
    const failed = [stray, part('20.00', 're_1'), failUnapplied(CHARGE, 're_1')];
    given(...failed)
      .when(failUnapplied(CHARGE, 're_1'))
      .thenNothing();
    given(...failed)
      .when(part('20.00', 're_1'))
      .thenNothing();
    given(...failed)
      .when(part('20.00', 're_2'))
      .then('UnappliedRefunded', { [UNAPPLIED]: '0' });
  });
  it('knows of no failure of a refund that it does not know', () => {
    given(stray).when(failUnapplied(CHARGE, 're_1')).thenRejects('RefundNotFound');
    given().when(failUnapplied(CHARGE, 're_1')).thenRejects('UnappliedNotFound');
  });
});
