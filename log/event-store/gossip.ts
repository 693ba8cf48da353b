/**
 * Asks all nodes of the event store at once who leads. The store's own client asks one after the other,
 * believes the first that answers, and waits five seconds for one that stands still.
 */
import { lookup } from 'node:dns/promises';
import { Client, Metadata, type ChannelCredentials, type ClientUnaryCall } from '@grpc/grpc-js';
import {
  leaderOf,
  namedVoters,
  nodesIn,
  whyNoneLeads,
  type Member,
  type NodeAnswer,
  type WhyNoneLeads,
} from './leader.js';
import { directWay } from './store-url.js';
import { MessageReader } from './wire.js';

const GOSSIP_CALL = '/event_store.client.gossip.Gossip/Read';
const NOTHING = Buffer.alloc(0);
const ANSWER_WITHIN_MS = 1_000;
/** So much longer the last ones are waited for when more than half have answered: one may stand still. */
const LAST_ONES_WITHIN_MS = 250;
/** A call that nobody waits for any more ends by itself then. */
const CALL_ENDS_AFTER_MS = 3_000;
/** Why a call is not waited for any more. */
const [DECIDED, LATE] = ['decided', 'late'] as const;
/** A connection on which so many questions in a row were not answered is made anew. */
const MOST_UNANSWERED = 3;
/** A node that was away is tried again soon: the default would wait for up to two minutes. */
const RETRY = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 500 };

// The tags of the fields that are read: eight times the field's number, plus 2 where it has a length.
const MEMBER_OF_CLUSTER = 0x0a;
const MEMBER = { state: 0x18, isAlive: 0x20, endpoint: 0x2a } as const;
const ENDPOINT = { host: 0x0a, port: 0x10 } as const;
const LEADER = 8;
/**
 * So a node lists an address that it was given to look for others, until a node says that it is there itself.
 */
const MANAGER = 9;
/** Without a leader, not yet ready, ready: nodes that only read along. */
const REPLICAS: ReadonlySet<number> = new Set([12, 13, 14]);

/** What a node has answered about its cluster. */
export function readMembers(bytes: Buffer): Member[] {
  const reader = new MessageReader(bytes);
  const members: Member[] = [];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag())
    if (tag === MEMBER_OF_CLUSTER) members.push(readMember(reader));
    else reader.skip(tag);
  return members.filter(({ address }) => address !== '');
}

function readMember(reader: MessageReader): Member {
  const end = reader.enter();
  let [state, isAlive, address] = [0, false, ''];
  for (let tag = reader.tag(end); tag !== 0; tag = reader.tag(end))
    if (tag === MEMBER.state) state = reader.number();
    else if (tag === MEMBER.isAlive) isAlive = reader.number() === 1;
    else if (tag === MEMBER.endpoint) address = readEndpoint(reader);
    else reader.skip(tag);
  return { address, role: roleIn(state), isAlive };
}

function roleIn(state: number): Member['role'] {
  if (state === LEADER) return 'leader';
  if (state === MANAGER) return 'seed';
  return REPLICAS.has(state) ? 'replica' : 'voter';
}

function readEndpoint(reader: MessageReader): string {
  const end = reader.enter();
  let [host, port] = ['', 0];
  for (let tag = reader.tag(end); tag !== 0; tag = reader.tag(end))
    if (tag === ENDPOINT.host) host = reader.text();
    else if (tag === ENDPOINT.port) port = reader.number();
    else reader.skip(tag);
  // An address of IPv6 has colons of its own.
  return host === '' ? '' : `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** One node that is asked; its connection is kept, since it is asked each second. */
class AskedNode {
  #client: Client | undefined;
  #unanswered = 0;

  constructor(
    readonly address: string,
    private readonly credentials: ChannelCredentials,
    /** The name that its certificate carries, where that is not the address. */
    private readonly name: string | undefined,
  ) {}

  /** Undefined where it does not answer in time, or something else than a list of nodes. */
  ask(signal: AbortSignal): Promise<NodeAnswer | undefined> {
    this.#client ??= new Client(this.address, this.credentials, {
      ...RETRY,
      'grpc.use_local_subchannel_pool': 1,
      ...directWay(),
      ...(this.name !== undefined && { 'grpc.ssl_target_name_override': this.name }),
    });
    const client = this.#client;
    return new Promise((resolve) => {
      const call: ClientUnaryCall = client.makeUnaryRequest(
        GOSSIP_CALL,
        (bytes: Buffer) => bytes,
        readMembers,
        NOTHING,
        new Metadata(),
        { deadline: Date.now() + CALL_ENDS_AFTER_MS },
        (error, members) => {
          signal.removeEventListener('abort', leave);
          if (signal.reason !== DECIDED) this.#note(error === null);
          resolve(error === null && members ? { node: this.address, members } : undefined);
        },
      );
      const leave = (): void => call.cancel();
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  #note(isAnswered: boolean): void {
    this.#unanswered = isAnswered ? 0 : this.#unanswered + 1;
    if (this.#unanswered < MOST_UNANSWERED) return;
    this.#unanswered = 0;
    this.close();
  }
}

interface GossipOptions {
  /** The nodes of the settings, as `host:port`. */
  readonly seeds: readonly string[];
  /** Whether the one seed is a DNS name that stands for all nodes. */
  readonly isDiscovered: boolean;
  readonly credentials: ChannelCredentials;
}

export class Gossip {
  readonly #nodes = new Map<string, AskedNode>();
  /** What the nodes call themselves, once one has said so. */
  #members: readonly string[] = [];
  /** What was answered when they were asked last. */
  #answers: readonly NodeAnswer[] = [];
  #round: Promise<string | undefined> | undefined;
  #next: Promise<string | undefined> | undefined;

  constructor(private readonly options: GossipOptions) {}

  /**
   * Asks all nodes at once who leads, for a second at most; undefined where no node does for certain. Whoever
   * calls meanwhile shares one further question: no answer was given before it was asked for.
   */
  whoLeads(): Promise<string | undefined> {
    if (!this.#round) {
      this.#round = this.#ask().finally(() => (this.#round = undefined));
      return this.#round;
    }
    this.#next ??= this.#round.then(
      () => {
        this.#next = undefined;
        return this.whoLeads();
      },
      () => undefined,
    );
    return this.#next;
  }

  /** Why none leads, as the nodes answered when they were asked last; undefined where nothing answered. */
  get whyNoneLeads(): WhyNoneLeads | undefined {
    const { seeds, isDiscovered } = this.options;
    return whyNoneLeads(this.#answers, isDiscovered ? [] : namedVoters(this.#answers, seeds));
  }

  close(): void {
    for (const node of this.#nodes.values()) node.close();
    this.#nodes.clear();
  }

  async #ask(): Promise<string | undefined> {
    const { seeds, isDiscovered, credentials } = this.options;
    const names: readonly NamedAddress[] = isDiscovered
      ? await addressesOf(seeds[0]!)
      : seeds.map((address) => ({ address }));
    const asked = new Map<string, string | undefined>(names.map(({ address, name }) => [address, name]));
    for (const address of this.#members) asked.set(address, undefined);
    for (const [address, node] of this.#nodes)
      if (!asked.has(address)) {
        node.close();
        this.#nodes.delete(address);
      }
    const atLeast = (): number => (isDiscovered ? 1 : namedVoters(answers, seeds).length);
    const answers: NodeAnswer[] = [];
    const over = new AbortController();
    let leader: string | undefined;
    const timers: NodeJS.Timeout[] = [];
    await new Promise<void>((resolve) => {
      let open = asked.size;
      // A process that was busy may have the answers in hand and not have read them yet.
      const endAfter = (ms: number): void =>
        void timers.push(setTimeout(() => setImmediate(() => setImmediate(resolve)), ms));
      endAfter(ANSWER_WITHIN_MS);
      let isMost = false;
      for (const [address, name] of asked) {
        const node = this.#nodes.get(address) ?? new AskedNode(address, credentials, name);
        this.#nodes.set(address, node);
        void node.ask(over.signal).then((answer) => {
          open -= 1;
          if (answer) answers.push(answer);
          leader ??= leaderOf(answers, atLeast());
          if (leader !== undefined || open === 0) resolve();
          else if (!isMost && answers.length > asked.size / 2) {
            isMost = true;
            endAfter(LAST_ONES_WITHIN_MS);
          }
        });
      }
      if (open === 0) resolve();
    });
    for (const timer of timers) clearTimeout(timer);
    this.#answers = answers;
    const members = nodesIn(answers);
    if (members.length > 0) this.#members = members;
    over.abort(leader === undefined ? LATE : DECIDED);
    return leader;
  }
}

interface NamedAddress {
  readonly address: string;
  readonly name?: string;
}

/** The addresses that a DNS name stands for; the name itself where it cannot be looked up. */
async function addressesOf(seed: string): Promise<NamedAddress[]> {
  const [name = '', port = ''] = seed.split(':');
  try {
    const found = await lookup(name, { all: true, family: 4 });
    return found.map(({ address }) => ({ address: `${address}:${port}`, name }));
  } catch {
    return [{ address: seed }];
  }
}
