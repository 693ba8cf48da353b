/**
 * The whole stack on the event store's three nodes: two ledgers, and money that moves through them while
 * something happens to the node that leads.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Dice } from '#test/simulator/dice';
import { Crowd } from './crowd.js';
import { Evidence } from './evidence.js';
import { CardProviderWorld } from './payer.js';
import { startStack, type TestStack } from './start-stack.js';
import { ThreeNodes, type FaultOptions, type NodeCondition, type NodeFault } from './three-nodes.js';

/** What happens: to the leader, or, where a follower lags, first to that and then to the leader. */
export type Failover = 'killed' | 'ended' | 'frozen' | 'cut off' | 'lagging';

/** What a failover cost, in milliseconds. */
export interface FailoverCost {
  /** From the last write that was answered before to the first one after. */
  readonly withoutWriteMs: number;
  /** From when another node led until a write was answered. */
  readonly untilWrittenMs: number;
  /** From when another node led until a row showed what was written after. */
  readonly untilShownMs: number;
  /** Writes that were not answered, or were refused because the event store was away; all were sent again. */
  readonly repeats: number;
}

const AT_ONCE = 6;
/** How many tips are opened before something happens, and after another leader stands. */
const FEW = 8;
const MOST_BETWEEN_MS = 1_500;
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 20;

/** What may happen to a node next. */
const FAULTS_BY_CONDITION: Readonly<Record<NodeCondition, readonly NodeFault[]>> = {
  running: ['kill', 'end', 'freeze', 'cut-off', 'lag', 'heal'],
  frozen: ['thaw', 'kill'],
  'cut off': ['heal', 'kill'],
  killed: ['start'],
  ended: ['start'],
  left: ['start'],
  'coming back': [],
};

const BEGIN_WITH_APPEND: ReadonlySet<NodeFault> = new Set(['kill', 'freeze', 'cut-off']);

export class FailoverWorld {
  private constructor(
    readonly nodes: ThreeNodes,
    readonly stack: TestStack,
    readonly evidence: Evidence,
    private readonly crowd: Crowd,
  ) {}

  /** `pace` is that of the three nodes: 1 for the times of real ones. */
  static async start(pace: number): Promise<FailoverWorld> {
    const nodes = await ThreeNodes.start({ pace });
    const env = { EVENTSTORE_URL: nodes.url, CARE_EVERY_SECONDS: '1' };
    const parts = ['postgres', 'redis', 'stripe', 'identity', 'ledgers'] as const;
    try {
      const stack = await startStack([...parts, 'projections', 'workers', 'front'], { ledgers: 2, env });
      const provider = new CardProviderWorld(() => stack);
      const crowd = await Crowd.gather(stack.url, provider);
      return new FailoverWorld(nodes, stack, new Evidence(() => stack), crowd);
    } catch (error) {
      await nodes.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.evidence.close();
    await this.stack.stop();
    await this.nodes.stop();
  }

  /** Lets it happen while money moves, waits until money moves again, and makes the nodes whole. */
  async failOver(failover: Failover, unanswered: 'kept' | 'lost' | undefined): Promise<FailoverCost> {
    const { crowd, nodes } = this;
    const repeatsBefore = crowd.repeats;
    const begun = crowd.opened.length;
    let moves = true;
    const money = (async () => {
      while (moves) await crowd.tip(FEW, AT_ONCE);
    })();
    // Its failure is told below; until then something else may fail first.
    money.catch(() => undefined);
    try {
      await this.until(() => crowd.opened.length >= begun + FEW, 'money to move');
      const { leader } = await nodes.report();
      await this.begin(failover, unanswered);
      const elected = await this.until(async () => {
        const now = (await nodes.report()).leader;
        return now !== undefined && now !== leader;
      }, 'another leader');
      const isLater = ({ at }: { at: number }): boolean => at > elected;
      await this.until(() => crowd.opened.some(isLater), 'a write at another leader');
      const after = crowd.opened.findIndex(isLater);
      const first = crowd.opened[after]!;
      const shown = await this.until(() => this.isShown(first.paymentId), 'a row of what was written');
      await this.until(() => crowd.opened.length >= after + FEW, 'money to move again');
      return {
        withoutWriteMs: longestPause(crowd.opened.slice(begun, after + 1).map(({ at }) => at)),
        untilWrittenMs: first.at - elected,
        untilShownMs: shown - elected,
        repeats: crowd.repeats - repeatsBefore,
      };
    } finally {
      moves = false;
      await money;
      await nodes.repair();
    }
  }

  /**
   * Lets a number of things happen to any of the nodes while money moves, several at once, as the dice fall:
   * also so that for a while there is no leader at all. A failure says what had happened.
   */
  async story(dice: Dice, length: number): Promise<void> {
    const { crowd, nodes } = this;
    const happened: string[] = [];
    let moves = true;
    const money = (async () => {
      while (moves) await crowd.tip(FEW, AT_ONCE);
    })();
    money.catch(() => undefined);
    try {
      while (happened.length < length) {
        const { nodes: all, leader } = await nodes.report();
        const { id, condition } = dice.one(all);
        const leads = id === leader;
        const faults = FAULTS_BY_CONDITION[condition].filter((fault) => !(leads && fault === 'lag'));
        if (faults.length === 0) continue;
        const fault = dice.one(faults);
        const append = dice.one(['kept', 'lost', 'no matter'] as const);
        const begins = leads && append !== 'no matter' && BEGIN_WITH_APPEND.has(fault);
        const options: FaultOptions = begins ? { unanswered: append } : {};
        await nodes.make(fault, id, options);
        happened.push([fault, id, leads ? 'that led' : '', options.unanswered ?? ''].join(' ').trim());
        await pause(dice.below(MOST_BETWEEN_MS));
      }
      await nodes.repair();
      const opened = crowd.opened.length;
      await this.until(() => crowd.opened.length >= opened + FEW, 'money to move again');
      moves = false;
      await money;
    } catch (error) {
      throw new Error(`It failed after: ${happened.join(', ')}`, { cause: error });
    } finally {
      moves = false;
    }
  }

  /** Every answer that anybody was given was true, and every effect came once. */
  cameOutRight(): Promise<void> {
    return this.crowd.cameOutRight(this.evidence);
  }

  private async begin(failover: Failover, unanswered: 'kept' | 'lost' | undefined): Promise<void> {
    const { nodes } = this;
    const options: FaultOptions = unanswered === undefined ? {} : { unanswered };
    if (failover === 'killed') await nodes.make('kill', 'leader', options);
    else if (failover === 'ended') await nodes.make('end', 'leader');
    else if (failover === 'frozen') await nodes.make('freeze', 'leader', options);
    else if (failover === 'cut off') await nodes.make('cut-off', 'leader', options);
    else {
      await nodes.make('lag', 'follower');
      await nodes.make('kill', 'leader', options);
    }
  }

  private async isShown(paymentId: string): Promise<boolean> {
    const { rows } = await this.evidence.db.query('select 1 from transactions where id = $1', [paymentId]);
    return rows.length > 0;
  }

  /** Waits, and answers when it was so, by the monotonic clock. */
  private async until(isSo: () => unknown, what: string): Promise<number> {
    for (const end = performance.now() + PATIENCE_MS; ;) {
      if (await isSo()) return performance.now();
      if (performance.now() > end) throw new Error(`Waited ${PATIENCE_MS} ms in vain for ${what}.`);
      await pause(LOOK_EVERY_MS);
    }
  }
}

const longestPause = (times: readonly number[]): number =>
  Math.max(...times.slice(1).map((at, index) => at - times[index]!));
