/** The rules of money, one by one. */
import { describe, expect, it } from '@jest/globals';
import { platform } from '#contracts/plain/accounts';
import {
  ADA,
  AT,
  cancel,
  decline,
  failRefund,
  fund,
  given,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  MILO_AVAILABLE,
  minor,
  open,
  openAccount,
  openWallet,
  refund,
  requestPayout,
  returnUnapplied,
  settle,
  submit,
  transfer,
  uuidV7,
} from '#test/support/journal-spec';

const CLEARING = platform('card-clearing');
const UNAPPLIED = platform('unapplied');
const accounts = [openAccount(JUNO), openAccount(MILO)];
const tip = { paymentId: 'pay_1', amount: '20.00' };

describe('an account', () => {
  it('opens at zero', () =>
    void given()
      .when(openAccount(JUNO))
      .then('AccountOpened', { [JUNO_AVAILABLE]: '0' }));
  it('opens once', () => given(openAccount(JUNO)).when(openAccount(JUNO)).thenNothing());

  describe('that is closed', () => {
    const closeAccount = { type: 'CloseAccount', userId: JUNO } as const;
    it('is so once, and never opens again', () => {
      given(...accounts)
        .when(closeAccount)
        .then('AccountClosed', { [JUNO_AVAILABLE]: '0' });
      given(...accounts, closeAccount)
        .when(closeAccount)
        .thenNothing();
      given(...accounts, closeAccount)
        .when(openAccount(JUNO))
        .thenRejects('Forgotten');
      given().when(closeAccount).thenRejects('PayerNotFound');
    });
    it('must hold no money, in a wallet neither', () => {
      given(...accounts, open(tip), settle(tip))
        .when(closeAccount)
        .thenRejects('MoneyLeft');
      given(...accounts, open(tip), settle(tip), openWallet(), fund('20.00'))
        .when(closeAccount)
        .thenRejects('MoneyLeft');
      given(...accounts, open(tip), settle(tip), requestPayout('20.00'))
        .when(closeAccount)
        .thenRejects('MoneyLeft');
    });
    it('is closed though somebody is about to pay it: what they pay goes back to them', () => {
      for (const underWay of [[open(tip)], [open(tip), submit(tip)]])
        given(...accounts, ...underWay)
          .when(closeAccount)
          .then('AccountClosed', {});
    });
    it('is paid and pays no more, and money that comes all the same is held for its payer', () => {
      given(...accounts, closeAccount)
        .when(open(tip))
        .thenRejects('RecipientNotFound');
      given(...accounts, { type: 'CloseAccount', userId: MILO })
        .when(open(tip))
        .thenRejects('PayerNotFound');
      given(...accounts, open(tip), cancel(tip), closeAccount)
        .when(settle(tip))
        .then('UnappliedReceived', { [JUNO_AVAILABLE]: '0', [platform('unapplied')]: '20.00' });
    });
  });
});

describe('opening a payment', () => {
  it('moves no money', () => {
    given(...accounts)
      .when(open(tip))
      .then('PaymentOpened', { [JUNO_AVAILABLE]: '0', [CLEARING]: '0' });
  });
  it('is quiet when repeated with the same key', () =>
    given(...accounts, open(tip))
      .when(open(tip))
      .thenNothing());
  it('refuses a recipient that nobody knows', () =>
    given(openAccount(MILO)).when(open(tip)).thenRejects('RecipientNotFound'));
  it('refuses a payer that nobody knows', () =>
    given(openAccount(JUNO)).when(open(tip)).thenRejects('PayerNotFound'));
  it('refuses to pay oneself', () =>
    given(...accounts)
      .when(open({ ...tip, to: MILO }))
      .thenRejects('SamePerson'));
  it('knows a repeat by the fingerprint of before the keys were rotated', () => {
    const first = { command: open(tip), context: { fingerprint: 'old' } };
    const again = { command: open(tip), context: { fingerprint: 'f2.new f1.newer old' } };
    given(...accounts, first)
      .when(again)
      .thenNothing();
  });
  it('refuses the same key with another body', () => {
    const first = { command: open(tip), context: { fingerprint: 'twenty' } };
    const other = {
      command: open({ ...tip, amount: '21.00' }),
      context: { fingerprint: 'twenty-one' },
    };
    given(...accounts, first)
      .when(other)
      .thenRejects('KeyReused');
  });
  it('refuses a key from more than five minutes ahead', () => {
    const ahead = (minutes: number) => ({
      command: open(tip),
      context: { key: `${MILO}:${uuidV7(Date.parse(AT) + minutes * 60_000, 1)}` },
    });
    given(...accounts)
      .when(ahead(6))
      .thenRejects('KeyFromTheFuture');
    given(...accounts)
      .when(ahead(4))
      .then('PaymentOpened');
  });
});

describe('submitting a payment', () => {
  it('records the provider’s id', () => {
    const event = given(...accounts, open(tip))
      .when(submit(tip))
      .then('PaymentSubmitted');
    expect(event.data).toEqual({ paymentId: 'pay_1', intentId: 'pi_pay_1' });
  });
  it('is quiet when repeated', () =>
    given(...accounts, open(tip), submit(tip))
      .when(submit(tip))
      .thenNothing());
  it('refuses a payment that was never opened', () =>
    given(...accounts)
      .when(submit(tip))
      .thenRejects('PaymentNotFound'));
  it('is recorded of a payment that was canceled before, which stays so: what is made for it later is ours', () => {
    given(...accounts, open(tip), cancel(tip))
      .when(submit(tip))
      .then('PaymentSubmitted');
    given(...accounts, open(tip), cancel(tip), submit(tip))
      .when(cancel(tip))
      .thenNothing();
  });
  it('is quiet when the money came first', () =>
    given(...accounts, open(tip), settle(tip))
      .when(submit(tip))
      .thenNothing());
});

describe('a declined attempt', () => {
  it('is written down and resolves nothing', () => {
    given(...accounts, open(tip), submit(tip))
      .when(decline(tip))
      .then('PaymentAttemptFailed', { [JUNO_AVAILABLE]: '0' });
    given(...accounts, open(tip), submit(tip), decline(tip))
      .when(settle(tip))
      .then('PaymentSettled', { [JUNO_AVAILABLE]: '20.00' });
  });
  it('is written down once, and a second one beside it', () => {
    given(...accounts, open(tip), decline(tip))
      .when(decline(tip))
      .thenNothing();
    given(...accounts, open(tip), decline(tip))
      .when(decline(tip, 2))
      .then('PaymentAttemptFailed');
  });
  it('is a fact also when its word comes after the money', () =>
    void given(...accounts, open(tip), settle(tip))
      .when(decline(tip))
      .then('PaymentAttemptFailed', { [JUNO_AVAILABLE]: '20.00' }));
  it('of an unknown payment is refused', () =>
    given(...accounts)
      .when(decline(tip))
      .thenRejects('PaymentNotFound'));
});

describe('settling a payment', () => {
  it('debits card clearing and credits the recipient', () =>
    void given(...accounts, open(tip), submit(tip))
      .when(settle(tip))
      .then('PaymentSettled', { [JUNO_AVAILABLE]: '20.00', [CLEARING]: '-20.00', [MILO_AVAILABLE]: '0' }));
  it('settles once, however often the provider says so', () =>
    given(...accounts, open(tip), settle(tip))
      .when(settle(tip))
      .thenNothing());
  it('books money that comes after a cancel', () =>
    void given(...accounts, open(tip), cancel(tip))
      .when(settle(tip))
      .then('PaymentSettled', { [JUNO_AVAILABLE]: '20.00' }));
  it('books money whose submission was never recorded', () =>
    void given(...accounts, open(tip))
      .when(settle(tip))
      .then('PaymentSettled', { [JUNO_AVAILABLE]: '20.00' }));
});

describe('money that no payment explains', () => {
  const unapplied = { [UNAPPLIED]: '20.00', [CLEARING]: '-20.00', [JUNO_AVAILABLE]: '0' };
  const reasonOf = (event: { data: object }) => (event.data as { reason: string }).reason;

  it('is unapplied when it names no payment', () =>
    expect(
      reasonOf(
        given(...accounts)
          .when(settle(tip, { paymentId: undefined }))
          .then('UnappliedReceived', unapplied),
      ),
    ).toBe('unknown-payment'));
  it('is unapplied when it names one we never opened', () =>
    expect(
      reasonOf(
        given(...accounts)
          .when(settle(tip))
          .then('UnappliedReceived', unapplied),
      ),
    ).toBe('unknown-payment'));
  it('is unapplied when another charge has settled the payment', () => {
    const event = given(...accounts, open(tip), settle(tip))
      .when(settle({ ...tip, charge: 'ch_second' }))
      .then('UnappliedReceived', { ...unapplied, [JUNO_AVAILABLE]: '20.00', [CLEARING]: '-40.00' });
    expect(reasonOf(event)).toBe('already-settled');
  });
  it('is unapplied when the amount differs', () => {
    const event = given(...accounts, open(tip))
      .when(settle({ ...tip, amount: '19.99' }))
      .then('UnappliedReceived', { [UNAPPLIED]: '19.99', [JUNO_AVAILABLE]: '0' });
    expect(reasonOf(event)).toBe('amount-differs');
  });
  it('is kept in its own currency when that differs', () => {
    const event = given(...accounts, open(tip))
      .when(settle(tip, { currency: 'eur' }))
      .then('UnappliedReceived', {
        [platform('unapplied', 'eur')]: '20.00',
        [platform('card-clearing', 'eur')]: '-20.00',
        [UNAPPLIED]: '0',
      });
    expect(reasonOf(event)).toBe('currency-differs');
  });
  it('is booked once', () =>
    given(...accounts, settle(tip))
      .when(settle(tip))
      .thenNothing());
  it('goes back once', () => {
    given(...accounts, settle(tip))
      .when(returnUnapplied('ch_pay_1', '20.00'))
      .then('UnappliedRefunded', { [UNAPPLIED]: '0', [CLEARING]: '0' });
    given(...accounts, settle(tip), returnUnapplied('ch_pay_1', '20.00'))
      .when(returnUnapplied('ch_pay_1', '20.00'))
      .thenNothing();
  });
  it('stays booked once after it went back', () =>
    given(...accounts, settle(tip), returnUnapplied('ch_pay_1', '20.00'))
      .when(settle(tip))
      .thenNothing());
  it('cannot go back in another amount, nor from an unknown charge', () => {
    given(...accounts, settle(tip))
      .when(returnUnapplied('ch_pay_1', '20.01'))
      .thenRejects('RefundNotHeld');
    given(...accounts)
      .when(returnUnapplied('ch_pay_1', '20.00'))
      .thenRejects('UnappliedNotFound');
  });
});

describe('canceling a payment', () => {
  it('closes it, and no money moves', () =>
    void given(...accounts, open(tip))
      .when(cancel(tip))
      .then('PaymentCanceled', { [JUNO_AVAILABLE]: '0' }));
  it('is quiet when repeated', () =>
    given(...accounts, open(tip), cancel(tip))
      .when(cancel(tip))
      .thenNothing());
  it('refuses a payment that was paid', () =>
    given(...accounts, open(tip), settle(tip))
      .when(cancel(tip))
      .thenRejects('PaymentAlreadySettled'));
  it('is not caused by the end of a second intent that the payment does not have', () => {
    const canceled = { ...cancel(tip), intentId: 'pi_another' } as ReturnType<typeof cancel>;
    given(...accounts, open(tip), submit(tip))
      .when(canceled)
      .thenNothing();
    const own = { ...cancel(tip), intentId: 'pi_pay_1' } as ReturnType<typeof cancel>;
    given(...accounts, open(tip), submit(tip))
      .when(own)
      .then('PaymentCanceled');
  });
  it('refuses an unknown payment', () =>
    given(...accounts)
      .when(cancel(tip))
      .thenRejects('PaymentNotFound'));
});

describe('a refund', () => {
  const paid = [...accounts, open(tip), settle(tip)];
  it('takes the money back from the recipient', () =>
    void given(...paid)
      .when(refund(tip, '20.00'))
      .then('PaymentRefunded', { [JUNO_AVAILABLE]: '0', [CLEARING]: '0' }));
  it('may come in parts, never more than the payment', () => {
    given(...paid, refund(tip, '12.00', 're_1'))
      .when(refund(tip, '8.00', 're_2'))
      .then('PaymentRefunded', { [JUNO_AVAILABLE]: '0' });
    given(...paid, refund(tip, '12.00', 're_1'))
      .when(refund(tip, '8.01', 're_2'))
      .thenRejects('RefundExceedsPayment');
  });
  it('is booked once', () =>
    given(...paid, refund(tip, '5.00'))
      .when(refund(tip, '5.00'))
      .thenNothing());
  it('leaves a debt when the recipient has spent the money', () =>
    void given(...paid, transfer('15.00', JUNO, MILO))
      .when(refund(tip, '20.00'))
      .then('PaymentRefunded', { [JUNO_AVAILABLE]: '-15.00' }));
  it('refuses a payment that was not paid', () =>
    given(...accounts, open(tip))
      .when(refund(tip, '1.00'))
      .thenRejects('PaymentNotSettled'));
  it('that fails gives the money back to the recipient, once', () => {
    given(...paid, refund(tip, '20.00'))
      .when(failRefund(tip))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '20.00', [CLEARING]: '-20.00' });
    given(...paid, refund(tip, '20.00'), failRefund(tip))
      .when(failRefund(tip))
      .thenNothing();
  });
  it('that failed leaves room for another', () =>
    void given(...paid, refund(tip, '20.00', 're_1'), failRefund(tip, 're_1'))
      .when(refund(tip, '20.00', 're_2'))
      .then('PaymentRefunded', { [JUNO_AVAILABLE]: '0' }));
  it('cannot fail when nobody knows it', () =>
    given(...paid)
      .when(failRefund(tip))
      .thenRejects('RefundNotFound'));
});

describe('a transfer', () => {
  const paid = [...accounts, openAccount(ADA), open(tip), settle(tip)];
  it('moves money between two available balances', () =>
    void given(...paid)
      .when(transfer('7.50', JUNO, MILO))
      .then('TransferPosted', { [JUNO_AVAILABLE]: '12.50', [MILO_AVAILABLE]: '7.50' }));
  it('may take the last cent', () =>
    void given(...paid)
      .when(transfer('20.00', JUNO, MILO))
      .then('TransferPosted', { [JUNO_AVAILABLE]: '0' }));
  it('refuses a cent more than is there', () =>
    given(...paid)
      .when(transfer('20.01', JUNO, MILO))
      .thenRejects('InsufficientFunds'));
  it('refuses a second one for the same money', () =>
    given(...paid, transfer('20.00', JUNO, MILO, 'trf_1'))
      .when(transfer('20.00', JUNO, ADA, 'trf_2'))
      .thenRejects('InsufficientFunds'));
  it('is quiet when repeated with the same key', () =>
    given(...paid, transfer('7.50', JUNO, MILO))
      .when(transfer('7.50', JUNO, MILO))
      .thenNothing());
  it('refuses an unknown recipient and oneself', () => {
    given(...paid)
      .when(transfer('1.00', JUNO, 'usr_nobody'))
      .thenRejects('RecipientNotFound');
    given(...paid)
      .when(transfer('1.00', JUNO, JUNO))
      .thenRejects('SamePerson');
  });
  it('never takes less than a whole cent', () =>
    given(...paid)
      .when({ ...transfer('1.00', JUNO, MILO), amountMinor: minor('1.00') / 3 } as never)
      .thenRejects('DoesNotApply'));
});
