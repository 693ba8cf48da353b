/**
 * Sends one mail by SMTP (RFC 5321), in the clear and without a password: to the inbox of a laptop's own
 * stack. A mail server that asks for more is no place for a stand-in's mail.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const PATIENCE_MS = 10_000;
const FROM = 'sign-in@encore.example';

export interface Mail {
  /** One address, checked by the form that it was written in. */
  readonly to: string;
  readonly subject: string;
  /** Lines of plain ASCII text. */
  readonly lines: readonly string[];
}

/** Whether `url` names a server that takes mails so. */
export const takesPlainMail = (url: string): boolean => {
  const { protocol, username } = URL.canParse(url) ? new URL(url) : { protocol: '', username: '' };
  return protocol === 'smtp:' && username === '';
};

/** Resolves when the server has taken the mail; throws what it said instead, or that it did not answer. */
export async function sendMail(url: string, { to, subject, lines }: Mail): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port || 25) });
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('The mail server does not answer.')));
  const text = [
    `From: Encore sign-in <${FROM}>`,
    `To: <${to}>`,
    `Subject: ${subject}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...lines,
    '.',
  ];
  // What is said, and the first digit of a good answer to what was said before.
  const steps: readonly (readonly [good: string, next: string])[] = [
    ['2', 'EHLO localhost'],
    ['2', `MAIL FROM:<${FROM}>`],
    ['2', `RCPT TO:<${to}>`],
    ['2', 'DATA'],
    ['3', text.join('\r\n')],
    ['2', 'QUIT'],
  ];
  try {
    let step = 0;
    for await (const line of createInterface({ input: socket })) {
      // An answer of several lines has a hyphen in all but the last.
      if (/^\d{3}-/.test(line)) continue;
      const [good, next] = steps[step] ?? ['', ''];
      if (!line.startsWith(good)) throw new Error(`The mail server said: ${line}`);
      socket.write(`${next}\r\n`);
      step += 1;
      if (step === steps.length) return;
    }
    throw new Error('The mail server hung up.');
  } finally {
    socket.destroy();
  }
}
