/** The SMTP side: takes mails, or does what mail servers do instead, as its switch says. */
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { MailStore } from './store.js';

/**
 * `take`: takes every mail. `refuse-address`: no such recipient. `refuse-sender`: takes no mail from this
 * sender, as when its address is blocked or its quota used up. `put-off`: come back later. `hang`: says
 * nothing after the recipient is named. `slow`: looks at the mail for a second before it says that it took
 * it. `lose-answer`: takes the mail and hangs up before it says so. `no-greeting`: accepts connections and
 * says nothing.
 */
export const MODES = [
  'take',
  'refuse-address',
  'refuse-sender',
  'put-off',
  'hang',
  'slow',
  'lose-answer',
  'no-greeting',
] as const;
export type Mode = (typeof MODES)[number];

export interface Switch {
  mode: Mode;
}

const LARGEST_BYTES = 1024 * 1024;
const SLOW_MS = 1_000;

/** How a mail server answers: RFC 5321, 4.2. */
const answer = (code: number, text: string): Error => Object.assign(new Error(text), { responseCode: code });

export function smtpServer(store: MailStore, state: Switch): SMTPServer {
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: LARGEST_BYTES,
    banner: 'stand-in mail server',
    onConnect(_session, callback) {
      if (state.mode !== 'no-greeting') callback();
    },
    onRcptTo(_address, _session, callback) {
      if (state.mode === 'refuse-address') return callback(answer(550, '5.1.1 No such recipient here'));
      if (state.mode === 'refuse-sender') return callback(answer(550, '5.7.1 Unable to relay'));
      if (state.mode === 'put-off') return callback(answer(451, '4.3.0 Come back later'));
      if (state.mode !== 'hang') callback();
    },
    onData(stream, session, callback) {
      take(stream, session).then(
        () => {
          // The mail is taken, and who sent it never learns that.
          if (state.mode === 'lose-answer') hangUp(session);
          else if (state.mode === 'slow') setTimeout(callback, SLOW_MS);
          else callback();
        },
        (failure: unknown) => callback(failure instanceof Error ? failure : new Error(String(failure))),
      );
    },
  });
  return server;

  async function take(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    if (stream.sizeExceeded) throw answer(552, '5.3.4 Message too large');
    await store.keep(
      Buffer.concat(parts),
      envelope.rcptTo.map(({ address }) => address),
      new Date(),
    );
  }

  function hangUp(session: SMTPServerSession): void {
    for (const connection of server.connections) if (connection.session.id === session.id) connection.close();
  }
}
