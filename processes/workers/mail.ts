/** The connections to the mail server that jobs send through. */
import { BadSetting, type Configuration } from '#contracts/configuration';
import type { JobContext } from '#workers/jobs/context';
import { smtpSender } from '#workers/mail/mail-sender';
import type { Figures } from '../shell/figures.js';

/** Mails go out side by side on so many connections. */
const MAIL_CONNECTIONS = 4;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The connections to the mail server; undefined where there is none. Throws BadSetting in production without
 * one.
 */
export function mailOf(
  { SMTP_URL: url, MAIL_FROM: from, NODE_ENV }: Configuration<'SMTP_URL' | 'MAIL_FROM' | 'NODE_ENV'>,
  figures: Figures,
): JobContext['mail'] {
  const isProduction = NODE_ENV === 'production';
  if (url === undefined) {
    if (!isProduction) return undefined;
    throw new BadSetting(
      'SMTP_URL is not set: nobody would hear of a new sign-in, or could refuse the recovery of their account. Set the mail server.',
    );
  }
  const mailsTotal = figures.counter(
    'encore_mails_total',
    'Mails handed to the mail server, by what became of them',
    ['outcome', 'code'],
  );
  const mayBeClear = !isProduction || LOOPBACK.test(new URL(url).hostname);
  return {
    senders: Array.from({ length: MAIL_CONNECTIONS }, () => smtpSender({ url, from, mayBeClear })),
    noted: (outcome, code) => mailsTotal.inc({ outcome, code: code ?? '' }),
  };
}
