/**
 * The report's page: what it says of books in order and not in order, and that no text of a log gets out of
 * its place.
 */
import { describe, expect, it } from '@jest/globals';
import { chart } from './chart.js';
import { html } from './markup.js';
import { reportPage } from './page.js';
import type { AuditReport, ReportEntry } from './report.js';
import { axisAmount, duration, figure, money, period, withThousands } from './words.js';

const ENTRY: ReportEntry = {
  revision: 611_540,
  id: '0192-aa',
  type: 'PaymentSettled',
  recordedAt: '2026-11-21T21:44:07.120Z',
  subject: { label: 'Payment', id: 'pay_5dk2w8qx7h2kq9fqm2c4e70b' },
  hash: '195d790a5d0c5d0c5d0c5d0cc7ff5a3d',
  previousHash: 'a5e09ed45d0c5d0c5d0c5d0ca724413f',
  postings: [
    { debit: 'platform/card-clearing', credit: 'user/7h2kq9/available', amountMinor: 1000, currency: 'usd' },
  ],
};
const REPORT: AuditReport = {
  checks: [
    { name: 'chain of every stream', figure: '18204 streams, 1284903 events', findings: [] },
    { name: 'trial balance zero', figure: '54612 accounts, usd 0', findings: [] },
  ],
  events: 1_284_903,
  readTo: '48112906',
  from: '2026-11-01T00:10:00.000Z',
  to: '2026-11-21T21:44:07.120Z',
  madeAt: '2026-11-22T00:04:10.000Z',
  tookMs: 41_000,
  people: [
    { label: 'Available', minor: 41_290_618, search: '/available' },
    { label: 'Wallets', minor: 9_634_055, search: 'wallet/' },
  ],
  outside: [{ label: 'Card clearing', minor: -50_924_673, search: 'platform/card-clearing' }],
  days: [
    { day: '2026-11-20', minor: 50_000_000 },
    { day: '2026-11-21', minor: 50_924_673 },
  ],
  entries: [ENTRY, { ...ENTRY, revision: 611_539, id: '0192-a9' }],
  entryCount: 611_541,
};
const FAILED = {
  name: 'every entry balanced',
  figure: '611541 entries',
  findings: ['journal at revision 611539: 10.00 is derived, and 90.00 stands there', 'a stray account'],
};
const FORGED = '<script>alert(1)</script>"\'><img src=x onerror=alert(2)>&';

/** What a reader sees, without what only a browser reads. */
const textOf = (page: string): string =>
  page
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the report', () => {
  it('says that the books are in order, with every check, balance and the newest entry', () => {
    const text = textOf(reportPage(REPORT));
    for (const words of [
      'The books are in order.',
      'November 1 to 21, 2026 · log read to 48112906',
      'Made Nov 22, 2026, 00:04 UTC, in 41 s.',
      '2 of 2 hold',
      'Chain of every stream 18,204 streams, 1,284,903 events',
      'Owed to people 509,246.73',
      'Card clearing -509,246.73',
      'Everything added up 0.00',
      'Entry 611,540 PaymentSettled',
      'Payment pay_5dk2w8…e70b',
      'Entry before it a5e09ed4…a724413f',
      'platform/card-clearing 10.00',
      '2 of 611,541 entries: the newest, and those that a check names.',
    ])
      expect(text).toContain(words);
    expect(text).not.toContain('What does not hold');
  });

  it('says what does not hold above everything else, and leads to the entry', () => {
    const page = reportPage({ ...REPORT, checks: [...REPORT.checks, FAILED] });
    const text = textOf(page);
    for (const words of ['The books are not in order.', 'Findings 2', '2 of 3 hold', 'a stray account'])
      expect(text).toContain(words);
    expect(page).toContain('<a href="#e611539">journal at revision 611539</a>: 10.00 is derived');
    expect(text.indexOf('What does not hold')).toBeLessThan(text.indexOf('2 of 3 hold'));
    expect(text).toContain('A check found this entry wrong: see What does not hold.');
  });

  it('shows what the accounts add up to where that is not zero', () => {
    const [first] = REPORT.people;
    const text = textOf(reportPage({ ...REPORT, people: [first!] }));
    expect(text).toContain('Everything added up -96,340.55');
  });

  it('shows the way from an entry to the published root, and unfolds its further steps', () => {
    const steps = ['entry 611,539', '2 entries before', '4 entries before', '8 entries before'].map(
      (with_, at) => ({
        with: `with ${with_}`,
        hash: `${at}`.repeat(43),
      }),
    );
    const proof = {
      leafHash: ENTRY.hash,
      steps,
      rootHash: '8f616cb2aaaaaaaaaaaaaaaaaaaaaaaa42ab6bff',
      publishedAt: '2026-11-22T00:00:00.000Z',
    };
    const text = textOf(reportPage({ ...REPORT, entries: [{ ...ENTRY, proof }] }));
    expect(text).toContain('with entry 611,539 00000000…00000000');
    expect(text).toContain('2 more steps with 4 entries before');
    expect(text).toContain('Root 8f616cb2…42ab6bff');
    expect(text).toContain('Is in the log. Root as published Nov 22, 2026, 00:00.');
    expect(textOf(reportPage(REPORT))).toContain('No published root was given that covers it.');
  });

  it('lets no text of the log out of its place', () => {
    const entry = {
      ...ENTRY,
      id: FORGED,
      type: FORGED,
      subject: { label: FORGED, id: FORGED },
      actorId: FORGED,
      hash: FORGED,
      postings: [{ debit: FORGED, credit: FORGED, amountMinor: 1, currency: 'usd' }],
    };
    const page = reportPage({
      ...REPORT,
      checks: [{ name: FORGED, figure: FORGED, findings: [FORGED] }],
      outside: [{ label: FORGED, minor: 1, search: FORGED }],
      entries: [entry],
    });
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(page).not.toContain('<img');
    // Within an attribute as well nothing ends it.
    expect(page).not.toMatch(/="[^"]*onerror=alert\(2\)>/);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x');
  });

  it('fetches nothing, and runs no script but its own', () => {
    const page = reportPage(REPORT, Buffer.from('a font'));
    expect(page).toContain("default-src 'none'");
    expect(page).toMatch(/script-src 'sha256-[A-Za-z0-9+/]{43}='/);
    expect(page.replace(/url\(data:font\/woff2;base64,[A-Za-z0-9+/=]+\)/, '')).not.toMatch(
      /url\(|https?:|src="|@import/,
    );
  });

  it('is made of a log without an entry as well', () => {
    const empty = {
      ...REPORT,
      entries: [],
      entryCount: 0,
      days: [],
      from: undefined,
      to: undefined,
      people: [],
    };
    expect(textOf(reportPage(empty))).toContain('No entry has moved money yet.');
  });
});

describe('the chart', () => {
  it('draws a step for each day, between the least and the most', () => {
    const days = [10_000, 30_000, 20_000].map((minor, at) => ({ day: `2026-11-0${at + 1}`, minor }));
    const { text } = chart(days)!;
    expect(text).toContain('d="M64 134H395V26H726V80"');
    expect(text).toContain('from 100.00 to 200.00 dollars');
  });

  it('draws the first day of a log as a step from nothing', () => {
    const { text } = chart([{ day: '2026-11-01', minor: 203_875 }])!;
    expect(text).toContain('d="M64 134H726V26"');
    expect(text).toContain('Oct 31 to Nov 1: from 0.00 to 2,038.75 dollars');
  });

  it('draws one day, a debt and a standing balance', () => {
    for (const minors of [[5000], [-5000, -9000], [0, 0, 0]]) {
      const { text } = chart(minors.map((minor, at) => ({ day: `2026-11-0${at + 1}`, minor })))!;
      expect(text).not.toContain('NaN');
    }
  });
});

describe('the words', () => {
  it('writes money and figures as people read them', () => {
    expect([figure(-52_766_673), money(-100), money(5)]).toEqual(['-527,666.73', '-$1.00', '$0.05']);
    expect([48_000_000, 1250, 120_000_000, 500_000].map(axisAmount)).toEqual([
      '$480k',
      '$12.50',
      '$1.2M',
      '$5,000',
    ]);
    expect(withThousands('18204 streams, pay_12345, 2026-11-21')).toBe(
      '18,204 streams, pay_12345, 2026-11-21',
    );
    expect([41_000, 300, 125_400].map(duration)).toEqual(['41 s', '0.3 s', '2 min 5 s']);
  });

  it('says a period as short as it can be said', () => {
    expect(period('2026-11-01T00:00:00Z', '2026-11-21T00:00:00Z')).toBe('November 1 to 21, 2026');
    expect(period('2026-10-01T00:00:00Z', '2026-11-21T00:00:00Z')).toBe('October 1 to November 21, 2026');
    expect(period('2025-10-01T00:00:00Z', '2026-11-21T00:00:00Z')).toBe('Oct 1, 2025 to Nov 21, 2026');
    expect(period('2026-11-21T00:00:00Z', '2026-11-21T09:00:00Z')).toBe('November 21, 2026');
  });

  it('escapes what is put into markup, and only that', () => {
    expect(html`<b>${'<i>&"\''}${html`<i>${1}</i>`}${false}${undefined}</b>`.text).toBe(
      '<b>&lt;i&gt;&amp;&quot;&#39;<i>1</i></b>',
    );
  });
});
