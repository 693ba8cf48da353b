/**
 * The card provider's answers as JSON schemas, made from the `.d.ts` of its SDK: every field is declared, and
 * the SDK's open enums are taken as closed. Made once for a version of the SDK, and kept.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
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
  topup: 'Topup',
  dispute: 'Dispute',
} as const;

/** The part of JSON Schema that is made here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly not?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

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
  const tight: { [key: string]: unknown } = {};
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

function keptSchemas(): string {
  const kinds = createHash('sha256').update(SOURCE).digest('hex').slice(0, 8);
  return resolve(CACHE, `stripe-answers-${sdkVersion()}-${kinds}.json`);
}

/** Makes the schemas where they are not there yet; it takes ten seconds of computing. */
export function makeStripeSchemas(): void {
  const file = keptSchemas();
  if (existsSync(file)) return;
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(generate()));
  renameSync(unfinished, file);
}

/** The schemas of all answers, by `properties` of the definition `Answers`. */
export function stripeSchemas(): Schema {
  makeStripeSchemas();
  return JSON.parse(readFileSync(keptSchemas(), 'utf8')) as Schema;
}
