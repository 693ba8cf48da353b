/** What a ledger says of mails that wait to be sent. */
import type pg from 'pg';
import { mailsWaiting } from '#ledger/messages/mail-queue';
import type { Figures } from '../shell/figures.js';

/** A mail that has waited for so long says that sending is in trouble. */
const MAIL_LATE_SECONDS = 600;

/** What is wrong with the sending of mails, in sentences. */
export async function lateMails(pool: pg.Pool): Promise<(string | undefined)[]> {
  const { count, seconds } = await mailsWaiting(pool).catch(() => ({ count: 0, seconds: 0 }));
  if (seconds < MAIL_LATE_SECONDS) return [];
  return [
    `${count} mails wait, the oldest for ${Math.round(seconds / 60)} minutes. See encore_mails_total of the workers and SMTP_URL: docs/how-to/mail.md.`,
  ];
}

export function showMails(figures: Figures, pool: pg.Pool): void {
  figures.gauge(
    'encore_mails_waiting',
    'Mails that are still to be sent',
    async () => (await mailsWaiting(pool)).count,
  );
  figures.gauge(
    'encore_mails_waiting_seconds',
    'For how long the oldest of them has waited; 0 when none does',
    async () => (await mailsWaiting(pool)).seconds,
  );
}
