/** `encore audit report`: the reports that hang below it, beside the page for people. */
import type { Command } from 'commander';

/**
 * The parent command, which whoever comes first makes. It may know an option of a report's by itself, such as
 * `--from-file`, and then keeps it: a report reads its options with `optsWithGlobals()`.
 */
export const reportCommand = (audit: Command): Command =>
  audit.commands.find((command) => command.name() === 'report') ??
  audit.command('report').description('reports over the books');
