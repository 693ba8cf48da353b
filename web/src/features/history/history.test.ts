import { describe, expect, it } from '@jest/globals';
import { line } from '../../../testing/transactions.js';
import { sumsOf } from '../transactions/transactions.js';
import { beginningOf, monthAfter, spanOfMonth } from '../../shared/wording/months.js';
import { csvOf } from './csv.js';
import { filterOf } from './filter.js';

describe('a month as a file', () => {
  it('has a line for each, with the sign that it had for the balance', () => {
    const createdAt = '2026-11-20T19:30:00.000Z';
    const rows = [
      line('p1', { createdAt, counterpartyName: 'Wren Achebe', description: 'Thank you, "Juno"' }),
      line('p2', { createdAt, type: 'payment_sent', amount: '15.00', kind: 'transfer', status: 'failed' }),
    ];
    expect(csvOf(rows)).toBe(
      [
        'Date,Type,With,Username,Note,Method,Status,Amount,Refunded,Taken back,ID',
        `${createdAt},Received,Wren Achebe,wren,"Thank you, ""Juno""",Card,Completed,20.00,0.00,0.00,p1`,
        `${createdAt},Sent,wren,wren,,Balance,Failed,-15.00,0.00,0.00,p2`,
        '',
      ].join('\r\n'),
    );
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\u200b=1',
    '\u2066=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(A1)',
    '−1',
    'for you;=1+1',
    'for you; =1+1',
    'for you;"=1+1"',
    'for you,=1+1',
    'for you\n=1+1',
    'for you\t=1+1',
    'for you|@SUM(A1)',
  ])('does not let the note %j become a formula, whatever ends a cell where it is opened', (description) => {
    const [, row = ''] = csvOf([line('p1', { description })]).split('\r\n');
    const note = row.slice(row.indexOf(',wren,') + 6);
    for (const separator of [',', ';', '\t', '|', '\n', '\r'])
      for (const begins of note.split(separator))
        expect(begins).not.toMatch(/^[\s"\p{Cf}]*(?:[=@＝＋－＠−]|[+-](?!\d+\.\d\d$))/u);
  });
});

describe('a sum', () => {
  it('counts to the cent what has not failed and not gone back', () => {
    const rows = [
      line('p1', { amount: '0.10' }),
      line('p2', { amount: '0.20' }),
      line('p3', { amount: '99.00', status: 'failed' }),
      line('p4', { amount: '10.00', status: 'refunded', refundedAmount: '10.00' }),
      line('p6', { amount: '7.00', status: 'dispute_lost', disputedAmount: '7.00', disputeStatus: 'lost' }),
      line('p5', { amount: '1.00', type: 'payment_sent' }),
    ];
    expect(sumsOf(rows)).toEqual({ received: '0.30', sent: '1.00', net: '-0.70', count: 5 });
  });
});

describe('a month', () => {
  it('goes from its first midnight to that of the next, over the end of the year', () => {
    const { from, to } = spanOfMonth('2026-12');
    expect([from, to]).toEqual([new Date(2026, 11, 1).toISOString(), new Date(2027, 0, 1).toISOString()]);
    expect([monthAfter('2026-12'), monthAfter('2026-01', -1), monthAfter('2026-03', -15)]).toEqual([
      '2027-01',
      '2025-12',
      '2024-12',
    ]);
  });

  it.each(['2026-13', '2026-06-31', '', 'now'])('is not %j', (key) =>
    expect(beginningOf(key)).toBeUndefined(),
  );
});

describe('what is asked for', () => {
  const all = { text: '', kind: 'all', from: '', to: '' } as const;
  it('is everything when nothing is chosen, or what is chosen is no day', () => {
    expect(filterOf(all)).toEqual({});
    expect(filterOf({ ...all, text: '  ', from: '2026-02-30', to: 'soon' })).toEqual({});
  });
  it('has the last day in it', () =>
    expect(filterOf({ ...all, to: '2026-10-31' })).toEqual({ to: new Date(2026, 10, 1).toISOString() }));
});
