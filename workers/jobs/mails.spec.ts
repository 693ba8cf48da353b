/** The job that sends mails: several at a time, none lost, and no hammering of a server that is away. */
import { describe, expect, it } from '@jest/globals';
import { MAILS_AT_ONCE, type Mail, type MailOutcome } from '#contracts/api/mails';
import { JobWorld } from '#test/support/job-world';
import { LedgerAway, LedgerDeclined } from '../ledger-client.js';
import type { SendOutcome } from '../mail/mail-sender.js';
import { sendMails } from './mails.js';

const mail = (n: number): Mail => ({
  id: `msg_${n}`,
  messageId: `<msg_${n}@localhost>`,
  to: 'ada@example.org',
  subject: 's',
  text: 't',
  html: 'h',
});

function world(count: number, send: (mail: Mail) => SendOutcome, msEach = 0) {
  const sent: string[] = [];
  const waiting = Array.from({ length: count }, (_, n) => mail(n));
  const outcomes: MailOutcome[] = [];
  const sender = {
    send: (one: Mail) => {
      sent.push(one.id);
      jobs.pass(msEach);
      return Promise.resolve(send(one));
    },
    close: () => undefined,
  };
  const jobs: JobWorld = new JobWorld({ mail: { senders: [sender, sender], noted: () => undefined } });
  jobs.answers('ClaimMails', ({ limit }) => ({ looked: 1, failed: [], mails: waiting.splice(0, limit) }));
  jobs.answers('NoteMails', (command) => {
    outcomes.push(...command.outcomes);
    return { looked: 1, failed: [] };
  });
  return { jobs, sent, waiting, outcomes };
}

describe('sending mails', () => {
  it('goes on until none is left, and says of each what became of it', async () => {
    const { jobs, sent, outcomes } = world(50, () => ({ outcome: 'sent' }));
    expect(await sendMails(jobs.context)).toBe('done');
    expect(new Set(sent).size).toBe(50);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 50 }, () => 'sent'));
  });

  it('ends with the time of a pass, and says that there is more', async () => {
    const { jobs, waiting } = world(1_000, () => ({ outcome: 'sent' }), 1_000);
    expect(await sendMails(jobs.context)).toBe('more');
    expect(waiting.length).toBeGreaterThan(900);
  });

  it('tries a server that is away with no more than one mail a connection, and gives the others back', async () => {
    const { jobs, sent, outcomes, waiting } = world(100, () => ({ outcome: 'server-away' }));
    expect(await sendMails(jobs.context)).toBe('done');
    expect(sent.length).toBeLessThanOrEqual(2);
    expect(outcomes).toHaveLength(MAILS_AT_ONCE);
    expect(waiting).toHaveLength(100 - MAILS_AT_ONCE);
  });

  it('leaves a connection alone on which two mails in a row came to nothing', async () => {
    const { jobs, sent, outcomes } = world(100, () => ({ outcome: 'put-off' }));
    expect(await sendMails(jobs.context)).toBe('done');
    expect(sent).toHaveLength(4);
    expect(outcomes.filter(({ outcome }) => outcome === 'put-off')).toHaveLength(4);
  });

  it('says what became of what was sent until a ledger hears it, for it would be sent again', async () => {
    const { jobs, outcomes } = world(20, () => ({ outcome: 'sent' }));
    let awayFor = 15;
    jobs.answers('NoteMails', (command) => {
      if (awayFor-- > 0) throw new LedgerAway('It restarts.', { isOutage: true });
      outcomes.push(...command.outcomes);
      return { looked: 1, failed: [] };
    });
    const pause = (ms: number) => Promise.resolve(jobs.pass(ms));
    await sendMails(jobs.context, pause);
    expect(outcomes).toHaveLength(20);
  });

  it('does not wait for a ledger that stays away, nor say again what it declined', async () => {
    for (const error of [new LedgerAway('Gone.', { isOutage: true }), new LedgerDeclined('No.', true)]) {
      const { jobs } = world(20, () => ({ outcome: 'sent' }));
      jobs.answers('NoteMails', () => {
        throw error;
      });
      const began = jobs.nowMs;
      const pause = (ms: number) => Promise.resolve(jobs.pass(ms));
      await expect(sendMails(jobs.context, pause)).rejects.toBe(error);
      expect(jobs.nowMs - began).toBeLessThanOrEqual(error instanceof LedgerAway ? 61_000 : 0);
    }
  });

  it('does nothing where there is no mail server', async () => {
    const jobs = new JobWorld();
    expect(await sendMails(jobs.context)).toBe('done');
    expect(jobs.asked).toEqual([]);
  });
});
