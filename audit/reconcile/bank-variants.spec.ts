/**
 * Statements as banks really send them: what CAMT.053 leaves open, and what its versions have in other
 * places.
 */
import { describe, expect, it } from '@jest/globals';
import { bankStatements } from './bank-file.js';
import { reconcileBank, type BankReconciliation } from './bank.js';
import { UnreadableFile } from './bounded-file.js';
import type { ReconciledEntry } from './booked-movements.js';

type Version = '02' | '04' | '08';
const amount = (decimal: string, currency = 'USD'): string => `<Amt Ccy="${currency}">${decimal}</Amt>`;

interface Entry {
  readonly decimal: string;
  readonly sign?: 'CRDT' | 'DBIT';
  readonly status?: string;
  readonly day?: string;
  readonly reference?: string;
  /** What stands inside the entry besides. */
  readonly more?: string;
  readonly currency?: string;
}

const remittance = (text: string): string => `<RmtInf><Ustrd>${text}</Ustrd></RmtInf>`;
const named = (id: string): string => `<NtryDtls><TxDtls>${remittance(`STRIPE ${id}`)}</TxDtls></NtryDtls>`;

function entryXml(
  {
    decimal,
    sign = 'CRDT',
    status = 'BOOK',
    day = '<Dt>2026-03-03</Dt>',
    reference,
    more = '',
    currency,
  }: Entry,
  version: Version,
): string {
  const state = version === '02' ? status : `<Cd>${status}</Cd>`;
  const ref = reference === undefined ? '' : `<AcctSvcrRef>${reference}</AcctSvcrRef>`;
  return `<Ntry>${amount(decimal, currency)}<CdtDbtInd>${sign}</CdtDbtInd><Sts>${state}</Sts><BookgDt>${day}</BookgDt>${ref}${more}</Ntry>`;
}

interface Statement {
  readonly entries: readonly Entry[];
  readonly opening: string;
  readonly closing: string;
  readonly currency?: string;
  readonly id?: string;
}

const statementXml = (
  { entries, opening, closing, currency = 'USD', id = 'S' }: Statement,
  version: Version,
): string =>
  `<Stmt><Id>${id}</Id><Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>${currency}</Ccy></Acct>` +
  [
    ['OPBD', opening, '2026-03-01'],
    ['CLBD', closing, '2026-03-31'],
  ]
    .map(
      ([code, decimal, day]) =>
        `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(decimal!, currency)}<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`,
    )
    .join('') +
  entries.map((entry) => entryXml({ currency, ...entry }, version)).join('') +
  '</Stmt>';

const file = (statements: readonly Statement[], version: Version = '08'): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>` +
  `<GrpHdr><MsgId>1</MsgId></GrpHdr>${statements.map((statement) => statementXml(statement, version)).join('')}</BkToCstmrStmt></Document>`;

const paidOut = (id: string, amountMinor: number, currency = 'usd'): ReconciledEntry => ({
  type: 'PlatformPaidOut',
  revision: amountMinor,
  recordedAt: '2026-03-02T15:00:00.000Z',
  data: {
    balanceTransactionId: `txn_${id}`,
    providerType: 'payout',
    sourceId: id,
    amountMinor,
    feeMinor: 0,
    currency,
    occurredAt: '2026-03-02T15:00:00.000Z',
    postings: [],
  },
  postings: [{ debit: 'platform/own-funds', credit: 'platform/card-clearing', amountMinor }],
});

async function* streamed(entries: readonly ReconciledEntry[]): AsyncGenerator<ReconciledEntry> {
  await Promise.resolve();
  yield* entries;
}

const compared = (xml: string, ...entries: readonly ReconciledEntry[]): Promise<BankReconciliation> =>
  reconcileBank(streamed(entries), { statements: bankStatements(xml), providerName: 'stripe' });

/** What of a comparison is not as it should be. */
const wrongIn = ({ items, broken }: BankReconciliation): readonly string[] => [
  ...items
    .filter((item) => item.class !== 'matched' && item.class !== 'foreign')
    .map((item) => `${item.class} ${item.subject} ${item.theirId ?? ''}`),
  ...broken,
];

describe('a bank’s statement', () => {
  it.each(['02', '04', '08'] as const)('is read in version %s', async (version) => {
    const entries = [{ decimal: '10.00', reference: 'R1', more: named('po_1') }];
    const xml = file([{ entries, opening: '5.00', closing: '15.00' }], version);
    expect(wrongIn(await compared(xml, paidOut('po_1', 1_000)))).toEqual([]);
  });

  it.each([
    ['with a time', '<DtTm>2026-03-03T23:59:59.000+02:00</DtTm>'],
    ['with a time zone', '<Dt>2026-03-03+01:00</Dt>'],
    ['in UTC', '<Dt>2026-03-03Z</Dt>'],
  ])('may name a day %s', async (_, day) => {
    const entries = [{ decimal: '10.00', day, more: named('po_1') }];
    const xml = file([{ entries, opening: '0.00', closing: '10.00' }]);
    expect(bankStatements(xml)[0]?.lines[0]?.bookedOn).toBe('2026-03-03');
    expect(wrongIn(await compared(xml, paidOut('po_1', 1_000)))).toEqual([]);
  });

  it('leaves out what is pending or told for information alone', async () => {
    const entries = [
      { decimal: '10.00', more: named('po_1') },
      { decimal: '10.00', status: 'PDNG', more: named('po_1') },
      { decimal: '77.00', status: 'INFO', more: named('po_9') },
    ];
    const xml = file([{ entries, opening: '0.00', closing: '10.00' }]);
    expect(wrongIn(await compared(xml, paidOut('po_1', 1_000)))).toEqual([]);
  });

  it('may hold an account in two currencies, each with statements of its own', async () => {
    const xml = file([
      { id: 'U', entries: [{ decimal: '10.00', more: named('po_1') }], opening: '0.00', closing: '10.00' },
      {
        ...{ id: 'E', currency: 'EUR', opening: '700.00', closing: '720.00' },
        entries: [{ decimal: '20.00', more: named('po_2') }],
      },
    ]);
    expect(wrongIn(await compared(xml, paidOut('po_1', 1_000), paidOut('po_2', 2_000, 'eur')))).toEqual([]);
  });

  it.each(['NONREF', 'NOTPROVIDED'])('may have %s for the reference of every line', async (reference) => {
    const entries = [
      { decimal: '10.00', reference, more: named('po_1') },
      { decimal: '20.00', reference, more: named('po_2') },
    ];
    const xml = file([{ entries, opening: '0.00', closing: '30.00' }]);
    expect(wrongIn(await compared(xml, paidOut('po_1', 1_000), paidOut('po_2', 2_000)))).toEqual([]);
  });

  it('may take a line back by one that is marked as its reversal', async () => {
    const entries = [
      { decimal: '10.00', reference: 'R1', more: named('po_1') },
      { decimal: '10.00', sign: 'DBIT', reference: 'R2', more: `<RvslInd>true</RvslInd>${named('po_1')}` },
    ] as const;
    const xml = file([{ entries, opening: '0.00', closing: '0.00' }]);
    // The money did not stay at the bank, and the books do not know that it came back.
    expect(wrongIn(await compared(xml, paidOut('po_1', 1_000)))).toEqual(['amount payout po_1 R1 R2']);
  });

  const parts = (write: (decimal: string) => string): string =>
    `<NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>${['10.00', '20.00']
      .map((decimal, n) => `<TxDtls>${write(decimal)}${remittance(`STRIPE po_${n + 1}`)}</TxDtls>`)
      .join('')}</NtryDtls>`;
  it.each([
    ['of version 08', parts((decimal) => `${amount(decimal)}<CdtDbtInd>CRDT</CdtDbtInd>`)],
    ['of version 02', parts((decimal) => `<AmtDtls><TxAmt>${amount(decimal)}</TxAmt></AmtDtls>`)],
    ['that says no amounts', parts(() => '')],
    [
      'that names all of them in one text',
      `<NtryDtls><TxDtls>${remittance('STRIPE po_1 po_2')}</TxDtls></NtryDtls>`,
    ],
  ])('may book several payouts in one line %s', async (_, more) => {
    const xml = file([
      { entries: [{ decimal: '30.00', reference: 'R1', more }], opening: '0.00', closing: '30.00' },
    ]);
    expect(wrongIn(await compared(xml, paidOut('po_1', 1_000), paidOut('po_2', 2_000)))).toEqual([]);
  });

  it('says by how much a line of several payouts is wrong', async () => {
    const more = parts(() => '');
    const xml = file([{ entries: [{ decimal: '29.00', more }], opening: '0.00', closing: '29.00' }]);
    const { items } = await compared(xml, paidOut('po_1', 1_000), paidOut('po_2', 2_000));
    expect(items.map((item) => [item.class, item.subject, item.because])).toEqual([
      ['amount', 'payout po_1 po_2', '29.00 usd at the bank, 30.00 usd in the books'],
    ]);
  });

  it('may have parts without anything in them', async () => {
    const entries = [
      { decimal: '10.00', more: '<NtryDtls><TxDtls/></NtryDtls><AddtlNtryInf>STRIPE po_1</AddtlNtryInf>' },
    ];
    const xml = file([{ entries, opening: '0.00', closing: '10.00' }]);
    expect(wrongIn(await compared(xml, paidOut('po_1', 1_000)))).toEqual([]);
  });

  it('may come in the envelope in which banks send messages', () => {
    const xml = file([{ entries: [{ decimal: '10.00' }], opening: '0.00', closing: '10.00' }]).replace(
      '<?xml version="1.0" encoding="UTF-8"?>',
      '',
    );
    const sent = `<?xml version="1.0"?><BizMsgEnvlp><AppHdr><BizMsgIdr>1</BizMsgIdr></AppHdr>${xml}</BizMsgEnvlp>`;
    expect(bankStatements(sent)).toHaveLength(1);
  });

  it('in a currency that there is none of is refused in a sentence', () => {
    const xml = file([{ entries: [], opening: '0.00', closing: '0.00', currency: '1$2' }]);
    expect(() => bankStatements(xml)).toThrow(UnreadableFile);
  });
});
