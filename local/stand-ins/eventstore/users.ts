/**
 * Who may use the store, by HTTP's Basic authentication, as EventStoreDB has it. Users come from a setting,
 * one `name:password` to a line; no user has a default password. Who is let in may do
 * everything: lists of permissions are kept in a stream's metadata, as everything there is, and not enforced.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { GrpcError, GrpcStatus } from './grpc.js';

/** The list of users cannot be understood. The message does not quote it. */
export class BadUsers extends Error {
  override readonly name = 'BadUsers';
}

/** Clients ask these before they show who they are. */
const OPEN_TO_ALL = new Set([
  '/event_store.client.server_features.ServerFeatures/GetSupportedMethods',
  '/event_store.client.gossip.Gossip/Read',
]);

export class Users {
  /** Digests of what clients send. */
  private constructor(private readonly known: ReadonlySet<string>) {}

  /** Reads lines of `name:password`. Throws {@link BadUsers}. */
  static from(text: string): Users {
    const known = new Set<string>();
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() === '') continue;
      const [, name, password] = /^\s*([^:\s]+):(\S+)\s*$/.exec(line) ?? [];
      if (!name || !password) throw new BadUsers(`line ${index + 1} of the users must be name:password`);
      known.add(digestOf(`Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`));
    }
    if (known.size === 0) throw new BadUsers('the list of users is empty');
    return new Users(known);
  }

  /** Lets a call pass or throws the error that ends it. */
  admit(path: string, { authorization }: IncomingHttpHeaders): void {
    if (OPEN_TO_ALL.has(path)) return;
    // Digests are compared, not passwords: how long that takes tells nothing about them.
    if (authorization !== undefined && this.known.has(digestOf(authorization))) return;
    throw new GrpcError(
      GrpcStatus.UNAUTHENTICATED,
      authorization === undefined
        ? 'This event store lets in only whom it knows: connect with esdb://user:password@host.'
        : 'The event store does not know this user with this password.',
    );
  }
}

function digestOf(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64');
}
