/**
 * The command that makes the tables, and the roles with their rights, before anything of a build starts:
 *
 *     DATABASE_URL_FILE=… LEDGER_DATABASE_URL_FILE=… node dist/processes/migrate.js
 *
 * DATABASE_URL is the owner's; the others name each role's password. It may be run again at any time. Exits
 * 0, or 2 when it cannot be done.
 */
import { BadSetting } from '#contracts/configuration';
import { ROLES, type Role } from '#log/roles';
import { prepareDatabase } from './database.js';
import { runCommand, type Verdict } from './shell/command.js';
import { readSettings } from './shell/settings.js';

const URL_OF = {
  ledger: 'LEDGER_DATABASE_URL',
  projections: 'PROJECTIONS_DATABASE_URL',
  workers: 'WORKERS_DATABASE_URL',
  audit: 'AUDIT_DATABASE_URL',
  backup: 'BACKUP_DATABASE_URL',
} as const satisfies Record<Role, string>;

/**
 * The password in a role's URL. Throws {@link BadSetting} for a URL of somebody else, or without a password.
 */
function passwordIn(role: Role, url: string): string {
  const { username, password } = new URL(url);
  if (username !== ROLES[role])
    throw new BadSetting(
      `${URL_OF[role]} names the user ${username || '(none)'}: it must be ${ROLES[role]}, the role of that process.`,
    );
  if (password === '') throw new BadSetting(`${URL_OF[role]} has no password: give the role one there.`);
  return decodeURIComponent(password);
}

async function run(): Promise<Verdict> {
  const settings = readSettings(['DATABASE_URL', ...Object.values(URL_OF)]);
  const passwords: Partial<Record<Role, string>> = {};
  for (const role of Object.keys(URL_OF) as Role[]) {
    const url = settings[URL_OF[role]];
    if (url !== undefined) passwords[role] = passwordIn(role, url);
  }
  await prepareDatabase(settings.DATABASE_URL, passwords);
  const made = Object.keys(passwords).length;
  return {
    status: 0,
    lines: [
      made === 0
        ? 'The tables are those of this build. No role was given a password: every process that has DATABASE_URL may do everything.'
        : `The tables are those of this build, and ${made} roles have their passwords and their rights.`,
    ],
  };
}

await runCommand('The database could not be prepared', run);
