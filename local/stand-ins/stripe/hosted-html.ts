/** What the hosted pages have in common: their look, and how text gets into them. */
import type { Form } from './form.js';

export const STYLE = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 20px; background: #f4f4f6; color: #1c1d22; font: 16px/1.45 system-ui, sans-serif; }
main { width: 100%; max-width: 380px; padding: 24px; background: #fff; border-radius: 16px; border: 1px solid #dcdce2; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 26px; }
p { margin: 0 0 16px; }
.amount { font-size: 32px; line-height: 40px; font-weight: 640; font-variant-numeric: tabular-nums; }
.note { font-size: 13px; line-height: 18px; color: #5b5d69; margin: 16px 0 0; }
button { display: block; width: 100%; min-height: 52px; margin-top: 12px; border-radius: 12px; font: inherit; font-weight: 600; cursor: pointer; }
button[value='succeed'] { background: #1c1d22; color: #fff; border: 1px solid #1c1d22; }
button[value='fail'] { background: #fff; color: #1c1d22; border: 1px solid #767885; }
button:focus-visible, a:focus-visible { outline: 3px solid #3056d3; outline-offset: 2px; }
`;

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The text of a field in a form or a query; empty when there is none. */
export function textIn(form: unknown, name: string): string {
  const value = typeof form === 'object' && form !== null ? (form as Form)[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** A whole page. Framed ones have a script that tells the page around them when the payer is done. */
export function hostedPage(title: string, body: string, framed: 'asking' | 'done' | 'no' = 'no'): string {
  const script = framed === 'no' ? '' : '<script src="/hosted/challenge.js" defer></script>';
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<title>${escaped(title)}</title><link rel="stylesheet" href="/hosted/page.css">${script}</head>` +
    `<body data-state="${framed}"><main>${body}</main></body></html>`
  );
}
