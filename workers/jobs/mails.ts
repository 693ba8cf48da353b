/**
 * Sends what is to be mailed: a few at a time, side by side, until nothing is left or the time of a pass is
 * over. A mail server that does not answer ends the pass, and costs no mail an attempt.
 */
import { setTimeout as waitFor } from 'node:timers/promises';
import { MAILS_AT_ONCE, type Mail, type MailOutcome } from '#contracts/api/mails';
import type { MailSender } from '../mail/mail-sender.js';
import { LedgerAway } from '../ledger-client.js';
import { PASS_MS, type PassEnd } from './asking.js';
import type { JobContext } from './context.js';

/** A connection on which so many mails in a row came to nothing is used no further in this pass. */
const VAIN_IN_A_ROW = 2;
const SENT_OR_ENDED: ReadonlySet<MailOutcome['outcome']> = new Set(['sent', 'address-refused', 'refused']);

/** To a ledger that is away, such as for an update, what became of mails is said again, for a minute. */
const NOTED_AGAIN_MS = 2_000;
const NOTED_TRIES_MOST = 30;

/** `pause` is another one in suites alone. */
export async function sendMails(
  job: JobContext,
  pause: (ms: number) => Promise<unknown> = waitFor,
): Promise<PassEnd> {
  const { mail } = job;
  if (mail === undefined) return 'done';
  const endMs = job.now().getTime() + PASS_MS;
  for (;;) {
    const { mails = [] } = await job.ask({ type: 'ClaimMails', limit: MAILS_AT_ONCE });
    if (mails.length === 0) return 'done';
    const outcomes = await sentBy(mail.senders, mails);
    for (const { outcome, code } of outcomes) mail.noted(outcome, code);
    await note(job, outcomes, pause);
    // It is asked again by the next regular pass, and not as fast as it refuses.
    if (outcomes.some(({ outcome }) => outcome === 'server-away')) return 'done';
    if (job.now().getTime() >= endMs) return 'more';
  }
}

/** What a ledger does not hear of is handed out once more, and sent twice. */
async function note(
  job: JobContext,
  outcomes: MailOutcome[],
  pause: (ms: number) => Promise<unknown>,
): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await job.ask({ type: 'NoteMails', outcomes });
      return;
    } catch (error) {
      if (!(error instanceof LedgerAway) || tries >= NOTED_TRIES_MOST) throw error;
      await pause(NOTED_AGAIN_MS);
    }
}

/** Each sender takes the next mail that is left, until the server is seen not to answer. */
async function sentBy(senders: readonly MailSender[], mails: readonly Mail[]): Promise<MailOutcome[]> {
  const left = [...mails];
  const outcomes: MailOutcome[] = [];
  let isAway = false;
  await Promise.all(
    senders.map(async (sender) => {
      for (let inVain = 0; inVain < VAIN_IN_A_ROW && !isAway;) {
        const mail = left.shift();
        if (mail === undefined) return;
        const outcome = await sender.send(mail);
        outcomes.push({ id: mail.id, ...outcome });
        inVain = SENT_OR_ENDED.has(outcome.outcome) ? 0 : inVain + 1;
        isAway ||= outcome.outcome === 'server-away';
      }
    }),
  );
  return [...outcomes, ...left.map(({ id }): MailOutcome => ({ id, outcome: 'server-away' }))];
}
