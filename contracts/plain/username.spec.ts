/** What everybody is told as somebody's username. */
import { expect, it } from '@jest/globals';
import { usernameFrom } from './username.js';

const JUNO = 'usr_0123456789abcdefghjkmnpqrs';

it.each([
  [['juno'], 'juno'],
  [['', 'juno'], 'juno'],
  [['@juno'], '@juno'],
  [['juno @ night'], 'juno @ night'],
  [['juno@example.org'], 'user_01234567'],
  [['juno＠example.org', 'juno'], 'juno'],
  [['juno_gmail.com#EXT#@tenant.example'], 'user_01234567'],
  [[''], 'user_01234567'],
  [[] as string[], 'user_01234567'],
])('of %j it is %s', (claimed, username) => expect(usernameFrom(claimed, JUNO)).toBe(username));
