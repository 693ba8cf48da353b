/** The verbs of `encore operate`, and how one is run. */
import { CannotRun, type Verdict } from '../shell/command.js';
import { withTrail } from './operator-trail.js';
import { USAGE, type Verb } from './usage.js';

type Perform = (words: readonly string[]) => Promise<Verdict>;

/** Each verb is loaded when it is asked for: the archive's process needs little of what the others do. */
const VERBS: Readonly<Record<Verb, () => Promise<Perform>>> = {
  found: async () => (await import('./found.js')).found,
  'book-platform-money': async () => (await import('./platform-money.js')).bookPlatformMoney,
  unclaimed: async () => (await import('./unclaimed.js')).listUnclaimed,
  'pay-unclaimed': async () => (await import('./unclaimed.js')).payUnclaimed,
  'write-off': async () => (await import('./unclaimed.js')).writeOff,
  quarantine: async () => (await import('./quarantine.js')).quarantine,
  recover: async () => (await import('./recover.js')).recover,
  'recover-account': async () => (await import('./recover-account.js')).recoverAccount,
  'end-sessions': async () => (await import('./end-sessions.js')).endSessions,
  reopen: async () => (await import('./reopen.js')).reopen,
  'check-stripe': async () => (await import('./check-stripe.js')).checkStripe,
  archive: async () => (await import('./archive.js')).archive,
  backup: async () => (await import('./backup.js')).backup,
  restore: async () => (await import('./restore.js')).restore,
  'rotate-data-keys': async () => (await import('./rotate-data-keys.js')).rotateDataKeys,
  'security-trail': async () => (await import('./security-trail.js')).securityTrail,
};

const isVerb = (word: string): word is Verb => Object.hasOwn(VERBS, word);

/** Runs `encore operate WORDS…`, and notes it in the security trail. Throws {@link CannotRun}. */
export async function operate(words: readonly string[]): Promise<Verdict> {
  const [verb = '', ...more] = words;
  if (isVerb(verb)) {
    const perform = await VERBS[verb]();
    return withTrail(verb, more, () => perform(more));
  }
  const usage = `Usage: ${Object.values(USAGE).join(', or ')}`;
  throw new CannotRun(verb === '' ? usage : `"${words.join(' ')}" is not something to operate. ${usage}`);
}
