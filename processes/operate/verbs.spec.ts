/** The command line of an operator: what the words ask for, and what of it is noted in the security trail. */
import { describe, expect, it } from '@jest/globals';
import { CannotRun } from '../shell/command.js';
import { obey } from '../shell/command-line.js';
import { OPERATE, operateCommand, type Noted } from './verbs.js';

/** What a command line asks for, without its being done; or the sentence that refuses it; or the help. */
async function read(
  line: string,
): Promise<{ verb?: string; noted?: Noted; refusal?: string; help?: string }> {
  let asked: { verb?: string; noted?: Noted } = {};
  const command = operateCommand((verb, noted) => {
    asked = { verb, noted };
    return Promise.resolve();
  });
  try {
    const help = await obey(OPERATE, command, line.split(' '));
    return help ? { help: help.join('\n') } : asked;
  } catch (error) {
    if (error instanceof CannotRun) return { refusal: error.message };
    throw error;
  }
}

const NOTED: readonly (readonly [string, Noted])[] = [
  ['found', {}],
  ['quarantine user-usr_a 3 --because Odalys asked', { stream: 'user-usr_a', revision: '3' }],
  ['recover', {}],
  ['recover --since 2026-11-23 --report lost.txt', {}],
  ['reopen usr_a', { userId: 'usr_a' }],
  ['check-stripe --set-up', {}],
  ['backup /backup', {}],
  ['restore /backup', {}],
  ['rotate-data-keys', {}],
  ['rotate-data-keys --user usr_a --made-before 2026-11-23T09:00:00Z', { userId: 'usr_a' }],
  ['security-trail --user usr_a --what refused', { userId: 'usr_a' }],
];

/** Only read, or asked of a ledger, which notes it; there may be no Postgres at all. */
const NOT_NOTED = [
  'book-platform-money txn_1',
  'unclaimed --list',
  'pay-unclaimed item_1 --amount 20.00 --reference letter of May 3',
  'write-off usr_a --because insolvent',
  'quarantine --list',
  'archive',
  'recover-account usr_a',
  'end-sessions usr_a',
  'check-stripe',
  'restore --check /backup',
  'restore /backup --check',
];

const REFUSED: readonly (readonly [string, string])[] = [
  ['verify', '"verify" is not something to operate. "encore operate --help" lists what there is.'],
  [
    'reopn usr_a',
    '"reopn" is not something to operate. Is reopen meant? "encore operate --help" lists what there is.',
  ],
  [
    'write-off usr_a',
    'write-off needs --because <why...>. "encore operate write-off --help" lists what there is.',
  ],
  [
    'pay-unclaimed item_1 --reference letter of May 3',
    'pay-unclaimed needs --amount <dollars>. "encore operate pay-unclaimed --help" lists what there is.',
  ],
  [
    'pay-unclaimed item_1 --amount 1,250 --reference letter of May 3',
    '"1,250" is not an amount, such as 20.00. "encore operate pay-unclaimed --help" lists what there is.',
  ],
  [
    'pay-unclaimed item_1 --amount 0.00 --reference letter of May 3',
    '"0.00" is not an amount, such as 20.00. "encore operate pay-unclaimed --help" lists what there is.',
  ],
  ['end-sessions', 'end-sessions needs its user. "encore operate end-sessions --help" lists what there is.'],
  [
    'end-sessions usr_a usr_b',
    'end-sessions was given more words than it takes. "encore operate end-sessions --help" lists what there is.',
  ],
  [
    'check-stripe --quickly',
    '"--quickly" is not an option of check-stripe. "encore operate check-stripe --help" lists what there is.',
  ],
  [
    'recover --since yesterday',
    '"yesterday" is not a time, such as 2026-11-21T09:00:00Z. "encore operate recover --help" lists what there is.',
  ],
  [
    'recover --since 2026-11-21T09:00',
    '"2026-11-21T09:00" is not a time, such as 2026-11-21T09:00:00Z. "encore operate recover --help" lists what there is.',
  ],
  [
    'recover --since 2026-02-30',
    '"2026-02-30" is not a time, such as 2026-11-21T09:00:00Z. "encore operate recover --help" lists what there is.',
  ],
  [
    'security-trail --what sign_in',
    '"sign_in" is not an act of the trail. "encore operate security-trail --help" lists what there is.',
  ],
  ['quarantine user-usr_a 3', 'quarantine takes --list, or STREAM REVISION --because WHY.'],
  ['quarantine user-usr_a 3 --list', 'quarantine takes --list, or STREAM REVISION --because WHY.'],
  ['quarantine user-usr_a last --because broken', '"last" is not a revision.'],
  [
    'archive --follow please',
    'archive was given more words than it takes. "encore operate archive --help" lists what there is.',
  ],
];

describe('the command line of an operator', () => {
  it.each(NOTED)('notes that somebody did: %s', async (line, noted) =>
    expect(await read(line)).toEqual({ verb: line.split(' ')[0], noted }),
  );

  it.each(NOT_NOTED)('notes nothing of: %s', async (line) =>
    expect(await read(line)).toEqual({ verb: line.split(' ')[0], noted: undefined }),
  );

  it.each(REFUSED)('refuses in one sentence: %s', async (line, refusal) =>
    expect(await read(line)).toEqual({ refusal }),
  );

  it('lists every verb, and what each takes', async () => {
    const verbs = operateCommand(() => Promise.resolve()).commands.map((verb) => verb.name());
    const { help = '' } = await read('--help');
    for (const verb of verbs) expect(help).toMatch(new RegExp(`^ {2}${verb} `, 'm'));
    const tried = new Set([...NOTED.map(([line]) => line), ...NOT_NOTED].map((line) => line.split(' ')[0]));
    expect([...tried].sort()).toEqual([...verbs].sort());
    expect((await read('recover --help')).help).toContain('--report <file>');
  });
});
