/**
 * What a failure says of the node: the measured texts of EventStoreDB 23.10.1, and what the client makes of
 * them.
 */
import { describe, expect, it } from '@jest/globals';
import { Metadata } from '@grpc/grpc-js';
import { DeadlineExceededError, UnavailableError, UnknownError } from '@eventstore/db-client';
import { nodeFailure } from './failures.js';

const raw = (code: number, details: string, exception?: string): Error => {
  const metadata = new Metadata();
  if (exception !== undefined) metadata.set('exception', exception);
  return Object.assign(new Error(`${code} NAME: ${details}`), { code, details, metadata });
};

describe('a failed call', () => {
  it.each([
    ['a refused connection', raw(14, 'No connection established. Last error: ECONNREFUSED'), 'broken'],
    ['the client’s own word for it', new UnavailableError(raw(14, 'gone') as never), 'broken'],
    ['a channel that was closed', new Error('Channel has been shut down'), 'broken'],
    [
      'a batch append before the node is ready',
      new UnknownError(undefined, 'Could not recognize Server Is Not Ready'),
      'not-ready',
    ],
    ['a read before the node is ready', raw(14, 'Server Is Not Ready'), 'not-ready'],
    ['a node that has too much to do', raw(14, 'Server Is Too Busy'), 'answered'],
    ['a node that follows', raw(5, 'Leader info available', 'not-leader'), 'not-leader'],
    [
      'a dropped follower',
      raw(
        10,
        'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
      ),
      'answered',
    ],
    ['a commit that takes too long', raw(10, 'Operation timed out: Commit phase timeout.'), 'other'],
    ['a deadline without a word', new DeadlineExceededError(undefined), 'other'],
    ['a place that no record has', raw(2, 'Exception was thrown by handler.'), 'other'],
    ['a text that nobody knows', raw(2, 'Entirely new'), 'other'],
    ['a wrong password', raw(16, 'Unauthenticated'), 'other'],
  ])('of %s', (_, error, expected) => {
    expect(nodeFailure(error)).toBe(expected);
  });
});
