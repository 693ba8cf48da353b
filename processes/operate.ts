/**
 * What an operator does by hand, with a shell (`encore` is `node dist/processes/encore.js`, or this file without
 * the word `operate`):
 *
 *     encore operate found
 *     encore operate book-platform-money TXN
 *     encore operate unclaimed --list
 *     encore operate pay-unclaimed ITEM --reference TEXT
 *     encore operate write-off USER --because TEXT
 *     encore operate quarantine --list
 *     encore operate quarantine STREAM REVISION --because TEXT
 *     encore operate archive [--follow]
 *     encore operate recover [--since ISO-TIME] [--report FILE]
 *     encore operate reopen USER
 *     encore operate recover-account USER
 *     encore operate end-sessions USER
 *     encore operate check-stripe [--set-up]
 *     encore operate backup FOLDER
 *     encore operate restore [--check] FOLDER
 *     encore operate rotate-data-keys [--user USER] [--made-before ISO-TIME]
 *     encore operate security-trail [--user USER] [--what ACT] [--since ISO-TIME] [--until ISO-TIME]
 *
 * `found` begins a ledger over the account of the card provider's whose keys are set, also where another
 * ledger's objects are there: the log must be empty of payments. `book-platform-money` books a movement of the
 * provider's balance as the platform's own. `unclaimed` lists money that came back for people
 * whose accounts are closed, `pay-unclaimed` books that it was given to whom it belongs, `write-off` gives up what
 * somebody owes. `quarantine` takes out one event that cannot be read, so that its stream goes on. `archive` writes
 * what the log has to the exported log in ENCORE_ARCHIVE, verified; with `--follow` it goes on with what comes, and
 * ends like any process that serves. `recover` wins back what the log has lost, from the archive and the provider;
 * `reopen` lets a user of whom something was lost use their money again. `recover-account` begins the recovery of an
 * account whose owner cannot use its passkeys, and skips nothing of it, `end-sessions` signs somebody out everywhere. `check-stripe` says what of the account at
 * the card provider is right, missing or unproven, and changes nothing without `--set-up`. `backup` puts the log,
 * data keys and sessions into a folder while everything runs, `restore` brings them back while nothing does, and
 * ends all sessions. `security-trail` prints who signed in, what was refused and what was changed, a JSON object a
 * line. What an operator does is itself noted there. Exits 0, or 2 when it cannot be done.
 */
import { operate } from './operate/run.js';
import { runCommand } from './shell/command.js';
import { serve } from './shell/serve.js';

if (process.argv.slice(2).join(' ') === 'archive --follow')
  await serve('the archive', async () => (await import('./operate/archive.js')).startArchive());
else await runCommand('It could not be done', operate);
