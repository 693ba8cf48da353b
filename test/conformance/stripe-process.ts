/**
 * The card provider's stand-in as a process, and an endpoint for its webhooks: what its conformance suite
 * drives.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';

const MAIN = resolve('dist/local/stand-ins/stripe/main.js');
/** The first look again; what takes longer is looked at more seldom, for a look asks four processes. */
const LOOK_AGAIN_MS = 20;
const LONGEST_PAUSE_MS = 250;
const PATIENCE_MS = 60_000;

export const SECRET_KEY = 'sk_test_conformance';
export const PUBLISHABLE_KEY = 'pk_test_conformance';
export const WEBHOOK_SECRET = 'whsec_conformance';
export const CONNECT_WEBHOOK_SECRET = 'whsec_conformance_connect';

export interface RunningStripe {
  readonly port: number;
  readonly folder: string;
  readonly sdk: Stripe;
  readonly url: string;
  /** Calls a `/test/…` endpoint and returns its JSON. */
  control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Record<string, unknown>>;
  /** Ends the process with a signal and waits for its end; the folder stays. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends the process and removes its folder. */
  stop(): Promise<void>;
}

export function sdkFor(port: number, key = SECRET_KEY): Stripe {
  return new Stripe(key, {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

/**
 * Starts the stand-in with what `env` changes in its environment, and says how it ended or that it serves.
 */
export async function launch(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; port: number } | { code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_PUBLISHABLE_KEY: PUBLISHABLE_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_CONNECT_WEBHOOK_SECRET: CONNECT_WEBHOOK_SECRET,
      ...env,
    },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<{ code: number | null; stderr: string }>((done) =>
    child.once('close', (code) => done({ code, stderr })),
  );
  const ready = new Promise<{ child: ChildProcess; port: number }>((serve) => {
    createInterface(child.stdout).once('line', (line) =>
      serve({ child, port: (JSON.parse(line) as { port: number }).port }),
    );
  });
  return Promise.race([ready, ended]);
}

interface StartOptions {
  folder?: string;
  webhookUrl?: string;
  connectWebhookUrl?: string;
}

/** Runs the stand-in on a free port. Without a folder it gets a new one. */
export async function startStripe({
  folder,
  webhookUrl,
  connectWebhookUrl,
}: StartOptions = {}): Promise<RunningStripe> {
  const data = folder ?? (await mkdtemp(join(tmpdir(), 'stripe-')));
  const started = await launch([
    ...['--port', '0', '--data', data],
    ...(webhookUrl ? ['--webhook-url', webhookUrl] : []),
    ...(connectWebhookUrl ? ['--connect-webhook-url', connectWebhookUrl] : []),
  ]);
  if (!('child' in started))
    throw new Error(`The stand-in ended before it served (${started.code}): ${started.stderr}`);
  const { child, port } = started;
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const url = `http://127.0.0.1:${port}`;
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    port,
    folder: data,
    url,
    sdk: sdkFor(port),
    control: async (method, path, body) => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${SECRET_KEY}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const found = (await answer.json()) as Record<string, unknown>;
      if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(found)}`);
      return found;
    },
    kill,
    stop: async () => {
      await kill('SIGTERM');
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** The error that a call is refused with. */
export async function refusal(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('The call was not refused.');
}

/**
 * How long to wait after `waitedMs` before the next look: a quarter of it, so that nobody waits much too
 * long.
 */
const pauseAfterMs = (waitedMs: number): number =>
  Math.min(LONGEST_PAUSE_MS, Math.max(LOOK_AGAIN_MS, waitedMs / 4));

/** Looks again and again until `look` returns something other than undefined or false. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  what: string,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    const waitedMs = Date.now() - start;
    if (waitedMs > PATIENCE_MS) throw new Error(`Waited ${PATIENCE_MS} ms in vain for ${what}.`);
    await pause(pauseAfterMs(waitedMs));
  }
}

interface WebhookDelivery {
  readonly body: string;
  readonly signature: string;
  readonly event: Stripe.Event;
}

/** An endpoint that keeps what it is sent and checks each signature with the SDK. */
export class WebhookEndpoint {
  readonly received: WebhookDelivery[] = [];
  /** What it answers; a suite changes it. */
  status = 200;
  private server: Server | undefined;
  port = 0;

  constructor(private readonly secret = WEBHOOK_SECRET) {}

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const signature = String(request.headers['stripe-signature']);
        const event = sdkFor(1).webhooks.constructEvent(body, signature, this.secret);
        this.received.push({ body, signature, event });
        response.statusCode = this.status;
        response.end();
      });
    });
    this.server = server;
    await new Promise<void>((done) => server.listen(this.port, '127.0.0.1', done));
    const address = server.address();
    if (typeof address === 'object' && address) this.port = address.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/webhooks`;
  }

  /** The types of the events about one object, in the order they came. */
  typesAbout(id: string): string[] {
    return this.about(id).map(({ event }) => event.type);
  }

  about(id: string): WebhookDelivery[] {
    return this.received.filter(({ event }) => 'id' in event.data.object && event.data.object.id === id);
  }

  async close(): Promise<void> {
    const { server } = this;
    server?.closeAllConnections();
    await new Promise<void>((done) => (server ? server.close(() => done()) : done()));
  }
}
