/** docs/reference/tampering.md, from what the spec found. */
import type { TamperingEvidence } from './judge.js';
import { GROUPS, type Group, type Kind } from './kinds.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');

export function tamperingPage(kinds: readonly Kind[], shown: ReadonlyMap<string, TamperingEvidence>): string {
  const found = (kind: Kind): TamperingEvidence => shown.get(`${kind.group}: ${kind.name}`)!;
  const silent = kinds.filter((kind) => found(kind).checks.length === 0).length;
  const tables = (Object.keys(GROUPS) as Group[]).map((group) => {
    const rows = kinds
      .filter((kind) => kind.group === group)
      .map((kind) => {
        const { checks, byHead } = found(kind);
        const by = checks.length > 0 ? checks.join(', ') : `nothing: ${kind.because}`;
        return `| ${cell(kind.name)} | ${cell(by)} | ${byHead ? 'yes' : 'no'} |`;
      });
    return `## ${GROUPS[group]}

| what is done | checks of verify that show it | a head signed before shows it |
| --- | --- | --- |
${rows.join('\n')}`;
  });
  return `# What is done to a log, and what shows it

This page is written by a test that does each of these to a log in memory and looks: \`test/tampering/tampering.spec.ts\`
(\`WRITE_TAMPERING=on\` writes it anew). What somebody needs to do such a thing, and what else shows it, is told in
[threats](../explanation/threats.md).

Of ${kinds.length} kinds, verify alone shows ${kinds.length - silent}. The other ${silent} are told in words that fit all else that the log
holds. They are shown by a [head signed before](../how-to/audit.md#when-it-fails), by the rows, or by comparing with the provider, and a
log and rows that are both made anew agree with each other: **rebuilding the rows makes a forgery look right**. What was forged
behind the last signed head is shown by verify, or by the party whose act it claims to be.

*Chained again* means that every revision and hash was computed anew, as the writer would have. Rows that are then rebuilt
from such a log add nothing here: these checks do not read them. A signed head covers hashes: an edit that leaves the hash as
it was is shown by the chain. Acts upon rows are in \`audit/verify.int.spec.ts\`.

${tables.join('\n\n')}
`;
}
