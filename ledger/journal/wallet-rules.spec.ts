/** The rules of treasury wallets. */
import { describe, expect, it } from '@jest/globals';
import { wallet } from '#contracts/plain/accounts';
import {
  AT,
  booksAfter,
  contextOf,
  fund,
  given,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  open,
  openAccount,
  openWallet,
  settle,
  WALLET,
  withdraw,
} from '#test/support/journal-spec';
import { decide } from './books.js';

const tip = { paymentId: 'pay_1', amount: '20.00' };
const earned = [openAccount(JUNO), openAccount(MILO), open(tip), settle(tip)];
const opened = [...earned, openWallet()];
const funded = [...opened, fund('12.00')];
const money = (availableNow: string, inWallet: string) => ({
  [JUNO_AVAILABLE]: availableNow,
  [wallet(WALLET)]: inWallet,
});

describe('a wallet', () => {
  it('opens at zero', () => {
    given(...earned)
      .when(openWallet())
      .then('WalletOpened', money('20.00', '0'));
  });
  it('opens once, and refuses another body under the same key', () => {
    given(...opened)
      .when(openWallet())
      .thenNothing();
    given(...earned, { command: openWallet(), context: { fingerprint: 'tour' } })
      .when({ command: openWallet(), context: { fingerprint: 'van' } })
      .thenRejects('KeyReused');
  });
  it('is for somebody who has an account', () => given().when(openWallet()).thenRejects('PayerNotFound'));

  it('takes money from the available balance, and gives it back', () => {
    given(...opened)
      .when(fund('12.00'))
      .then('WalletFunded', money('8.00', '12.00'));
    given(...funded)
      .when(withdraw('5.00'))
      .then('WalletWithdrawn', money('13.00', '7.00'));
  });
  it('may be filled and emptied to the last cent, and not beyond', () => {
    given(...opened)
      .when(fund('20.00'))
      .then('WalletFunded', money('0', '20.00'));
    given(...opened)
      .when(fund('20.01'))
      .thenRejects('InsufficientFunds');
    given(...funded)
      .when(withdraw('12.00'))
      .then('WalletWithdrawn', money('20.00', '0'));
    given(...funded)
      .when(withdraw('12.01'))
      .thenRejects('InsufficientFunds');
  });
  it('says what is there and what was asked', () => {
    const command = withdraw('1000.00');
    expect(() => decide(command, contextOf(command), booksAfter(...funded), Date.parse(AT))).toThrow(
      'This wallet holds $12.00, which does not cover $1,000.00.',
    );
  });
  it('is moved once by one key, however often it is sent', () => {
    given(...funded)
      .when(fund('12.00'))
      .thenNothing();
    given(...funded, withdraw('5.00'))
      .when(withdraw('5.00'))
      .thenNothing();
  });
  it('of another, or of nobody, is unknown', () => {
    for (const step of [
      fund('1.00', 'wtx_2', MILO),
      withdraw('1.00', 'wtx_2', MILO),
      fund('1.00', 'wtx_2', JUNO, 'wal_none'),
    ])
      given(...funded)
        .when(step)
        .thenRejects('WalletNotFound');
  });
});
