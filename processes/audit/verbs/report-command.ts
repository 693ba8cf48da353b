/** `encore audit report`: the parent of the reports. */
import type { Command } from 'commander';

/** The parent command, which whoever comes first makes. */
export const reportCommand = (audit: Command): Command =>
  audit.commands.find((command) => command.name() === 'report') ??
  audit.command('report').description('reports over the books');
