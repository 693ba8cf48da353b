/** `encore audit prove-consistency`: that the log under one head begins with the log under an older one. */
import { existsSync } from 'node:fs';
import { anchorFrom } from '#audit/transparency/anchor';
import { proveConsistency, type NamedHead } from '#audit/transparency/proofs';
import { plainly } from '../anchors.js';
import { CannotRun } from '../../shell/command.js';
import { readingLog, type SourceOptions, type Verb } from '../verb.js';

/** A head by its size alone, or by a file of `anchor --out`, whose root is compared. */
async function headOf(named: string, key: string | undefined): Promise<NamedHead> {
  if (/^\d{1,15}$/.test(named) && !existsSync(named)) return { size: Number(named) };
  if (!existsSync(named))
    throw new CannotRun(`"${named}" is neither a number of events nor a file of "audit anchor --out".`);
  return (await plainly(anchorFrom(named, key))).head;
}

export const proveConsistencyVerb: Verb = (audit, io) => {
  readingLog(audit.command('prove-consistency'))
    .description('prove that the log at one size begins with the log at another')
    .argument('<old>', 'a number of events, or a file of "audit anchor --out"')
    .argument('<new>', 'a number of events, or a file of "audit anchor --out"')
    .option('--key <verifier-key>', 'the public key of the tree, from elsewhere than the tree itself')
    .action(async (old: string, now: string, options: SourceOptions & { readonly key?: string }) => {
      const [oldHead, newHead] = [await headOf(old, options.key), await headOf(now, options.key)];
      const proof = await plainly(proveConsistency(await io.openSource(options), oldHead, newHead));
      io.answer({
        status: 0,
        lines: [
          `The first ${proof.oldSize} of ${proof.newSize} events are the same.`,
          `old   ${proof.oldRoot}`,
          ...proof.path.map((hash) => `path  ${hash}`),
          `new   ${proof.newRoot}`,
        ],
        json: proof,
      });
    });
};
