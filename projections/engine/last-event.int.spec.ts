/**
 * Whether log and rows belong together: another log, a shorter one, one that lags, and rows of a build
 * before.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { positionText } from '#contracts/log';
import { markCopy } from '#log/copy-mark';
import { LogUnavailable, type EventLog } from '#log/event-log';
import { JUNO, MILO, open, openAccount, settle } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { readSides, type ReadSide } from '#test/support/read-side';
import { useStack } from '#test/support/stack';
import { Story } from '#test/support/story';
import { balanceOf } from '../balances/queries.js';
import { readCheckpoints } from './checkpoints.js';
import { lastEventOf } from './last-event.js';
import { prepareReadModels } from './prepare.js';
import { Projector, type ProjectorOptions, type ProjectorState } from './projector.js';

const stack = useStack(['postgres']);
const sides = readSides(stack);
const running: Projector[] = [];
let now = 0;
afterEach(async () => {
  await Promise.all(running.splice(0).map((projector) => projector.stop()));
  now = 0;
});

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** A projector of this side's rows that runs on a log, and what it becomes. */
function projectorOn(side: ReadSide, log: EventLog, options: Partial<ProjectorOptions> = {}) {
  const { databaseUrl, models } = side;
  const rebuilds: string[] = [];
  const projector = new Projector({
    log,
    databaseUrl,
    models,
    prepare: () =>
      prepareReadModels({ databaseUrl, log, models, onRebuild: (why) => void rebuilds.push(why) }),
    clock: () => now,
    ...options,
  });
  running.push(projector);
  projector.start();
  const becomes = async (status: ProjectorState['status']): Promise<ProjectorState> => {
    while (projector.state.status !== status) await soon();
    return projector.state;
  };
  return { projector, becomes, rebuilds };
}

/** Rows of three tips of a dollar, made from the side's own log; nothing runs. */
async function withRows(): Promise<ReadSide> {
  const side = await sides.open();
  history(side.story);
  const { projector, becomes } = projectorOn(side, side.story.log);
  await becomes('live');
  await projector.stop();
  return side;
}

function history(story: Story): void {
  story.command(openAccount(JUNO), openAccount(MILO));
  for (const paymentId of ['pay_1', 'pay_2', 'pay_3']) tip(story, paymentId);
}

function tip(story: Story, paymentId: string): void {
  const payment = { paymentId, amount: '1.00' };
  story.command(open(payment), settle(payment));
}

const earned = async (side: ReadSide): Promise<number> => (await balanceOf(side.db, JUNO)).availableMinor;

/** The same events at other places, as a copy has them. */
function copyOf(log: MemoryLog): MemoryLog {
  const copy = new MemoryLog();
  copy.put('$users', { id: 'admin', type: '$User', data: {}, metadata: {} });
  for (const { stream, id, type, data, metadata } of log.all) copy.put(stream, { id, type, data, metadata });
  return copy;
}

/** The table of checkpoints as builds before made it. */
const likeBefore = (side: ReadSide) => side.db.query('alter table checkpoints drop column last_event');

/** What the checkpoints know of their last event, each once. */
async function lastEvents(side: ReadSide): Promise<unknown[]> {
  const known = (await readCheckpoints(side.db)).map(({ lastEvent }) => JSON.stringify(lastEvent));
  return [...new Set(known)].map((text) => JSON.parse(text) as unknown);
}

const MOVED =
  /^The log is another one than the read models were made from: .*step 6 of docs\/how-to\/move\.md/;

describe('rows that know the last event they have seen', () => {
  it('are those of this log, and hold its id and hash', async () => {
    const side = await withRows();
    const last = side.story.log.all.at(-1)!;
    expect(await lastEvents(side)).toEqual([lastEventOf(last)]);
    expect(lastEventOf(last).hash).toMatch(/^[\w-]{43}$/);
    await projectorOn(side, side.story.log).becomes('live');
  });

  it('are not folded on from a copy of the log, whose places are others', async () => {
    const side = await withRows();
    const { becomes } = projectorOn(side, copyOf(side.story.log));
    expect(await becomes('stopped')).toMatchObject({
      why: expect.stringMatching(/revision 7 of journal stands at 576\/576 in it, and .* at 512\/512/),
    });
    expect(await becomes('stopped')).toMatchObject({ why: expect.stringMatching(MOVED) });
    expect(await earned(side)).toBe(300);
  });

  it('are not folded on from another log that has an event at the same place', async () => {
    const side = await withRows();
    const other = new Story();
    history(other);
    const { log } = other;
    const at = log.all.length - 1;
    log.all[at] = { ...log.all[at]!, id: 'another' };
    log.reindex();
    tip(other, 'pay_4');
    const { becomes } = projectorOn(side, log);
    expect(await becomes('stopped')).toMatchObject({ why: expect.stringMatching(MOVED) });
    expect(await earned(side)).toBe(300);
  });

  it('stay as they are while the log is won back, and are folded on when it has been', async () => {
    const side = await withRows();
    const { log } = side.story;
    const lost = log.all.splice(-2);
    log.reindex();
    let recovery: string | undefined = 'The log is in recovery.';
    const { becomes, projector } = projectorOn(side, log, { recovery: () => recovery });
    expect(await becomes('recovering')).toEqual({ status: 'recovering', why: recovery });
    expect(await earned(side)).toBe(300);
    log.all.push(...lost);
    log.reindex();
    recovery = undefined;
    await becomes('live');
    tip(side.story, 'pay_4');
    while (projector.journalRevision < log.all.at(-1)!.revision) await soon();
    expect(await earned(side)).toBe(400);
  });

  it('are compared again after an outage', async () => {
    const side = await withRows();
    const { log } = side.story;
    const { becomes } = projectorOn(side, log);
    await becomes('live');
    log.setReachable(false);
    await becomes('reconnecting');
    const at = log.all.length - 1;
    log.all[at] = { ...log.all[at]!, id: 'another' };
    log.reindex();
    log.setReachable(true);
    expect(await becomes('stopped')).toMatchObject({ why: expect.stringMatching(MOVED) });
  });

  it('wait for a node that lags, and go on when it has their last event', async () => {
    const side = await withRows();
    const { log } = side.story;
    const cut = log.all.splice(-2);
    log.reindex();
    const { becomes } = projectorOn(side, log);
    expect(await becomes('reconnecting')).toMatchObject({
      why: expect.stringMatching(
        /it may lag\. The read models have seen journal revision 7 and the log ends at 5/,
      ),
    });
    now += 29_000;
    log.all.push(...cut);
    log.reindex();
    tip(side.story, 'pay_4');
    await becomes('live');
    expect(await earned(side)).toBe(400);
  });

  it('are left alone when the log lacks their last event for 30 seconds', async () => {
    const side = await withRows();
    const { log } = side.story;
    log.all.splice(-2);
    log.reindex();
    const { becomes } = projectorOn(side, log);
    await becomes('reconnecting');
    now += 30_000;
    expect(await becomes('stopped')).toMatchObject({
      why: expect.stringMatching(
        /^The read models have seen journal revision 7 and the log ends at 5.*Restore the log/,
      ),
    });
    expect(await earned(side)).toBe(300);
  });

  it('are not given up on the word of a node that may not lead', async () => {
    const side = await withRows();
    const copy = copyOf(side.story.log);
    let asked = 0;
    let leads = false;
    const doubted: EventLog = Object.assign(Object.create(copy) as MemoryLog, {
      witness: () => ({
        confirm: async () => {
          asked += 1;
          if (!leads) throw new LogUnavailable('This node does not lead');
        },
      }),
    });
    const { projector, becomes } = projectorOn(side, doubted);
    while (asked < 2) await soon();
    expect(projector.state).toMatchObject({ status: 'reconnecting', why: 'This node does not lead' });
    leads = true;
    await becomes('stopped');
  });
});

it('rows are not made from a copy that is not complete', async () => {
  const side = await sides.open();
  history(side.story);
  await markCopy(side.story.log, 'under way');
  const { becomes } = projectorOn(side, side.story.log);
  expect(await becomes('stopped')).toMatchObject({
    why: expect.stringMatching(/^The log is a copy that is not complete\./),
  });
  expect(await earned(side)).toBe(0);
});

describe('rows of a build before', () => {
  it('learn their last event once, where stream and revision fit, and are not made anew', async () => {
    const side = await withRows();
    await likeBefore(side);
    const { becomes, projector, rebuilds } = projectorOn(side, side.story.log);
    await becomes('live');
    expect(await lastEvents(side)).toEqual([lastEventOf(side.story.log.all.at(-1)!)]);
    expect(rebuilds).toEqual([]);
    await projector.stop();
    expect(await projectorOn(side, copyOf(side.story.log)).becomes('stopped')).toMatchObject({
      why: expect.stringMatching(MOVED),
    });
  });

  it('learn it also where it is no entry of the journal', async () => {
    const side = await sides.open();
    history(side.story);
    side.story.switch(JUNO, 'privacyModeEnabled', true);
    const first = projectorOn(side, side.story.log);
    await first.becomes('live');
    await first.projector.stop();
    await likeBefore(side);
    side.story.log.put('orders', { id: 'o', type: 'Ordered', data: {}, metadata: {} });
    tip(side.story, 'pay_4');
    const second = projectorOn(side, side.story.log, { models: [...side.models] });
    await second.becomes('live');
    expect(await earned(side)).toBe(400);
    expect(second.rebuilds).toEqual([]);
  });

  it('learn it anew when a build before has projected meanwhile', async () => {
    const side = await withRows();
    const { log } = side.story;
    const before = log.all.at(-3)!;
    await side.db.query('update checkpoints set last_event = $1', [JSON.stringify(lastEventOf(before))]);
    await projectorOn(side, log).becomes('live');
    expect(await lastEvents(side)).toEqual([lastEventOf(log.all.at(-1)!)]);
  });

  it.each([
    ['a copy of their log', (log: MemoryLog) => copyOf(log)],
    [
      'a log with another event after the entry that they know',
      (log: MemoryLog) => {
        const other = new MemoryLog();
        for (const { stream, id, type, data, metadata } of log.all.slice(0, -1))
          other.put(stream, { id, type, data, metadata });
        for (const id of ['o1', 'o2']) other.put('orders', { id, type: 'Ordered', data: {}, metadata: {} });
        other.put('journal', log.all.at(-1)!);
        return other;
      },
    ],
  ])('are not folded on from %s', async (_, other) => {
    const side = await withRows();
    await likeBefore(side);
    const { becomes } = projectorOn(side, other(side.story.log));
    expect(await becomes('stopped')).toMatchObject({ why: expect.stringMatching(MOVED) });
    const place = positionText(side.story.log.all.at(-1)!.position);
    expect((await readCheckpoints(side.db)).map(({ position }) => positionText(position))).toContain(place);
  });

  it('wait for what the log lacks, as others do', async () => {
    const side = await withRows();
    await likeBefore(side);
    const { log } = side.story;
    log.all.splice(-1);
    log.reindex();
    const { becomes } = projectorOn(side, log);
    await becomes('reconnecting');
    now += 30_000;
    expect(await becomes('stopped')).toMatchObject({
      why: expect.stringMatching(/lacks what they have seen/),
    });
  });
});
