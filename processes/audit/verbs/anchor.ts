/**
 * `encore audit anchor`: the signed head of the tree, to be kept elsewhere, and whether the log is still the
 * one under it.
 */
import { writeFile } from 'node:fs/promises';
import { reportLines } from '#audit/report';
import { checkAnchors } from '#audit/transparency/check-anchors';
import { anchorOf, takingAnchor, type AnchorOptions } from '../anchors.js';
import { readingLog, type SourceOptions, type Verb } from '../verb.js';

export const anchorVerb: Verb = (audit, io) => {
  takingAnchor(readingLog(audit.command('anchor')))
    .description('show the signed head of the tree over the log, and hold the log against it')
    .option('--out <file>', 'write the head, to be kept where nobody of this system can change it')
    .action(async (options: SourceOptions & AnchorOptions & { readonly out?: string }) => {
      const anchor = await anchorOf(options);
      const check = await checkAnchors(await io.openSource(options), [anchor]);
      if (options.out !== undefined)
        await writeFile(options.out, `${JSON.stringify(anchor.file, null, 2)}\n`);
      const { head, note, file } = anchor;
      const journal = note.journal ? `revision ${note.journal.revision}, hash ${note.journal.hash}` : 'empty';
      io.answer({
        status: check.findings.length === 0 ? 0 : 1,
        lines: [
          `tree     ${head.origin}`,
          `size     ${head.size}`,
          `root     ${head.root.toString('base64')}`,
          `signed   ${note.signedAt.toISOString()}`,
          `journal  ${journal}`,
          `key      ${file.verifierKey}`,
          '',
          ...reportLines([check]).slice(0, -2),
          ...(options.out === undefined ? [] : ['', `The head is in ${options.out}.`]),
        ],
        json: {
          isInOrder: check.findings.length === 0,
          anchor: file,
          size: head.size,
          root: head.root.toString('base64'),
          check,
        },
      });
    });
};
