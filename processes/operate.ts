/**
 * What an operator does by hand, with a shell:
 *
 *     node dist/processes/operate.js found
 *     node dist/processes/operate.js book-platform-money TXN
 *     node dist/processes/operate.js unclaimed --list
 *     node dist/processes/operate.js pay-unclaimed ITEM --reference TEXT
 *     node dist/processes/operate.js write-off USER --because TEXT
 *     node dist/processes/operate.js quarantine --list
 *     node dist/processes/operate.js quarantine STREAM REVISION --because TEXT
 *     node dist/processes/operate.js archive [--follow]
 *     node dist/processes/operate.js recover [--since ISO-TIME] [--report FILE]
 *     node dist/processes/operate.js reopen USER
 *     node dist/processes/operate.js recover-account USER
 *     node dist/processes/operate.js check-stripe [--set-up]
 *     node dist/processes/operate.js backup FOLDER
 *     node dist/processes/operate.js restore [--check] FOLDER
 *     node dist/processes/operate.js rotate-data-keys [--user USER] [--made-before ISO-TIME]
 *     node dist/processes/operate.js security-trail [--user USER] [--what ACT] [--since ISO-TIME] [--until ISO-TIME]
 *
 * `found` begins a ledger over the account of the card provider's whose keys are set, also where another
 * ledger's objects are there: the log must be empty of payments. `book-platform-money` books a movement of the
 * provider's balance as the platform's own. `unclaimed` lists money that came back for people
 * whose accounts are closed, `pay-unclaimed` books that it was given to whom it belongs, `write-off` gives up what
 * somebody owes. `quarantine` takes out one event that cannot be read, so that its stream goes on. `archive` writes
 * what the log has to the exported log in ENCORE_ARCHIVE, verified; with `--follow` it goes on with what comes, and
 * ends like any process that serves. `recover` wins back what the log has lost, from the archive and the provider;
 * `reopen` lets a user of whom something was lost use their money again. `recover-account` begins the recovery of an
 * account whose owner cannot use its passkeys, and skips nothing of it. `check-stripe` says what of the account at
 * the card provider is right, missing or unproven, and changes nothing without `--set-up`. `backup` puts the log,
 * data keys and sessions into a folder while everything runs, `restore` brings them back while nothing does, and
 * ends all sessions. `security-trail` prints who signed in, what was refused and what was changed, a JSON object a
 * line. What an operator does is itself noted there. Exits 0, or 2 when it cannot be done.
 */
import { withTrail } from './operate/operator-trail.js';
import { USAGE, type Verb } from './operate/usage.js';
import { CannotRun, runCommand, type Verdict } from './shell/command.js';
import { serve } from './shell/serve.js';

type Perform = (words: readonly string[]) => Promise<Verdict>;

/** Each verb is loaded when it is asked for: the archive's process needs little of what the others do. */
const VERBS: Readonly<Record<Verb, () => Promise<Perform>>> = {
  found: async () => (await import('./operate/found.js')).found,
  'book-platform-money': async () => (await import('./operate/platform-money.js')).bookPlatformMoney,
  unclaimed: async () => (await import('./operate/unclaimed.js')).listUnclaimed,
  'pay-unclaimed': async () => (await import('./operate/unclaimed.js')).payUnclaimed,
  'write-off': async () => (await import('./operate/unclaimed.js')).writeOff,
  quarantine: async () => (await import('./operate/quarantine.js')).quarantine,
  recover: async () => (await import('./operate/recover.js')).recover,
  'recover-account': async () => (await import('./operate/recover-account.js')).recoverAccount,
  reopen: async () => (await import('./operate/reopen.js')).reopen,
  'check-stripe': async () => (await import('./operate/check-stripe.js')).checkStripe,
  archive: async () => (await import('./operate/archive.js')).archive,
  backup: async () => (await import('./operate/backup.js')).backup,
  restore: async () => (await import('./operate/restore.js')).restore,
  'rotate-data-keys': async () => (await import('./operate/rotate-data-keys.js')).rotateDataKeys,
  'security-trail': async () => (await import('./operate/security-trail.js')).securityTrail,
};

const isVerb = (word: string): word is Verb => Object.hasOwn(VERBS, word);

async function run(words: readonly string[]): Promise<Verdict> {
  const [verb = '', ...more] = words;
  if (isVerb(verb)) {
    const perform = await VERBS[verb]();
    return withTrail(verb, more, () => perform(more));
  }
  const usage = `Usage: ${Object.values(USAGE).join(', or ')}`;
  throw new CannotRun(verb === '' ? usage : `"${words.join(' ')}" is not something to operate. ${usage}`);
}

if (process.argv.slice(2).join(' ') === 'archive --follow')
  await serve('the archive', async () => (await import('./operate/archive.js')).startArchive());
else await runCommand('It could not be done', run);
