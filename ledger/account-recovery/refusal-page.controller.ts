/**
 * The page that the link in the mail opens: a sentence and a button. What refuses stands behind the `#` of
 * the link, which browsers send nowhere, and nothing happens before the button is pressed: what looks into
 * mails presses none.
 */
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pageNonce } from '../http/content-security.js';

@Controller('recovery')
export class RefusalPageController {
  @Get()
  show(@Res() reply: FastifyReply): FastifyReply {
    return reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page(pageNonce(reply)));
  }
}

const page = (nonce: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Refuse the recovery</title>
<style nonce="${nonce}">
:root{color-scheme:light dark}
body{font-family:system-ui;line-height:1.5;max-width:28rem;margin:4rem auto;padding:0 1.25rem}
h1{font-size:1.75rem;line-height:1.2}
button{font:inherit;font-weight:600;width:100%;min-height:3.5rem;padding:0 1.5rem;border:0;border-radius:12px;background:#ffbf3c;color:#1c0f14}
a{color:inherit}
</style></head>
<body><main><h1>Refuse the recovery of your account</h1>
<p id="said" role="status">Somebody asked to get into your account without your passkey. If that was not you, refuse it here.</p>
<p><button id="refuse" type="button">Refuse the Recovery</button></p><p><a href="/">Go to the start page</a></p></main>
<script nonce="${nonce}">
const said = document.getElementById('said'), button = document.getElementById('refuse');
button.addEventListener('click', async () => {
  button.disabled = true;
  const [userId = '', token = ''] = location.hash.slice(1).split('.');
  try {
    const answer = await fetch('/api/account-recovery/refusal-by-link', { method: 'POST',
      headers: { 'content-type': 'application/json' }, body: JSON.stringify({ userId, token }) });
    said.textContent = answer.ok ? 'The recovery is refused. Your passkeys stay as they are. Change your password at your sign-in provider.'
      : (await answer.json()).message;
    button.disabled = answer.ok;
  } catch {
    said.textContent = 'This could not be sent. Check your connection and try again.';
    button.disabled = false;
  }
});
</script></body></html>`;
