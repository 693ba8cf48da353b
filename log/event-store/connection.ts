/** Connecting to the event store and leaving it, by its client. */
import { EventStoreDBClient } from '@eventstore/db-client';
import { BadSetting } from '#contracts/configuration';
import { messageOf } from './reading.js';

const CLOSE_WITHIN_MS = 1_000;

/** The options of a connection string, those excepted that the client does not heed. */
const CONNECTION_OPTIONS = new Set(
  [
    'tls',
    'tlsCAFile',
    'userCertFile',
    'userKeyFile',
    'connectionName',
    'defaultDeadline',
    'throwOnAppendFailure',
    'keepAliveInterval',
    'keepAliveTimeout',
    'maxDiscoverAttempts',
    'discoveryInterval',
    'gossipTimeout',
    'nodePreference',
  ].map((option) => option.toLowerCase()),
);

/**
 * A client of the store at a URL; it connects at first use. Throws {@link BadSetting} for a URL that cannot
 * be used; `name` is what the setting is called.
 */
export function clientFor(url: string, name: string): EventStoreDBClient {
  // The client answers what it does not understand by repeating the whole of it, password included.
  const unknown = [...(url.split('?')[1] ?? '').matchAll(/(?:^|&)([^=&]*)/g)]
    .map(([, option = '']) => option)
    .find((option) => option !== '' && !CONNECTION_OPTIONS.has(option.toLowerCase()));
  if (unknown !== undefined) throw new BadSetting(`${name} has the option "${unknown}", which is not known.`);
  try {
    return EventStoreDBClient.connectionString(url);
  } catch (error) {
    const file = messageOf(error).startsWith('Failed to load certificate');
    throw new BadSetting(
      file
        ? `${name} names a certificate file that is not there.`
        : `${name} cannot be understood: it must be like esdb://user:password@host:2113?tls=true&tlsCAFile=/path/to/ca.pem.`,
    );
  }
}

/**
 * Ends a client's calls. It waits for every call that it ever made; what does not end by itself is not worth
 * a process that hangs.
 */
export async function dispose(client: EventStoreDBClient): Promise<void> {
  await Promise.race([
    client.dispose(),
    new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref()),
  ]);
}
