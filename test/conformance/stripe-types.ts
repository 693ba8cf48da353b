/**
 * Checks answers against the SDK's own types: a field that it does not declare is a problem, every field that
 * it requires must be there, and its open enums are taken as closed.
 */
import { expect } from '@jest/globals';
import { stripeSchemas, type Schema } from './stripe-schemas.js';

let known: Schema | undefined;
const schemas = (): Schema => (known ??= stripeSchemas());

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

/** What each keyword that the generator writes asks of a value; `at` is the value's path. */
const CHECKS: Readonly<Record<string, (value: unknown, schema: Schema, at: string) => string[]>> = {
  $ref: (value, { $ref }, at) => {
    const name = decodeURIComponent(String($ref).replace('#/definitions/', ''));
    const definition = schemas().definitions?.[name];
    if (!definition) throw new Error(`The SDK's types have no ${name}.`);
    return violations(value, definition, at);
  },
  type: (value, { type = [] }, at) =>
    [type].flat().some((each) => isOfType(value, each)) ? [] : [`${at} must be ${String(type)}`],
  const: (value, schema, at) => (value === schema.const ? [] : [`${at} must be ${String(schema.const)}`]),
  enum: (value, schema, at) =>
    schema.enum?.includes(value) ? [] : [`${at} must be one of ${String(schema.enum)}`],
  not: (value, schema, at) =>
    violations(value, schema.not ?? {}, at).length > 0 ? [] : [`${at} must be nothing of the kind`],
  anyOf: (value, { anyOf = [] }, at) => {
    const each = anyOf.map((schema) => violations(value, schema, at));
    return each.some((found) => found.length === 0) ? [] : [`${at} must be one of several`, ...each.flat()];
  },
  items: (value, { items = {} }, at) =>
    Array.isArray(value) ? value.flatMap((each, n) => violations(each, items, `${at}/${n}`)) : [],
  required: (value, { required = [] }, at) =>
    isObject(value)
      ? required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${at} must have ${name}`)
      : [],
  properties: (value, { properties = {} }, at) =>
    isObject(value)
      ? Object.keys(properties)
          .filter((name) => Object.hasOwn(value, name))
          .flatMap((name) => violations(value[name], properties[name]!, `${at}/${name}`))
      : [],
  additionalProperties: (value, { additionalProperties: rest = true, properties = {} }, at) => {
    if (!isObject(value) || rest === true) return [];
    const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
    if (rest === false) return others.map((name) => `${at} must not have ${name}`);
    return others.flatMap((name) => violations(value[name], rest, `${at}/${name}`));
  },
};

/**
 * What of a value breaks a schema. The schemas are read as they are: making code of these hundreds of types
 * that all know each other took longer than all that it checked. A keyword that is not known here is an
 * error.
 */
function violations(value: unknown, schema: Schema, at: string): string[] {
  return Object.keys(schema).flatMap((keyword) => {
    const check = CHECKS[keyword];
    if (!check) throw new Error(`The SDK's schemas have a keyword that is not checked: ${keyword}.`);
    return check(value, schema, at);
  });
}

/** What is wrong with an answer, by the SDK's types; an empty list is what is wanted. */
export function problemsOf(answer: object): string[] {
  // The SDK's own additions, such as lastResponse, are not enumerable and go.
  const plain = JSON.parse(JSON.stringify(answer)) as { object?: unknown; data?: { object?: object } };
  const kind = String(plain.object);
  const schema = schemas().definitions?.Answers?.properties?.[kind];
  if (!schema) return [`no type is known for ${kind}`];
  const problems = violations(plain, schema, kind);
  const inner = kind === 'event' ? plain.data?.object : undefined;
  return inner ? [...problems, ...problemsOf(inner)] : problems;
}

/** An answer whose shape is the SDK's; returns it. */
export function shaped<T extends object>(answer: T): T {
  expect(problemsOf(answer)).toEqual([]);
  return answer;
}
