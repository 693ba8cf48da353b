/**
 * What is to be mailed: handed to workers a few at a time, each for a while to one of them, and what became
 * of it noted. A worker that never says what became of a mail has perhaps sent it: it is handed out again
 * under the same Message-ID. Whether somebody still wants it, and where they are reached, is looked up at
 * that time and no sooner.
 */
import { recordedFingerprint, sameFingerprint } from '#contracts/plain/fingerprint';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { Logger } from 'pino';
import type { Mail, MailOutcome } from '#contracts/api/mails';
import { contentFrom, type ContentOf, type MessageContent, type MessageKind } from '#contracts/api/messages';
import type { Sealed } from '#contracts/events/journal';
import { Profile } from '#contracts/events/user';
import { UnreadableText } from '#log/vault-reader';
import { Vault } from '#log/vault';
import { LimitCounts } from '../limits/counter.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { LOG, PUBLIC_URL } from '../parts.js';
import { StreamParked } from '../rejection.js';
import { mailContent } from './mail-text.js';
import { MessageNames, namesFor } from './message-names.js';
import { KEPT_DAYS, MAILED_WITHIN_MS, mailedUntil } from './message-store.js';
import { isAlert, textOf } from './message-texts.js';

/** How many mails are due and not sent, and since when the oldest is, in seconds; 0 when none is. */
export async function mailsWaiting(pool: Pool): Promise<{ count: number; seconds: number }> {
  const { rows } = await pool.query<{ count: number; seconds: number }>({
    name: 'mails-waiting',
    text: `select count(*)::int as count,
                  coalesce(extract(epoch from now() - min(m.put_at)), 0)::float8 as seconds
             from edge.message_deliveries d join edge.messages m on m.id = d.message_id where d.status = 'waiting'`,
  });
  return rows[0] ?? { count: 0, seconds: 0 };
}

/**
 * What is looked up of a reader at the time of sending; filled in processes/ledger/reads.ts, from the log.
 */
export abstract class MailReaders {
  /** Their sealed profile; undefined for somebody who is unknown or forgotten. */
  abstract profileOf(userId: string): Promise<Sealed | undefined>;
  /** The sealed profile that another took the place of at this time, with its address. */
  abstract replacedProfileOf(userId: string, changedAt: string): Promise<Sealed | undefined>;
  abstract wantsAlerts(userId: string): Promise<boolean>;
}

/** The pool of connections to the schema `edge`. */
export abstract class MailRows {
  abstract readonly pool: Pool;
}

/** A mail is one worker's for so long; after that nobody knows what became of it. */
const LEASE_SECONDS = 300;
/** After so many attempts a mail is given up. */
const ATTEMPTS_MOST = 8;
/** How long after an attempt that came to nothing the next one is made, by its number. */
const AGAIN_AFTER_SECONDS = [60, 300, 900, 3600, 7200, 14_400, 21_600] as const;
/** While the mail server is away it is asked for by the next pass, and no attempt is counted. */
const SERVER_AGAIN_SECONDS = 30;
/** A mail that follows a receipt waits so long where the receipt's own mail is not sent yet. */
const AFTER_RECEIPT_SECONDS = 5;
/** A mail of a kind that this build does not know is a newer build's. */
const UNKNOWN_AGAIN_SECONDS = 600;
/** An address that refused for good is left alone so long, twice as long after each further refusal. */
const REFUSED_DAYS = [1, 2, 4, 7] as const;
/**
 * Mails about security wait for such an address so long at most: later they are of little use, and tried all
 * the same.
 */
const SECURITY_WAITS_MS = 3_600_000;

/** So long after a guest's receipt was mailed thanks and returned money can be told of there. */
const GUEST_KNOWN_DAYS = 30;
/** So many rows one sweep touches of each kind. */
const MOST_SWEPT = 5_000;

/**
 * What goes to an address that another took the place of; of it nothing is learned of the one that counts
 * now.
 */
const TO_EARLIER = ['address_changed', 'recovery_started_earlier'] as const satisfies readonly MessageKind[];
const isToEarlier = (content: MessageContent): content is ContentOf<(typeof TO_EARLIER)[number]> =>
  TO_EARLIER.some((kind) => kind === content.kind);

/** What is sealed beside a guest's receipt. */
const GuestMail = z.object({ to: z.string(), path: z.string() });

interface ClaimedRow {
  id: string;
  user_id: string;
  kind: string;
  facts: unknown;
  at: Date;
  attempts: number;
  sealed_link: Sealed | null;
  is_old: boolean;
}

type Verdict =
  | { readonly send: Omit<Mail, 'id' | 'messageId'>; readonly address: string }
  | { readonly drop: string }
  | { readonly laterSeconds: number };

@Injectable()
export class MailQueue {
  private readonly pool: Pool;
  private readonly host: string;

  constructor(
    { pool }: MailRows,
    private readonly vault: Vault,
    private readonly readers: MailReaders,
    private readonly names: MessageNames,
    private readonly counts: LimitCounts,
    commands: InternalCommands,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.pool = pool;
    this.host = new URL(publicUrl).hostname;
    commands.on('ClaimMails', async ({ limit }) => {
      const mails = await this.claim(limit);
      return { looked: mails.length, failed: [], mails };
    });
    commands.on('NoteMails', async ({ outcomes }) => {
      // One that cannot be noted, such as while the log is away, keeps no other: that would be sent again.
      const noted = await Promise.allSettled(outcomes.map((outcome) => this.note(outcome)));
      for (const each of noted) if (each.status === 'rejected') throw each.reason;
      return { looked: outcomes.length, failed: [] };
    });
  }

  /**
   * The next mails to be sent, each of them now the caller's for a while; what is not to be sent is ended.
   */
  async claim(limit: number): Promise<Mail[]> {
    await this.#sweep();
    for (;;) {
      const rows = await this.#lease(limit);
      const mails = (await this.#mailsOf(rows)).filter((mail) => mail !== undefined);
      // What ended without being sent made room for others.
      if (mails.length > 0 || rows.length < limit) return mails;
    }
  }

  async note({ id, outcome, code }: MailOutcome): Promise<void> {
    if (outcome === 'sent') await this.#sent(id);
    else if (outcome === 'server-away') await this.#later(id, SERVER_AGAIN_SECONDS);
    else if (outcome === 'address-refused') await this.#refused(id, code);
    // A refusal of this mail for good, such as one that is too large.
    else if (outcome === 'refused') await this.#end(id, 'refused', `smtp-${code ?? 'refused'}`);
    // Of an unknown outcome it is sent again, too: a mail that arrives twice has one Message-ID.
    else await this.#putOff(id);
  }

  async #lease(limit: number): Promise<ClaimedRow[]> {
    const { rows } = await this.pool.query<ClaimedRow>({
      name: 'lease-mails',
      text: `
        with due as (
          select message_id from edge.message_deliveries
           where channel = 'mail' and status = 'waiting' and due_at <= now()
           order by is_alert, due_at limit $1 for update skip locked
        ), leased as (
          update edge.message_deliveries d
             set due_at = now() + make_interval(secs => $2), attempts = attempts + 1
            from due where d.message_id = due.message_id and d.channel = 'mail'
          returning d.message_id, d.attempts, d.sealed_link, d.is_alert)
        select m.id, m.user_id, m.kind, m.facts, m.at, l.attempts, l.sealed_link,
               ${mailedUntil('m', '$3')} < now() or m.at < k.no_mail_before as is_old
          from leased l join edge.messages m on m.id = l.message_id cross join edge.message_marks k
         order by l.is_alert, m.at`,
      values: [limit, LEASE_SECONDS, MAILED_WITHIN_MS / 1000],
    });
    return rows;
  }

  /** If a store is away, none is handed out, and no attempt is counted. */
  async #mailsOf(rows: readonly ClaimedRow[]): Promise<(Mail | undefined)[]> {
    const looks = await Promise.allSettled(rows.map((row) => this.#mailOf(row)));
    const mails = looks.map((look) => (look.status === 'fulfilled' ? look.value : undefined));
    const broken = looks.find((look) => look.status === 'rejected');
    if (broken === undefined) return mails;
    const held = rows.filter((_, n) => looks[n]?.status === 'rejected' || mails[n] !== undefined);
    // Postgres itself may be what is away: then they come back at the end of their lease.
    await Promise.allSettled(held.map(({ id }) => this.#later(id, SERVER_AGAIN_SECONDS)));
    throw broken.reason;
  }

  async #mailOf(row: ClaimedRow): Promise<Mail | undefined> {
    const verdict = await this.#verdictOn(row);
    if ('drop' in verdict) await this.#end(row.id, 'dropped', verdict.drop);
    else if ('laterSeconds' in verdict) await this.#later(row.id, verdict.laterSeconds);
    else return { id: row.id, messageId: `<${row.id}@${this.host}>`, ...verdict.send };
    return undefined;
  }

  async #verdictOn(row: ClaimedRow): Promise<Verdict> {
    if (row.is_old) return { drop: 'too-old' };
    if (row.attempts > ATTEMPTS_MOST) return { drop: 'given-up' };
    const content = contentFrom(row.kind, row.facts);
    if (content === undefined) return { laterSeconds: UNKNOWN_AGAIN_SECONDS };
    const { user_id: userId } = row;
    if (isOvertaken(content) || (await this.#isStopped(row))) return { drop: 'overtaken' };
    try {
      if (content.kind === 'guest_receipt') return await this.#toGuest(row, content, row.sealed_link);
      if (content.kind === 'guest_thanks' || content.kind === 'guest_refunded')
        return await this.#afterReceipt(row, content);
      const isEarlier = isToEarlier(content);
      const sealed = isEarlier
        ? await this.readers.replacedProfileOf(userId, content.facts.changedAt)
        : await this.readers.profileOf(userId);
      const plain = sealed === undefined ? undefined : await this.vault.unseal(sealed);
      if (plain === undefined) return { drop: 'forgotten' };
      const { email, emailVerified } = Profile.parse(JSON.parse(plain));
      if (!emailVerified || !isAddress(email)) return { drop: 'no-verified-address' };
      if (isAlert(content.kind) && !(await this.readers.wantsAlerts(userId))) return { drop: 'alerts-off' };
      const leftSeconds = isEarlier ? 0 : await this.#leftAloneSeconds(userId, email);
      if (leftSeconds > 0 && isAlert(content.kind)) return { drop: 'address-refused' };
      const laterSeconds = Math.min(leftSeconds, (row.at.getTime() + SECURITY_WAITS_MS - Date.now()) / 1000);
      if (laterSeconds > 0) return { laterSeconds };
      return { address: email, send: { to: email, ...(await this.#written(row, content)) } };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const because = error instanceof StreamParked ? error.logged : error.because;
      this.log.error({ messageId: row.id, userId, because }, 'a mail waits for what cannot be read');
      return { laterSeconds: UNKNOWN_AGAIN_SECONDS };
    }
  }

  /** Of a wish to be forgotten that came to nothing while its mail was put off: what it says is not so. */
  async #isStopped({ id, kind }: ClaimedRow): Promise<boolean> {
    if (kind !== 'forgetting_asked') return false;
    const { rowCount } = await this.pool.query(
      `select from edge.messages asked join edge.messages stopped using (user_id, key)
        where asked.id = $1 and stopped.kind = 'forgetting_cancelled'`,
      [id],
    );
    return rowCount !== 0;
  }

  /** To where a guest had the receipt sent, once it was; to nowhere where they asked for none. */
  async #afterReceipt(row: ClaimedRow, content: MessageContent): Promise<Verdict> {
    const { rows } = await this.pool.query<{ sealed_link: Sealed; is_sent: boolean }>({
      name: 'address-of-guest',
      text: `select d.sealed_link, d.status = 'sent' as is_sent
               from edge.message_deliveries d join edge.messages m on m.id = d.message_id
              where d.user_id = $1 and m.kind = 'guest_receipt' and d.status in ('sent', 'waiting') and d.sealed_link is not null
              order by is_sent desc, d.ended_at desc limit 1`,
      values: [row.user_id],
    });
    const [receipt] = rows;
    if (receipt === undefined) return { drop: 'no-verified-address' };
    if (!receipt.is_sent) return { laterSeconds: AFTER_RECEIPT_SECONDS };
    const verdict = await this.#toGuest(row, content, receipt.sealed_link);
    // How often money is returned is nobody's choice who could mean harm by the mails.
    if (!('send' in verdict) || row.attempts > 1 || content.kind === 'guest_refunded') return verdict;
    const counted = { limit: 'guest-receipt-mailbox', of: verdict.address.toLowerCase() } as const;
    return (await this.counts.take([counted])) === undefined ? verdict : { drop: 'too-many-mails' };
  }

  /** A guest has no profile: the address that they gave is sealed beside the link. */
  async #toGuest(row: ClaimedRow, content: MessageContent, sealed: Sealed | null): Promise<Verdict> {
    const plain = sealed === null ? undefined : await this.vault.unseal(sealed);
    if (plain === undefined) return { drop: 'forgotten' };
    const { to, path } = GuestMail.parse(JSON.parse(plain));
    if (!isAddress(to)) return { drop: 'no-verified-address' };
    return { address: to, send: { to, ...(await this.#written(row, content, path)) } };
  }

  async #written(row: ClaimedRow, content: MessageContent, path?: string) {
    const names = await namesFor(this.names, row.user_id, [content]);
    const mailLink =
      path ?? (row.sealed_link === null ? undefined : await this.vault.unseal(row.sealed_link));
    const { kind } = content;
    return mailContent({ kind, at: row.at, publicUrl: this.publicUrl, mailLink, ...textOf(content, names) });
  }

  /** An address is known by a keyed digest: another one of the same user has refused nothing. */
  async #leftAloneSeconds(userId: string, address: string): Promise<number> {
    const { rows } = await this.pool.query<{ fingerprint: string; seconds: number }>({
      name: 'mail-address-left-alone',
      text: `select fingerprint, extract(epoch from again_at - now())::float8 as seconds
               from edge.mail_addresses where user_id = $1`,
      values: [userId],
    });
    const [row] = rows;
    if (!row || row.seconds <= 0) return 0;
    return sameFingerprint(row.fingerprint, await this.vault.fingerprint(userId, address)) ? row.seconds : 0;
  }

  async #sent(id: string): Promise<void> {
    await this.#end(id, 'sent', null);
    await this.pool.query(
      `delete from edge.mail_addresses
        where user_id = (select user_id from edge.messages where id = $1 and kind <> all($2))`,
      [id, TO_EARLIER],
    );
  }

  /** What cannot be looked up now keeps the mail waiting: told again, the refusal counts, and counts once. */
  async #refused(id: string, code: number | undefined): Promise<void> {
    const { rows } = await this.pool.query<{ user_id: string }>(
      'select user_id from edge.messages where id = $1 and kind <> all($2)',
      [id, TO_EARLIER],
    );
    const userId = rows[0]?.user_id;
    const sealed = userId === undefined ? undefined : await this.#readableProfile(userId);
    const plain = sealed === undefined ? undefined : await this.vault.unsealOr(sealed, undefined);
    const hasEnded = await this.#end(id, 'refused', `smtp-${code ?? 'refused'}`);
    if (!hasEnded || userId === undefined || plain === undefined) return;
    const given = await this.vault.fingerprint(userId, Profile.parse(JSON.parse(plain)).email);
    await this.pool.query(
      `insert into edge.mail_addresses as known (user_id, fingerprint, refusals, again_at)
       values ($1, $2, 1, now() + make_interval(days => ($3::int[])[1]))
       on conflict (user_id) do update set
         refusals = case when known.fingerprint = any($4::text[]) then known.refusals + 1 else 1 end,
         again_at = now() + make_interval(days => ($3::int[])[
           case when known.fingerprint = any($4::text[]) then least(known.refusals + 1, array_length($3::int[], 1)) else 1 end]),
         fingerprint = $2`,
      [userId, recordedFingerprint(given), REFUSED_DAYS, given.split(' ')],
    );
  }

  /** Also undefined while it cannot be read: outcomes after this one must still be noted. */
  async #readableProfile(userId: string): Promise<Sealed | undefined> {
    try {
      return await this.readers.profileOf(userId);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return undefined;
    }
  }

  async #putOff(id: string): Promise<void> {
    await this.pool.query(
      `update edge.message_deliveries
          set due_at = now() + make_interval(secs => ($2::int[])[least(greatest(attempts, 1), array_length($2::int[], 1))])
        where message_id = $1 and channel = 'mail' and status = 'waiting'`,
      [id, AGAIN_AFTER_SECONDS],
    );
  }

  /** Looks at it again after so many seconds; this was no attempt. */
  async #later(id: string, seconds: number): Promise<void> {
    await this.pool.query(
      `update edge.message_deliveries
          set due_at = now() + make_interval(secs => $2), attempts = greatest(attempts - 1, 0)
        where message_id = $1 and channel = 'mail' and status = 'waiting'`,
      [id, seconds],
    );
  }

  /** Whether it waited until now. */
  async #end(id: string, status: 'sent' | 'refused' | 'dropped', because: string | null): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      // A guest may be thanked later, or given money back: where their receipt went stays sealed with their
      // key.
      `with about as (select kind from edge.messages where id = $1)
       update edge.message_deliveries
          set status = $2, because = $3, ended_at = now(),
              sealed_link = case when $2 = 'sent' and (select kind from about) = 'guest_receipt' then sealed_link end
        where message_id = $1 and channel = 'mail' and status = 'waiting'`,
      [id, status, because],
    );
    return rowCount === 1;
  }

  /**
   * What is to be mailed still waits; what is a quarter of a year old is not kept. Bit by bit: Postgres ends
   * what takes long.
   */
  async #sweep(): Promise<void> {
    await this.pool.query({
      name: 'drop-old-mails',
      text: `with old as (
               select d.message_id
                 from edge.message_deliveries d join edge.messages m on m.id = d.message_id, edge.message_marks k
                where d.status = 'waiting' and (${mailedUntil('m', '$1')} < now() or m.at < k.no_mail_before) limit $2)
             update edge.message_deliveries
                set status = 'dropped', because = 'too-old', ended_at = now(), sealed_link = null
              where status = 'waiting' and message_id in (select message_id from old)`,
      values: [MAILED_WITHIN_MS / 1000, MOST_SWEPT],
    });
    await this.pool.query({
      name: 'drop-addresses-of-guests',
      text: `update edge.message_deliveries set sealed_link = null
              where status = 'sent' and sealed_link is not null and ended_at < now() - make_interval(days => $1)`,
      values: [GUEST_KNOWN_DAYS],
    });
    await this.pool.query({
      name: 'delete-old-messages',
      text: `with old as (
               delete from edge.messages
                where id in (select id from edge.messages where at < now() - make_interval(days => $1) limit $2) returning id)
             delete from edge.message_deliveries d using old where d.message_id = old.id`,
      values: [KEPT_DAYS, MOST_SWEPT],
    });
  }
}

/**
 * What a late mail says will be has been, one way or the other, and has a message of its own. By then they
 * may have been charged.
 */
const isOvertaken = (content: MessageContent): boolean =>
  content.kind === 'payment_failed' &&
  content.facts.by !== undefined &&
  Date.parse(content.facts.by) < Date.now();

/** Errors that concern one reader's mails alone: all others are handed out. */
const isUnreadable = (error: unknown): error is UnreadableText | StreamParked =>
  error instanceof UnreadableText || error instanceof StreamParked;

/**
 * One address and nothing beside it: whatever the identity provider says, it becomes part of a mail's header.
 */
const isAddress = (email: string): boolean =>
  email.length <= 254 && /^[^\s<>,;:"()[\]\\@\p{C}]+@[^\s<>,;:"()[\]\\@\p{C}]+$/u.test(email);
