/**
 * The stylesheet, the script, the sign of the house and the typeface of the sign-in pages, served from
 * memory.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What a browser gets for one address. */
interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

const FACES = [
  'archivo-vietnamese-wdth-normal',
  'archivo-latin-ext-wdth-normal',
  'archivo-latin-wdth-normal',
];

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" role="img" aria-label="Encore"><style>.bar{fill:#1D1014}.dot{fill:#7A1435}@media (prefers-color-scheme:dark){.bar{fill:#FFF4E0}.dot{fill:#FFBE3D}}</style><circle class="dot" cx="4.4" cy="8.6" r="2.4"/><circle class="dot" cx="4.4" cy="15.4" r="2.4"/><rect class="bar" x="9.6" y="2" width="2.4" height="20" rx=".6"/><rect class="bar" x="15" y="2" width="6.6" height="20" rx="1"/></svg>`;

const STYLES = `
:root {
  color-scheme: light dark;
  --bg: #F7F4F5; --surface: #FFFFFF; --sunken: #EFE9EB; --line: #E5DCDF; --control: #8C7A82;
  --ink: #1D1014; --ink2: #5F4E55; --ink3: #76646C; --primary: #7A1435; --fill: #7A1435; --fillHover: #5F0D28; --onFill: #FFFFFF;
  --stage: #4A0D20; --beam: #591228; --pool: #691832; --onStage: #FFF4E0; --onStage2: #E9C9CC; --tungsten: #FFBE3D;
  --error: #B2271B; --errorTint: #FCE5E1; --focus: #7A1435;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #140C0F; --surface: #1F1519; --sunken: #2A1E23; --line: #382930; --control: #8A757D;
    --ink: #F8F0F2; --ink2: #C2B0B6; --ink3: #A08D94; --primary: #F5A9BC; --fill: #F3E4E8; --fillHover: #FFFFFF; --onFill: #32071A;
    --stage: #430B1C; --beam: #521024; --pool: #62152D; --onStage2: #E6C5C9;
    --error: #FF9F92; --errorTint: #471710; --focus: #FFBE3D;
  }
}
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
html { background: var(--bg); -webkit-text-size-adjust: 100%; }
body {
  font-family: 'Archivo Variable', Archivo, system-ui, sans-serif; font-size: 15px; line-height: 22px;
  font-variant-numeric: tabular-nums lining-nums; color: var(--ink); background: var(--bg); -webkit-font-smoothing: antialiased;
}
svg { display: block; flex: none; }
a { color: var(--primary); font-weight: 600; text-decoration: none; border-radius: 4px; }
a:hover { text-decoration: underline; }
button, input { font: inherit; color: inherit; }
h1, p { text-wrap: balance; }
h1 { font-size: 30px; line-height: 36px; font-weight: 640; font-stretch: 113%; letter-spacing: -.014em; }
.page { max-width: 480px; min-height: 100vh; min-height: 100dvh; margin: 0 auto; display: grid; grid-template: auto 1fr auto / minmax(0, 1fr); }
.stage { position: relative; isolation: isolate; overflow: hidden; background: var(--stage); color: var(--onStage); padding-bottom: 30px; }
.light { position: absolute; inset: 0; width: 100%; height: 100%; z-index: -1; }
.light.wide { display: none; }
.beam { fill: var(--beam); }
.pool { fill: var(--pool); }
.wordmark {
  height: 56px; padding-left: 20px; display: flex; align-items: center; gap: 7px;
  font-size: 19px; line-height: 24px; font-weight: 680; font-stretch: 118%; letter-spacing: -.025em;
}
.dot { fill: var(--tungsten); }
.lit { padding: 44px 20px 0; }
.lit p { margin-top: 4px; color: var(--onStage2); }
main { padding: 24px 20px 0; display: grid; gap: 20px; align-content: start; grid-template-columns: minmax(0, 1fr); }
form { display: grid; gap: 20px; grid-template-columns: minmax(0, 1fr); }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; align-items: start; }
label { display: block; margin-bottom: 6px; font-size: 13px; line-height: 18px; font-weight: 600; color: var(--ink2); }
.control { position: relative; }
input:not([type=hidden]) {
  width: 100%; height: 52px; padding: 0 14px; border: 1px solid var(--control); border-radius: 12px; background: var(--surface);
  font-size: 16px; outline: 0; appearance: none;
}
input[type=password] { letter-spacing: .12em; }
.control:has(.show:not([hidden])) input { padding-right: 56px; }
input:focus { border-color: var(--focus); box-shadow: 0 0 0 1px var(--focus); }
input[aria-invalid]:not(:focus) { border-color: var(--error); box-shadow: 0 0 0 1px var(--error); }
input:-webkit-autofill { -webkit-text-fill-color: var(--ink); -webkit-box-shadow: inset 0 0 0 60px var(--surface); caret-color: var(--ink); }
.show {
  position: absolute; right: 2px; top: 2px; width: 48px; height: 48px; display: grid; place-items: center;
  border: 0; border-radius: 12px; background: none; cursor: pointer;
}
.slash { display: none; }
.show[aria-pressed=true] .slash { display: inline; }
.help, .error { margin-top: 6px; font-size: 13px; line-height: 18px; color: var(--ink2); }
.error { display: flex; gap: 6px; align-items: flex-start; color: var(--error); }
.error svg { margin-top: 1px; }
.error + .help { display: none; }
.notice { display: flex; gap: 12px; padding: 14px 16px; border-radius: 12px; font-size: 14px; line-height: 20px; background: var(--errorTint); color: var(--error); }
.notice svg { margin-top: 2px; }
.fill {
  height: 52px; width: 100%; margin-top: 4px; padding: 0 20px; border: 1px solid transparent; border-radius: 12px;
  display: inline-flex; align-items: center; justify-content: center; cursor: pointer;
  background: var(--fill); color: var(--onFill); font-weight: 640; font-size: 16px; font-stretch: 104%; text-decoration: none;
  transition: background-color 120ms cubic-bezier(.2, 0, 0, 1);
}
.fill:hover { background: var(--fillHover); text-decoration: none; }
.fill:active { transform: scale(.985); }
.fill[aria-disabled=true] { cursor: default; }
.busy { display: inline-flex; align-items: center; gap: 10px; }
.dots { display: inline-flex; flex-direction: column; gap: 4px; }
.dots i { width: 6px; height: 6px; border-radius: 50%; background: currentColor; animation: dots 800ms infinite alternate; }
.dots i + i { animation-delay: -800ms; }
@keyframes dots { from { opacity: 1; } to { opacity: .35; } }
a:focus-visible, button:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.foot { text-align: center; color: var(--ink2); }
.small { font-size: 13px; line-height: 18px; color: var(--ink3); }
footer { display: flex; flex-wrap: wrap; justify-content: center; gap: 8px 30px; padding: 40px 20px 32px; font-size: 13px; line-height: 18px; color: var(--ink2); }
footer span { display: inline-flex; gap: 10px; }
footer svg { margin-top: 1px; }
@media (max-width: 359px) {
  .wordmark, .lit { padding-left: 16px; }
  main { padding-left: 16px; padding-right: 16px; }
  .pair { grid-template-columns: minmax(0, 1fr); gap: 20px; }
  h1 { font-size: 26px; line-height: 32px; }
}
@media (min-width: 900px) {
  .page { max-width: 968px; padding: 24px; grid-template: 1fr auto / 1fr 408px; column-gap: 48px; }
  .stage { align-self: center; border-radius: 16px; min-height: 440px; padding-bottom: 40px; }
  .stage .wordmark { padding: 12px 0 0 32px; }
  .lit { padding: 192px 32px 0; }
  .lit h1 { font-size: 36px; line-height: 40px; }
  .light { display: none; }
  .light.wide { display: block; }
  main { align-self: center; padding: 0; }
  footer { grid-column: 1 / -1; padding: 24px 0 8px; }
}
@media (prefers-reduced-motion: reduce) { .fill { transition: none; } .fill:active { transform: none; } .dots i { animation: none; } .dots i + i { opacity: .35; } }
`;

const SCRIPT = `
for (const button of document.querySelectorAll('.show')) {
  const input = document.getElementById(button.getAttribute('aria-controls'));
  button.hidden = false;
  button.addEventListener('click', () => {
    const shown = input.type === 'text';
    input.type = shown ? 'password' : 'text';
    button.setAttribute('aria-pressed', String(!shown));
    input.focus();
  });
}
for (const form of document.querySelectorAll('main form')) {
  const button = form.querySelector('button.fill');
  let sent = false;
  const busy = (is) => {
    sent = is;
    if (!button) return;
    button.setAttribute('aria-disabled', String(is));
    button.querySelector('.word').hidden = is;
    button.querySelector('.busy').hidden = !is;
  };
  form.addEventListener('submit', (event) => {
    if (sent) return event.preventDefault();
    for (const input of form.querySelectorAll('.control input[autocomplete*=password]')) input.type = 'password';
    busy(true);
  });
  addEventListener('pageshow', () => busy(false));
}
`;

function loadAssets(): ReadonlyMap<string, Asset> {
  const fonts = join(
    dirname(createRequire(import.meta.url).resolve('@fontsource-variable/archivo/package.json')),
  );
  // The package's own stylesheet knows which letters are in which file.
  const faces = readFileSync(join(fonts, 'wdth.css'), 'utf8').replaceAll('./files/', '');
  const assets = new Map<string, Asset>([
    ['pages.css', { type: 'text/css; charset=utf-8', body: Buffer.from(faces + STYLES) }],
    ['pages.js', { type: 'text/javascript; charset=utf-8', body: Buffer.from(SCRIPT) }],
    ['logo.svg', { type: 'image/svg+xml', body: Buffer.from(LOGO) }],
  ]);
  for (const face of FACES)
    assets.set(`${face}.woff2`, {
      type: 'font/woff2',
      body: readFileSync(join(fonts, 'files', `${face}.woff2`)),
    });
  return assets;
}

/** The assets by file name. */
export const ASSETS = loadAssets();

/** Part of every asset's address, so that browsers may keep them for good and still see a change at once. */
export const ASSETS_VERSION = [...ASSETS.values()]
  .reduce((hash, { body }) => hash.update(body), createHash('sha256'))
  .digest('hex')
  .slice(0, 12);
