/**
 * The mail server of the local stack:
 *
 *     node dist/local/stand-ins/mail/main.js --port N --inbox-port N --data FOLDER [--host ADDRESS]
 *
 * Takes mail by SMTP at the first port, for everybody, and shows it as pages at the second: /inbox, behind a
 * front that passes it on. /inbox/mails.json is the same for programs (?to=address). PUT /inbox/mode with
 * {"mode": …} makes it behave as mail servers do: see smtp.ts. Prints {"ready":true,"port":N} when it serves.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { inboxPage, mailPage } from './pages.js';
import { MODES, smtpServer, type Switch } from './smtp.js';
import { MailStore } from './store.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'inbox-port': { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    data: { type: 'string' },
  },
});
if (!values.data) {
  process.stderr.write('mail: --data is needed.\n');
  process.exit(1);
}

const LISTED = 200;
/** A mail runs no script and fetches nothing. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; img-src data:; frame-src 'self'; base-uri 'none'";
const FONT = createRequire(import.meta.url).resolve(
  '@fontsource-variable/archivo/files/archivo-latin-wdth-normal.woff2',
);

const store = new MailStore(values.data);
const state: Switch = { mode: 'take' };
const smtp = smtpServer(store, state);
// A sender that goes away in the middle is no trouble of ours.
smtp.on('error', () => undefined);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://inbox');
  const send = (status: number, type: string, body: string | Buffer): void => {
    response.writeHead(status, {
      'content-type': type,
      'content-security-policy': POLICY,
      'cache-control': type.startsWith('font') ? 'max-age=86400' : 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    response.end(body);
  };
  const html = (body: string): void => send(200, 'text/html; charset=utf-8', body);
  if (pathname === '/inbox') return html(inboxPage(await store.list(LISTED)));
  if (pathname === '/inbox/archivo.woff2') return send(200, 'font/woff2', readFileSync(FONT));
  if (pathname === '/inbox/mails.json') {
    const mails = await store.list(1_000, searchParams.get('to') ?? undefined);
    return send(200, 'application/json', JSON.stringify(mails));
  }
  if (pathname === '/inbox/mode' && request.method === 'PUT') {
    const { mode } = (await bodyOf(request)) as Partial<Switch>;
    const known = MODES.find((one) => one === mode);
    if (known === undefined) return send(400, 'text/plain', `The mode is one of ${MODES.join(', ')}.\n`);
    state.mode = known;
    return send(204, 'text/plain', '');
  }
  const [, id, part] = /^\/inbox\/([\d-]+)(\/html)?$/.exec(pathname) ?? [];
  const mail = id === undefined ? undefined : await store.find(id);
  if (!mail) return send(404, 'text/plain', 'There is no such mail.\n');
  // Links open beside the frame: inside it the app would not let itself be shown.
  html(part ? mail.html.replace('<head>', '<head><base target="_top">') : mailPage(mail));
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
  } catch {
    return {};
  }
}

const pages = createServer((request, response) => {
  answer(request, response).catch((failure: unknown) => {
    console.error(failure);
    response.destroy();
  });
});
// Longer than the front keeps an idle connection, so that it never sends into one we are closing.
pages.keepAliveTimeout = 75_000;

async function main(): Promise<void> {
  await new Promise<void>((resolve) => pages.listen(Number(values['inbox-port']), values.host, resolve));
  smtp.listen(Number(values.port), values.host, () => {
    const { port } = smtp.server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ ready: true, port })}\n`);
  });

  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.once(name, () => {
      smtp.close();
      pages.close();
      pages.closeIdleConnections();
      setTimeout(() => process.exit(0), 100);
    });
}

await main();
