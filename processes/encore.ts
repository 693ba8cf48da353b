/**
 * The command for people with a shell:
 *
 *     encore audit VERB …      checks the books; `encore audit --help` lists what it does
 *     encore operate VERB …    what an operator does by hand; `encore operate --help` lists it
 *
 * In a checkout it is `node dist/processes/encore.js`, and `make audit ARGS="VERB …"`. It finds the stack of
 * `make start` by itself, through its data folder (ENCORE_DATA), where the environment names no event store.
 * Exits 0 when all is in order, 1 when it is not, 2 when it was called wrongly or could not be done.
 */
import { growSparingly } from './audit/lean-memory.js';
import { withLocalStack } from './encore/running-stack.js';
import { CannotRun, runCommand, type Verdict } from './shell/command.js';
import { serve } from './shell/serve.js';

const USAGE =
  'Usage: encore audit VERB …, or encore operate VERB …. "encore audit --help" and "encore operate --help" list the verbs.';

async function encore(words: readonly string[]): Promise<Verdict> {
  const [area, ...more] = words;
  if (area === undefined || area === '--help' || area === 'help') return { status: 0, lines: [USAGE] };
  if (area !== 'audit' && area !== 'operate')
    throw new CannotRun(`"${area}" is not a part of encore. ${USAGE}`);
  return withLocalStack(area, more, async () => {
    if (area === 'operate') return (await import('./operate/run.js')).operate(more);
    growSparingly();
    return (await import('./audit/run.js')).audit(more);
  });
}

if (process.argv.slice(2).join(' ') === 'operate archive --follow')
  await serve('the archive', () =>
    withLocalStack('operate', [], async () => (await import('./operate/archive.js')).startArchive()),
  );
else await runCommand('It could not be done', encore);
