/** `encore audit prove-entry`: that one event stands in the log under a signed head. */
import { proveEntry } from '#audit/transparency/proofs';
import { anchorOf, plainly, takingAnchor, type AnchorOptions } from '../anchors.js';
import { readingLog, type SourceOptions, type Verb } from '../verb.js';

export const proveEntryVerb: Verb = (audit, io) => {
  takingAnchor(readingLog(audit.command('prove-entry')))
    .description('prove that an event stands in the log under a signed head')
    .argument('<id-or-revision>', 'the id of an event, or a revision of the journal')
    .action(async (named: string, options: SourceOptions & AnchorOptions) => {
      const name = /^\d{1,15}$/.test(named) ? { revision: Number(named) } : { id: named.toLowerCase() };
      const anchor = await anchorOf(options);
      const proof = await plainly(proveEntry(await io.openSource(options), name, anchor));
      io.answer({
        status: 0,
        lines: [
          `${proof.type} ${proof.id} is revision ${proof.revision} of ${proof.stream}, and event ${proof.index} of the tree ${anchor.head.origin}.`,
          `leaf  ${proof.leaf}`,
          ...proof.path.map((hash) => `path  ${hash}`),
          `root  ${anchor.head.root.toString('base64')} of ${anchor.head.size} events, signed`,
        ],
        json: proof,
      });
    });
};
