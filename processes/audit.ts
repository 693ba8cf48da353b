/**
 * `encore audit`, as a program of its own: `node dist/processes/audit.js VERB …`. Its verbs are in
 * audit/verbs.ts. Exits 0 when all is in order, 1 when it is not, 2 when it was called wrongly or could not
 * be done.
 */
import { growSparingly } from './audit/lean-memory.js';
import { audit } from './audit/run.js';
import { withLocalStack } from './encore/running-stack.js';
import { runCommand } from './shell/command.js';

await runCommand('The audit could not be done', async (words) => {
  growSparingly();
  return withLocalStack('audit', words, () => audit(words));
});
