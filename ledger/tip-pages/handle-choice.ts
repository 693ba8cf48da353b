/** Takes a handle: asked for in the page's own stream, then claimed in the handle's, then chosen. */
import type { DomainEvent } from '#contracts/events/index';
import type { Sealed } from '#contracts/events/journal';
import type { Position } from '#contracts/log';
import type { Provenance } from '#log/record';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { Rejected } from '../rejection.js';
import type { Outcome, StreamRunner } from '../streams/runner.js';
import { handles } from './handle.decider.js';
import { tipPage, type WantedHandle } from './tip-page.decider.js';

type Ask = <State, Command extends { readonly type: string }, Event extends DomainEvent>(
  command: ExecuteStreamCommand<State, Command, Event>,
) => Promise<Outcome<State, Event>>;

/**
 * Puts a page under a handle; answers where the log says so. A claim lasts, so the limit is decided before
 * it, in the one stream that many requests at once have in common. Throws Rejected.
 */
export async function chooseHandle(
  streams: Pick<StreamRunner, 'read'>,
  ask: Ask,
  isOthersUsername: () => Promise<boolean>,
  { handle, ...wanted }: WantedHandle & { readonly handle: Sealed },
  provenance: Provenance,
): Promise<Position> {
  const { userId, handleKey } = wanted;
  const { ownerId } = await streams.read(handles, handleKey);
  // Whoever looks for a username would find the handle, and pay the wrong person.
  const isTaken = ownerId === undefined ? await isOthersUsername() : ownerId !== userId;
  // What somebody else has is no request: it would count as one of the few.
  if (isTaken) throw new Rejected('HandleTaken', { handleKey });
  await ask(new ExecuteStreamCommand(tipPage, userId, { type: 'RequestHandle', ...wanted }, provenance));
  await ask(
    new ExecuteStreamCommand(handles, handleKey, { type: 'ClaimHandle', handleKey, userId }, provenance),
  );
  const choice = { type: 'ChooseHandle', ...wanted, handle } as const;
  return (await ask(new ExecuteStreamCommand(tipPage, userId, choice, provenance))).position;
}
