/**
 * Which role a container plays, by the command lines of what runs in it, and where that role tells whether it
 * serves.
 */

export interface Asked {
  readonly role: string;
  readonly port: number;
  /** What to GET; without it, a connection is enough. */
  readonly path: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;
interface Role {
  readonly port: (env: Environment, args: readonly string[]) => string | undefined;
  readonly path?: string;
}

const fromArguments: Role['port'] = (_env, args) => args[args.indexOf('--port') + 1];
/** The ports are those that contracts/configuration.ts has when nobody sets them. */
const ROLES: Readonly<Record<string, Role>> = {
  'processes/ledger': { port: (env) => env.LEDGER_PORT || '3001', path: '/readyz' },
  'processes/projections': { port: (env) => env.PROJECTIONS_PORT || '3003', path: '/readyz' },
  'processes/workers': { port: (env) => env.WORKERS_PORT || '3004', path: '/readyz' },
  'local/stand-ins/eventstore/main': { port: fromArguments },
  'local/stand-ins/stripe/main': { port: fromArguments },
  'local/stand-ins/identity/main': { port: fromArguments, path: '/healthz' },
};

/** The role, or undefined when none of those that serve runs. */
export function roleIn(commandLines: readonly (readonly string[])[], env: Environment): Asked | undefined {
  for (const line of commandLines)
    for (const [role, { port, path }] of Object.entries(ROLES)) {
      const at = line.findIndex((word) => word === `dist/${role}.js`);
      if (at < 0) continue;
      const number = Number(port(env, line.slice(at)));
      if (Number.isInteger(number) && number > 0) return { role, port: number, path };
    }
  return undefined;
}
