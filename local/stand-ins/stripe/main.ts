/**
 * A stand-in for the card provider, for laptops and suites: the part of its API that Encore uses, its
 * webhooks and its script for browsers.
 *
 *   node dist/local/stand-ins/stripe/main.js --port N --data DIR [--webhook-url URL] [--connect-webhook-url URL]
 *     [--public-url URL] [--host ADDRESS] [--platform-balance CENTS]
 *
 * Port 0 picks a free one. It serves 127.0.0.1, or ADDRESS. Keys come from STRIPE_SECRET_KEY,
 * STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET (or X_FILE), and when connected accounts have an endpoint
 * of their own, what is signed for it from STRIPE_CONNECT_WEBHOOK_SECRET. The provider keeps its fees of what
 * payers paid, so a platform has to bring money along: where less than --platform-balance can be used at the
 * start, it is topped up by that much. When it serves it prints one line of JSON, `{"ready":true,"port":N}`.
 * SIGTERM ends it in good order.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { availableIn } from './resources/balance.js';
import { buildServer } from './server.js';
import { makePlatform } from './resources/account-calls.js';
import { keepEndpoints } from './resources/set-up.js';
import { topUp } from './resources/topups.js';
import { NO_SWITCHES, switchesSchema, type Switches } from './switches.js';
import { Store } from './store.js';
import { TaskRunner } from './task-runner.js';
import { WebhookSender, type Endpoints } from './webhooks.js';

const CURRENCY = 'usd';

/** The start cannot go on; the message is one sentence for whoever started it. */
class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/**
 * The setting `name` of the environment, or what is in the file that `name_FILE` names; else an empty string.
 */
function setting(name: string): string {
  const file = process.env[`${name}_FILE`];
  return process.env[name] || (file ? readFileSync(file, 'utf8').trim() : '');
}

function keyFrom(name: string, prefix: string): string {
  const value = setting(name);
  if (!value.startsWith(prefix) || value.length <= prefix.length)
    throw new CannotStart(`${name} must begin with ${prefix}: this is a stand-in and takes no other keys.`);
  return value;
}

function urlFrom(name: string, text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new CannotStart(`${name} must be an http or https URL.`);
  return text.replace(/\/+$/, '');
}

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * What goes wrong from the start, as at a real account: switches as `POST /test/switches` takes them, in
 * JSON.
 */
function usualSwitches(): Switches {
  const given = process.env.STAND_IN_SWITCHES ?? '';
  if (given === '') return NO_SWITCHES;
  try {
    return switchesSchema.parse(JSON.parse(given));
  } catch (error) {
    throw new CannotStart(`STAND_IN_SWITCHES cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      'webhook-url': { type: 'string' },
      'connect-webhook-url': { type: 'string' },
      'public-url': { type: 'string' },
      'platform-balance': { type: 'string', default: '0' },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new CannotStart('--port must be a number from 0 to 65535.');
  const platformBalance = Number(values['platform-balance']);
  if (!Number.isSafeInteger(platformBalance) || platformBalance < 0)
    throw new CannotStart('--platform-balance must be a number of cents.');
  if (!values.data) throw new CannotStart('--data must name the folder that keeps the state.');
  const secretKey = keyFrom('STRIPE_SECRET_KEY', 'sk_test_');
  const publishableKey = keyFrom('STRIPE_PUBLISHABLE_KEY', 'pk_test_');
  const webhookSecret = keyFrom('STRIPE_WEBHOOK_SECRET', 'whsec_');
  const url = values['webhook-url'];
  const connectUrl = values['connect-webhook-url'];
  const endpoints: Endpoints = {
    platform: url === undefined ? undefined : { url: urlFrom('--webhook-url', url), secret: webhookSecret },
    connect:
      connectUrl === undefined
        ? undefined
        : {
            url: urlFrom('--connect-webhook-url', connectUrl),
            secret: keyFrom('STRIPE_CONNECT_WEBHOOK_SECRET', 'whsec_'),
          },
  };
  let publicUrl =
    values['public-url'] === undefined ? undefined : urlFrom('--public-url', values['public-url']);

  const store = Store.open(
    values.data,
    {
      platform: endpoints.platform !== undefined,
      connect: endpoints.connect !== undefined,
    },
    usualSwitches(),
  );
  await store.change({ requestId: null, idempotencyKey: null }, (transaction) => {
    makePlatform(transaction);
    keepEndpoints(
      transaction,
      [url, connectUrl].filter((each) => each !== undefined),
    );
    if (availableIn(transaction, CURRENCY) < platformBalance)
      topUp(transaction, { amount: platformBalance, currency: CURRENCY });
  });
  const app = buildServer(store, { secretKey, publishableKey, publicUrl: () => publicUrl ?? '', report });
  await app.listen({ host: values.host, port });
  const address = app.server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  publicUrl ??= `http://localhost:${bound}`;

  const tasks = new TaskRunner(store, report);
  const webhooks =
    endpoints.platform || endpoints.connect ? new WebhookSender(store, endpoints, report) : undefined;
  tasks.start();
  webhooks?.start();
  process.stdout.write(`${JSON.stringify({ ready: true, port: bound })}\n`);

  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void (async () => {
      await app.close();
      await webhooks?.stop();
      await tasks.stop();
      await store.close();
      process.exit(0);
    })();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  const foreseen = error instanceof CannotStart || (error instanceof Error && 'code' in error);
  report(foreseen ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
});
