/**
 * The event store's stand-in as three nodes, started as a process, and the faults that can be made in them.
 * What the faults do is in docs/reference/event-store-stand-in.md.
 */
import { startEventStore, type RunningEventStore } from '#test/conformance/eventstore-process';

/** A node: 1, 2 or 3; the one that leads; or the first running one that does not. */
export type NodeName = 1 | 2 | 3 | 'leader' | 'follower';
export type NodeFault = 'kill' | 'end' | 'freeze' | 'thaw' | 'cut-off' | 'heal' | 'lag' | 'start';

export interface FaultOptions {
  /**
   * Only of kill, freeze and cut-off. The fault begins with the next append, which the node takes and does
   * not answer: it is committed (`kept`) or not (`lost`). Until then the report says `awaitsAppend`. Without
   * it the fault begins at once.
   */
  readonly unanswered?: 'kept' | 'lost';
  /** Only of lag: how far the node is behind, in milliseconds. Without it, it shows nothing new at all. */
  readonly behindMs?: number;
}

export type NodeCondition = 'running' | 'killed' | 'ended' | 'left' | 'frozen' | 'cut off' | 'coming back';

interface NodesReport {
  /** The node that commits; undefined while there is none. */
  readonly leader?: 1 | 2 | 3;
  /** How often a leader was elected. */
  readonly epoch: number;
  readonly lastPosition: number;
  readonly nodes: readonly {
    readonly id: 1 | 2 | 3;
    readonly address: string;
    readonly port: number;
    readonly condition: NodeCondition;
    /** Whether it says that it leads, as one that is cut off does. */
    readonly claimsToLead: boolean;
    /** Whether a fault begins with its next append. */
    readonly awaitsAppend: boolean;
    /** The last position that it shows. */
    readonly lastPosition: number;
  }[];
}

const LOOK_EVERY_MS = 20;

export class ThreeNodes {
  private constructor(
    private readonly store: RunningEventStore,
    private readonly faultPort: number,
  ) {}

  /**
   * Starts them; without a folder they get a new one. `pace` is what the cluster's times are multiplied by:
   * at 1 they are those of the real one, at 0.1 ten times faster. `flags` and `env` are more options of the
   * stand-in.
   */
  static async start({
    folder,
    pace = 1,
    flags = [],
    env = {},
  }: {
    folder?: string;
    pace?: number;
    flags?: readonly string[];
    env?: Readonly<Record<string, string>>;
  } = {}): Promise<ThreeNodes> {
    const store = await startEventStore({
      flags: ['--three-nodes', '--pace', String(pace), ...flags],
      env,
      ...(folder === undefined ? {} : { folder }),
    });
    return new ThreeNodes(store, store.says.faultPort!);
  }

  /** The URL of all three. */
  get url(): string {
    return this.store.url;
  }

  /** The URL of one of them, which does not ask for the others. */
  urlOf(node: 1 | 2 | 3): string {
    return `esdb://127.0.0.1:${this.portOf(node)}?tls=false`;
  }

  portOf(node: 1 | 2 | 3): number {
    return this.store.says.ports![node - 1]!;
  }

  report(): Promise<NodesReport> {
    return this.ask('GET', '/');
  }

  /**
   * Makes a fault and answers how the nodes are afterwards. Throws where a node cannot have that fault now.
   */
  make(fault: NodeFault, node: NodeName, options: FaultOptions = {}): Promise<NodesReport> {
    return this.ask('POST', `/nodes/${node}/${fault}`, options);
  }

  /** Waits until a node leads and commits, other than `before`, and answers which. */
  async leaderOtherThan(before?: number): Promise<1 | 2 | 3> {
    for (;;) {
      const { leader } = await this.report();
      if (leader !== undefined && leader !== before) return leader;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Makes all nodes run, follow and show everything again. */
  async repair(): Promise<NodesReport> {
    for (;;) {
      const report = await this.report();
      const broken = report.nodes.filter(({ condition }) => condition !== 'running');
      const isWhole = report.nodes.every(({ lastPosition }) => lastPosition === report.lastPosition);
      if (broken.length === 0 && isWhole && report.leader !== undefined) return report;
      for (const { id, condition } of report.nodes) {
        if (condition === 'frozen') await this.make('thaw', id);
        else if (condition === 'cut off' || condition === 'running') await this.make('heal', id);
        else if (condition !== 'coming back') await this.make('start', id);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Ends the process and removes its folder. */
  stop(): Promise<void> {
    return this.store.stop();
  }

  private async ask(method: 'GET' | 'POST', path: string, body?: FaultOptions): Promise<NodesReport> {
    const response = await fetch(`http://127.0.0.1:${this.faultPort}${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as NodesReport & { message?: string };
    if (!response.ok) throw new Error(answer.message);
    return answer;
  }
}
