/** Rewrites answers as switches say, for suites: a field that is missing, null or of another kind. */
import type { Rewrite } from './switches.js';

/** The answer as it leaves; what is kept of it stays as it was. */
export function rewritten(
  found: { readonly status: number; readonly body: unknown },
  { status, body, without, set }: Rewrite,
): { status: number; body: unknown } {
  if (body !== undefined) return { status: status ?? found.status, body };
  const changed = structuredClone(found.body);
  for (const place of without) at(changed, place.split('.'), (holder, name) => delete holder[name]);
  for (const [place, value] of Object.entries(set))
    at(changed, place.split('.'), (holder, name) => (holder[name] = value));
  return { status: status ?? found.status, body: changed };
}

type Holder = Record<string, unknown>;

/** Does something at each place that a path names; `*` stands for every item or field. */
function at(value: unknown, path: readonly string[], act: (holder: Holder, name: string) => unknown): void {
  const [name, ...rest] = path;
  if (name === undefined || typeof value !== 'object' || value === null) return;
  const holder = value as Holder;
  for (const each of name === '*' ? Object.keys(holder) : [name])
    if (rest.length === 0) act(holder, each);
    else at(holder[each], rest, act);
}
