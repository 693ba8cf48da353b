/**
 * The page that checks a receipt's file. It is one file that asks nobody anything: saved, it works without a
 * network and without us. What it computes stands in docs/reference/transparency.md, and a spec holds it
 * against the log's own proofs.
 */

/**
 * Defines `checkReceipt(receipt, key)`: resolves to { size, origin, root, isSigned }, where isSigned is
 * undefined in a browser that cannot check Ed25519; rejects with a sentence. Neither backslashes nor
 * backticks: it stands in a template.
 */
export const CHECK_RECEIPT_SCRIPT = `
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const textOf = (bytes) => btoa(String.fromCharCode(...bytes));
const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const isSame = (one, other) => one.length === other.length && one.every((byte, n) => byte === other[n]);
const utf8 = (text) => new TextEncoder().encode(text);
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
const NEWLINE = String.fromCharCode(10);

async function rootOf(leaf, index, size, path) {
  if (!(Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size))
    throw new Error('The receipt names an entry that the signed books do not have.');
  let hash = await sha256(joined([0], leaf));
  let place = index, last = size - 1;
  const half = () => { place = Math.floor(place / 2); last = Math.floor(last / 2); };
  for (const text of path) {
    const beside = bytesOf(text);
    if (last === 0 || beside.length !== 32) throw new Error('The path of the receipt is not well formed.');
    if (place % 2 === 1 || place === last) {
      hash = await sha256(joined([1], beside, hash));
      while (place % 2 === 0 && place !== 0) half();
    } else hash = await sha256(joined([1], hash, beside));
    half();
  }
  if (last !== 0) throw new Error('The path of the receipt ends too early.');
  return hash;
}

async function signedTextOf(note, keyText) {
  const parts = keyText.trim().split('+');
  const name = parts[0], id = parts[1], typed = bytesOf(parts.slice(2).join('+'));
  if (typed.length !== 33 || typed[0] !== 1) throw new Error('The key is not the verifier key of an Ed25519 key.');
  const made = await sha256(joined(utf8(name + NEWLINE), typed));
  if (hexOf(made.slice(0, 4)) !== id) throw new Error('The key is damaged: its id does not belong to it.');
  const end = note.lastIndexOf(NEWLINE + NEWLINE);
  if (end < 0) throw new Error('The receipt holds no signed head.');
  const text = note.slice(0, end + 1);
  for (const line of note.slice(end + 2).split(NEWLINE)) {
    const words = line.split(' ');
    if (words.length !== 3 || words[0] !== String.fromCharCode(8212) || words[1] !== name) continue;
    const bytes = bytesOf(words[2]);
    if (hexOf(bytes.slice(0, 4)) !== id) continue;
    let key;
    try {
      key = await crypto.subtle.importKey('raw', typed.slice(1), { name: 'Ed25519' }, false, ['verify']);
    } catch {
      return { text, isSigned: undefined };
    }
    if (!(await crypto.subtle.verify({ name: 'Ed25519' }, key, bytes.slice(4), utf8(text))))
      throw new Error('The signature of ' + name + ' does not hold: what it signed was changed.');
    return { text, isSigned: true };
  }
  throw new Error('There is no signature of ' + name + ' with this key.');
}

async function checkReceipt(receipt, keyText) {
  if (!receipt || receipt.format !== 'encore-receipt/1') throw new Error('This is not the file of a receipt.');
  const { text, isSigned } = await signedTextOf(receipt.checkpoint, keyText);
  const [origin, size, root] = text.split(NEWLINE);
  const leaf = bytesOf(receipt.leaf);
  if (leaf.length !== 32) throw new Error('The leaf of the receipt is not well formed.');
  const found = await rootOf(leaf, receipt.index, Number(size), receipt.path);
  if (!isSame(found, bytesOf(root))) throw new Error('The entry of this receipt is not in the books that were signed.');
  return { origin, size: Number(size), root, isSigned };
}
`;

const PAGE_SCRIPT = `
const byId = (id) => document.getElementById(id);
// A code on paper holds the hash of its leaf behind the #, which no browser sends to anybody.
const expected = location.hash.slice(1).replaceAll('-', '+').replaceAll('_', '/');
if (expected) byId('code').textContent = 'The code names the entry ' + location.hash.slice(1) + '. Choose the file of that receipt.';

function show(verdict, title, lines) {
  byId('result').className = verdict;
  byId('title').textContent = title;
  byId('lines').replaceChildren(...lines.map((line) => Object.assign(document.createElement('p'), { textContent: line })));
  byId('result').hidden = false;
  // It is announced where it stands; whoever types goes on typing.
  byId('result').scrollIntoView({ block: 'nearest' });
}

let last = '';
async function check(text) {
  last = text;
  try {
    let receipt;
    try { receipt = JSON.parse(text); } catch { throw new Error('This is not the file of a receipt.'); }
    const known = byId('key').value.trim();
    const { origin, size, isSigned } = await checkReceipt(receipt, known || String(receipt.verifierKey));
    if (expected && expected.padEnd(44, '=') !== receipt.leaf) throw new Error('This is the file of another receipt than the code names.');
    const about = 'Transaction ' + receipt.transactionId + ' is entry ' + receipt.revision + ' of the journal and one of the ' +
      size.toLocaleString('en') + ' events in the books signed by ' + origin + '.';
    const limits = 'It shows that the entry was in the books when they were signed and cannot be changed or taken out without a trace. It names no amount: whoever audits the books finds that under the same hash.';
    const key = known ? 'The key is the one that you gave.' :
      'The key came with the receipt: ' + receipt.verifierKey + '. Compare it with the one that is published elsewhere.';
    if (isSigned) show('good', 'The receipt holds', [about, limits, key]);
    else show('half', 'The entry leads to the root, and the signature was not checked', [
      about, 'This browser cannot check Ed25519 signatures. Use a newer one, or the Python program of the documentation.', key]);
  } catch (error) {
    show('bad', 'The receipt does not hold', [error instanceof Error && error.message ? error.message : 'The file is damaged.']);
  }
}

byId('file').addEventListener('change', async (event) => { const [file] = event.target.files; if (file) await check(await file.text()); });
byId('paste').addEventListener('input', async (event) => { if (event.target.value.trim()) await check(event.target.value); });
byId('key').addEventListener('change', async () => { if (last) await check(last); });
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', async (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) await check(await file.text());
});
`;

/** The page; its style and script carry the nonce of the answer, which a saved copy has no use for. */
export const checkReceiptPage = (nonce: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Check a receipt · Encore</title>
<style nonce="${nonce}">
:root{color-scheme:light dark;--text:#1d1014;--quiet:#5f4e55;--paper:#fff;--ground:#f7f4f5;--line:#8c7a82;--good:#0f6b3c;--bad:#b2271b;--half:#6b5000;--focus:#7a1435}
@media (prefers-color-scheme:dark){:root{--text:#f8f0f2;--quiet:#c2b0b6;--paper:#1f1519;--ground:#140c0f;--line:#8a757d;--good:#74dba4;--bad:#ff9f92;--half:#ffd866;--focus:#ffbe3d}}
*{box-sizing:border-box}
body{font-family:system-ui,sans-serif;line-height:1.5;color:var(--text);background:var(--ground);max-width:40rem;margin:0 auto;padding:2rem 1.25rem 4rem;overflow-wrap:anywhere}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem}
h2{font-size:1.25rem;line-height:1.3;margin:0 0 .5rem}
p{margin:0 0 .75rem}
label{display:block;font-weight:600;margin:1.25rem 0 .375rem}
input,textarea{font:inherit;color:inherit;background:var(--paper);width:100%;min-height:3rem;padding:.75rem;border:1px solid var(--line);border-radius:12px}
textarea{min-height:7rem}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.quiet{color:var(--quiet)}
section{background:var(--paper);border-radius:16px;padding:1.25rem;margin-top:1.5rem;border-inline-start:6px solid}
.good{border-color:var(--good)}.good h2{color:var(--good)}
.bad{border-color:var(--bad)}.bad h2{color:var(--bad)}
.half{border-color:var(--half)}.half h2{color:var(--half)}
</style></head>
<body><main><h1>Check a receipt</h1>
<p>The file of a receipt shows that its entry stands in the books as they were signed. It is checked here, in this page: nothing is sent, and a saved copy of the page works without a network.</p>
<p id="code" class="quiet"></p>
<label for="file">File of the receipt</label><input id="file" type="file" accept=".json,application/json">
<label for="paste">Or its content</label><textarea id="paste" spellcheck="false" autocomplete="off"></textarea>
<label for="key">Key of the books, if you have it from elsewhere</label><input id="key" spellcheck="false" autocomplete="off">
<section id="result" role="status" hidden><h2 id="title"></h2><div id="lines"></div></section>
</main><script nonce="${nonce}">${CHECK_RECEIPT_SCRIPT}${PAGE_SCRIPT}</script></body></html>
`;
