/**
 * Which role a container has, by the command lines of what runs in it, and the port at which that role says
 * whether it serves.
 */

export interface RunningRole {
  readonly role: string;
  readonly port: number;
}

/**
 * The setting of each role's port, and the port where it is not set, as contracts/configuration.ts has them.
 */
const ROLES = {
  ledger: ['LEDGER_PORT', 3001],
  projections: ['PROJECTIONS_PORT', 3003],
  workers: ['WORKERS_PORT', 3004],
  archive: ['ARCHIVE_PORT', 3006],
  transparency: ['TRANSPARENCY_PORT', 3007],
} as const;

/** The words by which the command line of a role is known. */
const wordsOf = (role: string): readonly string[] =>
  role === 'archive' ? ['dist/processes/operate.js', '--follow'] : [`dist/processes/${role}.js`];

/** The role, or undefined when none of those that serve runs. */
export function roleIn(
  commandLines: readonly (readonly string[])[],
  env: Readonly<Record<string, string | undefined>>,
): RunningRole | undefined {
  for (const [role, [setting, usual]] of Object.entries(ROLES))
    if (commandLines.some((line) => wordsOf(role).every((word) => line.includes(word))))
      return { role, port: Number(env[setting] || usual) };
  return undefined;
}
