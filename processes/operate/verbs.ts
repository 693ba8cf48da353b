/**
 * The verbs of `encore operate`: how each is called, what of it is noted, and who does it, loaded when it is
 * asked for.
 */
import { InvalidArgumentError, type Command } from 'commander';
import type { TrailEntry } from '#ledger/security-trail/security-trail';
import { TRAIL_ACTS, type TrailAct } from '#ledger/security-trail/trail-acts';
import type { Verdict } from '../shell/command.js';
import { CannotRun } from '../shell/command.js';
import { amountArgument, endArgument, programOf, timeArgument } from '../shell/command-line.js';

export const OPERATE = {
  name: 'encore operate',
  about: 'What an operator does by hand. It is noted in the security trail.',
  unknownVerb: 'not something to operate',
  noVerb: 'Say what to operate',
} as const;

/** What of a command is noted; undefined where it only looks, or a ledger notes what it is asked. */
export type Noted = TrailEntry['detail'] | undefined;
/** Does what a verb is for. */
type Perform = (verb: string, noted: Noted, act: () => Promise<Verdict>) => Promise<void>;

const BY_THE_LEDGER: Noted = undefined;
const LOOKS_ONLY: Noted = undefined;
const because = ['--because <why...>', 'why, in a few words'] as const;
const sentence = (words: readonly string[]): string => words.join(' ').trim();
const ofUser = (userId: string | undefined) => (userId === undefined ? {} : { userId });

/** The command with all verbs; `perform` is handed what the words ask for. */
export function operateCommand(perform: Perform): Command {
  const operate = programOf(OPERATE);
  const verb = (called: string, about: string): Command => operate.command(called).description(about);
  operate.addHelpText(
    'after',
    '\nExits 0, 1 where check-stripe finds something missing, or 2 when it cannot be done.',
  );

  verb('found', 'begin a ledger over the account of the card provider’s whose keys are set').action(() =>
    perform('found', {}, async () => (await import('./found.js')).found()),
  );
  verb('book-platform-money <txn>', 'book a movement of the provider’s balance as the platform’s own').action(
    (id: string) =>
      perform('book-platform-money', BY_THE_LEDGER, async () =>
        (await import('./platform-money.js')).bookPlatformMoney(id),
      ),
  );
  verb('unclaimed', 'list money that came back for people whose accounts are closed')
    .requiredOption('--list', 'list it')
    .action(() =>
      perform('unclaimed', LOOKS_ONLY, async () => (await import('./unclaimed.js')).listUnclaimed()),
    );
  verb('pay-unclaimed <item>', 'book that unclaimed money was given to whom it belongs')
    .requiredOption('--amount <dollars>', 'what was given: all that is left of it', amountArgument)
    .requiredOption('--reference <text...>', 'where the payment can be looked up')
    .action((item: string, { amount, reference }: { amount: number; reference: string[] }) =>
      perform('pay-unclaimed', BY_THE_LEDGER, async () =>
        (await import('./unclaimed.js')).payUnclaimed(item, amount, sentence(reference)),
      ),
    );
  verb('write-off <user>', 'give up what somebody owes')
    .requiredOption(...because)
    .action((userId: string, { because: why }: { because: string[] }) =>
      perform('write-off', BY_THE_LEDGER, async () =>
        (await import('./unclaimed.js')).writeOff(userId, sentence(why)),
      ),
    );
  quarantineVerb(verb('quarantine [stream] [revision]', 'take out one event that cannot be read'), perform);
  verb('archive', 'write what the log has to the exported log in ENCORE_ARCHIVE, verified')
    .option('--follow', 'go on with what comes, as a process that serves')
    .action(({ follow }: { follow?: true }) => {
      // Whoever serves is no command that ends: operate.ts begins it.
      if (follow) throw new CannotRun('Give --follow as the only word behind archive.');
      return perform('archive', LOOKS_ONLY, async () => (await import('./archive.js')).archive());
    });
  verb('recover', 'win back what the log has lost, from the archive and the provider')
    .option('--since <time>', 'compare with the provider from then on', timeArgument)
    .option('--report <file>', 'write the report to this file')
    .action((options: { since?: Date; report?: string }) =>
      perform('recover', {}, async () => (await import('./recover.js')).recover(options)),
    );
  verb('reopen <user>', 'let a user of whom something was lost use their money again').action(
    (userId: string) =>
      perform('reopen', { userId }, async () => (await import('./reopen.js')).reopen(userId)),
  );
  verb(
    'recover-account <user>',
    'begin the recovery of an account whose owner cannot use its passkeys',
  ).action((userId: string) =>
    perform('recover-account', BY_THE_LEDGER, async () =>
      (await import('./recover-account.js')).recoverAccount(userId),
    ),
  );
  verb('end-sessions <user>', 'sign somebody out everywhere').action((userId: string) =>
    perform('end-sessions', BY_THE_LEDGER, async () =>
      (await import('./end-sessions.js')).endSessions(userId),
    ),
  );
  verb('check-stripe', 'say what of the account at the card provider is right, missing or unproven')
    .option('--set-up', 'make what is missing and can be made')
    .action(({ setUp = false }: { setUp?: boolean }) =>
      perform('check-stripe', setUp ? {} : LOOKS_ONLY, async () =>
        (await import('./check-stripe.js')).checkStripe(setUp),
      ),
    );
  verb('backup <folder>', 'put the log, data keys and sessions into a folder while everything runs').action(
    (folder: string) => perform('backup', {}, async () => (await import('./backup.js')).backup(folder)),
  );
  verb('restore <folder>', 'bring a backup back while nothing runs, and end all sessions')
    .option('--check', 'only read the backup, and say whether it is whole')
    .option('--keep-log', 'bring back what Postgres had alone, beside a log that went on since')
    .action((folder: string, { check = false, keepLog }: { check?: boolean; keepLog?: boolean }) =>
      perform('restore', check ? LOOKS_ONLY : {}, async () => {
        const { checkBackup, restore } = await import('./restore.js');
        return check ? checkBackup(folder) : restore(folder, keepLog);
      }),
    );
  verb('rotate-data-keys', 'seal texts by new data keys from now on')
    .option('--user <user>', 'of one user; of everybody unless told')
    .option('--made-before <time>', 'where the newest key was made before; now unless told', timeArgument)
    .action((options: { user?: string; madeBefore?: Date }) =>
      perform('rotate-data-keys', ofUser(options.user), async () =>
        (await import('./rotate-data-keys.js')).rotateDataKeys(options),
      ),
    );
  verb('security-trail', 'print who signed in, what was refused and what was changed, a JSON object a line')
    .option('--user <user>', 'what concerns one user')
    .option('--what <act>', `one kind of act: ${TRAIL_ACTS.join(', ')}`, actArgument)
    .option('--since <time>', 'from then on; of the last day unless told', timeArgument)
    .option('--until <time>', 'until then, or a day to its end; until now unless told', endArgument)
    .action((options: { user?: string; what?: TrailAct; since?: Date; until?: Date }) =>
      // Reading the trail changes nothing, and is somebody's decision all the same.
      perform('security-trail', ofUser(options.user), async () =>
        (await import('./security-trail.js')).securityTrail(options),
      ),
    );
  return operate;
}

/** A word that is no act would find nothing, and read as if nothing had happened. */
function actArgument(written: string): TrailAct {
  const act = TRAIL_ACTS.find((one) => one === written);
  if (act === undefined) throw new InvalidArgumentError(`"${written}" is not an act of the trail.`);
  return act;
}

interface QuarantineOptions {
  readonly list?: boolean;
  readonly because?: readonly string[];
}

function quarantineVerb(command: Command, perform: Perform): void {
  command
    .option('--list', 'list what is parked and what was taken out')
    .option(...because)
    .action((stream: string | undefined, revision: string | undefined, options: QuarantineOptions) => {
      const why = sentence(options.because ?? []);
      if (options.list && stream === undefined && why === '')
        return perform('quarantine', LOOKS_ONLY, async () =>
          (await import('./quarantine.js')).listParkedStreams(),
        );
      if (options.list || stream === undefined || revision === undefined || why === '')
        throw new CannotRun('quarantine takes --list, or STREAM REVISION --because WHY.');
      if (!/^\d{1,15}$/.test(revision)) throw new CannotRun(`"${revision}" is not a revision.`);
      return perform('quarantine', { stream, revision }, async () =>
        (await import('./quarantine.js')).quarantine(stream, Number(revision), why),
      );
    });
}
