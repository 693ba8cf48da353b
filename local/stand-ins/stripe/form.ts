/** Form encoding as the provider's SDKs write it: `metadata[paymentId]=p1&expand[0]=latest_charge`. */
import { ApiError } from './errors.js';

export type FormValue = string | FormValue[] | { [key: string]: FormValue };
export type Form = { [key: string]: FormValue };

const MOST_PAIRS = 1000;
const DEEPEST = 8;

function malformed(message: string): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', message });
}

/** Splits `a[b][0]` into `a`, `b`, `0`. */
function segmentsOf(name: string): string[] {
  const head = /^[^[\]]+/.exec(name)?.[0];
  if (head === undefined) throw malformed(`Invalid parameter name: ${name.slice(0, 80)}`);
  const rest = name.slice(head.length);
  const inner = [...rest.matchAll(/\[([^[\]]*)\]/g)];
  if (inner.map(([whole]) => whole).join('') !== rest || inner.length > DEEPEST)
    throw malformed(`Invalid parameter name: ${name.slice(0, 80)}`);
  return [head, ...inner.map(([, segment]) => segment ?? '')];
}

interface Branch {
  [key: string]: string | Branch;
}

function isList(keys: string[]): boolean {
  return keys.length > 0 && keys.every((key) => /^(0|[1-9]\d{0,3})$/.test(key));
}

/** Turns `{0: …, 1: …}` into lists, from the leaves up. */
function settle(branch: Branch): Form | FormValue[] {
  const keys = Object.keys(branch);
  const entries = keys.map((key): [string, FormValue] => {
    const value = branch[key] ?? '';
    return [key, typeof value === 'string' ? value : settle(value)];
  });
  if (isList(keys)) return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
  return Object.fromEntries(entries);
}

/** Parses a body or a query string. Throws a 400 that says which name could not be read. */
export function parseForm(text: string): Form {
  // No prototype: a parameter called `__proto__` is a parameter like any other.
  const root = Object.create(null) as Branch;
  let pairs = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    pairs += 1;
    if (pairs > MOST_PAIRS) throw malformed(`A request may carry at most ${MOST_PAIRS} parameters.`);
    const segments = segmentsOf(name);
    const last = segments.pop() ?? '';
    let branch = root;
    for (const segment of segments) {
      const key = segment === '' ? String(Object.keys(branch).length) : segment;
      const next = branch[key] ?? (Object.create(null) as Branch);
      if (typeof next === 'string')
        throw malformed(`Parameter ${name.slice(0, 80)} is given both as a value and as a hash.`);
      branch[key] = next;
      branch = next;
    }
    branch[last === '' ? String(Object.keys(branch).length) : last] = value;
  }
  const form: Form = {};
  for (const key of Object.keys(root)) {
    const value = root[key] ?? '';
    Object.defineProperty(form, key, {
      value: typeof value === 'string' ? value : settle(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return form;
}
