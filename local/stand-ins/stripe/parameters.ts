/**
 * Reads a call's parameters one by one and refuses what is missing, malformed or unknown, with the provider's
 * codes. A misspelt parameter that were quietly ignored here would be refused in production.
 */
import { ApiError, invalidParameter } from './errors.js';
import type { Form, FormValue } from './form.js';

export type Metadata = Record<string, string>;
/** What a list's `created` may say, in seconds since 1970. */
export interface TimeRange {
  gt?: number;
  gte?: number;
  lt?: number;
  lte?: number;
}

/** Texts that people read, which an empty one unsets. Everything else cannot be unset. */
const MAY_BE_EMPTY =
  /^(description|name|email|phone|receipt_email|setup_future_usage|statement_descriptor|url|ip|date|account_holder_name|tax_id|city|country|line1|line2|postal_code|state|mcc|product_description|support_.*|default_payment_method)$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** As the provider lists them, but in another order. */
const CURRENCIES: ReadonlySet<string> = new Set(
  Intl.supportedValuesOf('currency').map((currency) => currency.toLowerCase()),
);

const isHash = (value: FormValue | undefined): value is Form =>
  typeof value === 'object' && !Array.isArray(value);

/** Names that may stand in a hash. */
export interface Names {
  readonly [name: string]: true | Names;
}

export class Parameters {
  private readonly seen = new Set<string>();

  constructor(
    private readonly form: Form,
    private readonly prefix = '',
  ) {}

  private named(name: string): string {
    return this.prefix === '' ? name : `${this.prefix}[${name}]`;
  }

  private take(name: string): FormValue | undefined {
    this.seen.add(name);
    return Object.hasOwn(this.form, name) ? this.form[name] : undefined;
  }

  /** Whether it was sent at all; an empty text is how the API unsets a field. */
  has(name: string): boolean {
    return Object.hasOwn(this.form, name);
  }

  text(name: string, most = 5000): string | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string')
      throw invalidParameter(this.named(name), `Invalid string: ${JSON.stringify(value)}`);
    if (value === '' && !MAY_BE_EMPTY.test(name)) throw this.empty(name);
    if (value === '') return undefined;
    if (value.length > most)
      throw invalidParameter(
        this.named(name),
        `Invalid string: ${value.slice(0, 20)}…; must be at most ${most} characters`,
      );
    return value;
  }

  private empty(name: string): ApiError {
    return invalidParameter(
      this.named(name),
      `You passed an empty string for '${this.named(name)}'. We assume empty values are an attempt to unset a parameter; ` +
        `however '${this.named(name)}' cannot be unset. You should remove '${this.named(name)}' from your request or supply a ` +
        'non-empty value.',
      'parameter_invalid_empty',
    );
  }

  /** An e-mail address; undefined where there is none, or an empty one. */
  email(name: string): string | undefined {
    const value = this.text(name, 512);
    if (value !== undefined && !EMAIL.test(value))
      throw invalidParameter(this.named(name), `Invalid email address: ${value}`, 'email_invalid');
    return value;
  }

  /** A currency in small letters. */
  currency(name: string): string | undefined {
    const value = this.text(name)?.toLowerCase();
    if (value !== undefined && !CURRENCIES.has(value))
      throw invalidParameter(
        this.named(name),
        `Invalid currency: ${value}. These currencies are supported: ${[...CURRENCIES].join(', ')}`,
      );
    return value;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.missing(name);
    return value;
  }

  missing(name: string): ApiError {
    return invalidParameter(
      this.named(name),
      `Missing required param: ${this.named(name)}.`,
      'parameter_missing',
    );
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const found = allowed.find((option) => option === value);
    if (found === undefined)
      throw invalidParameter(
        this.named(name),
        `Invalid ${this.named(name)}: must be one of ${allowed.join(', ')}`,
      );
    return found;
  }

  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(value))
      throw invalidParameter(this.named(name), `Invalid integer: ${value}`, 'parameter_invalid_integer');
    return Number(value);
  }

  boolean(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (value !== 'true' && value !== 'false')
      throw invalidParameter(this.named(name), `Invalid boolean: ${value}`);
    return value === 'true';
  }

  isHash(name: string): boolean {
    return isHash(this.form[name]);
  }

  /** A hash of its own; undefined when it was not sent. */
  hash(name: string): Parameters | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (value === '') throw this.empty(name);
    if (!isHash(value)) throw invalidParameter(this.named(name), `Invalid hash: ${JSON.stringify(value)}`);
    return new Parameters(value, this.named(name));
  }

  texts(name: string): string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (value === '') throw this.empty(name);
    const list = Array.isArray(value) ? value : undefined;
    if (!list || !list.every((item) => typeof item === 'string'))
      throw invalidParameter(this.named(name), `Invalid array: ${JSON.stringify(value)}`);
    return list;
  }

  /** `before` with what was sent laid over it; an empty value removes a key, an empty hash removes all. */
  metadata(before: Metadata = {}): Metadata {
    const value = this.take('metadata');
    if (value === undefined) return before;
    if (value === '') return {};
    if (!isHash(value))
      throw invalidParameter('metadata', 'Invalid hash: metadata must be a set of keys and values');
    const after = new Map(Object.entries(before));
    for (const [key, text] of Object.entries(value)) {
      if (typeof text !== 'string')
        throw invalidParameter(`metadata[${key}]`, 'Metadata values must be strings');
      if (key.length > 40) throw invalidParameter('metadata', 'Metadata keys may have at most 40 characters');
      if (text.length > 500)
        throw invalidParameter(`metadata[${key}]`, 'Metadata values may have at most 500 characters');
      if (text === '') after.delete(key);
      else after.set(key, text);
    }
    if (after.size > 50) throw invalidParameter('metadata', 'Metadata may have at most 50 keys');
    return Object.fromEntries(after);
  }

  /** `created`, as one second or as a range. */
  timeRange(name: string): TimeRange | undefined {
    if (typeof this.form[name] === 'string') {
      const second = this.integer(name);
      return second === undefined ? undefined : { gte: second, lte: second };
    }
    const range = this.hash(name);
    if (!range) return undefined;
    const found = {
      gt: range.integer('gt'),
      gte: range.integer('gte'),
      lt: range.integer('lt'),
      lte: range.integer('lte'),
    };
    range.refuseUnknown();
    return found;
  }

  /**
   * A hash, or hashes inside it, of which nothing has an effect here but the names are checked: an object
   * says which names may stand where, and true that anything may stand there.
   */
  only(name: string, allowed: Names): void {
    const inner = this.hash(name);
    if (!inner) return;
    for (const [each, below] of Object.entries(allowed))
      if (below === true) inner.ignore(each);
      else inner.only(each, below);
    inner.refuseUnknown();
  }

  /** Accepts without reading: for what has no effect here but is legal there. */
  ignore(...names: string[]): void {
    for (const name of names) this.seen.add(name);
  }

  /** Refuses parameters that were not read. Call it after all reads and before any effect. */
  refuseUnknown(): void {
    const unknown = Object.keys(this.form).find((name) => !this.seen.has(name));
    if (unknown !== undefined)
      throw invalidParameter(
        this.named(unknown),
        `Received unknown parameter: ${this.named(unknown)}`,
        'parameter_unknown',
      );
  }
}
