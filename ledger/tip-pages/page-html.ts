/**
 * The public tip page as HTML, in all its states. Pure. It is read without its script too, which says then
 * what is to be done; what people wrote is escaped wherever it stands.
 */
import { THANKS_WORDS } from '#contracts/plain/thanks';
import { tipPagePath } from '#contracts/plain/handle';
import { escaped } from '#contracts/plain/html';
import { decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { NOTE_MAX_CHARACTERS } from '#contracts/plain/note';
import { OUT_OF_DATE } from '#contracts/plain/out-of-date';
import { shortUtcTime } from '#contracts/plain/utc-time';
import type { PaidPerformer, PaidTip, ShownTipPage } from './tip-page-reads.js';
import { PAGE_STYLE } from './page-style.js';

/** What every state of the page needs. */
export interface PageFrame {
  readonly nonce: string;
  /** The public origin. */
  readonly origin: string;
  /** The page's script, as the build made it. */
  readonly script: string;
  /** The address of the app's typeface, loaded once everything that pays is there. */
  readonly font: string | undefined;
  readonly isStaging: boolean;
  /** Whether what is read may be older than what happened, and whether nothing is written. */
  readonly freshness: 'fresh' | keyof typeof OUT_OF_DATE;
}

/** What the page's script is told. */
export interface ScriptFacts {
  readonly handle: string;
  readonly userId: string;
  readonly stripeKey: string;
  readonly stripeScript: string;
  readonly methods: readonly string[];
  readonly isSignedIn: boolean;
  /** Its owner looks at it before it is published: nothing is paid. */
  readonly isPreview: boolean;
  /** Its owner looks at what everybody sees. */
  readonly isOwners: boolean;
}

const MARK = `<svg width="17" height="17" viewBox="2 2 19.6 20" fill="currentColor" aria-hidden="true"><circle class="dot" cx="4.4" cy="8.6" r="2.4"/><circle class="dot" cx="4.4" cy="15.4" r="2.4"/><rect x="9.6" y="2" width="2.4" height="20" rx=".6"/><rect x="15" y="2" width="6.6" height="20" rx="1"/></svg>`;
const BEAM = `<svg class="beam" viewBox="0 0 390 326" preserveAspectRatio="xMidYMin slice" aria-hidden="true"><path d="M165 -60H225L370 234H20Z" fill="var(--beam)"/><ellipse cx="195" cy="234" rx="178" ry="64" fill="var(--pool)"/></svg>`;
const icon = (size: number, body: string): string =>
  `<svg aria-hidden="true" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round">${body}</svg>`;
const LOCK = icon(
  14,
  '<rect width="18" height="11" x="3" y="11" rx="2"/><path d="M7 11V7a5 5 0 0 1 10 0v4"/>',
);
const CASH = icon(
  19,
  '<circle cx="12" cy="12" r="9.5"/><path d="M16 8h-6a2 2 0 1 0 0 4h4a2 2 0 1 1 0 4H8"/><path d="M12 18V6"/>',
);
const CARD = icon(
  19,
  '<rect width="20" height="14" x="2" y="5" rx="2"/><path d="M2 10h20"/><path d="M6 14h2"/>',
);
const TICK = `<svg aria-hidden="true" width="28" height="28" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"><path d="M20 6 9 17l-5-5"/></svg>`;
const BADGE = `<svg width="24" height="24" viewBox="0 0 24 24" role="img" aria-label="Verified"><path d="M3.85 8.62a4 4 0 0 1 4.78-4.77 4 4 0 0 1 6.74 0 4 4 0 0 1 4.78 4.78 4 4 0 0 1 0 6.74 4 4 0 0 1-4.77 4.78 4 4 0 0 1-6.75 0 4 4 0 0 1-4.78-4.77 4 4 0 0 1 0-6.76Z" fill="#FFF4E0"/><path d="m8.6 12.2 2.3 2.3 4.5-4.7" fill="none" stroke="#4A0D20" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

const head = (origin: string): string =>
  `<div class="top"><a class="wm" href="/" aria-label="Encore, start page">Encore${MARK}</a><span class="host">${LOCK}${escaped(new URL(origin).host)}</span></div>`;

const initialsOf = (name: string): string =>
  name
    .replace(/^@/, '')
    .split(/[\s._]+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();

/** A handle goes on in the next line after an underscore, where it is too long for one. */
const wrapped = (name: string): string =>
  name.startsWith('@') ? escaped(name).replaceAll('_', '_<wbr>') : escaped(name);

const faceOf = ({ handle, name, pictureHash }: ShownTipPage): string =>
  pictureHash === undefined
    ? `<span class="letters" aria-hidden="true">${escaped(initialsOf(name))}</span>`
    : `<img src="${tipPagePath(handle)}/picture/${pictureHash}" width="124" height="124" alt="">`;

interface DocumentParts {
  readonly title: string;
  readonly className: string;
  readonly meta?: string;
  readonly stage: string;
  readonly side: string;
  readonly facts?: object;
}

/**
 * A page without a script gets the app's typeface at once: nothing on it pays, and nothing is to be waited
 * for.
 */
const faceFrom = (font: string): string =>
  `@font-face{font-family:Archivo;src:url(${font}) format('woff2');font-weight:100 900;font-stretch:62% 125%;font-display:swap}\n`;

function documentOf(
  { nonce, origin, script, font, isStaging, freshness }: PageFrame,
  { title, className, meta = '', stage, side, facts }: DocumentParts,
): string {
  const scripts =
    facts === undefined
      ? ''
      : `<script type="application/json" id="facts" nonce="${nonce}">${JSON.stringify(facts).replaceAll('<', '\\u003c')}</script>
<script nonce="${nonce}">${script.replaceAll('</script', '<\\/script')}</script>`;
  const notice =
    freshness === 'fresh'
      ? ''
      : `<p class="banner wait" role="status" id="out-of-date">${OUT_OF_DATE[freshness]}</p>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">
<title>${escaped(title)}</title><meta name="theme-color" content="#4A0D20">${font === undefined ? '' : `<meta name="font" content="${font}">`}<link rel="icon" href="/icon.svg" type="image/svg+xml">
${meta}<style nonce="${nonce}">${facts === undefined && font !== undefined ? faceFrom(font) : ''}${PAGE_STYLE}</style></head>
<body class="${className}"><header class="stage">${BEAM}${head(origin)}${stage}</header>
<main class="side">${isStaging ? '<p class="banner wait" role="note">This is a test site. No real money moves here.</p>' : ''}${notice}${side}</main>
${scripts}</body></html>`;
}

const AMOUNTS = [5, 10, 20, 50] as const;

/** The page on which a visitor tips. `code` is the page's own address as a QR code, an SVG. */
export function tipPageHtml(frame: PageFrame, page: ShownTipPage, facts: ScriptFacts, code: string): string {
  const { handle, name, shortName, line, isVerified, isListed, isPublished, pictureHash } = page;
  const address = `${frame.origin}${tipPagePath(handle)}`;
  const picture =
    pictureHash === undefined ? `${frame.origin}/icon-512.png` : `${address}/picture/${pictureHash}`;
  const about = line === '' ? `Tip ${shortName} from your phone. No app, no account.` : line;
  const robots = isListed && isPublished ? '' : '<meta name="robots" content="noindex">\n';
  const meta = `${robots}<link rel="canonical" href="${escaped(address)}"><meta name="description" content="${escaped(about)}">
<meta property="og:type" content="profile"><meta property="og:site_name" content="Encore"><meta property="og:title" content="${escaped(`Tip ${name}`)}"><meta property="og:description" content="${escaped(about)}"><meta property="og:url" content="${escaped(address)}"><meta property="og:image" content="${escaped(picture)}"><meta name="twitter:card" content="summary">
`;
  const amounts = AMOUNTS.map(
    (dollars) =>
      `<label><input type="radio" name="preset" value="${dollars}"${dollars === 10 ? ' checked' : ''}>$${dollars}</label>`,
  ).join('');
  const stage = `<div class="face">${faceOf(page)}<div><h1>${wrapped(name)}${isVerified ? BADGE : ''}</h1>${line === '' ? '' : `<p>${escaped(line)}</p>`}</div></div>`;
  const preview = facts.isPreview
    ? '<p class="banner wait" role="note">Preview: only you see this page. Publish it under My QR Code.</p>'
    : facts.isOwners
      ? '<p class="banner wait" role="note">This is your page, as others see it.</p>'
      : '';
  // More buttons: the face stands beside the name, so that the form is seen whole.
  const className = facts.isSignedIn ? 'tip owner' : 'tip';
  const side = `<div class="body">${preview}<h2>Tip ${escaped(shortName)}</h2>
<fieldset><legend class="sr">Amount</legend><div class="presets">${amounts}<label><input type="radio" name="preset" value="other">Other</label></div></fieldset>
<div class="field" id="other" hidden><label for="amount">Amount in dollars</label><input id="amount" type="text" inputmode="decimal" autocomplete="off" placeholder="12.50" aria-describedby="amount-problem"><p class="help" id="amount-problem" role="alert"></p></div>
<div class="card rows"><label class="frow"><span class="k">Note</span><input type="text" id="note" dir="auto" maxlength="${NOTE_MAX_CHARACTERS}" placeholder="Optional" autocomplete="off"></label>
<div class="frow"><label class="k" for="name">From</label><input type="text" id="name" dir="auto" maxlength="60" placeholder="Your name" autocomplete="name"><label class="sw">Stay anonymous<input type="checkbox" role="switch" id="anonymous"></label></div></div>
</div>
<div class="pbar"><noscript><p class="banner wait">Paying needs JavaScript, and this browser has it switched off. Switch it on and load this page again, or open ${escaped(new URL(address).host + tipPagePath(handle))} on another phone.</p></noscript>
<p class="banner wait" id="again" role="status" hidden>You tipped ${escaped(shortName)} this much a moment ago. This would be a second tip.</p>
<p class="banner bad" id="problem" role="alert" hidden></p><p class="banner wait" id="status" role="status"></p>
<div id="pay" hidden><div id="own" class="own">${facts.isSignedIn ? '<p class="room"></p>' : ''}</div><div id="wallets"></div>
<div class="two" id="methods"><button class="btn" type="button" id="cashapp">${CASH}Cash App</button><button class="btn" type="button" id="card">${CARD}Card</button></div>
<div id="card-form" role="group" aria-label="Card" aria-busy="true" tabindex="-1" hidden><div id="card-fields"></div><button class="btn main" type="button" id="pay-card">Pay</button><button class="btn text" type="button" id="back">Pay another way</button></div></div>
<p class="s mid">${facts.isSignedIn ? '' : 'No app, no account. '}Card details go straight to the card provider.</p></div>
<div class="phone">${code}<div><h3>On your phone instead</h3><p class="s">Scan this, and pay with the wallet that you carry.</p></div></div>`;
  return documentOf(frame, { title: `Tip ${name} – Encore`, className, meta, stage, side, facts });
}

const AMOUNT = (minor: number): string => {
  const [units = '', cents = ''] = dollarsFromMinor(minor).split('.');
  return `${units}<span class="cents">.${cents}</span>`;
};
const METHODS: Readonly<Record<string, string>> = { card: 'Card or phone wallet', cashapp: 'Cash App' };

const methodOf = ({ kind, method }: PaidTip): string =>
  kind === 'transfer' ? 'Balance' : (METHODS[method ?? ''] ?? 'Card');

/** A payment's number as people read it aloud. */
const receiptNumber = (paymentId: string): string =>
  `${paymentId.slice(4, 8)} ${paymentId.slice(8, 12)}`.toUpperCase();

/** Whose receipt is shown. */
interface ReceiptReader {
  /** What the address ends with. */
  readonly token: string;
  readonly isSignedIn: boolean;
  /** A user's own payment, which is in their list already; a guest's link otherwise. */
  readonly isOwn: boolean;
  /** Of a guest who had their name and note forgotten. */
  readonly isForgotten: boolean;
}

const FORGOTTEN =
  '<p class="s mid noprint">Your name and your note are forgotten. Keep this page’s address: it is your receipt.</p>';

/**
 * The receipt behind a guest's link or of a user's payment, and what stands there before the money is booked.
 */
export function receiptHtml(
  frame: PageFrame,
  { handle, name, shortName, isClosed }: PaidPerformer,
  payment: PaidTip | undefined,
  { token, isSignedIn, isOwn, isForgotten }: ReceiptReader,
): string {
  const back = escaped(tipPagePath(handle));
  const hasFailed = payment?.status === 'failed' || payment?.status === 'canceled';
  const state = payment?.settledAt ? 'paid' : hasFailed ? 'failed' : 'open';
  const facts = { handle, token, receipt: state, isSignedIn, isOwn };
  const meta = '<meta name="robots" content="noindex">\n';
  const again = isClosed
    ? ''
    : `<p class="mid"><a class="btn text" href="${back}">Tip ${escaped(shortName)} again</a></p>`;
  if (!payment?.settledAt) {
    const stage = hasFailed
      ? `<div class="face paid"><div><h1>Not paid</h1><p>You were not charged.</p></div></div>`
      : `<div class="face paid"><div><h1>One moment</h1><p>Your payment is being confirmed.</p></div></div>`;
    const side = hasFailed
      ? `<div class="body"><p class="banner bad">${escaped(payment.failureReason ?? 'The payment was canceled.')}</p><a class="btn fill" href="${back}">Try another way</a></div>`
      : `<div class="body"><p class="banner wait" role="status" id="waiting">This page shows the receipt by itself as soon as the payment is confirmed. You can also come back to this address later.</p><noscript><p>Load this page again in a moment.</p></noscript>${again}</div>`;
    return documentOf(frame, { title: 'Your payment – Encore', className: 'tip', meta, stage, side, facts });
  }
  const { amountMinor, refundedMinor, disputedMinor, note, thanks, isClaimed, id } = payment;
  const paidAt = payment.settledAt;
  const paid = { minor: amountMinor, atMs: paidAt.getTime() };
  // A refund under way when a dispute took the same money exceeds the payment together with it.
  const leftMinor = Math.max(0, amountMinor - refundedMinor - disputedMinor);
  const gone =
    refundedMinor > 0
      ? `Your ${AMOUNT(amountMinor)} was returned`
      : `Your bank took back your ${AMOUNT(amountMinor)}`;
  const kept = isClosed
    ? `Your tip of ${AMOUNT(amountMinor)}`
    : `${escaped(shortName)} has your ${AMOUNT(leftMinor)}`;
  const [tick, heading] = leftMinor > 0 ? [`<span class="tick">${TICK}</span>`, kept] : ['', gone];
  const stage = `<div class="face paid">${tick}<div><h1>${heading}</h1>${note === null ? '' : `<p><bdi>“${escaped(note)}”</bdi></p>`}${thanks === null ? '' : `<p>${escaped(shortName)} answers: “${THANKS_WORDS[thanks]}”</p>`}</div></div>`;
  const row = (name: string, value: string): string =>
    `<div class="lead"><dt>${name}</dt><dd>${value}</dd></div>`;
  const receipt = `<section class="card pad" aria-labelledby="receipt"><h2 id="receipt">Receipt</h2><dl>${row('No.', receiptNumber(id))}${row('To', `${escaped(name)}${isClosed ? '' : ` (@${escaped(handle)})`}`)}${row('Amount', `$${decimalFromMinor(amountMinor)}`)}${refundedMinor > 0 ? row('Refunded', `$${decimalFromMinor(refundedMinor)}`) : ''}${disputedMinor > 0 ? row('Taken back', `$${decimalFromMinor(disputedMinor)}`) : ''}${row('Paid', `<time datetime="${paidAt.toISOString()}">${shortUtcTime(paidAt)}</time>`)}${row('By', methodOf(payment))}${row('From', isOwn ? 'You' : escaped(payment.guestName ?? 'A guest'))}</dl></section>`;
  const mail = `<section class="card pad noprint"><form id="mail" class="field" novalidate><label for="email">Send it to my email</label><input id="email" type="email" autocomplete="email" aria-describedby="mail-told"><p class="help" id="mail-problem" role="alert"></p><p class="s" id="mail-told" role="status">One mail with this receipt, and one more if ${escaped(shortName)} thanks you.</p><button class="btn" type="submit">Send the receipt</button></form></section>`;
  const claim = isClaimed
    ? `<section class="card pad noprint"><h2>In an account</h2><p class="s">This receipt is kept in an Encore account.</p></section>`
    : `<section class="card pad noprint"><h2>Keep your receipts</h2><p class="s">${isSignedIn ? 'Put this one into your account.' : 'Create an account, and this one is already in it.'}</p><p class="help" id="claim-problem" role="alert"></p><button class="btn fill" type="button" id="claim">${isSignedIn ? 'Add it to my account' : 'Create an account'}</button></section>`;
  const forget = `<section class="noprint mid"><p class="help" id="forget-problem" role="alert"></p><button class="btn text" type="button" id="forget">Forget my name and note</button></section>`;
  const more = isOwn
    ? `<a class="btn fill noprint" href="/history?receipt=${escaped(id)}">See it in your history</a>${again}`
    : `<noscript><p class="s">Keep this page’s address: it is your receipt.</p></noscript>${isForgotten ? '' : mail}${claim}${again}${isForgotten ? FORGOTTEN : forget}`;
  return documentOf(frame, {
    title: 'Your receipt – Encore',
    className: 'tip',
    meta,
    stage,
    side: `<div class="body">${receipt}${more}</div>`,
    facts: { ...facts, paid },
  });
}

/**
 * What stands where nobody has a page. The same for a handle that nobody has and for a page that is not
 * published.
 */
export const noPageHtml = (frame: PageFrame, handle: string): string =>
  nothingHtml(frame, {
    heading: 'Nobody here',
    sentence: `There is no tip page under @${escaped(handle.slice(0, 30))}.`,
    advice:
      'Check the spelling with whoever gave you the address. A page that was taken back cannot be opened either.',
    link: '<a class="btn fill" href="/">Go to the start page</a>',
  });

/** What stands where a published page has no such receipt. */
export const noReceiptHtml = (frame: PageFrame, handle: string): string =>
  nothingHtml(frame, {
    heading: 'No receipt here',
    sentence: 'No receipt has this address.',
    advice: 'A part of it may be missing: open it once more from where you kept it, or from the mail.',
    link: `<a class="btn fill" href="${escaped(tipPagePath(handle))}">Go to the tip page</a>`,
  });

interface Nothing {
  readonly heading: string;
  /** These three are HTML. */
  readonly sentence: string;
  readonly advice: string;
  readonly link: string;
}

function nothingHtml(frame: PageFrame, { heading, sentence, advice, link }: Nothing): string {
  return documentOf(frame, {
    title: `${heading} – Encore`,
    className: 'tip',
    meta: '<meta name="robots" content="noindex">\n',
    stage: `<div class="face paid"><div><h1>${heading}</h1><p>${sentence}</p></div></div>`,
    side: `<div class="body"><p>${advice}</p>${link}</div>`,
  });
}
