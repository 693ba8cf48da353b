/** The mails that were taken, as files: the newest ones, in the order in which they came. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { simpleParser, type ParsedMail } from 'mailparser';

/** So many are kept. */
const KEPT = 1_000;
const NAME = /^(\d{13})-(\d{6})\.eml$/;

export interface KeptMail {
  readonly id: string;
  readonly receivedAt: Date;
  /** The envelope's recipients. */
  readonly to: readonly string[];
  readonly messageId: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The header lines as they came. */
  readonly headers: readonly string[];
}

export class MailStore {
  readonly #names: string[];
  readonly #parsed = new Map<string, KeptMail>();
  #count = 0;

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#names = readdirSync(folder)
      .filter((name) => NAME.test(name))
      .sort();
  }

  /** The mail is on the disk when this returns. */
  async keep(raw: Buffer, to: readonly string[], receivedAt: Date): Promise<void> {
    const number = String((this.#count += 1) % 1_000_000).padStart(6, '0');
    const name = `${String(receivedAt.getTime()).padStart(13, '0')}-${number}.eml`;
    const envelope = Buffer.from(`X-Envelope-To: ${to.join(', ')}\r\n`);
    writeFileSync(join(this.folder, `${name}.part`), Buffer.concat([envelope, raw]), { mode: 0o600 });
    renameSync(join(this.folder, `${name}.part`), join(this.folder, name));
    this.#names.push(name);
    await this.#read(name);
    for (const old of this.#names.splice(0, Math.max(0, this.#names.length - KEPT))) {
      this.#parsed.delete(old);
      rmSync(join(this.folder, old), { force: true });
    }
  }

  /** The newest first; of one recipient, where that is asked for. */
  async list(limit: number, to?: string): Promise<KeptMail[]> {
    const mails: KeptMail[] = [];
    for (const name of [...this.#names].reverse()) {
      const mail = await this.#read(name);
      if (to === undefined || mail.to.includes(to.toLowerCase())) mails.push(mail);
      if (mails.length >= limit) break;
    }
    return mails;
  }

  async find(id: string): Promise<KeptMail | undefined> {
    const name = `${id}.eml`;
    return this.#names.includes(name) ? this.#read(name) : undefined;
  }

  async #read(name: string): Promise<KeptMail> {
    const known = this.#parsed.get(name);
    if (known) return known;
    const mail = keptMail(
      name,
      await simpleParser(readFileSync(join(this.folder, name)), { skipTextToHtml: true }),
    );
    this.#parsed.set(name, mail);
    return mail;
  }
}

function keptMail(name: string, { headerLines, subject, text, html, messageId, from }: ParsedMail): KeptMail {
  const lines = headerLines.map(({ line }) => line);
  const envelope = lines.find((line) => /^x-envelope-to:/i.test(line)) ?? '';
  return {
    id: name.replace(/\.eml$/, ''),
    receivedAt: new Date(Number(NAME.exec(name)?.[1] ?? 0)),
    to: envelope
      .slice(envelope.indexOf(':') + 1)
      .split(',')
      .map((address) => address.trim().toLowerCase()),
    messageId: messageId ?? '',
    from: from?.text ?? '',
    subject: subject ?? '',
    text: text ?? '',
    html: html || '',
    headers: lines.filter((line) => !/^x-envelope-to:/i.test(line)),
  };
}
