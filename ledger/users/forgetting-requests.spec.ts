/**
 * Somebody's request to be forgotten, once its wait is over: it may be a thief's, of before a recovery of the
 * account.
 */
import type { CommandBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { userStream } from '#contracts/events/user';
import { profileOf } from '#test/support/plain-vault';
import { JUNO } from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import type { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { InternalCommands } from '../bus/internal-commands.js';
import type { Journal } from '../journal/journal.js';
import { Rejected } from '../rejection.js';
import { StreamRunner } from '../streams/runner.js';
import { ForgettingRequests } from './forgetting-requests.js';
import type { UserCommand } from './user.decider.js';
import type { ForgetUserHandler } from './users.handlers.js';

/** JUNO, whose request is due; `isRecovered`: whether a recovery of the account is under way. */
function due(isRecovered: boolean) {
  const story = new Story();
  story.register(JUNO, profileOf('juno'));
  const at = new Date(story.nowMs).toISOString();
  story.write(userStream(JUNO), {
    type: 'ForgettingRequested',
    data: { userId: JUNO, requestedAt: at, dueAt: at },
  });
  const now = () => new Date(story.nowMs + 1000);
  const streams = new StreamRunner(story.log, now);
  const commands = new InternalCommands();
  const forgotten: string[] = [];
  const told: unknown[] = [];
  const execute = ({ decider, id, command, provenance }: ExecuteStreamCommand<never, UserCommand, never>) =>
    streams.execute(decider, id, command, provenance);
  new ForgettingRequests(
    { execute } as unknown as CommandBus,
    streams,
    {} as Journal,
    { now, recoveryMs: 0, forgettingMs: 0 },
    { put: (message) => Promise.resolve(void told.push(message.facts)) },
    {
      forget: (userId: string) => Promise.resolve(void forgotten.push(userId)),
    } as unknown as ForgetUserHandler,
    {
      assertNone: () =>
        isRecovered
          ? Promise.reject(new Rejected('RecoveryUnderWay', { userId: JUNO, until: now() }))
          : Promise.resolve(),
    },
    pino({ level: 'silent' }),
    commands,
  );
  const carryOut = () => commands.carryOut({ type: 'CarryOutForgetting', userId: JUNO }, 'spec');
  return { carryOut, forgotten, told, types: () => story.log.all.map(({ type }) => type) };
}

describe('a request to be forgotten whose wait is over', () => {
  it('is carried out', async () => {
    const { carryOut, forgotten } = due(false);
    await carryOut();
    expect(forgotten).toEqual([JUNO]);
  });

  it('ends while the account is recovered, whatever became of the ledger that began the recovery', async () => {
    const { carryOut, forgotten, told, types } = due(true);
    await carryOut();
    expect(forgotten).toEqual([]);
    expect(types().at(-1)).toBe('ForgettingRequestEnded');
    expect(told).toEqual([{ why: 'recovery_started' }]);
  });
});
