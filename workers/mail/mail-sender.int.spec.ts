/** What becomes of a mail, by what the mail server does: over the real protocol, against the stand-in. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Mail } from '#contracts/api/mails';
import { useStack } from '#test/support/stack';
import { outcomeOf, smtpSender, type MailSender } from './mail-sender.js';

const stack = useStack(['mail', 'front']);
const MAIL: Mail = {
  id: 'msg_1',
  messageId: '<msg_1@localhost>',
  to: 'ada@example.org',
  subject: 'Payment sent',
  text: 'You paid $5.00.',
  html: '<p>You paid $5.00.</p>',
};

describe('sending a mail', () => {
  let sender: MailSender;
  beforeAll(() => {
    const url = `smtp://127.0.0.1:${stack().ports.mail}`;
    sender = smtpSender({ url, from: 'Encore <hello@example.com>', mayBeClear: true, timeoutMs: 300 });
  });
  afterAll(() => sender?.close());
  const serverDoes = (mode: string) =>
    fetch(`${stack().url}/inbox/mode`, { method: 'PUT', body: JSON.stringify({ mode }) });

  it.each([
    ['take', { outcome: 'sent' }],
    ['refuse-address', { outcome: 'address-refused', code: 550 }],
    ['refuse-sender', { outcome: 'put-off', code: 550 }],
    ['put-off', { outcome: 'put-off', code: 451 }],
    ['hang', { outcome: 'put-off' }],
    // It may look for viruses for longer than any other answer takes: sent again, it would be there twice.
    ['slow', { outcome: 'sent' }],
    ['lose-answer', { outcome: 'unknown' }],
    ['no-greeting', { outcome: 'server-away' }],
    ['take', { outcome: 'sent' }],
  ] as const)('to a server that does "%s" is %j', async (mode, outcome) => {
    await serverDoes(mode);
    expect(await sender.send(MAIL)).toEqual(outcome);
  });

  it('carries one Message-ID, however often it is sent, and says that no person wrote it', async () => {
    const answer = await fetch(`${stack().url}/inbox/mails.json?to=${MAIL.to}`);
    const mails = (await answer.json()) as {
      messageId: string;
      headers: string[];
      from: string;
      text: string;
    }[];
    expect(mails).toHaveLength(4);
    expect(new Set(mails.map(({ messageId }) => messageId))).toEqual(new Set([MAIL.messageId]));
    expect(mails[0]).toMatchObject({
      text: expect.stringContaining(MAIL.text),
      from: '"Encore" <hello@example.com>',
    });
    expect(mails[0]?.headers).toContain('Auto-Submitted: auto-generated');
  });

  it('to no server at all is put off without counting', async () => {
    const nobody = smtpSender({ url: 'smtp://127.0.0.1:9', from: 'a@example.com', mayBeClear: true });
    expect(await nobody.send(MAIL)).toEqual({ outcome: 'server-away' });
    nobody.close();
  });

  it('in the clear is refused where the server must speak TLS', async () => {
    const url = `smtp://127.0.0.1:${stack().ports.mail}`;
    const strict = smtpSender({ url, from: 'a@example.com', mayBeClear: false, timeoutMs: 300 });
    expect((await strict.send(MAIL)).outcome).toBe('server-away');
    strict.close();
  });
});

describe('what a failure means', () => {
  const greeted = { wasGreeted: true, isContentSent: false };
  it.each([
    [
      { code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN' },
      greeted,
      { outcome: 'server-away', code: 535 },
    ],
    [
      { code: 'EENVELOPE', responseCode: 550, command: 'MAIL FROM' },
      greeted,
      { outcome: 'server-away', code: 550 },
    ],
    [
      { code: 'EENVELOPE', responseCode: 552, command: 'RCPT TO' },
      greeted,
      { outcome: 'refused', code: 552 },
    ],
    [
      { code: 'EENVELOPE', responseCode: 421, command: 'RCPT TO' },
      greeted,
      { outcome: 'server-away', code: 421 },
    ],
    [{ code: 'EENVELOPE' }, greeted, { outcome: 'refused' }],
    // What is said of us, or of everything that we send today, is no word on the mail or its reader.
    ...[
      { responseCode: 550, command: 'RCPT TO', response: '550 5.7.54 SMTP; Unable to relay recipient' },
      { responseCode: 554, command: 'RCPT TO', response: '554 5.7.1 <ada@example.org>: Relay access denied' },
      { responseCode: 550, command: 'RCPT TO', response: '550 relay not permitted' },
      {
        responseCode: 550,
        command: 'DATA',
        response: '550-5.4.5 Daily user sending limit exceeded.\n550 5.4.5 …',
      },
      {
        responseCode: 554,
        command: 'DATA',
        response: '554 Message rejected: Sending paused for this account.',
      },
      { responseCode: 553, command: 'RCPT TO', response: "553 5.1.8 Sender's domain does not exist" },
    ].map((error) => [error, greeted, { outcome: 'put-off', code: error.responseCode }] as const),
    [
      {
        responseCode: 550,
        command: 'RCPT TO',
        response: '550 5.1.1 The account that you tried to reach does not exist',
      },
      greeted,
      { outcome: 'address-refused', code: 550 },
    ],
    [
      { responseCode: 554, command: 'DATA', response: '554 5.6.0 Message contains what we do not take' },
      greeted,
      { outcome: 'refused', code: 554 },
    ],
    [
      { responseCode: 552, command: 'DATA', response: '552 5.3.4 Message too large' },
      greeted,
      { outcome: 'refused', code: 552 },
    ],
    [{ code: 'ETIMEDOUT' }, { wasGreeted: true, isContentSent: true }, { outcome: 'unknown' }],
  ] as const)('%j, %j: %j', (error, stage, outcome) => expect(outcomeOf(error, stage)).toEqual(outcome));
});
