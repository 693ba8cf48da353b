import { describe, expect, it } from '@jest/globals';
import { line } from '../../../testing/transactions.js';
import { sumsOf } from '../transactions/transactions.js';
import { beginningOf, monthAfter, spanOfMonth } from '../../shared/wording/months.js';
import { csvOf } from './csv.js';
import { filterOf, NOTHING_CHOSEN } from './filter.js';
import { linesOf } from './lines.js';
import { hiddenMatch, piecesOf } from './matches.js';
import { withEarlier, withNewest } from '../../shared/api/growing-list.js';

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
  const all = NOTHING_CHOSEN;
  it('is everything when nothing is chosen, or what is chosen is no day', () => {
    expect(filterOf(all)).toEqual({});
    expect(filterOf({ ...all, text: '  ', from: '2026-02-30', to: 'soon' })).toEqual({});
  });
  it('is what was paid so and stands so', () =>
    expect(filterOf({ ...all, kind: 'sent', method: 'balance', status: 'refunded' })).toEqual({
      type: 'payment_sent',
      method: 'balance',
      status: 'refunded',
    }));
  it('has the last day in it', () =>
    expect(filterOf({ ...all, to: '2026-10-31' })).toEqual({ to: new Date(2026, 10, 1).toISOString() }));
  it('has everything up to the last day that a calendar has', () =>
    // The day after it has a year of five digits, which the server does not take.
    expect(filterOf({ ...all, to: '9999-12-31' })).toEqual({}));
});

describe('the list as it is drawn', () => {
  const at = (month: number, day: number, hour: number): string =>
    new Date(2026, month - 1, day, hour).toISOString();
  const now = new Date(2026, 10, 20, 22).getTime();

  it('has a heading for each month and day, and knows where a day’s card begins and ends', () => {
    const rows = [
      line('p1', { createdAt: at(11, 20, 21) }),
      line('p2', { createdAt: at(11, 20, 9) }),
      line('p3', { createdAt: at(11, 2, 9) }),
      line('p4', { createdAt: at(10, 30, 9) }),
    ];
    expect(
      linesOf(rows, now).map((each) =>
        each.kind === 'row'
          ? `${each.position} ${each.key}${each.isFirstOfDay ? ' first' : ''}${each.isLastOfDay ? ' last' : ''}`
          : each.title,
      ),
    ).toEqual([
      'November 2026',
      'Today',
      '1 p1 first',
      '2 p2 last',
      'Mon Nov 2',
      '3 p3 first last',
      'October 2026',
      'Fri Oct 30',
      '4 p4 first last',
    ]);
  });
});

describe('rows that were read', () => {
  const known = { rows: ['p3', 'p2', 'p1'].map((id) => line(id, { createdAt: 'x' })), next: '5-1' };

  it('get what arrived on top and what changed in place, and keep what lies below', () => {
    const newest = {
      rows: [
        line('p4', { createdAt: 'x' }),
        line('p3', { createdAt: 'x' }),
        line('p2', { createdAt: 'x', status: 'refunded' }),
      ],
      next: '5-2',
    };
    const merged = withNewest(known, newest, known);
    expect(merged.rows.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'p4 completed',
      'p3 completed',
      'p2 refunded',
      'p1 completed',
    ]);
    expect(merged.next).toBe('5-1');
    expect(merged.rows[1]).toBe(known.rows[0]);
  });

  it('are all replaced where any of them may have changed, as far as they were read again', () => {
    const outdated = withEarlier({ ...known, isOutdated: true }, '5-1', { rows: [line('p0')], next: '5-0' });
    const newest = { rows: [known.rows[0]!, line('p2', { status: 'refunded' })], next: '5-2' };
    const merged = withNewest(outdated, newest, outdated);
    expect(merged).toEqual(newest);
    expect(merged.rows[0]).toBe(known.rows[0]);
  });

  it('stay, to be read again, where they were outdated while only the newest were on their way', () => {
    const outdated = { ...known, isOutdated: true };
    const merged = withNewest(outdated, { rows: [known.rows[0]!], next: '5-3' }, known);
    expect(merged).toEqual(outdated);
  });

  it('begin anew where more arrived than one page tells', () => {
    const newest = { rows: [line('p9')], next: '5-8' };
    expect(withNewest(known, newest, known)).toBe(newest);
  });

  it('are followed by the page that was asked for behind them, once', () => {
    const page = { rows: [line('p0')], next: undefined };
    const all = withEarlier(known, '5-1', page);
    expect(all.rows.map(({ id }) => id)).toEqual(['p3', 'p2', 'p1', 'p0']);
    expect(withEarlier(all, '5-1', page)).toBe(all);
  });
});

describe('why a row is found', () => {
  it('is marked wherever the text stands, in either case of its letters', () => {
    expect(piecesOf('Anna and Hannah', 'ann')).toEqual(['', 'Ann', 'a and H', 'ann', 'ah']);
    expect(piecesOf('Wren', '')).toEqual(['Wren']);
    expect(piecesOf('İstanbul', 'bul')).toEqual(['İstanbul']);
  });

  it('is the username where the row shows nothing else of it', () => {
    const named = line('p1', { counterpartyName: 'Wren Achebe', counterpartyUsername: 'nightowl' });
    expect(hiddenMatch(named, 'owl')).toBe('@nightowl');
    expect(hiddenMatch(named, 'wren')).toBeUndefined();
    expect(hiddenMatch({ ...named, description: 'For the owl' }, 'owl')).toBeUndefined();
  });
});
