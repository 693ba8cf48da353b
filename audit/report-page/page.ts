/**
 * The audit's report as one page that needs nothing but itself: no network, and no script to be read. A small
 * script of its own searches the entries; without it they are reached by their links.
 */
import { createHash } from 'node:crypto';
import { HOME_CURRENCY } from '../derivation/accounts.js';
import { hasPassed, type Check } from '../report.js';
import { chart } from './chart.js';
import { html, trusted, type Markup } from './markup.js';
import type { AuditReport, InclusionProof, ReportBalance, ReportEntry } from './report.js';
import { STYLE } from './style.js';
import {
  capitalised,
  count,
  duration,
  figure,
  minuteOf,
  period,
  secondOf,
  shortDay,
  shortHash,
  shortId,
  withThousands,
} from './words.js';

/** Findings of one check that the page names; the rest is counted. */
const SHOWN_FINDINGS = 20;
/** Steps of a proof that stand open; the others unfold. */
const OPEN_STEPS = 2;

/** Shows only the entries that have what is searched for, and opens the first of them. */
const SCRIPT = `(function () {
  var field = document.getElementById('find');
  var rows = Array.prototype.slice.call(document.querySelectorAll('[data-search]'));
  var told = document.getElementById('found');
  var usual = told.textContent;
  function search() {
    var wanted = field.value.trim().toLowerCase().replace(/^#/, '').replace(/(\\d),(?=\\d)/g, '$1');
    var found = 0;
    rows.forEach(function (row) {
      var fits = wanted === '' || row.getAttribute('data-search').indexOf(wanted) !== -1;
      row.hidden = !fits;
      if (fits) found += 1;
    });
    told.textContent = wanted === '' ? usual : found === 0 ? 'None of them has that.' : found === 1 ? '1 of them has that.' : found + ' of them have that.';
  }
  document.getElementById('finder').hidden = false;
  field.addEventListener('input', search);
  field.addEventListener('keydown', function (event) {
    if (event.key !== 'Enter') return;
    var exact = document.getElementById('e' + field.value.trim().replace(/[#,]/g, ''));
    var first = exact ? null : rows.filter(function (row) { return !row.hidden; })[0];
    if (exact || first) location.hash = exact ? '#' + exact.id : first.querySelector('a').getAttribute('href');
  });
  Array.prototype.slice.call(document.querySelectorAll('[data-find]')).forEach(function (link) {
    link.addEventListener('click', function () { field.value = link.getAttribute('data-find'); search(); });
  });
})();`;

/** Nothing may be fetched, whatever stands in the page, and no script runs but this one. */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'font-src data:',
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const sign = (path: string, size = 18): Markup =>
  trusted(
    `<svg aria-hidden="true" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round">${path}</svg>`,
  );
const CHECK = '<path d="M20 6 9 17l-5-5"/>';
const CROSS = '<path d="M18 6 6 18"/><path d="m6 6 12 12"/>';
const CLOCK = '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>';

/** The page. `font` is Archivo as woff2; without it the reader's own font stands in. */
export function reportPage(report: AuditReport, font?: Buffer): string {
  const face =
    font &&
    `@font-face{font-family:Archivo;font-weight:100 900;font-stretch:62% 125%;src:url(data:font/woff2;base64,${font.toString('base64')}) format('woff2')}`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trusted(POLICY)}" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>Audit report – Encore</title>
        ${trusted(`<style>${face ?? ''}${STYLE}</style>`)}
      </head>
      <body>
        <div class="page">
          ${heading(report)}
          <main style="display:contents">
            <div class="top">${verdict(report)}${money(report)}</div>
            ${wrong(report)}
            <div class="three">${checks(report.checks)}${balances(report)}${opened(report)}</div>
            ${list(report)}
          </main>
        </div>
        ${trusted(`<script>${SCRIPT}</script>`)}
      </body>
    </html> `;
  return page.text;
}

function heading({ from, to, readTo, madeAt, tookMs }: AuditReport): Markup {
  const span = from !== undefined && to !== undefined ? `${period(from, to)} · ` : '';
  return html`<header>
    <span class="wm"
      >Encore<svg width="20" height="20" viewBox="2 2 19.6 20" fill="currentColor" aria-hidden="true">
        <circle class="dot" cx="4.4" cy="8.6" r="2.4" />
        <circle class="dot" cx="4.4" cy="15.4" r="2.4" />
        <rect x="9.6" y="2" width="2.4" height="20" rx=".6" />
        <rect x="15" y="2" width="6.6" height="20" rx="1" /></svg
    ></span>
    <h1>Audit report</h1>
    <div class="find" id="finder" role="search" hidden>
      ${sign('<path d="m21 21-4.34-4.34"/><circle cx="11" cy="11" r="8"/>', 19)}<input
        id="find"
        type="text"
        aria-label="Entry, payment or account"
        placeholder="Entry, payment or account"
        autocomplete="off"
        spellcheck="false"
      />
    </div>
    <span class="s made"
      >${span}log read to ${readTo}<br />Made ${minuteOf(madeAt)} UTC, in ${duration(tookMs)}. This file needs
      no network.</span
    >
  </header>`;
}

const findingsOf = (all: readonly Check[]): number =>
  all.reduce((sum, { findings }) => sum + findings.length, 0);

const lead = (label: string, value: string | Markup): Markup =>
  html`<div class="lead"><span>${label}</span><b>${value}</b></div>`;

function verdict({ checks: all, events }: AuditReport): Markup {
  return html`<section class="card stage" aria-labelledby="verdict">
    <svg aria-hidden="true">
      <path d="M430 -150H464L422 78H-70Z" fill="var(--beam)" />
      <ellipse cx="176" cy="78" rx="246" ry="66" fill="var(--pool)" />
    </svg>
    <h2 class="s" style="font-size:13px;line-height:18px;font-weight:600;font-stretch:100%">Verdict</h2>
    <p class="verdict" id="verdict">
      ${hasPassed(all) ? 'The books are in order.' : 'The books are not in order.'}
    </p>
    ${lead('Checks', count(all.length))}${lead('Findings', count(findingsOf(all)))}${lead('Events read', count(events))}
  </section>`;
}

function money({ days }: AuditReport): Markup {
  return html`<section class="card money">
    <div class="between">
      <h2>Money held for people</h2>
      <span class="s">in dollars, at the end of each day (UTC)</span>
    </div>
    ${chart(days) ?? html`<p class="s">No entry has moved money yet.</p>`}${chart(days, 'narrow')}
  </section>`;
}

/** A finding, its place in the journal a link where the page has that entry. */
function finding(text: string, entries: readonly ReportEntry[]): Markup {
  const place = /journal at revision (\d+)/.exec(text);
  const revision = Number(place?.[1]);
  if (!place || !entries.some((entry) => entry.revision === revision)) return html`<li>${text}</li>`;
  const [before, after] = [text.slice(0, place.index), text.slice(place.index + place[0].length)];
  return html`<li>${before}<a href="#e${revision}">${place[0]}</a>${after}</li>`;
}

/** What does not hold, above everything else; nothing where all holds. */
function wrong({ checks: all, entries }: AuditReport): Markup | undefined {
  const failed = all.filter(({ findings }) => findings.length > 0);
  if (failed.length === 0) return undefined;
  return html`<section class="card wrong">
    <div class="hd">
      <h2>What does not hold</h2>
      <span class="chip bad"
        >${sign(CROSS, 14)}${count(findingsOf(failed))}
        ${findingsOf(failed) === 1 ? 'finding' : 'findings'}</span
      >
    </div>
    ${failed.map(
      ({ name, findings }) =>
        html`<h3>${capitalised(name)}</h3>
          <ul>
            ${findings.slice(0, SHOWN_FINDINGS).map((each) => finding(each, entries))}${
              findings.length > SHOWN_FINDINGS &&
              html`<li>and ${count(findings.length - SHOWN_FINDINGS)} more</li>`
            }
          </ul>`,
    )}
  </section>`;
}

function checks(all: readonly Check[]): Markup {
  const held = all.filter(({ findings }) => findings.length === 0).length;
  const holds = held === all.length;
  return html`<section class="card checked">
    <div class="hd">
      <h2>Checks</h2>
      <span class="chip ${holds ? 'good' : 'bad'}"
        >${sign(holds ? CHECK : CROSS, 14)}${held} of ${all.length} hold</span
      >
    </div>
    <ul class="checks">
      ${all.map(({ name, figure: amount, findings }) =>
        findings.length === 0
          ? html`<li>
              <i class="ok" role="img" aria-label="holds">${sign(CHECK)}</i><span>${capitalised(name)}</span
              ><b>${withThousands(amount)}</b>
            </li>`
          : html`<li class="no">
              <i role="img" aria-label="does not hold" style="color:var(--error)">${sign(CROSS)}</i
              ><span>${capitalised(name)}</span
              ><b>${count(findings.length)} ${findings.length === 1 ? 'finding' : 'findings'}</b>
            </li>`,
      )}
    </ul>
  </section>`;
}

const sumOf = (lines: readonly ReportBalance[]): number => lines.reduce((sum, { minor }) => sum + minor, 0);

const balance = ({ label, minor, currency, search }: ReportBalance): Markup =>
  html`<div class="bl">
    <a href="#entries" data-find="${search}">${label}</a><b>${figure(minor, currency)}</b>
  </div>`;

/** What is held in another currency, under a heading of its own: it is added to no dollars. */
function foreignBalances(lines: readonly ReportBalance[]): readonly Markup[] {
  const currencies = new Set(lines.flatMap(({ currency }) => currency ?? []));
  return [...currencies].sort().map((currency) => {
    const own = lines.filter((line) => line.currency === currency);
    const code = currency.toUpperCase();
    return html`<h3 class="gh more">Facing outside, ${code}</h3>
      ${own.map(balance)}
      <div class="bl sum"><span>Added up, ${code}</span><b>${figure(sumOf(own), currency)}</b></div>`;
  });
}

function balances({ people, outside: all, days }: AuditReport): Markup {
  const last = days.at(-1);
  const outside = all.filter(({ currency }) => currency === undefined);
  const sum = sumOf(people) + sumOf(outside);
  return html`<section class="card">
    <div class="hd">
      <h2>Balances</h2>
      <span class="s">${last && `${shortDay(last.day)}, end of day`}</span>
    </div>
    <div class="pad">
      <h3 class="gh">People</h3>
      ${people.map(balance)}
      <div class="bl sum"><span>Owed to people</span><b>${figure(sumOf(people))}</b></div>
      <h3 class="gh more">Facing outside</h3>
      ${outside.map(balance)}
      <div class="bl sum"><span>Facing outside</span><b>${figure(sumOf(outside))}</b></div>
      ${foreignBalances(all)}
    </div>
    <div class="gap"></div>
    <div class="foot ${sum === 0 ? 'good' : 'bad'}">
      <span>Everything added up</span><b>${figure(sum)}</b>
    </div>
  </section>`;
}

/** The entries that can be opened, one of them at a time: the one that the address names, or the newest. */
function opened({ entries, checks: all }: AuditReport): Markup {
  const doubted = doubtedRevisions(all);
  if (entries.length === 0)
    return html`<section class="card">
      <div class="hd"><h2>Entries</h2></div>
      <p class="none s">The journal has no entry.</p>
    </section>`;
  return html`<div class="entries">
    ${entries.map((entry) => entryCard(entry, doubted.has(entry.revision)))}
  </div>`;
}

/** The journal's revisions that a finding names. */
export function doubtedRevisions(all: readonly Check[]): ReadonlySet<number> {
  const places = all.flatMap(({ findings }) =>
    findings.flatMap((text) => [...text.matchAll(/journal at revision (\d+)/g)]),
  );
  return new Set(places.map(([, revision]) => Number(revision)));
}

/** What an entry moves, with the code of another currency than dollars; both, where it moves two. */
function inAll(postings: ReportEntry['postings']): string {
  const sums = new Map<string, number>();
  for (const { amountMinor, currency } of postings)
    sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
  return [...sums]
    .map(([of, minor]) => `${figure(minor, of)}${of === HOME_CURRENCY ? '' : ` ${of.toUpperCase()}`}`)
    .join(', ');
}

function entryCard(entry: ReportEntry, isDoubted: boolean): Markup {
  const { revision, type, recordedAt, subject, actorId, previousHash, postings, proof } = entry;
  const total = inAll(postings);
  return html`<article class="card" id="e${revision}" aria-labelledby="t${revision}">
    <div class="hd">
      <h2 id="t${revision}">Entry ${count(revision)}</h2>
      <span class="s">${type}</span>
    </div>
    <div class="pad">
      ${lead('Booked', `${secondOf(recordedAt)} UTC`)}
      ${subject && lead(subject.label, html`<span title="${subject.id}" style="color:inherit">${shortId(subject.id)}</span>`)}
      ${actorId !== undefined && lead('Asked for by', shortId(actorId))}
      ${lead('Entry before it', previousHash === undefined ? 'none' : shortHash(previousHash))}
      ${
        postings.length === 0
          ? html`<p class="gh">It moves no money.</p>`
          : html`<table class="legs">
              <thead>
                <tr>
                  <th scope="col">Account</th>
                  <th scope="col" class="r">Debit</th>
                  <th scope="col" class="r">Credit</th>
                </tr>
              </thead>
              <tbody>
                ${postings.map(
                  ({ debit, credit, amountMinor, currency }) =>
                    html`<tr>
                        <td>${debit}</td>
                        <td class="r">${figure(amountMinor, currency)}</td>
                        <td></td>
                      </tr>
                      <tr>
                        <td>${credit}</td>
                        <td></td>
                        <td class="r">${figure(amountMinor, currency)}</td>
                      </tr>`,
                )}
                <tr class="sum">
                  <td>Equal</td>
                  <td class="r">${total}</td>
                  <td class="r">${total}</td>
                </tr>
              </tbody>
            </table>`
      }
      <h3 class="gh more">Hash and inclusion</h3>
      ${path(entry)}
    </div>
    <div class="gap"></div>
    ${standing(proof, isDoubted)}
  </article>`;
}

function path({ revision, hash, proof }: ReportEntry): Markup {
  const steps = proof?.steps ?? [];
  const [open, folded] = [steps.slice(0, OPEN_STEPS), steps.slice(OPEN_STEPS)];
  return html`<ol class="path">
    <li class="end"><span>Entry ${count(revision)}</span><code title="${hash}">${shortHash(hash)}</code></li>
    ${open.map((step) => html`<li><span>${step.with}</span><code class="hash" title="${step.hash}">${shortHash(step.hash)}</code></li>`)}
    ${
      folded.length > 0 &&
      html`<li>
        <details>
          <summary>${folded.length === 1 ? '1 more step' : `${folded.length} more steps`}</summary>
          ${folded.map(
            (step) =>
              html`<div class="all">
                <span>${step.with}</span
                ><code class="hash" title="${step.hash}">${shortHash(step.hash)}</code>
              </div>`,
          )}
        </details>
      </li>`
    }
    ${proof && html`<li class="end"><span>Root</span><code title="${proof.rootHash}">${shortHash(proof.rootHash)}</code></li>`}
  </ol>`;
}

function standing(proof: InclusionProof | undefined, isDoubted: boolean): Markup {
  if (isDoubted)
    return html`<div class="foot bad">
      ${sign(CROSS)}<span>A check found this entry wrong: see What does not hold.</span>
    </div>`;
  return proof
    ? html`<div class="foot good">
        ${sign(CHECK)}<span>Is in the log. Root as published ${minuteOf(proof.publishedAt)}.</span>
      </div>`
    : html`<div class="foot wait">
        ${sign(CLOCK)}<span>Is in the log. No published root was given that covers it.</span>
      </div>`;
}

/** What an entry is found by, in lower case: its number, ids, hash, type and accounts. */
const searchText = ({ revision, id, type, hash, subject, actorId, postings }: ReportEntry): string =>
  [
    revision,
    id,
    type,
    hash,
    subject?.id ?? '',
    actorId ?? '',
    ...postings.flatMap(({ debit, credit }) => [debit, credit]),
  ]
    .join(' ')
    .toLowerCase();

function list({ entries, entryCount }: AuditReport): Markup | undefined {
  if (entries.length === 0) return undefined;
  const those =
    entries.length === entryCount
      ? `All ${count(entryCount)} entries.`
      : `${count(entries.length)} of ${count(entryCount)} entries: the newest, and those that a check names.`;
  return html`<section class="card" id="entries">
    <div class="hd">
      <h2>Entries in this file</h2>
      <span class="s" id="found" role="status">${those}</span>
    </div>
    <div class="list">
      <table>
        <thead>
          <tr>
            <th scope="col">Entry</th>
            <th scope="col">What</th>
            <th scope="col" class="wide">Booked (UTC)</th>
            <th scope="col" class="wide">From, to</th>
            <th scope="col" class="r">Amount</th>
          </tr>
        </thead>
        <tbody>
          ${entries.map(
            (entry) =>
              html`<tr data-search="${searchText(entry)}">
                <td><a href="#e${entry.revision}">${count(entry.revision)}</a></td>
                <td>${entry.type}</td>
                <td class="wide">${secondOf(entry.recordedAt)}</td>
                <td class="wide">
                  ${entry.postings.slice(0, 1).map(({ debit, credit }) => html`${debit}, ${credit}`)}${
                    entry.postings.length > 1 && html` and ${entry.postings.length - 1} more`
                  }
                </td>
                <td class="r">${entry.postings.length > 0 && inAll(entry.postings)}</td>
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
