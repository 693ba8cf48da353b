/**
 * For whoever runs the process: is it alive, and can it serve. Its figures are on the internal port: they are
 * nobody else's.
 */
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ALIVE, askedOnce, type Ready } from '#edge/health';

/** Whether the process can serve anything; implemented by the process over the journal and the stores. */
export abstract class Readiness {
  abstract check(): Promise<Ready>;
}

@Controller()
export class HealthController {
  private readonly isReady = askedOnce(() => this.readiness.check());

  constructor(private readonly readiness: Readiness) {}

  @Get('healthz')
  healthz(): typeof ALIVE {
    return ALIVE;
  }

  /**
   * 503 with the reasons while it can serve nothing; 200 with `degraded` and the reasons while something is
   * amiss.
   */
  @Get('readyz')
  async readyz(@Res() reply: FastifyReply): Promise<FastifyReply> {
    const ready = await this.isReady();
    return reply.code(ready.ready ? 200 : 503).send(ready);
  }
}
