/** The rule of what falls due: one route at a time, one effect in the end. */
import { describe, expect, it } from '@jest/globals';
import { platform } from '#contracts/plain/accounts';
import type { JournalEvent } from '#contracts/events/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import {
  ADA,
  AT,
  booksAfter,
  cancel,
  CARD,
  collect,
  collecting,
  contextOf,
  decline,
  given,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  MILO_AVAILABLE,
  open,
  openAccount,
  settle,
  submit,
} from '#test/support/journal-spec';
import { decide } from './books.js';

const earnings = { paymentId: 'pay_earned', amount: '30.00', from: ADA, to: MILO };
const accounts = [openAccount(JUNO), openAccount(MILO), openAccount(ADA)];
const rich = [...accounts, open(earnings), settle(earnings)];
const byCard = collect('10.00', 1, { savedCard: CARD });
const card = collecting('10.00');
const routeOf = (before: readonly JournalCommand[], command: JournalCommand) => {
  const decision = decide(command, contextOf(command), booksAfter(...before), Date.parse(AT));
  if (decision.kind !== 'repeat') throw new Error(`Expected a repeat, got a ${decision.kind}`);
  return decision.route;
};

describe('an occurrence', () => {
  it('is a transfer when the balance covers all of it, and names what it collects', () => {
    const event = given(...rich)
      .when(collect('30.00', 1, { savedCard: CARD }))
      .then('TransferPosted', { [MILO_AVAILABLE]: '0', [JUNO_AVAILABLE]: '30.00' });
    expect(event.data).toMatchObject({
      occurrence: { occurrenceId: 'occ_1', kind: 'subscription', scheduleId: 'sub_1', dueAt: AT, attempt: 1 },
    });
  });
  it('is a payment by the saved card when a cent is missing: the balance is not touched', () => {
    const event = given(...rich)
      .when(collect('30.01', 1, { savedCard: CARD }))
      .then('PaymentOpened', { [MILO_AVAILABLE]: '30.00', [JUNO_AVAILABLE]: '0' });
    expect(event.data).toMatchObject({ savedCard: CARD, method: 'card', occurrence: { attempt: 1 } });
  });
  it('asks for a card when the balance does not do, and decides nothing before somebody has looked for one', () => {
    given(...rich)
      .when(collect('30.01'))
      .thenRejects('NoFunding');
    given(...rich)
      .when(collect('30.00', 1, { savedCard: 'none' }))
      .then('TransferPosted');
  });
  it('is refused when there is neither, and that is written down', () => {
    const event = given(...rich)
      .when(collect('30.01', 1, { savedCard: 'none' }))
      .then('CollectionRefused', { [MILO_AVAILABLE]: '30.00', [JUNO_AVAILABLE]: '0' });
    expect(event.data).toMatchObject({
      code: 'no_funding',
      payerId: MILO,
      recipientId: JUNO,
      amountMinor: 3001,
      occurrence: { occurrenceId: 'occ_1', scheduleId: 'sub_1', attempt: 1 },
    });
    given(...accounts)
      .when(collect('0.49', 1, { savedCard: CARD }))
      .then('CollectionRefused');
  });
  it('of somebody unknown, or to oneself, is refused', () => {
    const codeOf = (event: JournalEvent) => event.type === 'CollectionRefused' && event.data.code;
    expect(codeOf(given(openAccount(MILO)).when(byCard).then('CollectionRefused'))).toBe(
      'recipient_not_found',
    );
    expect(codeOf(given(openAccount(JUNO)).when(byCard).then('CollectionRefused'))).toBe('payer_not_found');
    const toOneself = collect('1.00', 1, { recipientId: MILO });
    expect(
      codeOf(
        given(...accounts)
          .when(toOneself)
          .then('CollectionRefused'),
      ),
    ).toBe('same_person');
  });
  it('is collected once: the same attempt, and any after success, is quiet and names the same route', () => {
    const transferred = [...rich, collect('10.00')];
    for (const attempt of [1, 2, 3]) {
      given(...transferred)
        .when(collect('10.00', attempt))
        .thenNothing();
      expect(routeOf(transferred, collect('10.00', attempt))).toMatchObject({
        attempt: 1,
        transferId: expect.any(String),
      });
    }
    const paid = [...accounts, byCard, submit(card), settle(card)];
    for (const attempt of [1, 2])
      expect(routeOf(paid, collect('10.00', attempt, { savedCard: CARD }))).toMatchObject({
        attempt: 1,
        paymentId: card.paymentId,
      });
  });
  it('twice at once, of two schedules, spends one balance once', () => {
    given(...rich, collect('30.00'))
      .when(collect('30.00', 1, { occurrenceId: 'occ_2', savedCard: 'none' }))
      .then('CollectionRefused', { [MILO_AVAILABLE]: '0', [JUNO_AVAILABLE]: '30.00' });
  });
});

describe('an attempt that was refused', () => {
  const refused = collect('10.00', 1, { savedCard: 'none' });
  const before = [...accounts, refused];
  const paidSince = [...before, open(earnings), settle(earnings)];

  it('stays refused, whatever money or card there is by then', () => {
    for (const again of [refused, collect('10.00'), byCard]) {
      given(...paidSince)
        .when(again)
        .thenNothing();
      expect(routeOf(paidSince, again)).toMatchObject({ attempt: 1, refused: 'no_funding' });
    }
    given(openAccount(MILO), byCard, openAccount(JUNO)).when(byCard).thenNothing();
  });
  it('has ended: the next one may choose, by balance or by card', () => {
    given(...paidSince)
      .when(collect('10.00', 2))
      .then('TransferPosted', { [JUNO_AVAILABLE]: '10.00' });
    given(...before)
      .when(collect('10.00', 2, { savedCard: CARD }))
      .then('PaymentOpened');
    given(...before)
      .when(collect('10.00', 2, { savedCard: 'none' }))
      .then('CollectionRefused');
  });
  it('lets none before it choose any more', () =>
    given(...accounts, collect('10.00', 2, { savedCard: 'none' }))
      .when(byCard)
      .thenRejects('AttemptSuperseded'));
});

describe('an attempt at an occurrence', () => {
  const second = collect('10.00', 2, { savedCard: CARD });

  it('waits until the route before it has ended, though the card was declined', () => {
    for (const way of [
      [...accounts, byCard],
      [...accounts, byCard, submit(card)],
      [...accounts, byCard, decline(card)],
    ])
      given(...way)
        .when(second)
        .thenRejects('OccurrenceUnderWay');
  });
  it('chooses again once the payment before it was canceled, also another route: money may have come in between', () => {
    given(...accounts, byCard, cancel(card))
      .when(second)
      .then('PaymentOpened');
    given(...rich, collect('31.00', 1, { savedCard: CARD }), cancel(collecting('31.00')))
      .when(collect('30.00', 2))
      .then('TransferPosted');
  });
  it('that comes late is quiet if it was made, and refused if a later one was', () => {
    given(...accounts, byCard, cancel(card), second)
      .when(byCard)
      .thenNothing();
    given(...accounts, second, cancel(collecting('10.00', 2)))
      .when(byCard)
      .thenRejects('AttemptSuperseded');
  });
  it('names its occurrence in every entry that ends or fails it', () => {
    for (const [step, type] of [
      [decline(card), 'PaymentAttemptFailed'],
      [settle(card), 'PaymentSettled'],
      [cancel(card), 'PaymentCanceled'],
    ] as const)
      expect(
        given(...accounts, byCard)
          .when(step)
          .then(type).data,
      ).toMatchObject({ occurrence: { occurrenceId: 'occ_1', attempt: 1 } });
  });
  it('that was ended and pays after all is money that goes back, whether or not another attempt pays', () => {
    const ended = [...accounts, byCard, cancel(card)];
    const paid = collecting('10.00', 2);
    for (const since of [
      [],
      [collect('10.00', 2, { savedCard: 'none' })],
      [second],
      [second, cancel(paid)],
    ]) {
      const event = given(...ended, ...since)
        .when(settle(card))
        .then('UnappliedReceived', { [JUNO_AVAILABLE]: '0', [platform('unapplied')]: '10.00' });
      expect(event.data).toMatchObject({ reason: 'attempt-ended' });
    }
    given(...ended, second, settle(card))
      .when(settle(paid))
      .then('PaymentSettled', { [JUNO_AVAILABLE]: '10.00', [platform('unapplied')]: '10.00' });
    given(...ended, second, settle(paid))
      .when(settle(card))
      .then('UnappliedReceived', { [JUNO_AVAILABLE]: '10.00', [platform('unapplied')]: '10.00' });
    given(...ended, settle(card))
      .when(settle(card))
      .thenNothing();
  });
});
