/**
 * Money as the provider and the bank have it, beside the journal that booked it: a seeded history in which
 * both sides agree, and errors planted in it one by one, each with what must be found of it.
 */
import { postingsOf, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import type { JournalCommand } from '#ledger/journal/commands';
import { textFromMinor } from '#audit/reconcile/amounts';
import type { BankLine, BankStatement } from '#audit/reconcile/bank-file';
import type { ReconciledEntry } from '#audit/reconcile/booked-movements';
import type { ProviderMovement } from '#audit/reconcile/provider-movement';
import { Dice } from '#test/simulator/dice';
import {
  contextOf,
  completePayout,
  dispute,
  failPayout,
  failRefund,
  JUNO,
  MILO,
  open,
  openAccount,
  payoutTransferred,
  providerFee,
  refund,
  reinstateDisputed,
  requestPayout,
  returnPayout,
  returnUnapplied,
  settle,
  submit,
  submitPayout,
  withdrawDisputed,
} from './journal-spec.js';
import { Story } from './story.js';

const text = (minor: number): string => textFromMinor(minor, 'usd');
const HOUR_MS = 3_600_000;

/** What belongs together: all entries and movements of one payment, payout or sum of the platform's. */
export interface Affair {
  readonly kind: 'tip' | 'unapplied' | 'payout' | 'own money' | 'foreign';
  entries: ReconciledEntry[];
  movements: ProviderMovement[];
}

export const entryFrom = (event: RecordedEvent): ReconciledEntry =>
  ({
    ...event,
    recordedAt: event.metadata.recordedAt,
    postings: postingsOf(event as JournalEvent),
  }) as ReconciledEntry;

/**
 * A provider's account and the journal over it, from a seed; what others do in the account is counted apart.
 */
export class OutsideWorld {
  readonly story = new Story();
  readonly dice: Dice;
  readonly affairs: Affair[] = [];
  #affair: Affair = { kind: 'tip', entries: [], movements: [] };
  #n = 0;

  constructor(
    seed: number,
    readonly use: 'exclusive' | 'shared',
  ) {
    this.dice = new Dice(seed);
    this.#begin('tip');
    this.#book(openAccount(JUNO), openAccount(MILO));
    const count = this.dice.between(8, 40);
    for (let n = 0; n < count; n++) this.#next();
  }

  /** The moment after all of it. */
  get end(): Date {
    return new Date(this.story.nowMs + 48 * HOUR_MS);
  }

  /** In the journal's order. */
  entries(): ReconciledEntry[] {
    return this.affairs.flatMap(({ entries }) => entries).sort((one, other) => one.revision - other.revision);
  }

  movements(): ProviderMovement[] {
    return this.dice.shuffled(this.affairs.flatMap(({ movements }) => movements));
  }

  /** A movement of the provider's a moment before the ledger hears of it. */
  moved(
    id: string,
    type: string,
    grossMinor: number,
    feeMinor: number,
    source: ProviderMovement['source'],
  ): ProviderMovement {
    const createdAt = new Date(Math.floor(this.story.nowMs / 1000) * 1000).toISOString();
    const movement = {
      ...{ id, type, grossMinor, feeMinor, netMinor: grossMinor - feeMinor, currency: 'usd' },
      ...{ createdAt, source },
    };
    this.#affair.movements.push(movement);
    return movement;
  }

  #begin(kind: Affair['kind']): void {
    this.story.nowMs += this.dice.between(1, 30) * HOUR_MS;
    this.#affair = { kind, entries: [], movements: [] };
    this.affairs.push(this.#affair);
  }

  #book(...commands: readonly JournalCommand[]): void {
    for (const command of commands) {
      // Through the story, so that the books' own rules are kept; what they refuse is the world's mistake.
      contextOf(command);
      this.#affair.entries.push(...this.story.command(command).map(entryFrom));
    }
  }

  #next(): void {
    const n = ++this.#n;
    const kind = this.dice.weighted({ tip: 5, unapplied: 1, payout: 2, 'own money': 2, foreign: 1 });
    if (kind === 'foreign' && this.use === 'exclusive') return;
    this.#begin(kind);
    switch (kind) {
      case 'tip':
        return this.#tip(n);
      case 'unapplied':
        return this.#unapplied(n);
      case 'payout':
        return this.#payout(n);
      case 'own money':
        return this.#ownMoney(n);
      case 'foreign':
        this.moved(`txn_x_${n}`, 'charge', this.dice.between(50, 9_000), 30, {
          kind: 'charge',
          id: `ch_x_${n}`,
        });
    }
  }

  #tip(n: number): void {
    const amountMinor = this.dice.between(1_000, 90_000);
    const tip = { paymentId: `pay_${n}`, amount: text(amountMinor) };
    const feeMinor = this.dice.chance(0.1) ? 0 : this.dice.between(30, 900);
    const of = { chargeId: `ch_pay_${n}`, intentId: `pi_pay_${n}`, paymentId: tip.paymentId };
    this.#book(open(tip), submit(tip));
    this.moved(`txn_fee_pay_${n}`, 'charge', amountMinor, feeMinor, {
      kind: 'charge',
      id: of.chargeId,
      ...of,
    });
    this.#book(settle(tip), providerFee(tip, text(feeMinor)));
    if (this.dice.chance(0.3)) {
      const backMinor = this.dice.between(1, amountMinor - 1);
      const source = { kind: 'refund' as const, id: `re_${n}`, ...of };
      this.moved(`txn_re_${n}`, 'refund', -backMinor, 0, source);
      this.#book(refund(tip, text(backMinor), `re_${n}`));
      if (this.dice.chance(0.3)) {
        this.moved(`txn_ref_${n}`, 'refund_failure', backMinor, 0, source);
        this.#book(failRefund(tip, `re_${n}`));
      }
    } else if (this.dice.chance(0.2)) {
      const source = { kind: 'dispute' as const, id: `dp_pay_${n}`, ...of };
      this.#book(dispute(tip));
      this.moved(`txn_out_pay_${n}_1`, 'adjustment', -amountMinor, 1_500, source);
      this.#book(withdrawDisputed(tip));
      if (this.dice.chance(0.5)) {
        const feeBackMinor = this.dice.one([0, 1_500]);
        this.moved(`txn_in_pay_${n}_1`, 'adjustment', amountMinor, -feeBackMinor, source);
        this.#book(reinstateDisputed(tip, tip.amount, text(feeBackMinor)));
      }
    }
  }

  /** A charge for a payment that nobody opened. */
  #unapplied(n: number): void {
    const amountMinor = this.dice.between(1_000, 9_000);
    const tip = { paymentId: `pay_none_${n}`, amount: text(amountMinor) };
    const of = { chargeId: `ch_pay_none_${n}`, intentId: `pi_pay_none_${n}` };
    this.moved(`txn_fee_pay_none_${n}`, 'charge', amountMinor, 59, {
      kind: 'charge',
      id: of.chargeId,
      ...of,
    });
    this.#book(settle(tip), { ...providerFee(tip, '0.59'), paymentId: undefined } as JournalCommand);
    if (this.dice.chance(0.5)) {
      this.moved(`txn_reu_${n}`, 'refund', -amountMinor, 0, {
        kind: 'refund',
        id: `re_${of.chargeId}`,
        ...of,
      });
      this.#book(returnUnapplied(of.chargeId, tip.amount));
    }
  }

  #payout(n: number): void {
    const hasMinor = this.story.books.balanceOf(`user/${JUNO}/available`) ?? 0;
    if (hasMinor < 100) return;
    const amountMinor = this.dice.between(100, hasMinor);
    const payoutId = `out_${n}`;
    this.#book(requestPayout(text(amountMinor), JUNO, payoutId));
    this.moved(`txn_tr_${n}`, 'transfer', -amountMinor, 0, {
      kind: 'transfer',
      id: `tr_${payoutId}`,
      payoutId,
    });
    this.#book(payoutTransferred(payoutId), submitPayout(payoutId));
    if (this.dice.chance(0.7)) return this.#book(completePayout(payoutId));
    this.#book(returnPayout(payoutId));
    this.moved(`txn_trr_${n}`, 'transfer_refund', amountMinor, 0, {
      kind: 'reversal',
      id: `trr_${n}`,
      payoutId,
    });
    this.#book(failPayout(`trr_${n}`, payoutId));
  }

  #ownMoney(n: number): void {
    const move = (id: string, type: string, sourceId: string, grossMinor: number, feeMinor = 0): void => {
      const { createdAt } = this.moved(id, type, grossMinor, feeMinor, { kind: 'other', id: sourceId });
      this.#book({
        ...{ type: 'BookPlatformMoney', balanceTransactionId: id, providerType: type, sourceId },
        ...{ amountMinor: grossMinor, feeMinor, currency: 'usd', occurredAt: createdAt },
      });
    };
    const amountMinor = this.dice.between(1_000, 50_000);
    switch (this.dice.below(5)) {
      case 0:
        return move(`txn_tu_${n}`, 'topup', `tu_${n}`, amountMinor);
      case 1:
        return move(`txn_fee_${n}`, 'stripe_fee', `fee_${n}`, -amountMinor);
      case 2:
        return move(`txn_alone_${n}`, 'stripe_fee', `fee_${n}`, 0, amountMinor);
      case 3:
        return move(`txn_adj_${n}`, 'adjustment', `adj_${n}`, -amountMinor, 25);
      default:
        move(`txn_po_${n}`, 'payout', `po_${n}`, -amountMinor);
        if (this.dice.chance(0.3)) move(`txn_pof_${n}`, 'payout_failure', `po_${n}`, amountMinor);
    }
  }
}

// ---- files, as the provider and a bank write them

const quoted = (field: string): string => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
const lines = (rows: readonly (readonly string[])[]): string =>
  `${rows.map((row) => row.map(quoted).join(',')).join('\r\n')}\r\n`;
const grouped = (minor: number): string => text(minor).replace(/\B(?=(\d{3})+\.)/g, ',');

/** The provider's itemized report. */
export const itemizedCsv = (movements: readonly ProviderMovement[]): string =>
  lines([
    [
      ...['balance_transaction_id', 'created_utc', 'currency', 'gross', 'fee', 'net', 'reporting_category'],
      ...[
        'source_id',
        'description',
        'charge_id',
        'payment_intent_id',
        'transfer_group',
        'payment_metadata[paymentId]',
      ],
    ],
    ...movements.map(({ id, createdAt, grossMinor, feeMinor, netMinor, type, source }) => [
      ...[
        id,
        createdAt.slice(0, 19).replace('T', ' '),
        'usd',
        grouped(grossMinor),
        text(feeMinor),
        grouped(netMinor),
      ],
      ...[type, source.id ?? '', 'Tip, "thanks"', source.chargeId ?? '', source.intentId ?? ''],
      ...[source.payoutId ?? '', source.paymentId ?? ''],
    ]),
  ]);

/** The balance transactions as its API lists them, with their sources. */
export const listedJson = (movements: readonly ProviderMovement[]): string =>
  JSON.stringify({
    object: 'list',
    has_more: false,
    data: movements.map(({ id, createdAt, grossMinor, feeMinor, netMinor, type, source }) => ({
      ...{ id, object: 'balance_transaction', type, amount: grossMinor, fee: feeMinor, net: netMinor },
      ...{ currency: 'usd', created: Date.parse(createdAt) / 1000 },
      source:
        source.id === undefined
          ? null
          : {
              id: source.id,
              charge: source.kind === 'charge' ? null : (source.chargeId ?? null),
              payment_intent: source.intentId ?? null,
              transfer_group: source.payoutId ?? null,
              metadata: source.paymentId === undefined ? {} : { paymentId: source.paymentId },
            },
    })),
  });

const escaped = (plain: string): string => plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A bank's statement as CAMT.053. */
export const camt053 = (statements: readonly BankStatement[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>
<GrpHdr><MsgId>1</MsgId><CreDtTm>2026-04-01T04:00:00Z</CreDtTm></GrpHdr>
${statements.map(statementXml).join('\n')}
</BkToCstmrStmt></Document>\n`;

function statementXml({
  id,
  account,
  currency,
  from,
  to,
  openingMinor,
  closingMinor,
  lines: all,
}: BankStatement): string {
  const amount = (minor: number): string =>
    `<Amt Ccy="${currency.toUpperCase()}">${text(Math.abs(minor))}</Amt><CdtDbtInd>${minor < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
  const balance = (code: string, minor: number, day: string): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(minor)}<Dt><Dt>${day}</Dt></Dt></Bal>`;
  const line = ({ id: reference, amountMinor, bookedOn, texts }: BankLine): string =>
    `<Ntry>${amount(amountMinor)}<Sts>BOOK</Sts><BookgDt><Dt>${bookedOn}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef>` +
    `<NtryDtls><TxDtls><RmtInf>${texts.map((each) => `<Ustrd>${escaped(each)}</Ustrd>`).join('')}</RmtInf></TxDtls></NtryDtls></Ntry>`;
  return `<Stmt><Id>${id}</Id><FrToDt><FrDtTm>${from}T00:00:00</FrDtTm><ToDtTm>${to}T23:59:59</ToDtTm></FrToDt><Acct><Id><IBAN>${account}</IBAN></Id></Acct>
${balance('OPBD', openingMinor, from)}${balance('CLBD', closingMinor, to)}
${all.map(line).join('\n')}</Stmt>`;
}
