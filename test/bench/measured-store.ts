/**
 * The event store that benches measure: the one that EVENTSTORE_URL names, which must be on this machine
 * because it is filled with what nobody wants to keep, or else the stand-in, a new one for each bench.
 */
import { Client, credentials as grpcCredentials, Metadata } from '@grpc/grpc-js';
import { SETTINGS } from '#contracts/configuration';
import { EsdbLog } from '#log/esdb';
import { channelCredentials, parseStoreUrl } from '#log/event-store/store-url';
import { MessageReader } from '#log/event-store/wire';
import { startStack, type StackOptions, type StackPart, type TestStack } from '#test/support/start-stack';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]):\d+$/;
const FEATURES_CALL = '/event_store.client.server_features.ServerFeatures/GetSupportedMethods';
const VERSION_TAG = 0x12;
const ANSWER_WITHIN_MS = 5_000;

/** EVENTSTORE_URL cannot be measured; the message says why. */
export class BadMeasuredStore extends Error {
  override readonly name = 'BadMeasuredStore';
}

/** The URL of a store that was given; undefined where the stand-in is measured. */
export function givenStore(): string | undefined {
  const url = process.env.EVENTSTORE_URL || undefined;
  if (url === undefined) return undefined;
  if (!SETTINGS.EVENTSTORE_URL.schema.safeParse(url).success)
    throw new BadMeasuredStore('EVENTSTORE_URL must be like esdb://127.0.0.1:2113?tls=false.');
  if (!parseStoreUrl(url).nodes.every((node) => LOOPBACK.test(node)))
    throw new BadMeasuredStore(
      'EVENTSTORE_URL names a store on another machine: a bench fills the store, so it only takes one on this machine.',
    );
  return url;
}

interface MeasuredOptions extends Pick<StackOptions, 'env'> {
  /** A journal of before would be in the way, or the keys to its notes are gone with an older Postgres. */
  readonly mustBeEmpty?: boolean;
}

/**
 * Starts these parts, the event store among them only where none was given; writes are synced to the disk.
 * Throws {@link BadMeasuredStore} where the store that was given must be empty and is not.
 */
export async function startMeasured(
  parts: readonly StackPart[],
  { env, mustBeEmpty = false }: MeasuredOptions = {},
): Promise<TestStack> {
  const given = givenStore();
  if (given === undefined) return startStack(parts, { ...(env && { env }), syncs: true });
  if (mustBeEmpty && (await withLog(given, (log) => log.lastOf('journal'))) !== undefined)
    throw new BadMeasuredStore('EVENTSTORE_URL names a store with a journal: this bench needs an empty one.');
  return startStack(parts, { env: { ...env, EVENTSTORE_URL: given }, syncs: true });
}

/** What is measured, by its own word: its name and version. */
export async function measuredServer(): Promise<string> {
  const url = givenStore();
  if (url === undefined) return 'the stand-in of local/stand-ins/eventstore';
  const trouble = await withLog(url, (log) => log.trouble());
  if (trouble !== undefined) throw new BadMeasuredStore(trouble.sentence);
  const store = parseStoreUrl(url);
  const version = await versionOf(store.nodes[0]!, url);
  return `${await nameOf(store.nodes[0]!, version, store.options.get('tls') === 'false')} ${version}, at ${store.nodes.join(', ')}`;
}

async function withLog<T>(url: string, use: (log: EsdbLog) => Promise<T>): Promise<T> {
  const log = EsdbLog.connect(url);
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}

/** The version that the server itself says. */
function versionOf(node: string, url: string): Promise<string> {
  const store = parseStoreUrl(url);
  const client = new Client(node, channelCredentials(store) ?? grpcCredentials.createInsecure());
  return new Promise<string>((resolve, reject) => {
    client.makeUnaryRequest(
      FEATURES_CALL,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
      Buffer.alloc(0),
      new Metadata(),
      { deadline: Date.now() + ANSWER_WITHIN_MS },
      (error, answer) =>
        error || !answer ? reject(error ?? new Error('It answered nothing.')) : resolve(versionIn(answer)),
    );
  }).finally(() => client.close());
}

function versionIn(answer: Buffer): string {
  const reader = new MessageReader(answer);
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === VERSION_TAG) return reader.text();
    reader.skip(tag);
  }
  return 'without a version';
}

/**
 * ServerFeatures has no name. The real ones tell of themselves at /info, which the stand-in does not have.
 */
async function nameOf(node: string, version: string, isPlain: boolean): Promise<string> {
  const product = Number(version.split('.')[0]) >= 25 ? 'KurrentDB' : 'EventStoreDB';
  if (!isPlain) return product;
  const info = await fetch(`http://${node}/info`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    (answer) => answer.status,
    () => 0,
  );
  return info === 404 ? `the stand-in of ${product}` : product;
}
