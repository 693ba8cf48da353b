/** What an audit's report might show: the books of one November, in order. */
import type { AuditReport, InclusionProof, ReportEntry } from '#audit/report-page/report';
import type { Check } from '#audit/report';

const CHECKS: readonly (readonly [name: string, figure: string])[] = [
  ['chain of every stream', '18204 streams'],
  ['revisions without gaps', '1284903 events'],
  ['every event readable', '1284903 events'],
  ['no event twice', '1284903 ids'],
  ['no idempotency key twice', '402118 keys'],
  ['times in order and not ahead', '1284903 events'],
  ['every entry balanced', '611540 entries'],
  ['trial balance zero', '54612 accounts'],
  ['overdrawn by refund or dispute', '27306 accounts of people, 3 in debt'],
  ['payments settled once', '388071 payments'],
  ['occurrences collected once', '21940 occurrences'],
  ['payouts ended once', '9602 payouts'],
  ['live rows = replay', '1902447 rows'],
];
/** In thousands of dollars, at the end of each day. */
const HELD = [
  481.3, 487, 479, 483.1, 487.8, 495.2, 504.7, 508.6, 498.9, 501.6, 506.1, 509.9, 518.2, 527.6, 531.2, 513.9,
  517.8, 520.4, 522.9, 526.1,
];
const hashOf = (seed: number): string =>
  Array.from(
    { length: 43 },
    (_, at) => 'abcdefghijklmnopqrstuvwxyz0123456789-_'[(seed * 31 + at * 17) % 38],
  ).join('');

const PROOF: InclusionProof = {
  leafHash: hashOf(1),
  steps: Array.from({ length: 19 }, (_, at) => ({
    with: at === 0 ? 'with the event before' : `with ${(2 ** at).toLocaleString('en-US')} events before`,
    hash: hashOf(at + 2),
  })),
  rootHash: hashOf(40),
  publishedAt: '2026-11-22T00:00:00.000Z',
};

const entry = (revision: number, more: Partial<ReportEntry>): ReportEntry => ({
  revision,
  id: `0192${revision}`,
  type: 'PaymentSettled',
  recordedAt: new Date(Date.parse('2026-11-21T21:44:07Z') - (611_540 - revision) * 61_000).toISOString(),
  subject: { label: 'Payment', id: `pay_5dk2w8qx7h2kq9fqm2c4e${revision}` },
  hash: hashOf(revision),
  previousHash: hashOf(revision - 1),
  postings: [
    { debit: 'platform/card-clearing', credit: 'user/7h2kq9/available', amountMinor: 1000, currency: 'usd' },
  ],
  ...more,
});

export const IN_ORDER: AuditReport = {
  checks: CHECKS.map(([name, figure]): Check => ({ name, figure, findings: [] })),
  events: 1_284_903,
  readTo: '48,112,906',
  from: '2026-11-01T00:03:12.000Z',
  to: '2026-11-21T21:44:07.000Z',
  madeAt: '2026-11-22T00:04:41.000Z',
  tookMs: 41_000,
  people: [
    { label: 'Available', minor: 41_290_618, search: '/available' },
    { label: 'On the way to banks', minor: 1_842_000, search: '/payouts' },
    { label: 'Wallets', minor: 9_634_055, search: 'wallet/' },
  ],
  outside: [
    { label: 'Card clearing', minor: -47_157_930, search: 'platform/card-clearing' },
    { label: 'Connect clearing', minor: -2_964_010, search: 'platform/connect-clearing' },
    { label: 'Bank clearing', minor: -1_126_000, search: 'platform/bank-clearing' },
    { label: 'Fees', minor: -1_490_233, search: 'platform/fees' },
    { label: 'Dispute losses', minor: -31_000, search: 'platform/dispute-losses' },
    { label: 'Unapplied', minor: 2500, search: 'platform/unapplied' },
  ],
  days: [...HELD.map((thousands) => Math.round(thousands * 100_000)), 52_766_673].map((minor, at) => ({
    day: `2026-11-${String(at + 1).padStart(2, '0')}`,
    minor,
  })),
  entries: [
    entry(611_540, { proof: PROOF }),
    entry(611_539, {
      type: 'TransferPosted',
      subject: { label: 'Transfer', id: 'trf_93kx7fqm2c4f1' },
      actorId: 'usr_odalys9fqm2c4f17h2kq9',
      postings: [
        {
          debit: 'user/odalys9f/available',
          credit: 'user/7h2kq9/available',
          amountMinor: 1500,
          currency: 'usd',
        },
      ],
      proof: PROOF,
    }),
    entry(611_538, {
      type: 'ProviderFeeCharged',
      postings: [
        { debit: 'platform/fees', credit: 'platform/card-clearing', amountMinor: 59, currency: 'usd' },
      ],
    }),
    entry(611_537, { type: 'PaymentSubmitted', postings: [] }),
    entry(598_112, {
      type: 'PayoutRequested',
      subject: { label: 'Payout', id: 'po_7h2kq9m2c4f1' },
      actorId: 'usr_7h2kq9',
      postings: [
        {
          debit: 'user/7h2kq9/available',
          credit: 'user/7h2kq9/payouts',
          amountMinor: 24_000,
          currency: 'usd',
        },
      ],
    }),
  ],
  entryCount: 611_541,
};

/** The same after somebody has changed a payout, and a figure of a read model. */
export const NOT_IN_ORDER: AuditReport = {
  ...IN_ORDER,
  checks: IN_ORDER.checks.map((check) => {
    if (check.name === 'chain of every stream')
      return {
        ...check,
        findings: [
          'journal at revision 598112: its hash does not follow from what stands there. The event was changed after it was written.',
        ],
      };
    if (check.name === 'every entry balanced')
      return {
        ...check,
        findings: [
          'journal at revision 598112: PayoutRequested of 240.00 carries postings of 2,400.00. Hold the entry against the provider’s payout before anything is paid out.',
        ],
      };
    if (check.name === 'live rows = replay')
      return {
        ...check,
        findings: ['balances: user/7h2kq9/available holds 3444.50, and the log says 1284.50'],
      };
    return check;
  }),
  people: IN_ORDER.people.map((line) =>
    line.label === 'Available' ? { ...line, minor: line.minor - 216_000 } : line,
  ),
};
