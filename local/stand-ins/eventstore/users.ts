/**
 * Who may use the store, by HTTP's Basic authentication, as EventStoreDB has it. Users come from a setting,
 * one `name:password` to a line; no user has a default password. Who is let in may do everything, as those in
 * EventStoreDB's group $admins; but a user whose line ends with `ordinary` is in no group, and may read $all
 * only where the metadata of $all says so. Other lists of permissions are kept, and not enforced.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { GrpcError, GrpcStatus } from './grpc.js';

/** The list of users cannot be understood. The message does not quote it. */
class BadUsers extends Error {
  override readonly name = 'BadUsers';
}

/** Clients ask these before they show who they are. */
const OPEN_TO_ALL = new Set([
  '/event_store.client.server_features.ServerFeatures/GetSupportedMethods',
  '/event_store.client.gossip.Gossip/Read',
]);

interface User {
  readonly name: string;
  readonly isAdmin: boolean;
}

const ORDINARY = 'ordinary';
/** What stands in a list of permissions for everybody. */
const EVERYBODY = '$all';

export class Users {
  /** By digests of what clients send. */
  private constructor(private readonly known: ReadonlyMap<string, User>) {}

  /** Reads lines of `name:password`. Throws {@link BadUsers}. */
  static from(text: string): Users {
    const known = new Map<string, User>();
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() === '') continue;
      const [, name, password, kind] = /^\s*([^:\s]+):(\S+)(?:\s+(\S+))?\s*$/.exec(line) ?? [];
      if (!name || !password || (kind !== undefined && kind !== ORDINARY))
        throw new BadUsers(`line ${index + 1} of the users must be name:password`);
      const credentials = Buffer.from(`${name}:${password}`).toString('base64');
      known.set(digestOf(`Basic ${credentials}`), { name, isAdmin: kind === undefined });
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

  /** Lets a reader of $all pass, or throws; `readers` are those that the metadata of $all names. */
  admitToAll({ authorization = '' }: IncomingHttpHeaders, readers: readonly string[]): void {
    const user = this.known.get(digestOf(authorization));
    if (user?.isAdmin || (user && readers.includes(user.name)) || readers.includes(EVERYBODY)) return;
    throw new GrpcError(GrpcStatus.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
  }
}

function digestOf(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64');
}
