/** The owner of sessions hears of each end, whatever whoever ends them sends. */
import { expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import type { Caller } from '#edge/caller';
import type { Messages } from '../bus/messages.js';
import { messageIdOf } from '../messages/message-store.js';
import type { SecurityTrail } from '../security-trail/security-trail.js';
import { Places } from '../sessions/places.js';
import type { Sessions } from '../sessions/sessions.js';
import { SessionsController } from './sessions.controller.js';

const caller: Caller = { userId: 'usr_juno', sessionId: 'ses_thief', correlationId: 'the-same-each-time' };
const request = { id: caller.correlationId, ip: '192.0.2.7', headers: {} } as FastifyRequest;

it('tells the owner of each end, also under one correlation id', async () => {
  const told = new Set<string>();
  const messages: Messages = { put: (message) => Promise.resolve(void told.add(messageIdOf(message))) };
  const sessions = {
    endOthersOf: () => Promise.resolve(2),
    endOne: () => Promise.resolve(true),
  } as unknown as Sessions;
  const trail = { note: () => undefined } as SecurityTrail;
  const places = await Places.open(undefined);
  const controller = new SessionsController(sessions, trail, messages, places, pino({ level: 'silent' }));
  for (let n = 1; n <= 2; n += 1) {
    await controller.endOthers(caller, request);
    await controller.end(caller, `ses_${n}`, request);
    expect(told.size).toBe(2 * n);
  }
});
