/**
 * Checks answers against the SDK's own types: JSON schemas are made from its `.d.ts`, every field that it
 * does not declare is a problem, every field that it requires must be there, and its open enums are taken as
 * closed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from '@jest/globals';
import { Ajv, type ValidateFunction } from 'ajv';
import { createGenerator, ExposeNodeParser, type Context } from 'ts-json-schema-generator';
import type ts from 'typescript';

const CACHE = resolve('node_modules/.cache');
const NAMES = {
  payment_intent: 'PaymentIntent',
  charge: 'Charge',
  refund: 'Refund',
  customer: 'Customer',
  payment_method: 'PaymentMethod',
  setup_intent: 'SetupIntent',
  balance_transaction: 'BalanceTransaction',
  balance: 'Balance',
  event: 'Event',
  account: 'Account',
  account_link: 'AccountLink',
  bank_account: 'BankAccount',
  token: 'Token',
  transfer: 'Transfer',
  transfer_reversal: 'TransferReversal',
  payout: 'Payout',
  dispute: 'Dispute',
} as const;

type Kind = keyof typeof NAMES;
type Schema = { [key: string]: unknown };

/** The envelope alone: what `data` holds is checked as the object it is. */
const SOURCE = `import type { Stripe } from 'stripe';
export interface Answers {
${Object.entries(NAMES)
  .map(([kind, name]) =>
    kind === 'event'
      ? `  event: Omit<Stripe.PaymentIntentCreatedEvent, 'data' | 'type'> & { data: object; type: Stripe.Event['type'] };`
      : `  ${kind}: Stripe.${name};`,
  )
  .join('\n')}
}
`;

function sdkVersion(): string {
  return (
    JSON.parse(readFileSync(resolve('node_modules/stripe/package.json'), 'utf8')) as { version: string }
  ).version;
}

/**
 * Two resources of the SDK may declare types of one name; the generator knows them apart only when files are
 * part of names.
 */
function nameByFile(): void {
  const naming = {
    getDefinitionName(
      this: { typeChecker: ts.TypeChecker },
      node: ts.Node & { symbol?: ts.Symbol },
      context: Context,
    ): string {
      if (!node.symbol) throw new Error('A type of the SDK has no name.');
      const name = this.typeChecker
        .getFullyQualifiedName(node.symbol)
        .replace(/^".*\/esm\/(?:resources\/)?(.*)"\./, '$1.')
        .replace(/^".*"\./, '');
      const given = context.getArguments().map((argument) => argument?.getName());
      return given.length > 0 ? `${name}<${given.join()}>` : name;
    },
  };
  Object.assign(ExposeNodeParser.prototype, naming);
}

/** Closes open enums and forces integers: the API has no fractions where we look. */
function tighten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tighten);
  if (typeof value !== 'object' || value === null) return value;
  const tight: Schema = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key.endsWith('.OtherString')) tight[key] = { not: {} };
    else if (key === 'type' && inner === 'number') tight[key] = 'integer';
    else tight[key] = tighten(inner);
  }
  return tight;
}

function generate(): Schema {
  const source = resolve(CACHE, `stripe-answers-${process.pid}.ts`);
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(source, SOURCE);
  try {
    nameByFile();
    const generator = createGenerator({
      path: source,
      tsconfig: resolve('tsconfig.json'),
      type: 'Answers',
      skipTypeCheck: true,
      additionalProperties: false,
      expose: 'all',
      jsDoc: 'none',
      topRef: true,
    });
    return tighten(generator.createSchema('Answers')) as Schema;
  } finally {
    rmSync(source, { force: true });
  }
}

/** The schemas, made once per version of the SDK and list of kinds. */
function schemas(): Schema {
  const kinds = createHash('sha256').update(SOURCE).digest('hex').slice(0, 8);
  const file = resolve(CACHE, `stripe-answers-${sdkVersion()}-${kinds}.json`);
  if (!existsSync(file)) {
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(generate()));
    renameSync(unfinished, file);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Schema;
}

let ajv: Ajv | undefined;
const compiled = new Map<Kind, ValidateFunction>();

function validatorOf(kind: Kind): ValidateFunction {
  const known = compiled.get(kind);
  if (known) return known;
  if (!ajv) {
    // The SDK's types all know each other: code of them that is not optimised is made in a third of the time.
    ajv = new Ajv({
      allErrors: false,
      strict: false,
      validateFormats: false,
      inlineRefs: false,
      code: { optimize: false },
    });
    ajv.addSchema(schemas(), 'sdk');
  }
  const made = ajv.compile({ $ref: `sdk#/definitions/Answers/properties/${kind}` });
  compiled.set(kind, made);
  return made;
}

const isKind = (text: unknown): text is Kind => typeof text === 'string' && Object.hasOwn(NAMES, text);

/** What is wrong with an answer, by the SDK's types; an empty list is what is wanted. */
export function problemsOf(answer: object): string[] {
  // The SDK's own additions, such as lastResponse, are not enumerable and go.
  const plain = JSON.parse(JSON.stringify(answer)) as { object?: unknown; data?: { object?: object } };
  if (!isKind(plain.object)) return [`no type is known for ${String(plain.object)}`];
  const validate = validatorOf(plain.object);
  const problems = validate(plain)
    ? []
    : (validate.errors ?? []).map(
        (error) => `${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`,
      );
  const inner = plain.object === 'event' ? plain.data?.object : undefined;
  return inner ? [...problems, ...problemsOf(inner)] : problems;
}

/** Makes what the checks need; half a minute the first time, and more on a busy machine. */
export function prepareTypes(): void {
  for (const kind of Object.keys(NAMES)) if (isKind(kind)) validatorOf(kind);
}

export const PREPARED_WITHIN_MS = 300_000;

/** An answer whose shape is the SDK's; returns it. */
export function shaped<T extends object>(answer: T): T {
  expect(problemsOf(answer)).toEqual([]);
  return answer;
}
