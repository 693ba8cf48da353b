/**
 * A new projector is started beside the old one, and its rows take the place of the old one's: the old one
 * stops, and nobody is told that rows stand still.
 */
import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { storedEvent } from '#log/stored-event';
import { JUNO, openAccount } from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import { NotProjected, OtherVersion, projectEvents } from './project-batch.js';
import { isStandstill, stoppedBy } from './projector.js';
import type { ReadModel } from './read-model.js';

/** Rows of a newer build, at their beginning. */
const checkpoints = [
  { model: 'balances', version: 'new', position: '-1/-1', journal_revision: -1, last_event: null },
];
const client = {
  query: (text: unknown) =>
    Promise.resolve(String(text).startsWith('begin') ? [{}, {}, { rows: checkpoints }] : { rows: [] }),
} as unknown as pg.ClientBase;
const balances: ReadModel = {
  name: 'balances',
  version: 'old',
  prefixes: ['journal'],
  tables: [],
  statements: [],
  project: () => Promise.resolve(),
};

describe('a projector whose rows a newer build has taken over', () => {
  it('blames no event', async () => {
    const story = new Story();
    story.command(openAccount(JUNO));
    const options = { schema: 'read', models: [balances], announce: true };
    const projecting = projectEvents(client, story.log.all.map(storedEvent), options, () => undefined);
    await expect(projecting).rejects.toThrow(OtherVersion);
  });

  it('stops, and tells no ledger that rows stand still', () => {
    const stopped = stoppedBy(new OtherVersion('The tables are of version 2.'));
    expect([stopped.status, isStandstill(stopped)]).toEqual(['stopped', false]);
    expect(isStandstill(stoppedBy(new NotProjected('Event 7 has no amount.')))).toBe(true);
  });
});
