/** The rules of treasury wallets. */
import { describe, expect, it } from '@jest/globals';
import { wallet } from '#contracts/plain/accounts';
import { DEFAULT_LIMITS } from '#contracts/limits';
import {
  apply,
  AT,
  booksAfter,
  closeWallet,
  contextOf,
  fund,
  given,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  open,
  openAccount,
  openWallet,
  renameWallet,
  settle,
  WALLET,
  withdraw,
} from '#test/support/journal-spec';
import { decide } from './books.js';
import type { Books } from './state.js';

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

describe('a wallet that is no longer needed', () => {
  it('is closed, with what is left in it back in the balance by the same entry', () => {
    const closed = given(...funded)
      .when(closeWallet())
      .then('WalletClosed', money('20.00', '0'));
    expect(closed.data).toMatchObject({ amountMinor: 1200, movementId: 'wtx_close' });
    given(...opened)
      .when(closeWallet())
      .then('WalletClosed', money('20.00', '0'));
  });
  it('is closed once, and is unknown afterwards', () => {
    given(...funded, closeWallet())
      .when(closeWallet())
      .thenNothing();
    for (const step of [
      closeWallet('wtx_2'),
      fund('1.00', 'wtx_2'),
      withdraw('1.00', 'wtx_2'),
      renameWallet('Van'),
    ])
      given(...funded, closeWallet())
        .when(step)
        .thenRejects('WalletNotFound');
  });
  it('is closed by nobody but its owner', () =>
    given(...funded)
      .when(closeWallet('wtx_2', MILO))
      .thenRejects('WalletNotFound'));
});

describe('a wallet’s name', () => {
  it('is changed by its owner, however often the same is sent', () => {
    given(...opened)
      .when(renameWallet('Van'))
      .then('WalletRenamed');
    given(...opened, renameWallet('Van'))
      .when(renameWallet('Van'))
      .thenNothing();
    given(...opened)
      .when(renameWallet('Van', MILO))
      .thenRejects('WalletNotFound');
  });
});

describe('the number of wallets', () => {
  const DAY_MS = 86_400_000;
  const limits = { ...DEFAULT_LIMITS, wallets: 3, 'wallets-day': 5 };
  let revision = 1_000;
  const take = (books: Books, command: ReturnType<typeof openWallet>, nowMs = Date.parse(AT)): void => {
    const decision = decide(command, contextOf(command), books, nowMs, undefined, limits);
    if (decision.kind === 'entry') apply(books, decision, ++revision);
  };
  const three = (): Books =>
    booksAfter(...earned, ...['a', 'b', 'c'].map((id) => openWallet(JUNO, `wal_${id}`)));

  it('is limited for each user, and closing one makes room', () => {
    const books = three();
    expect(() => take(books, openWallet(JUNO, 'wal_d'))).toThrow(
      'You can have 3 wallets at most. Close one that you no longer use first.',
    );
    take(books, openWallet(MILO, 'wal_milo'));
    take(books, closeWallet('wtx_a', JUNO, 'wal_a'));
    take(books, openWallet(JUNO, 'wal_d'));
    expect(books.walletsOf.get(JUNO)).toEqual(['wal_b', 'wal_c', 'wal_d']);
  });
  it('that are opened in a day is limited, whether they are closed again or not', () => {
    const books = three();
    for (const id of ['d', 'e']) {
      take(books, closeWallet(`wtx_${id}`, JUNO, id === 'd' ? 'wal_a' : 'wal_b'));
      take(books, openWallet(JUNO, `wal_${id}`));
    }
    take(books, closeWallet('wtx_f', JUNO, 'wal_c'));
    expect(() => take(books, openWallet(JUNO, 'wal_f'))).toThrow(
      'You can open 5 wallets in a day. Please open the next one in 26 hours.',
    );
    take(books, openWallet(JUNO, 'wal_f'), Date.parse(AT) + DAY_MS + DAY_MS / 12);
  });
  it('may be above the limit in an old log: what is there is used as before', () => {
    const books = booksAfter(
      ...earned,
      ...['a', 'b', 'c', 'd', 'e'].map((id) => openWallet(JUNO, `wal_${id}`)),
    );
    take(books, fund('1.00', 'wtx_e', JUNO, 'wal_e'));
    expect(books.balanceOf(wallet('wal_e'))).toBe(100);
    expect(() => take(books, openWallet(JUNO, 'wal_f'))).toThrow('You can have 3 wallets at most.');
  });
});
