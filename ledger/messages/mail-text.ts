/**
 * A message as a mail: a subject without names, a text, and the same as HTML. What people chose as their
 * names is text and nothing else: no line breaks, no direction marks, nothing that a reader turns into a
 * link, be it to a page or to a telephone. Pure.
 */
import type { MessageKind } from '#contracts/api/messages';
import { escaped } from '#contracts/plain/html';
import { utcTime } from '#contracts/plain/utc-time';
import { isAlert, type MessageText } from './message-texts.js';

interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What is not seen, breaks lines, or changes the direction of what follows. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const LONGEST_NAME = 80;

/** Seven digits or more without a letter among them: a phone offers to call that. */
const NUMBER_TO_CALL = /\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){6,}/gu;

/** One line, nothing hidden. */
const plainLine = (text: string): string =>
  [...text.replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim()].slice(0, LONGEST_NAME).join('').trim();

/** A name as it may stand in a message: one line, nothing hidden, no link and no number to call. */
export function plainName(name: string): string {
  // A mail program makes a link of "example.org" and of "a://b"; the wide dots of East Asia are dots of an
  // address, too.
  return plainLine(
    plainLine(name)
      .replaceAll(NUMBER_TO_CALL, '…')
      .replaceAll(/([.．。｡])(?=\S)/g, '$1 ')
      .replaceAll('://', ': //'),
  );
}

/**
 * A username as it may stand in a message. One word is no link behind its "@"; some identity providers tell
 * whatever somebody wrote.
 */
export const plainUsername = (username: string): string =>
  /[\s/:]/.test(username) ? plainName(`@${username}`) : plainLine(`@${username}`);

interface MailParts extends MessageText {
  readonly kind: MessageKind;
  readonly at: Date;
  readonly publicUrl: string;
  /** A path for the mail alone; its action stands first. */
  readonly mailLink?: string | undefined;
}

const LINK_LABELS: Partial<Record<MessageKind, string>> = {
  recovery_started: 'Refuse the recovery',
  recovery_started_earlier: 'Refuse the recovery',
  guest_receipt: 'See the receipt',
  guest_thanks: 'See the receipt',
  guest_refunded: 'See the receipt',
};

export function mailContent({ kind, title, text, actions, at, publicUrl, mailLink }: MailParts): MailContent {
  const own = mailLink === undefined ? [] : [{ label: LINK_LABELS[kind] ?? 'Open', href: mailLink }];
  const links = [...own, ...actions].map(({ label, href }) => ({ label, href: `${publicUrl}${href}` }));
  const when = utcTime(at);
  const why = whyOf(kind);
  const foot = `${why} No mail of ours asks for a password, a card number or a code.`;
  return {
    subject: title,
    text:
      [title, text, ...links.map(({ label, href }) => `${label}: ${href}`), when, foot].join('\n\n') + '\n',
    html: htmlOf({ title, text, when, foot, links, publicUrl }),
  };
}

function whyOf(kind: MessageKind): string {
  if (kind === 'guest_receipt')
    return 'You get this because whoever paid asked for it to be sent here. Another mail follows only with thanks, or where the money is returned.';
  if (kind === 'guest_thanks' || kind === 'guest_refunded')
    return 'You get this because whoever paid asked for it to be sent here, with the receipt.';
  return isAlert(kind)
    ? 'You get this because transaction alerts are on. You can switch them off on your profile.'
    : 'You get this because it is about the security of your account.';
}

const FONT = "font-family:Archivo,'Helvetica Neue',Helvetica,Arial,sans-serif";
/** Mail programs that know a dark mode take these; the others keep the light ones beside each element. */
const DARK = `
  @media (prefers-color-scheme: dark) {
    .page { background: #140c0f !important; }
    .card { background: #1f1519 !important; border-color: #382930 !important; }
    .ink { color: #f8f0f2 !important; }
    .ink2 { color: #c2b0b6 !important; }
    .fill { background: #f3e4e8 !important; color: #32071a !important; }
    .outline { color: #f8f0f2 !important; border-color: #8a757d !important; }
    .bar { background: #f8f0f2 !important; }
    .dots { color: #ffbe3d !important; }
  }`;

function htmlOf({
  title,
  text,
  when,
  foot,
  links,
  publicUrl,
}: {
  readonly title: string;
  readonly text: string;
  readonly when: string;
  readonly foot: string;
  readonly links: readonly { readonly label: string; readonly href: string }[];
  readonly publicUrl: string;
}): string {
  const buttons = links.map(({ label, href }, n) => button(label, href, n === 0)).join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escaped(title)}</title><style>${DARK}
</style></head>
<body class="page" style="margin:0;padding:0;background:#f7f4f5"><div role="main">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f7f4f5"><tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px">
<tr><td style="padding:0 4px 16px"><a href="${escaped(publicUrl)}" style="text-decoration:none">${LOGO}</a></td></tr>
<tr><td class="card" style="background:#ffffff;border:1px solid #e5dcdf;border-radius:16px;padding:24px">
<h1 class="ink" style="${FONT};margin:0 0 8px;font-size:22px;line-height:28px;font-weight:640;color:#1d1014">${escaped(title)}</h1>
<p class="ink" style="${FONT};margin:0 0 20px;font-size:16px;line-height:24px;color:#1d1014">${escaped(text)}</p>
<div>${buttons}</div>
<p class="ink2" style="${FONT};margin:12px 0 0;font-size:13px;line-height:18px;color:#5f4e55">${escaped(when)}</p>
</td></tr>
<tr><td class="ink2" style="${FONT};padding:16px 4px 0;font-size:13px;line-height:18px;color:#5f4e55">${escaped(foot)}</td></tr>
</table></td></tr></table></div></body></html>
`;
}

/** The repeat sign, of cells: mail programs show no vector picture, and nothing is fetched. */
const LOGO = `<span class="ink" style="${FONT};font-size:20px;line-height:24px;font-weight:680;font-stretch:118%;color:#1d1014">Encore&nbsp;</span><span class="dots" style="${FONT};font-size:20px;line-height:24px;font-weight:700;color:#7a1435">:</span><span class="bar" style="display:inline-block;width:2px;height:16px;margin:0 2px;background:#1d1014;vertical-align:-2px"></span><span class="bar" style="display:inline-block;width:5px;height:16px;background:#1d1014;vertical-align:-2px"></span>`;

function button(label: string, href: string, isMain: boolean): string {
  const look = isMain
    ? 'background:#7a1435;color:#ffffff;border:1px solid transparent'
    : 'color:#1d1014;border:1px solid #8c7a82';
  return `<a class="${isMain ? 'fill' : 'outline'}" href="${escaped(href)}" style="${FONT};${look};display:inline-block;margin:0 8px 8px 0;padding:11px 16px;border-radius:10px;font-size:15px;line-height:20px;font-weight:640;text-decoration:none">${escaped(label)}</a>`;
}
