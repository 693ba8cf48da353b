/** Whom the loss of a log's end closes to debits, and whom it does not. */
import { describe, expect, it } from '@jest/globals';
import type { LostRow } from '#projections/engine/replace-rows';
import { JUNO, MILO } from '#test/support/journal-spec';
import { usersOf } from './concerned.js';
import type { LostEvent } from './win-back.js';

const lostEntry = (kind: string): LostEvent => ({
  stream: 'journal',
  revision: 7,
  kind,
  users: [JUNO, MILO],
});
const lostRow = (table: string, kind: string): LostRow => ({
  table,
  what: 'missing',
  ids: { id: 'x', kind, payer_id: MILO, recipient_id: JUNO },
});

describe('a log that has lost its end concerns', () => {
  it('whoever moved money that no provider knows of', () => {
    for (const kind of [
      'TransferPosted',
      'WalletFunded',
      'WalletWithdrawn',
      'PayoutRequested',
      'DebtWrittenOff',
    ])
      expect(usersOf([lostEntry(kind)], [])).toEqual([JUNO, MILO]);
    expect(usersOf([], [lostRow('transactions', 'transfer')])).toEqual([JUNO, MILO]);
  });

  it('nobody by a payment: what moved of it is booked again by the provider’s word', () => {
    for (const kind of ['PaymentOpened', 'PaymentSettled', 'PaymentRefunded', 'DisputeFundsWithdrawn'])
      expect(usersOf([lostEntry(kind)], [])).toEqual([]);
    expect(usersOf([], [lostRow('transactions', 'payment')])).toEqual([]);
  });

  it('the payer of a schedule, whose balance it is for, and not its recipient', () =>
    expect(usersOf([], [lostRow('schedules', 'subscription')])).toEqual([MILO]));

  it('whoever changed something in a stream of their own', () =>
    expect(
      usersOf([{ ...lostEntry('SettingSwitchedOn'), stream: 'settings-usr_juno', users: [JUNO] }], []),
    ).toEqual([JUNO]));
});
