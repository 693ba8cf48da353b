/**
 * Sends one mail at a time to the mail server, and says what became of it: taken, refused for good or for
 * now, or perhaps taken. nodemailer speaks the protocol; what its errors mean for a mail is decided here.
 */
import { createTransport } from 'nodemailer';
import type { Mail, MailOutcome } from '#contracts/api/mails';
import { hostOf } from '#contracts/plain/host';

interface MailServer {
  /** `smtp://user:password@host:587`, or `smtps://…:465`. */
  readonly url: string;
  /** The sender, as it stands in the mail's header. */
  readonly from: string;
  /** Whether a mail may go out in the clear: to a mail server of this machine. */
  readonly mayBeClear: boolean;
  /** How long the server is waited for: to connect and greet, and for each answer but the last. */
  readonly timeoutMs?: number;
}

export type SendOutcome = Pick<MailOutcome, 'outcome' | 'code'>;

export interface MailSender {
  /** Never throws. */
  send(mail: Mail): Promise<SendOutcome>;
  close(): void;
}

const TIMEOUT_MS = 10_000;
/**
 * So long a server may look at a mail that it was given, for viruses and the like, before it says that it
 * took it. One that is not waited for has taken it all the same, and is sent it again (RFC 1047). Twenty
 * mails on four connections have their time before a ledger hands them to another worker, after five minutes.
 */
const TAKES_WITHIN_MS = 45_000;
const MAILS_A_CONNECTION = 100;

/** What an error of nodemailer's tells. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  /** All that the server answered. */
  readonly response?: string;
}

/** Before these nobody has taken anything, and it says nothing of the mail itself. */
const SERVER_TROUBLE: ReadonlySet<string> = new Set([
  'EDNS',
  'ETLS',
  'EAUTH',
  'ENOAUTH',
  'ECONFIG',
  'EREQUIRETLS',
]);
/** An address that is not there, or takes nothing from anybody: RFC 5321, 4.2.3. */
const NO_SUCH_ADDRESS: ReadonlySet<number> = new Set([550, 551, 553, 556]);

/**
 * What an answer's second code says where it is about us, whoever the mail is for: our address or sender may
 * not send, our quota of the day is used up, the server takes nothing now (RFC 3463, and how large senders
 * use it).
 */
const OF_SENDER = /^(?:7\.\d+|4\.5|3\.2|1\.[78])$/;
/** Without a second code: this one means "transaction failed", and gives no reason. */
const FAILED_UNEXPLAINED = 554;
/** Without a second code: the server says that it relays nothing for us. */
const OF_SENDER_IN_WORDS = /\brelay/i;

/** Whether a refusal is of all that we send at the moment, and says nothing of this mail or its reader. */
function isOfSender({ responseCode, response = '' }: SmtpError): boolean {
  const [, second] = /^\d{3}[ -]5\.(\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  if (second !== undefined) return OF_SENDER.test(second);
  return responseCode === FAILED_UNEXPLAINED || OF_SENDER_IN_WORDS.test(response);
}

/**
 * What a failure means. `wasGreeted`: the server had answered on this connection; `isContentSent`: the mail
 * itself was on its way, so that it may have been taken.
 */
export function outcomeOf(
  error: SmtpError,
  { wasGreeted, isContentSent }: { readonly wasGreeted: boolean; readonly isContentSent: boolean },
): SendOutcome {
  const { code = '', command = '', responseCode } = error;
  const answered = responseCode === undefined ? {} : { code: responseCode };
  if (SERVER_TROUBLE.has(code) || responseCode === 421 || responseCode === 530)
    return { outcome: 'server-away', ...answered };
  if (responseCode === undefined) {
    if (isContentSent) return { outcome: 'unknown' };
    // An address that cannot be written, or a mail that this server would never take.
    if (code === 'EENVELOPE' || code === 'EMESSAGE') return { outcome: 'refused' };
    return { outcome: wasGreeted ? 'put-off' : 'server-away' };
  }
  if (responseCode < 500) return { outcome: 'put-off', ...answered };
  // Retried within the day and shown as waiting: counted as final, the mail would be lost without a sign.
  if ((command === 'RCPT TO' || command === 'DATA') && isOfSender(error))
    return { outcome: 'put-off', ...answered };
  if (command === 'RCPT TO' && NO_SUCH_ADDRESS.has(responseCode))
    return { outcome: 'address-refused', ...answered };
  // Our own sender is refused, or we are: that is nobody's mail's fault.
  if (command === 'RCPT TO' || command === 'DATA') return { outcome: 'refused', ...answered };
  return { outcome: 'server-away', ...answered };
}

/** One connection to the mail server, kept open from mail to mail. Send one mail after the other. */
export function smtpSender({ url, from, mayBeClear, timeoutMs = TIMEOUT_MS }: MailServer): MailSender {
  const stage = { wasGreeted: false, isContentSent: false };
  let patience: NodeJS.Timeout | undefined;
  const ignore = (): void => undefined;
  const told = (entry: unknown, line: unknown): void => {
    const who = (entry as { tnx?: string }).tnx;
    if (who !== 'server') return;
    stage.wasGreeted = true;
    patience?.refresh();
    // It asks for the content: `DATA` itself may have been sent together with what comes before it.
    if (typeof line === 'string' && line.startsWith('354')) stage.isContentSent = true;
  };
  const server = new URL(url);
  const { port, protocol, username, password } = server;
  const isTls = protocol === 'smtps:';
  const transport = createTransport(
    {
      pool: true,
      maxConnections: 1,
      maxMessages: MAILS_A_CONNECTION,
      host: hostOf(server),
      port: Number(port || (isTls ? 465 : 587)),
      secure: isTls,
      requireTLS: !isTls && !mayBeClear,
      ...(username !== '' && {
        auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      }),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: TAKES_WITHIN_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      // What is said to the server, so that it is known how far a mail came; nothing of it is logged.
      transactionLog: true,
      logger: {
        level: ignore,
        trace: ignore,
        debug: told,
        info: ignore,
        warn: ignore,
        error: ignore,
        fatal: ignore,
      },
    },
    { from },
  );
  return {
    async send({ messageId, to, subject, text, html }) {
      stage.isContentSent = false;
      const silence = new AbortController();
      patience = setTimeout(() => stage.isContentSent || silence.abort(), timeoutMs);
      const { signal } = silence;
      const headers = { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' };
      try {
        const reader = { name: '', address: to };
        await transport.sendMail({ messageId, to: reader, subject, text, html, headers, signal });
        return { outcome: 'sent' };
      } catch (error) {
        const outcome = outcomeOf(error as SmtpError, stage);
        stage.wasGreeted = false;
        return outcome;
      } finally {
        clearTimeout(patience);
        patience = undefined;
      }
    },
    close: () => transport.close(),
  };
}
