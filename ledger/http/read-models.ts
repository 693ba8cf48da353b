/** Read your own writes: an answer to a command waits until the read models show it, for a bounded time. */
import { Injectable } from '@nestjs/common';
import { POSITION_HEADER, STALE_HEADER } from '#contracts/plain/headers';
import { comparePositions, positionText, type Position } from '#contracts/log';
import type { FastifyReply } from 'fastify';

/** How far the read models are, as the ledger needs to know it; filled in processes/ledger/reads.ts. */
export abstract class ReadModels {
  /** True once every read model has passed the position, false after `timeoutMs` without it. */
  abstract waitFor(position: Position, timeoutMs: number): Promise<boolean>;
}

/** The same for whoever must also know where they stand now. */
export abstract class ReadProgress extends ReadModels {
  /** The position that all of them are known to have passed. */
  abstract readonly reached: Position;
  /** Why they have stopped, in a sentence; undefined while they have not. */
  abstract readonly stoppedBecause: string | undefined;
}

@Injectable()
export class ReadYourWrites {
  constructor(
    private readonly readModels: ReadModels,
    private readonly timeoutMs: number,
    /** Whether the read models are known to stand still, or to be far behind: then nobody waits for them. */
    private readonly areBehind: () => boolean,
  ) {}

  /**
   * Waits, then marks the answer. `positions` are those of the command's events; none when nothing was
   * written. Answers whether the read models show it.
   */
  async hold(reply: FastifyReply, ...positions: readonly (Position | undefined)[]): Promise<boolean> {
    const last = latest(positions);
    if (last === undefined) return true;
    const isShown = await this.readModels.waitFor(last, this.areBehind() ? 0 : this.timeoutMs);
    reply.header(POSITION_HEADER, positionText(last));
    if (!isShown) reply.header(STALE_HEADER, 'true');
    return isShown;
  }
}

/** The furthest of some places in the log. */
export const latest = (positions: readonly (Position | undefined)[]): Position | undefined =>
  positions.reduce(
    (far, next) => (next && (!far || comparePositions(next, far) > 0) ? next : far),
    undefined,
  );
