/**
 * The ledgers' knowledge of where the rows stand, over connections that die without a word and rows that are
 * put back.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { START, type Position } from '#contracts/log';
import { SilentConnections } from '#test/support/silent-connections';
import { freshDatabase } from '#test/support/database';
import { JUNO, openAccount } from '#test/support/journal-spec';
import { readSides, type ReadSide } from '#test/support/read-side';
import { useStack } from '#test/support/stack';
import { Projected } from './read-your-writes.js';

const stack = useStack(['postgres']);
const sides = readSides(stack);
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await sides.check();
});

const IN_TIME_MS = 20_000;

const listenAt = (url: string): Projected => {
  const projected = Projected.listen(url);
  opened.push(projected);
  return projected;
};

async function withAccount(): Promise<{ side: ReadSide; at: Position }> {
  const side = await sides.open();
  const at = side.story.command(openAccount(JUNO))[0]!.position;
  await side.feed();
  return { side, at };
}

describe('where the rows stand', () => {
  it('is known again after a connection that died without a word', async () => {
    const { side, at } = await withAccount();
    const between = new SilentConnections();
    opened.push(between);
    const projected = listenAt(await between.to(side.databaseUrl));
    expect(await projected.waitFor(at, IN_TIME_MS)).toBe(true);
    between.forgetThem();
    const next = side.story.switch(JUNO, 'privacyModeEnabled', true).position;
    await side.feed();
    expect(await projected.waitFor(next, IN_TIME_MS)).toBe(true);
    expect(between.made).toBe(2);
  });

  it('is known where no announcement is heard, as behind a pooler', async () => {
    const { side, at } = await withAccount();
    const projected = listenAt(side.databaseUrl);
    expect(await projected.waitFor(at, IN_TIME_MS)).toBe(true);
    const next = { commit: at.commit + 1n, prepare: at.prepare + 1n };
    await side.db.query(`update checkpoints set position = $1`, [`${next.commit}/${next.prepare}`]);
    expect(await projected.waitFor(next, IN_TIME_MS)).toBe(true);
    await side.db.query(`update checkpoints set position = $1`, [`${at.commit}/${at.prepare}`]);
  });

  it('goes back after a notice that was not the projector’s, as when older rows are restored', async () => {
    const { side, at } = await withAccount();
    const projected = listenAt(side.databaseUrl);
    expect(await projected.waitFor(at, IN_TIME_MS)).toBe(true);
    await side.db.query(`notify encore_projected, '9223372036854775807/9223372036854775807'`);
    const far = { commit: at.commit + 1n, prepare: at.prepare + 1n };
    expect(await projected.waitFor(far, IN_TIME_MS)).toBe(true);
    while (projected.reached.commit !== at.commit) await new Promise((look) => setTimeout(look, 20));
    expect(await projected.waitFor(far, 0)).toBe(false);
  });

  it('is nowhere while there are no rows', async () => {
    const projected = listenAt(await freshDatabase(stack().env.DATABASE_URL!));
    expect(await projected.waitFor({ commit: 1n, prepare: 1n }, 50)).toBe(false);
    expect(projected.reached).toEqual(START);
  });
});
