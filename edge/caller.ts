/** Who makes a call: what the gate found out, as a controller's argument. */
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user, once the gate has read the session. */
    userId: string | undefined;
  }
}

export interface Caller {
  readonly userId: string;
  readonly correlationId: string;
}

/**
 * The signed-in caller. The gate lets nobody else through; a route that it does not guard still gets a 401
 * here.
 */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  if (request.userId === undefined) throw new Refusal(401, UNAUTHORIZED);
  return { userId: request.userId, correlationId: request.id };
});

/** The word that the web looks for in a 401 (spec §8). */
export const UNAUTHORIZED = 'Unauthorized';
