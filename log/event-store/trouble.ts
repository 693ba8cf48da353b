/**
 * Why an event store cannot be used, as far as people can do something about it, in one sentence each: nobody
 * listens, one side speaks TLS and the other does not, nobody vouches for the certificate, the user is not
 * known or has not the right, no node leads. The store itself is asked, since the client's errors do not say.
 * No sentence has a password in it.
 */
import { readFileSync } from 'node:fs';
import { connect as connectSocket, isIP } from 'node:net';
import { connect as connectTls, type PeerCertificate } from 'node:tls';
import { BACKWARDS, END, type EventStoreDBClient } from '@eventstore/db-client';
import { inTime } from '#contracts/plain/in-time';
import { LogUnavailable, OutcomeUnknown } from '../event-log.js';
import { nodeClient } from './connection.js';
import { Gossip } from './gossip.js';
import type { WhyNoneLeads } from './leader.js';
import { channelCredentials, parseStoreUrl, type StoreUrl } from './store-url.js';

/** An event store, and what the setting is called that names it. */
export interface StorePlace {
  readonly name: string;
  readonly url: string;
}

/** What keeps everybody from using a store. */
export interface StoreTrouble {
  /** One sentence: what it is, and what to do. */
  readonly sentence: string;
  /** Whether it may pass by itself: nothing answers. All else stays until somebody mends it. */
  readonly isOutage: boolean;
}

const ASKED_WITHIN_MS = 2_000;
const AUTHORITY = 'tlscafile';
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/**
 * What is at a node's port: nothing that answers, something that broke a handshake off, speaks without TLS,
 * or with it.
 */
type Answer =
  | { readonly kind: 'nothing' | 'broken'; readonly why: string }
  | { readonly kind: 'plain' }
  | { readonly kind: 'tls'; readonly certificate: PeerCertificate; readonly refusal: string | undefined };

const hostOf = (node: string): string => node.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
const portOf = (node: string): number => Number(/:(\d+)$/.exec(node)?.[1]);

/** Why no connection can be made; undefined when one can. */
function refusedConnection(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connectSocket({ host, port, timeout: ASKED_WITHIN_MS }, () => end(undefined));
    const end = (why: string | undefined): void => {
      socket.destroy();
      resolve(why);
    };
    socket.once('timeout', () => end('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

function handshake(host: string, port: number, ca: Buffer | undefined): Promise<Answer> {
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      socket.destroy();
      resolve(answer);
    };
    const socket = connectTls(
      {
        host,
        port,
        ca,
        servername: isIP(host) ? undefined : host,
        ALPNProtocols: ['h2'],
        // It is looked at, not used.
        rejectUnauthorized: false,
        timeout: ASKED_WITHIN_MS,
      },
      () => {
        // A code where the chain does not hold, an error where the name does not.
        const refusal: unknown = socket.authorizationError;
        end({
          kind: 'tls',
          certificate: socket.getPeerCertificate(),
          refusal: socket.authorized
            ? undefined
            : refusal instanceof Error && 'code' in refusal
              ? String(refusal.code)
              : String(refusal),
        });
      },
    );
    socket.once('timeout', () => end({ kind: 'nothing', why: 'no answer' }));
    // Words instead of a handshake; anything else is a connection that broke.
    socket.once('error', ({ code = 'broken off' }: NodeJS.ErrnoException) =>
      end(/^(EPROTO|ERR_SSL)/.test(code) ? { kind: 'plain' } : { kind: 'broken', why: code }),
    );
  });
}

async function answerOf(node: string, ca: Buffer | undefined): Promise<Answer> {
  const [host, port] = [hostOf(node), portOf(node)];
  const why = await refusedConnection(host, port);
  return why === undefined ? handshake(host, port, ca) : { kind: 'nothing', why };
}

/** A certificate may have none, or several. */
const commonNameOf = (of: PeerCertificate['subject'] | undefined): string =>
  [of?.CN ?? 'nobody'].flat().join(', ');

/** What a certificate's refusal means, and what to do. */
function certificateTrouble(
  node: string,
  refusal: string,
  certificate: PeerCertificate,
  name: string,
  { options }: StoreUrl,
): string {
  const shown = `The certificate that the event store at ${node} shows`;
  const { subjectaltname, valid_to: until } = certificate;
  const [subject, issuer] = [certificate.subject, certificate.issuer].map(commonNameOf);
  if (refusal === 'CERT_HAS_EXPIRED') return `${shown} ended on ${until}: give the event store a new one.`;
  if (refusal === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${shown} is for ${subjectaltname ?? subject}, not for ${hostOf(node)}: write one of these names into ${name}, or give the event store a certificate for ${hostOf(node)}.`;
  const authority = options.get(AUTHORITY);
  const issued = `(for ${subject}, issued by ${issuer})`;
  return authority === undefined
    ? `${shown} ${issued} is vouched for by nobody whom this process trusts: name the file with its authority’s certificate in ${name} as tlsCAFile=….`
    : `${shown} ${issued} is not vouched for by what is in the file ${authority}, which ${name} names as tlsCAFile: put its authority’s certificate there.`;
}

/** Undefined where the node can be spoken to. */
function connectionTrouble(node: string, answer: Answer, name: string, url: StoreUrl): string | undefined {
  const speaksTls = url.options.get('tls') !== 'false';
  const at = `the event store at ${node}`;
  // Who does not speak TLS may break its handshake off.
  if (answer.kind === 'nothing' || (answer.kind === 'broken' && speaksTls))
    return `No event store answers at ${node} (${answer.why}): start it, or correct ${name}.`;
  if (speaksTls && answer.kind === 'plain')
    return `${name} asks for TLS, and ${at} speaks without it: write tls=false into the URL, or give the event store a certificate.`;
  if (!speaksTls && answer.kind === 'tls')
    return `${name} says tls=false, and ${at} speaks TLS only: leave tls=false out, and name its authority’s certificate as tlsCAFile=….`;
  if (answer.kind === 'tls' && answer.refusal !== undefined)
    return certificateTrouble(node, answer.refusal, answer.certificate, name, url);
  return undefined;
}

/**
 * The gRPC status with which a read of `$all` is refused; undefined where it is not, or nothing comes of it.
 */
async function refusalOfReading(client: EventStoreDBClient): Promise<number | undefined> {
  const place = { direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const;
  const reading = client.readAll({ ...place, requiresLeader: false });
  const read = async (): Promise<number | undefined> => {
    try {
      for await (const _ of reading) return undefined;
      return undefined;
    } catch (error) {
      return error instanceof Error && 'code' in error ? Number(error.code) : undefined;
    }
  };
  return inTime(ASKED_WITHIN_MS, read(), undefined);
}

function rightsTrouble(status: number | undefined, name: string, { user }: StoreUrl): string | undefined {
  if (status !== UNAUTHENTICATED && status !== PERMISSION_DENIED) return undefined;
  if (user === undefined)
    return `The event store lets in only users, and ${name} names none: write user:password@ before its host.`;
  return status === UNAUTHENTICATED
    ? `The event store does not know the user "${user}" with the password that ${name} has: correct them there, or make the user at the event store.`
    : `The user "${user}" of ${name} may not read $all, which Encore reads: an administrator of the event store puts the user into the group $admins, or allows it in the metadata of $all (an event of type $metadata in the stream $$$all) with {"$acl":{"$r":["$admins","${user}"]}}.`;
}

/**
 * In the first question the nodes are asked where the settings name them, then where they say that they are.
 */
const LEADER_QUESTIONS = 3;

/**
 * The node that leads a cluster, or what keeps it without one, which may always pass by itself; neither where
 * nobody can tell.
 */
async function leaderOrTrouble(
  name: string,
  store: StoreUrl,
): Promise<{ readonly leader?: string; readonly sentence?: string }> {
  const { nodes: seeds, isDiscovered } = store;
  const gossip = new Gossip({ seeds, isDiscovered, credentials: channelCredentials(store) });
  try {
    for (let n = 0; n < LEADER_QUESTIONS; n++) {
      const leader = await gossip.whoLeads();
      if (leader !== undefined) return { leader };
    }
    const why = gossip.whyNoneLeads;
    return why === undefined ? {} : { sentence: leaderTrouble(why, name) };
  } finally {
    gossip.close();
  }
}

function leaderTrouble(why: WhyNoneLeads, name: string): string {
  if (why.kind === 'elsewhere')
    return `The nodes of the event store say that they are at ${why.addresses.join(', ')}, and nothing answers there: let them advertise addresses that this process can reach (EVENTSTORE_ADVERTISE_HOST_TO_CLIENT_AS).`;
  if (why.kind === 'too-few')
    return `Of ${why.size} nodes of the event store these do not answer: ${why.silent.join(', ')}. One leads only where more than half do: start them, or correct ${name}.`;
  return 'The nodes of the event store answer, and none of them leads: more than half of them must reach each other, to elect one.';
}

/** Whether an error is an event store's: the log's own, or one of the store's client (by gRPC's numbers). */
export function isOfStore(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof LogUnavailable || error instanceof OutcomeUnknown) return true;
  return ('code' in error && typeof error.code === 'number') || isOfStore(error.cause);
}

/** What keeps everybody from using this store; undefined where it can be used. */
export async function troubleAt({ name, url }: StorePlace): Promise<StoreTrouble | undefined> {
  const store = parseStoreUrl(url);
  const authority = store.options.get('tls') === 'false' ? undefined : store.options.get(AUTHORITY);
  const ca = authority === undefined ? undefined : readFileSync(authority);
  const asked = await Promise.all(
    store.nodes.map(async (node) => {
      const answer = await answerOf(node, ca);
      const sentence = connectionTrouble(node, answer, name, store);
      return sentence === undefined ? undefined : { sentence, isOutage: 'why' in answer };
    }),
  );
  // One node that can be spoken to is enough. What is wrong with a node says more than that another is away.
  const node = store.nodes.find((_, at) => asked[at] === undefined);
  if (node === undefined) return asked.find((trouble) => trouble?.isOutage === false) ?? asked[0];
  const { leader, sentence } = store.isCluster ? await leaderOrTrouble(name, store) : {};
  if (sentence !== undefined) return { sentence, isOutage: true };
  // The leader is asked: a node that has just joined may not have been given the users yet.
  const { client, dispose } = nodeClient(store, leader ?? node, channelCredentials(store));
  try {
    const rights = rightsTrouble(await refusalOfReading(client), name, store);
    return rights === undefined ? undefined : { sentence: rights, isOutage: false };
  } finally {
    void dispose();
  }
}
