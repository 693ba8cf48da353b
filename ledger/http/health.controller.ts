/**
 * For whoever runs the process: is it alive, and can it serve. Its figures are on the internal port: they are
 * nobody else's.
 */
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

export interface Ready {
  readonly ready: boolean;
  /** Each thing that is amiss, in a sentence. */
  readonly reasons: readonly string[];
}

/** Whether the process can serve; implemented by main.ts over the journal and the stores. */
export abstract class Readiness {
  abstract check(): Promise<Ready>;
}

/** Anybody may ask: however many do at once, the stores are asked once. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask().finally(() => (asked = undefined)));
}

@Controller()
export class HealthController {
  private readonly isReady = shared(() => this.readiness.check());

  constructor(private readonly readiness: Readiness) {}

  /** Alive: the event loop turns. */
  @Get('healthz')
  healthz(): { alive: true } {
    return { alive: true };
  }

  /** 503 with the reasons while it cannot serve. */
  @Get('readyz')
  async readyz(@Res() reply: FastifyReply): Promise<FastifyReply> {
    const ready = await this.isReady();
    return reply.code(ready.ready ? 200 : 503).send(ready);
  }
}
