/**
 * The identity provider of the local stack:
 *
 *     node dist/local/stand-ins/identity/main.js --port N --data FOLDER [--host ADDRESS]
 *
 * with PUBLIC_URL (the issuer is PUBLIC_URL/identity), OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (or X_FILE) in
 * the environment, and SIGN_IN_TRIES (10) failed tries in ten minutes before an address has to wait. With
 * SMTP_URL, a forgotten password is replaced by a code that is mailed. Serves on 127.0.0.1, or ADDRESS,
 * behind a front that passes /identity on. Prints {"ready":true,"port":N} when it serves.
 *
 * To sign a user up without a browser: follow the app's /api/login to /identity/interaction/{uid} with a
 * cookie jar, post firstName, lastName, username, email and password (form-encoded) to that address +
 * /sign-up, and follow the redirects. To sign in: post email and password to /identity/interaction/{uid}.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { identityHandler } from './handler.js';
import { identityProvider } from './provider.js';
import { IdentityStore } from './store.js';

const FORGET_EVERY_MS = 10 * 60_000;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    data: { type: 'string' },
  },
});

/**
 * The setting `name` of the environment, or what is in the file that `name_FILE` names; else an empty string.
 */
function setting(name: string): string {
  const file = process.env[`${name}_FILE`];
  return process.env[name] || (file ? readFileSync(file, 'utf8').trim() : '');
}

function needed(name: string, value: string | undefined): string {
  if (value) return value;
  process.stderr.write(`identity: ${name} is needed.\n`);
  process.exit(1);
}

const publicUrl = needed('PUBLIC_URL', setting('PUBLIC_URL')).replace(/\/+$/, '');
const settings = {
  publicUrl,
  issuer: `${publicUrl}/identity`,
  clientId: needed('OIDC_CLIENT_ID', setting('OIDC_CLIENT_ID')),
  clientSecret: needed('OIDC_CLIENT_SECRET', setting('OIDC_CLIENT_SECRET')),
  signInTries: Number(process.env.SIGN_IN_TRIES ?? '10'),
  smtpUrl: setting('SMTP_URL'),
};

async function main(): Promise<void> {
  const store = new IdentityStore(needed('--data', values.data));
  const provider = await identityProvider(store, settings);
  const server = createServer(identityHandler(provider, store, settings));
  // Longer than the front keeps an idle connection, so that it never sends into one we are closing.
  server.keepAliveTimeout = 75_000;

  const forgetting = setInterval(() => {
    store.forgetExpired(Date.now()).catch((failure: unknown) => console.error(failure));
  }, FORGET_EVERY_MS);
  forgetting.unref();

  server.listen(Number(values.port), values.host, () => {
    process.stdout.write(
      `${JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port })}\n`,
    );
  });

  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.once(name, () => {
      server.close(() => {
        store.close().then(
          () => process.exit(0),
          (failure: unknown) => {
            console.error(failure);
            process.exit(1);
          },
        );
      });
      server.closeIdleConnections();
    });
}

await main();
