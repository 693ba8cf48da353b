/**
 * Which role a container has, by the command lines of what runs in it, and the port at which that role says
 * whether it serves.
 */

export interface RunningRole {
  readonly role: string;
  readonly port: number;
}

/** The setting of each role's port, and the port where it is not set, as contracts/configuration.ts has them. */
const ROLES = {
  ledger: ['LEDGER_PORT', 3001],
  projections: ['PROJECTIONS_PORT', 3003],
  workers: ['WORKERS_PORT', 3004],
} as const;

/** The role, or undefined when none of those that serve runs. */
export function roleIn(
  commandLines: readonly (readonly string[])[],
  env: Readonly<Record<string, string | undefined>>,
): RunningRole | undefined {
  for (const [role, [setting, usual]] of Object.entries(ROLES))
    if (commandLines.some((line) => line.includes(`dist/processes/${role}.js`)))
      return { role, port: Number(env[setting] || usual) };
  return undefined;
}
