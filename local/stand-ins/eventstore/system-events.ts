/**
 * What EventStoreDB writes for itself into a new log, so that code meets it here: streams of the system,
 * which stand in `$all` before anybody's own. No user is among them that could sign in.
 */
import { randomUUID } from 'node:crypto';

import { ownEvent } from './events.js';
import type { Store } from './store.js';

const ADMINS = { $r: '$admins', $w: '$admins', $d: '$admins', $mr: '$admins', $mw: '$admins' };
const EVERYBODY = { $r: '$all', $w: '$all', $d: '$all', $mr: '$all', $mw: '$all' };

const SYSTEM_EVENTS: readonly (readonly [stream: string, type: string, data: object | string])[] = [
  ['$$$settings', '$metadata', { $acl: { $r: '$all', $w: '$admins' } }],
  ['$settings', '$settings', { $userStreamAcl: EVERYBODY, $systemStreamAcl: ADMINS }],
  ['$$$scavenges', '$metadata', { $maxAge: 2_592_000, $acl: { $r: '$ops' } }],
  ['$$$users', '$metadata', { $acl: ADMINS }],
  ['$users', '$User', 'admin'],
  ['$users', '$User', 'ops'],
];

/** Writes what a new log begins with. Does nothing to one that has begun. */
export async function beginLog(store: Store): Promise<void> {
  if (store.lastPosition > 0) return;
  for (const [stream, type, data] of SYSTEM_EVENTS) {
    const isJson = typeof data !== 'string';
    const event = ownEvent(randomUUID(), type, isJson, Buffer.from(isJson ? JSON.stringify(data) : data));
    store.append(stream, 'any', [event], () => undefined);
  }
  await store.settled();
}
