/** Who makes a call: what the gate found out, as a controller's argument. */
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user, once the gate has read the session. */
    userId: string | undefined;
    /** Their session, with the user. */
    signedIn: SignedInSession | undefined;
    /** The code of the refusal that the request was answered with, for the security trail. */
    refusedWith: string | undefined;
  }
}

/** The session of a signed-in user. */
export interface SignedInSession {
  readonly userId: string;
  /** Its public id, never the token of its cookie. */
  readonly sessionId: string;
  /** When the user last showed the identity provider who they are; undefined where it did not say. */
  readonly signedInAt: Date | undefined;
}

export interface Caller {
  readonly userId: string;
  /** The public id of their session. */
  readonly sessionId: string;
  readonly correlationId: string;
}

/**
 * The signed-in caller. The gate lets nobody else through; a route that it does not guard still gets a 401
 * here.
 */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  if (request.signedIn === undefined) throw new Refusal(401, UNAUTHORIZED);
  const { userId, sessionId } = request.signedIn;
  return { userId, sessionId, correlationId: request.id };
});

/** The word that the web looks for in a 401 (spec §8). */
export const UNAUTHORIZED = 'Unauthorized';
