/** The inbox as pages: a list of what came, and one mail as a mail program shows it. Without script. */
import type { KeptMail } from './store.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign]!);

const STYLE = `
@font-face{font-family:Archivo;font-weight:100 900;src:url(/inbox/archivo.woff2) format('woff2')}
:root{color-scheme:light dark;--bg:#f7f4f5;--surface:#fff;--line:#e5dcdf;--ink:#1d1014;--ink2:#5f4e55;--primary:#7a1435}
@media(prefers-color-scheme:dark){:root{--bg:#140c0f;--surface:#1f1519;--line:#382930;--ink:#f8f0f2;--ink2:#c2b0b6;--primary:#f5a9bc}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/22px Archivo,system-ui,sans-serif}
main{max-width:720px;margin:0 auto;padding:24px 20px 48px}
h1{font-size:26px;line-height:32px;font-weight:640;margin:0 0 4px;overflow-wrap:anywhere}
p{margin:0 0 20px;color:var(--ink2)}
a{color:var(--primary)}
ol{list-style:none;margin:0;padding:0;background:var(--surface);border:1px solid var(--line);border-radius:16px;overflow:hidden}
li+li{border-top:1px solid var(--line)}
li a{display:grid;grid-template-columns:1fr auto;gap:0 16px;padding:12px 16px;color:inherit;text-decoration:none}
li a:focus-visible,li a:hover{background:var(--bg)}
li b{font-weight:620;overflow-wrap:anywhere}
li span{color:var(--ink2);font-size:13px;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 16px;margin:0 0 20px;font-size:13px}
dt{color:var(--ink2)}dd{margin:0;overflow-wrap:anywhere}
iframe{width:100%;height:560px;border:1px solid var(--line);border-radius:16px;background:var(--surface)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--surface);border:1px solid var(--line);border-radius:16px;padding:16px;font:13px/20px ui-monospace,monospace}
`;

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body><main>${body}</main></body></html>
`;

const TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });

export function inboxPage(mails: readonly KeptMail[]): string {
  const rows = mails.map(
    ({ id, subject, to, receivedAt }) =>
      `<li><a href="/inbox/${escaped(id)}"><b>${escaped(subject)}</b><span>${TIME.format(receivedAt)}</span><span>To ${escaped(to.join(', '))}</span></a></li>`,
  );
  const list =
    rows.length === 0 ? '<p>No mail has come yet.</p>' : `<ol aria-label="Mails">${rows.join('')}</ol>`;
  return page(
    'Inbox',
    `<h1>Inbox</h1><p>All mail that this machine’s mail server took, of everybody. It exists on this machine only. <a href="/">Open Encore</a></p>${list}`,
  );
}

export function mailPage({ subject, from, to, receivedAt, messageId, html, text, id }: KeptMail): string {
  return page(
    subject,
    `<p><a href="/inbox">Inbox</a></p><h1>${escaped(subject)}</h1>
<dl><dt>From</dt><dd>${escaped(from)}</dd><dt>To</dt><dd>${escaped(to.join(', '))}</dd><dt>Came</dt><dd>${TIME.format(receivedAt)}</dd><dt>Message-ID</dt><dd>${escaped(messageId)}</dd></dl>
${html === '' ? '' : `<iframe title="The mail" sandbox="allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation" src="/inbox/${escaped(id)}/html"></iframe>`}
<h2>As text</h2><pre>${escaped(text)}</pre>`,
  );
}
