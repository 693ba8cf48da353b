/**
 * Three nodes for failover: one process, one log, three ports. Each node is served as a single one is, over
 * what it has of the log (node-log.ts). Nothing is replicated; what a real cluster does to its clients when a
 * node is killed, ended, frozen, cut off from the others or behind them is played by times and rules:
 * - Who leads is one of the nodes that reach each other, and needs two of them. A leader that is gone or
 *   silent is replaced after a while; nobody leads meanwhile.
 * - A leader that is cut off or frozen goes on believing that it leads. It is shown nothing new, and commits
 *   nothing: there is one leader that commits at any time.
 * - One that took appends which were not committed before another led has a log that must be cut. When it is
 *   back it leaves, as the real one does, and must be started again.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:net';

import { GatedConnection } from './gated-connection.js';
import type { Access, GrpcError } from './grpc.js';
import { NodeState, type Member } from './messages.js';
import { NodeLog, type Route } from './node-log.js';
import { EventStoreServer, notLeader, serverNotReady, type Address, type Membership } from './server.js';
import type { Store } from './store.js';

/** How long things take in a cluster, in milliseconds. */
export interface ClusterTimes {
  /** From the end of a leader, or from the first moment in which two nodes are there, until one leads. */
  readonly electedAfterEndMs: number;
  /** The same, when the leader is frozen or cut off: the others have to notice that first. */
  readonly electedAfterSilenceMs: number;
  /** From when a leader has lost the others until it refuses appends. */
  readonly notReadyAfterMs: number;
  /** Until an append that was taken and not committed is answered with a timeout. */
  readonly commitTimeoutMs: number;
  /** Until one that was forwarded to a leader that is gone is. */
  readonly forwardTimeoutMs: number;
  /** From a start until a node follows. */
  readonly joinedAfterMs: number;
  /** From when a former leader is back until it sees that another leads. */
  readonly seesOthersAfterMs: number;
}

export const CLUSTER_TIMES: ClusterTimes = {
  electedAfterEndMs: 2_000,
  electedAfterSilenceMs: 7_000,
  notReadyAfterMs: 4_500,
  commitTimeoutMs: 2_500,
  forwardTimeoutMs: 4_300,
  joinedAfterMs: 1_000,
  seesOthersAfterMs: 500,
};

/**
 * Of the time until another leader is elected: when the others see that the last one is gone, and when they
 * stop following.
 */
const [NOTICED, LEADERLESS] = [0.3, 0.65];

export type Condition = 'running' | 'killed' | 'ended' | 'left' | 'frozen' | 'cut off' | 'coming back';

/** What becomes of the append with which a fault begins: committed, or taken and lost. It is not answered. */
export type UnansweredAppend = 'kept' | 'lost';

/** How a node is, for whoever makes faults. */
interface NodeReport extends Address {
  readonly id: number;
  readonly condition: Condition;
  /** Whether it says that it leads. */
  readonly claimsToLead: boolean;
  /** Whether a fault begins with its next append. */
  readonly awaitsAppend: boolean;
  /** The last position that it shows. */
  readonly lastPosition: number;
}

interface ClusterReport {
  /** The node that commits; none while there is no such node. */
  readonly leader: number | undefined;
  /** How often a leader was elected. */
  readonly epoch: number;
  readonly lastPosition: number;
  readonly nodes: readonly NodeReport[];
}

/** A fault that a node cannot have as it is now. */
export class UnfitFault extends Error {
  override readonly name = 'UnfitFault';
}

class ClusterNode {
  condition: Condition = 'running';
  instanceId = randomUUID();
  /** Whether it believes that it leads. */
  claims = false;
  /** Since when it does not reach the others, by the monotonic clock. */
  apartSince: number | undefined;
  followsFrom = 0;
  server: EventStoreServer | undefined;
  listener: Server | undefined;
  port = 0;
  readonly connections = new Set<GatedConnection>();

  constructor(
    readonly id: number,
    readonly address: string,
    public log: NodeLog,
  ) {}

  get isAlive(): boolean {
    return this.server !== undefined;
  }
}

export class ThreeNodes {
  private readonly nodes: readonly ClusterNode[];
  private leader: ClusterNode | undefined;
  private epoch = 0;
  /** Since when nobody leads, and how long that is going to take. */
  private vacancy: { readonly since: number; readonly forMs: number } | undefined;
  private election: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: Store,
    private readonly access: Access,
    private readonly host: string,
    private readonly times: ClusterTimes,
  ) {
    this.nodes = [1, 2, 3].map(
      (id) =>
        new ClusterNode(
          id,
          host,
          this.logOf(() => this.node(id)),
        ),
    );
    store.onWritten = (appends) => {
      for (const { log } of this.nodes) log.noticeWritten(appends);
    };
  }

  /**
   * Starts all nodes, the first as the leader, and answers their ports: the one given and those behind it, or
   * free ones.
   */
  async listen(port: number): Promise<number[]> {
    for (const node of this.nodes) {
      node.port = port === 0 ? 0 : port + node.id - 1;
      await this.serve(node);
    }
    this.elect(this.node(1));
    return this.nodes.map((node) => node.port);
  }

  report(): ClusterReport {
    return {
      leader: this.commits() ? this.leader?.id : undefined,
      epoch: this.epoch,
      lastPosition: this.store.lastPosition,
      nodes: this.nodes.map(({ id, address, port, condition, claims, log }) => ({
        id,
        address,
        port,
        condition,
        claimsToLead: claims,
        awaitsAppend: log.faultAtAppend !== undefined,
        lastPosition: log.lastPosition,
      })),
    };
  }

  /** Ends all nodes in order. */
  async drain(): Promise<void> {
    clearTimeout(this.election);
    for (const { server } of this.nodes) await server?.finishAppends();
    for (const node of this.nodes) this.shut(node, 'ended', (connection) => connection.close());
  }

  /** Ends a node as kill -9 does: its connections are reset, its port is closed. */
  kill(id: number): void {
    const node = this.alive(id);
    this.shut(node, 'killed', (connection) => connection.reset());
    this.settle();
  }

  /** Ends a node as SIGTERM does: it answers the appends that it has, then it closes its connections. */
  async end(id: number): Promise<void> {
    const node = this.alive(id);
    this.fit(node, ['running', 'cut off'], 'ended');
    await node.server?.finishAppends();
    this.shut(node, 'ended', (connection) => connection.close());
    this.settle();
  }

  /** Stops a node as SIGSTOP does: it stays reachable, and neither reads nor sends anything. */
  freeze(id: number): void {
    const node = this.alive(id);
    this.fit(node, ['running'], 'frozen');
    this.part(node, 'frozen');
    for (const connection of node.connections) connection.stop();
    this.settle();
  }

  /** Lets a frozen node go on. */
  thaw(id: number): void {
    const node = this.alive(id);
    this.fit(node, ['frozen'], 'let go on');
    for (const connection of node.connections) connection.goOn();
    // Its own clocks stood still: it does not know yet how long it was away.
    node.apartSince = performance.now();
    this.comeBack(node);
  }

  /** Cuts a node off from the others. Clients still reach it. */
  cutOff(id: number): void {
    const node = this.alive(id);
    this.fit(node, ['running'], 'cut off');
    this.part(node, 'cut off');
    this.settle();
  }

  /** Lets a node that was cut off reach the others again, and one that lags catch up. */
  heal(id: number): void {
    const node = this.alive(id);
    if (node.condition === 'running') {
      node.log.follow('at once');
      return;
    }
    this.fit(node, ['cut off'], 'healed');
    this.comeBack(node);
  }

  /**
   * Makes a follower show the log as it was so many milliseconds ago; without a number it shows nothing new
   * at all.
   */
  lag(id: number, behindMs?: number): void {
    const node = this.alive(id);
    this.fit(node, ['running'], 'made to lag');
    if (node === this.leader)
      throw new UnfitFault(`Node ${id} leads, and a leader does not lag. Take a follower.`);
    node.log.follow(behindMs ?? 'not at all');
  }

  /** Starts a node again that was killed, has ended or has left. */
  async start(id: number): Promise<void> {
    const node = this.node(id);
    this.fit(node, ['killed', 'ended', 'left'], 'started');
    node.instanceId = randomUUID();
    node.log = this.logOf(() => node);
    node.condition = 'running';
    node.apartSince = undefined;
    node.followsFrom = performance.now() + this.times.joinedAfterMs;
    await this.serve(node);
    this.settle();
  }

  /** Lets a fault begin with the next append that the node takes, which is then not answered. */
  atNextAppend(id: number, unanswered: UnansweredAppend, occur: () => void): void {
    const node = this.alive(id);
    this.fit(node, ['running'], 'given a fault that begins with an append');
    node.log.faultAtAppend = { isKept: unanswered === 'kept', occur };
  }

  private logOf(node: () => ClusterNode): NodeLog {
    const { commitTimeoutMs: commitMs, forwardTimeoutMs: forwardMs } = this.times;
    return new NodeLog(this.store, () => this.routeAt(node()), { commitMs, forwardMs });
  }

  private async serve(node: ClusterNode): Promise<void> {
    const server = new EventStoreServer(node.log, this.access, this.membershipOf(node));
    server.leads(false);
    node.server = server;
    const listener = createServer((socket) => {
      const connection = new GatedConnection(socket, node.condition === 'frozen');
      node.connections.add(connection);
      connection.once('close', () => node.connections.delete(connection));
      server.accept(connection);
    });
    node.listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(node.port, this.host, resolve);
    });
    node.port = (listener.address() as { port: number }).port;
  }

  private shut(node: ClusterNode, condition: Condition, end: (connection: GatedConnection) => void): void {
    node.server?.abandon();
    node.server = undefined;
    node.listener?.close();
    for (const connection of node.connections) end(connection);
    node.log.follow('not at all');
    node.log.faultAtAppend = undefined;
    node.claims = false;
    node.condition = condition;
    if (this.leader === node) this.vacate(undefined, this.times.electedAfterEndMs);
  }

  private part(node: ClusterNode, condition: Condition): void {
    node.condition = condition;
    node.apartSince = performance.now();
    node.log.follow('not at all');
  }

  /** A node reaches the others again. */
  private comeBack(node: ClusterNode): void {
    if (!node.claims || this.leader === node) {
      node.condition = 'running';
      node.apartSince = undefined;
      node.log.follow('at once');
      this.settle();
      return;
    }
    node.condition = 'coming back';
    setTimeout(() => {
      if (node.condition !== 'coming back') return;
      if (node.log.hasTakenMore) {
        process.stderr.write(`eventstore: node ${node.id} leaves: its log must be cut. Start it again.\n`);
        this.shut(node, 'left', (connection) => connection.close());
      } else {
        node.claims = false;
        node.server?.leads(false);
        node.condition = 'running';
        node.apartSince = undefined;
        node.log.follow('at once');
      }
      this.settle();
    }, this.times.seesOthersAfterMs);
  }

  /** Draws the conclusions of a change: who leads, and whether and when another is elected. */
  private settle(): void {
    const { leader } = this;
    const now = performance.now();
    const hasMajority = this.hasMajority();
    if (leader && this.commits()) {
      clearTimeout(this.election);
      this.vacancy = undefined;
      leader.apartSince = undefined;
      leader.log.commitHeld();
      return;
    }
    if (leader) {
      leader.apartSince ??= now;
      this.refuseInTime(leader);
    }
    if (!this.vacancy) this.vacate(leader, this.times.electedAfterSilenceMs);
    clearTimeout(this.election);
    // A leader that only waits for followers is leader again when they are back.
    if (!hasMajority || !this.vacancy || leader?.condition === 'running') return;
    const { since, forMs } = this.vacancy;
    this.election = setTimeout(() => this.elect(), Math.max(since + forMs - now, 0));
  }

  private vacate(leader: ClusterNode | undefined, forMs: number): void {
    this.leader = leader;
    this.vacancy = { since: performance.now(), forMs };
  }

  private refuseInTime(node: ClusterNode): void {
    const { apartSince } = node;
    setTimeout(() => {
      if (node.apartSince === apartSince) node.log.giveUpWaiting();
    }, this.times.notReadyAfterMs);
  }

  private elect(candidate = this.candidate()): void {
    this.leader = candidate;
    this.vacancy = undefined;
    this.epoch++;
    candidate.claims = true;
    candidate.apartSince = undefined;
    candidate.log.forgetHeld();
    candidate.log.catchUp();
    candidate.server?.leads(true);
  }

  private candidate(): ClusterNode {
    const running = this.nodes.filter(({ condition }) => condition === 'running');
    return running.find(({ log }) => !log.isBehind()) ?? running[0]!;
  }

  private hasMajority(): boolean {
    return this.nodes.filter(({ condition }) => condition === 'running').length > this.nodes.length / 2;
  }

  /** Whether there is a leader whom the others confirm. */
  private commits(): boolean {
    return this.leader?.condition === 'running' && this.hasMajority();
  }

  private routeAt(node: ClusterNode): Route {
    if (node.claims) {
      if (node === this.leader && this.commits()) return 'commit';
      const apartForMs = performance.now() - (node.apartSince ?? 0);
      return apartForMs < this.times.notReadyAfterMs ? 'hold' : 'refuse';
    }
    if (node.condition === 'running' && this.leader && this.commits()) return { forwardTo: this.leader.log };
    return this.noticedBy(node) ? 'refuse' : 'lose';
  }

  /** How much of the time without a leader has passed, from 0 to 1; undefined: there is one. */
  private vacantFor(node: ClusterNode): number | undefined {
    const { apartSince } = node;
    const now = performance.now();
    if (apartSince !== undefined) return (now - apartSince) / this.times.electedAfterSilenceMs;
    return this.vacancy && (now - this.vacancy.since) / this.vacancy.forMs;
  }

  private noticedBy(node: ClusterNode): boolean {
    return (this.vacantFor(node) ?? 1) >= NOTICED;
  }

  private membershipOf(node: ClusterNode): Membership {
    return {
      members: () => this.nodes.map((member) => this.memberAsSeenBy(node, member)),
      leaderOnly: () => this.leaderOnlyAt(node),
    };
  }

  private memberAsSeenBy(node: ClusterNode, member: ClusterNode): Member {
    const { instanceId: nodeId, address, port } = member;
    const reached = member === node || (node.condition === 'running' && member.condition === 'running');
    if (reached) return { nodeId, address, port, isAlive: true, state: this.stateOf(member) };
    // What is not reached is believed to be as it was, for a while.
    const isAlive = member === this.leader || node.claims ? !this.noticedBy(node) : false;
    return { nodeId, address, port, isAlive, state: this.lastStateOf(member, node) };
  }

  /** What a node that is not reached is believed to have been. */
  private lastStateOf(member: ClusterNode, node: ClusterNode): Member['state'] {
    // Who has led all the while knows of nobody else that has.
    if (!member.claims || (node.claims && node !== this.leader)) return NodeState.FOLLOWER;
    return member === this.leader ? NodeState.LEADER : NodeState.UNKNOWN;
  }

  private stateOf(node: ClusterNode): Member['state'] {
    if (node.claims) return NodeState.LEADER;
    if (performance.now() < node.followsFrom) return NodeState.CATCHING_UP;
    return (this.vacantFor(node) ?? 0) >= LEADERLESS ? NodeState.UNKNOWN : NodeState.FOLLOWER;
  }

  private leaderOnlyAt(node: ClusterNode): GrpcError | undefined {
    if (node.claims) return undefined;
    const { leader } = this;
    const isKnown = leader && (this.commits() || !this.noticedBy(node));
    return isKnown ? notLeader({ address: leader.address, port: leader.port }) : serverNotReady();
  }

  private node(id: number): ClusterNode {
    const node = this.nodes[id - 1];
    if (!node) throw new UnfitFault(`There is no node ${id}. The nodes are 1, 2 and 3.`);
    return node;
  }

  private alive(id: number): ClusterNode {
    const node = this.node(id);
    if (!node.isAlive) throw new UnfitFault(`Node ${id} is ${node.condition}. Start it first.`);
    return node;
  }

  private fit(node: ClusterNode, conditions: readonly Condition[], fault: string): void {
    if (!conditions.includes(node.condition))
      throw new UnfitFault(`Node ${node.id} is ${node.condition}, and so it cannot be ${fault}.`);
  }
}
