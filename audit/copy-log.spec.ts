/** Copying a log: what arrives, what is refused, and how an interrupted copy goes on. */
import { describe, expect, it } from '@jest/globals';
import type { RawEvent } from '#log/event-log';
import { StoredContent } from '#log/stored-content';
import { JUNO, MILO, open, openAccount, settle, submit, transfer } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { CannotCopy, copiedLines, CopyInterrupted, copyLog } from './copy-log.js';
import { hasPassed, reportLines } from './report.js';
import { verify } from './verify.js';

const tip = { paymentId: 'pay_tip', amount: '20.00' };

/** Streams that take turns, and the store's own among them. */
function source(): Story {
  const story = new Story();
  story.register(JUNO, profileOf('juno'));
  story.command(openAccount(JUNO));
  story.log.put('$$encore-clock', { id: 'clock', type: '$metadata', data: {}, metadata: {} });
  story.register(MILO, profileOf('milo'));
  story.command(openAccount(MILO), open(tip), submit(tip), settle(tip));
  story.switch(JUNO, 'biometricEnabled', true);
  story.command(transfer('5.00', JUNO, MILO));
  return story;
}

const said: string[] = [];
const copy = (story: Story, to: MemoryLog) => copyLog(story.log, to, (sentence) => said.push(sentence));
const contents = (log: MemoryLog): Omit<RawEvent, 'position' | 'createdAt'>[] =>
  log.all
    .filter(({ stream }) => !stream.startsWith('$'))
    .map(({ stream, revision, id, type, data, metadata }) => ({
      stream,
      revision,
      id,
      type,
      data,
      metadata,
    }));
/** Another store: its own clock, and system events of its own, as a new EventStoreDB has. */
function emptyStore(): MemoryLog {
  const log = new MemoryLog(() => new Date('2026-12-24T00:00:00Z'));
  log.put('$users', { id: 'admin', type: '$User', data: {}, metadata: {} });
  return log;
}

describe('a copy', () => {
  it('has every event in the order of the whole log, with its id, its metadata and its chain', async () => {
    const story = source();
    const to = emptyStore();
    const copied = await copy(story, to);
    expect(contents(to)).toEqual(contents(story.log));
    expect(copied).toMatchObject({ written: 9, events: 9, streams: 4, chained: 4, passedOver: 1 });
    expect(hasPassed(await verify(to))).toBe(true);
    // Neighbours of one stream go together: register, an entry, register, four entries, a switch, one
    // entry. Before and after them comes the mark of a copy.
    expect(to.appends).toBe(1 + 6 + 1);
    expect(copiedLines(copied).slice(0, 2)).toEqual([
      'Copied 9 events.',
      'Both logs hold the same 9 events of 4 streams in the same order. 4 streams are chained, and every chain holds.',
    ]);
  });

  it('of letters of several bytes goes in appends that the store takes', async () => {
    const from = new MemoryLog();
    for (let n = 0; n < 400; n += 1)
      await from.append(
        'user-a',
        [{ id: `event-${n}`, type: 'Noted', data: { text: '日'.repeat(1_200) }, metadata: {} }],
        n - 1,
      );
    const to = emptyStore();
    expect(await copyLog(from, to, () => undefined)).toMatchObject({ written: 400 });
  });

  it('that is there is verified and not written again; one that lags behind is brought up', async () => {
    const story = source();
    const to = emptyStore();
    const first = await copy(story, to);
    expect(await copy(story, to)).toEqual({ ...first, written: 0 });
    expect(to.appends).toBe(8);
    story.command(transfer('1.00', JUNO, MILO, 'trf_2'));
    const second = await copy(story, to);
    expect(second).toMatchObject({ written: 1, events: 10 });
    expect(second.fingerprint).not.toBe(first.fingerprint);
    expect(contents(to)).toEqual(contents(story.log));
  });

  it.each([1, 2, 3, 5, 7, 8])(
    'that was interrupted at append %i goes on there, whether or not that was written',
    async (at) => {
      for (const isWritten of [false, true]) {
        const story = source();
        const to = emptyStore();
        for (let n = 1; n < at; n += 1) to.onNextAppend((write) => Promise.resolve(write()));
        if (isWritten) to.loseNextAppendAfterWriting();
        else to.loseNextAppendBeforeWriting();
        const error: unknown = await copy(story, to).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(CopyInterrupted);
        expect((error as Error).message).toMatch(
          /^The target could not be reached, and the copy is not complete: .* Run the same command again/,
        );
        // The first append is the mark, the last one takes it away: in between the copy is never in order.
        const isMarked = at === 1 ? isWritten : at < 8 || !isWritten;
        const report = reportLines(await verify(to)).join('\n');
        if (isMarked) expect(report).toMatch(/This log is a copy that is not complete: go on with/);
        expect(/The books are in order\./.test(report)).toBe(!isMarked);
        await copy(story, to);
        expect(contents(to)).toEqual(contents(story.log));
        expect(hasPassed(await verify(to))).toBe(true);
      }
    },
  );

  it('leaves the streams of other applications where they are, in the source and beside the copy', async () => {
    const story = source();
    const other = { id: 'o1', type: 'Ordered', data: {}, metadata: {} };
    story.log.put('orders-1', other);
    story.log.put('journals', { ...other, id: 'o2' });
    const to = emptyStore();
    const first = await copy(story, to);
    expect(first).toMatchObject({ events: 9, streams: 4, passedOver: 1, foreign: 2 });
    expect(copiedLines(first)).toContain('2 events of other applications were left where they are.');
    to.put('payments', { ...other, id: 'o3' });
    story.command(transfer('1.00', JUNO, MILO, 'trf_2'));
    expect(await copy(story, to)).toMatchObject({ written: 1, events: 10 });
  });

  it('is not made of a copy that is not complete', async () => {
    const story = source();
    const half = emptyStore();
    half.onNextAppend((write) => Promise.resolve(write())).loseNextAppendAfterWriting();
    await expect(copy(story, half)).rejects.toBeInstanceOf(CopyInterrupted);
    const copying = copyLog(half, emptyStore(), () => undefined);
    await expect(copying).rejects.toThrow('The source is itself a copy that is not complete');
  });

  it('says which of the two stores cannot be reached, and what to do', async () => {
    for (const which of ['source', 'target'] as const) {
      const story = source();
      const to = emptyStore();
      (which === 'source' ? story.log : to).setReachable(false);
      await expect(copy(story, to)).rejects.toThrow(
        new RegExp(`^The ${which} could not be reached, .* Run the same command again`),
      );
    }
  });

  it('of a long stream goes in appends that the store takes', async () => {
    const story = new Story();
    const filling = 'x'.repeat(60_000);
    for (let n = 0; n < 25; n += 1)
      story.log.put('user-notes', { id: `n${n}`, type: 'Note', data: { filling }, metadata: {} });
    for (let n = 0; n < 1200; n += 1)
      story.log.put('user-ticks', { id: `t${n}`, type: 'Tick', data: {}, metadata: {} });
    const to = emptyStore();
    expect(await copy(story, to)).toMatchObject({ events: 1225, chained: 0 });
    // Eight notes are 480 kB; five hundred ticks are enough for one.
    expect(to.appends).toBe(1 + 4 + 3 + 1);
  });
});

describe('a copy is refused, and nothing is written', () => {
  const refused = async (story: Story, to: MemoryLog): Promise<string> => {
    const before = contents(to);
    const error: unknown = await copy(story, to).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(CannotCopy);
    expect(contents(to)).toEqual(before);
    return (error as CannotCopy).message;
  };

  it('when the target holds something else', async () => {
    const to = emptyStore();
    to.put('orders', { id: 'o1', type: 'Ordered', data: {}, metadata: {} });
    expect(await refused(source(), to)).toBe(
      "The target is neither empty nor the beginning of the source: it holds another application's streams (such as orders) " +
        'and nothing of ours. Copy to a new, empty store.',
    );
    to.put('user-usr_x', { id: 'u1', type: 'Hired', data: {}, metadata: {} });
    expect(await refused(source(), to)).toBe(
      'The target is neither empty nor the beginning of the source: event 1 is Hired (user-usr_x at revision 0) there and ' +
        'UserRegistered (user-usr_juno at revision 0) here. Copy to a new, empty store.',
    );
  });

  it('when the target is the beginning of the source with one word changed, one event more, or two in another order', async () => {
    const copied = async (change: (to: MemoryLog) => void): Promise<string> => {
      const story = source();
      const to = emptyStore();
      await copy(story, to);
      story.command(transfer('1.00', JUNO, MILO, 'trf_2'));
      change(to);
      to.reindex();
      return refused(story, to);
    };
    const place = (to: MemoryLog, type: string): number => to.all.findIndex((event) => event.type === type);
    expect(
      await copied((to) => {
        const at = place(to, 'PaymentSettled');
        to.all[at] = {
          ...to.all[at]!,
          metadata: StoredContent.of({ ...(to.all[at]!.metadata.value as object), actorId: 'somebody' }),
        };
      }),
    ).toContain('PaymentSettled (journal at revision 4) here, with another content.');
    expect(
      await copied((to) => to.put('journal', { id: 'x', type: 'More', data: {}, metadata: {} })),
    ).toContain('is More (journal');
    expect(
      await copied((to) => {
        const [one, other] = [place(to, 'SettingSwitchedOn'), place(to, 'PaymentSubmitted')];
        [to.all[one], to.all[other]] = [to.all[other]!, to.all[one]!];
      }),
    ).toContain('is SettingSwitchedOn (settings-usr_juno at revision 0) there and PaymentSubmitted');
  });

  it('when the target holds all of the source and more', async () => {
    const story = source();
    const to = emptyStore();
    await copy(story, to);
    to.put('journal', { id: 'x', type: 'More', data: {}, metadata: {} });
    expect(await refused(story, to)).toMatch(/holds all of the source and more/);
  });

  it('when the source is not what was written: its chain is broken, or an event is gone', async () => {
    const forged = source();
    const at = forged.log.all.findLastIndex(({ type }) => type === 'UserRegistered');
    forged.log.all[at] = { ...forged.log.all[at]!, data: StoredContent.of({ userId: JUNO }) };
    expect(await refused(forged, emptyStore())).toBe(
      'The chain of the source is broken, so there is nothing right to copy: user-usr_milo at revision 0: the event is not what was written here.',
    );
    const cut = new Story();
    for (let n = 0; n < 3; n += 1)
      cut.log.put('user-notes', { id: `n${n}`, type: 'Note', data: {}, metadata: {} });
    cut.log.all.shift();
    expect(await refused(cut, emptyStore())).toBe(
      'user-notes at revision 1: the event before it is gone from the source, and a copy would number the rest anew.',
    );
    const odd = new Story();
    odd.log.put('user-notes', { id: 'n', type: 'Note', data: 'a word' as unknown as object, metadata: {} });
    expect(await refused(odd, emptyStore())).toMatch(/neither a JSON object nor bytes/);
  });
});

describe('a copy stops', () => {
  it('when somebody else writes to the target', async () => {
    const to = emptyStore();
    to.onNextAppend((write) => Promise.resolve(write()));
    to.letForeignerWriteFirst('user-usr_juno', [{ id: 'y', type: 'Mine', data: {}, metadata: {} }]);
    await expect(copy(source(), to)).rejects.toThrow('The target would not take revision 0 of user-usr_juno');
  });

  it('without a verdict when the source is written to meanwhile, and is right the next time', async () => {
    const story = source();
    const to = emptyStore();
    for (let n = 1; n < 7; n += 1) to.onNextAppend((write) => Promise.resolve(write()));
    to.onNextAppend((write) => {
      story.command(transfer('1.00', JUNO, MILO, 'trf_2'));
      return Promise.resolve(write());
    });
    await expect(copy(story, to)).rejects.toThrow('The source was written to meanwhile');
    expect(await copy(story, to)).toMatchObject({ written: 1, events: 10 });
  });
});
