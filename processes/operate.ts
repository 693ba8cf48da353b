/**
 * What an operator does by hand, with a shell: `encore operate VERB …` without the word `operate`. Its verbs
 * are in operate/verbs.ts, and `--help` lists them; docs/how-to/operate.md says when each is called for.
 * `archive --follow` ends like any process that serves. Exits 0, 1 where check-stripe finds something
 * missing, or 2 when it cannot be done.
 */
import { operate } from './operate/run.js';
import { runCommand } from './shell/command.js';
import { serve } from './shell/serve.js';

if (process.argv.slice(2).join(' ') === 'archive --follow')
  await serve('the archive', async () => (await import('./operate/archive.js')).startArchive());
else await runCommand('It could not be done', operate);
