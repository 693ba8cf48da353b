/**
 * Reads a bank's statement: CAMT.053 of ISO 20022 (`BkToCstmrStmt`), any version. The file comes from
 * elsewhere: it is read up to a size, never with a document type or entities of its own, and amounts stay
 * text until they are whole minor units.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';
import { assertCountable, minorFromText } from './amounts.js';
import { MEBIBYTE, readBounded, UnreadableFile } from './bounded-file.js';

/** A statement of a busy account for a month has about two. */
const MOST_BYTES = 32 * MEBIBYTE;
const MOST_DEPTH = 40;

/** One booked movement of the bank account; above zero came in. */
export interface BankLine {
  /** The bank's own reference, or the line's place in the file. */
  readonly id: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** The day of booking: `2026-10-01`. */
  readonly bookedOn: string;
  /** Whatever the line says of itself: references, names, the text of the remittance. */
  readonly texts: readonly string[];
}

export interface BankStatement {
  readonly id: string;
  readonly account: string;
  readonly currency: string;
  /** The first and the last day. */
  readonly from: string;
  readonly to: string;
  readonly openingMinor: number;
  readonly closingMinor: number;
  readonly lines: readonly BankLine[];
}

/** Throws {@link UnreadableFile}. */
export const readBankFile = (file: string): BankStatement[] => bankStatements(readBounded(file, MOST_BYTES));

/** The statements of a file's text. Throws {@link UnreadableFile} for anything else than plain CAMT.053. */
export function bankStatements(xml: string): BankStatement[] {
  // Before any parser sees it: what a document type can declare, no statement needs.
  if (/<!\s*(DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)/i.test(xml))
    throw new UnreadableFile(
      'The file declares a document type or entities. No bank needs that: it is not read.',
    );
  const valid = XMLValidator.validate(xml);
  if (valid !== true)
    throw new UnreadableFile(`The file is no XML. Line ${valid.err.line}: ${valid.err.msg}`);
  const parsed = Document.safeParse(withoutEnvelope(parsedXml(xml)));
  if (!parsed.success)
    throw new UnreadableFile(`The file is no CAMT.053 statement. ${z.prettifyError(parsed.error)}`);
  const statements = parsed.data.Document.BkToCstmrStmt.Stmt.map(statementOf);
  assertCountable(statements.flatMap(amountsOf));
  return statements;
}

const amountsOf = ({ openingMinor, closingMinor, lines }: BankStatement): number[] => [
  openingMinor,
  closingMinor,
  ...lines.map(({ amountMinor }) => amountMinor),
];

function parsedXml(xml: string): unknown {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    removeNSPrefix: true,
    // Text stays text: no number is made of it, least of all a floating-point one.
    parseTagValue: false,
    parseAttributeValue: false,
    htmlEntities: false,
    maxNestedTags: MOST_DEPTH,
    isArray: (name) => LISTS.has(name),
  });
  try {
    return parser.parse(xml);
  } catch (error) {
    throw new UnreadableFile(
      `The file cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Some banks send the document within an envelope that names sender and receiver. */
function withoutEnvelope(parsed: unknown): unknown {
  const parts = typeof parsed === 'object' && parsed !== null ? Object.values(parsed) : [];
  const within = parts.find(
    (part: unknown) => typeof part === 'object' && part !== null && 'Document' in part,
  );
  return within ?? parsed;
}

const LISTS: ReadonlySet<string> = new Set(['Stmt', 'Bal', 'Ntry', 'NtryDtls', 'TxDtls', 'Ustrd', 'Strd']);

// ---- the parts that are read

const Text = z.string();
const Amount = z.object({
  '#text': Text,
  '@Ccy': z
    .string()
    .regex(/^[A-Za-z]{3}$/)
    .toLowerCase(),
});
const Sign = z.enum(['CRDT', 'DBIT']);
/** A day or a time; either may end with a time zone: the day is the bank's own. */
const Day = Text.transform((written) => written.slice(0, 10)).pipe(z.iso.date());
const When = z
  .union([z.object({ Dt: Day }), z.object({ DtTm: Day })])
  .transform((when) => ('Dt' in when ? when.Dt : when.DtTm));
/** One of the payments in a line. Version 02 has its amount one level deeper. */
const Detail = z.looseObject({
  Amt: Amount.optional(),
  AmtDtls: z.looseObject({ TxAmt: z.looseObject({ Amt: Amount }).optional() }).optional(),
  CdtDbtInd: Sign.optional(),
});
const Line = z.looseObject({
  Amt: Amount,
  CdtDbtInd: Sign,
  Sts: z
    .union([Text, z.object({ Cd: Text })])
    .transform((status) => (typeof status === 'string' ? status : status.Cd)),
  BookgDt: When.optional(),
  ValDt: When.optional(),
  AcctSvcrRef: Text.optional(),
  NtryRef: Text.optional(),
  NtryDtls: z
    .array(
      z.union([
        z.literal(''),
        z.looseObject({ TxDtls: z.array(z.union([z.literal(''), Detail])).optional() }),
      ]),
    )
    .optional(),
});
const Balance = z.object({
  Tp: z.object({ CdOrPrtry: z.object({ Cd: Text.optional() }) }),
  Amt: Amount,
  CdtDbtInd: Sign,
  Dt: When,
});
const Statement = z.looseObject({
  Id: Text,
  FrToDt: z.object({ FrDtTm: Day, ToDtTm: Day }).optional(),
  Acct: z.object({ Id: z.union([z.object({ IBAN: Text }), z.object({ Othr: z.object({ Id: Text }) })]) }),
  Bal: z.array(Balance).min(1),
  Ntry: z.array(Line).default([]),
});
const Document = z.looseObject({
  Document: z.looseObject({ BkToCstmrStmt: z.looseObject({ Stmt: z.array(Statement).min(1) }) }),
});

/** What banks write where they have no reference: it names no line. */
const NO_REFERENCE: ReadonlySet<string> = new Set(['NONREF', 'NOTPROVIDED']);
const referenceIn = (...references: readonly (string | undefined)[]): string | undefined =>
  references.find(
    (reference) => reference !== undefined && !NO_REFERENCE.has(reference.trim().toUpperCase()),
  );

function statementOf(statement: z.infer<typeof Statement>): BankStatement {
  const { Id: id, Acct, Bal, Ntry, FrToDt } = statement;
  const balance = (...codes: readonly string[]) => {
    const found = Bal.find(({ Tp }) => codes.includes(Tp.CdOrPrtry.Cd ?? ''));
    if (!found) throw new UnreadableFile(`Statement ${id} has no balance ${codes.join(' or ')}.`);
    return found;
  };
  const [opening, closing] = [balance('OPBD', 'PRCD'), balance('CLBD')];
  const currency = closing.Amt['@Ccy'];
  return {
    id,
    account: 'IBAN' in Acct.Id ? Acct.Id.IBAN : Acct.Id.Othr.Id,
    currency,
    from: FrToDt?.FrDtTm ?? opening.Dt,
    to: FrToDt?.ToDtTm ?? closing.Dt,
    openingMinor: signed(opening.Amt, opening.CdtDbtInd, id),
    closingMinor: signed(closing.Amt, closing.CdtDbtInd, id),
    lines: Ntry.flatMap((line, place) => (line.Sts === 'BOOK' ? linesOf(line, `${id}/${place + 1}`) : [])),
  };
}

/** A collective booking is as many lines as it has transactions, where each says what it comes to. */
function linesOf(line: z.infer<typeof Line>, place: string): BankLine[] {
  const { Amt, CdtDbtInd, BookgDt, ValDt, AcctSvcrRef, NtryRef, NtryDtls, ...others } = line;
  const id = referenceIn(AcctSvcrRef, NtryRef) ?? place;
  const bookedOn = BookgDt ?? ValDt;
  if (bookedOn === undefined) throw new UnreadableFile(`Line ${place} has no day of booking.`);
  const whole = {
    id,
    amountMinor: signed(Amt, CdtDbtInd, place),
    currency: Amt['@Ccy'],
    bookedOn,
    texts: [...(NtryRef ? [NtryRef] : []), ...textsIn(others), ...textsIn(NtryDtls ?? [])],
  };
  const details = (NtryDtls ?? []).flatMap((part) => (part === '' ? [] : (part.TxDtls ?? [])));
  const parts = details.map((detail, n) => {
    const amount = detail === '' ? undefined : (detail.Amt ?? detail.AmtDtls?.TxAmt?.Amt);
    const isSame = amount?.['@Ccy'] === whole.currency;
    const sign = (detail === '' ? undefined : detail.CdtDbtInd) ?? CdtDbtInd;
    const amountMinor = amount && isSame ? signed(amount, sign, place) : Number.NaN;
    return { ...whole, id: `${id}#${n + 1}`, amountMinor, texts: textsIn(detail) };
  });
  const addsUp = parts.reduce((sum, { amountMinor }) => sum + amountMinor, 0) === whole.amountMinor;
  return parts.length > 1 && addsUp ? parts : [whole];
}

function signed(amount: z.infer<typeof Amount>, sign: z.infer<typeof Sign>, where: string): number {
  const minor = minorFromText(amount['#text'], amount['@Ccy']);
  if (minor === undefined || minor < 0)
    throw new UnreadableFile(`${where}: "${amount['#text']}" is no amount in ${amount['@Ccy']}.`);
  return sign === 'CRDT' ? minor : -minor;
}

/** Every text beneath, wherever the bank has put it. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
