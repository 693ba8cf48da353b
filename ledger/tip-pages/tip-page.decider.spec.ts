/** A tip page and its handle: claimed once, changed with a proof, published and taken back. */
import { describe, expect, it } from '@jest/globals';
import { MemoryLog } from '#test/support/memory-log';
import { StreamStory } from '#test/support/stream-spec';
import { Rejected } from '../rejection.js';
import { StreamRunner } from '../streams/runner.js';
import { chooseHandle } from './handle-choice.js';
import { exactKeyOf } from '#log/digest';
import { handleKeyOf, handles } from './handle.decider.js';
import { tipPage, type TipPageCommand } from './tip-page.decider.js';

const JUNO = 'usr_juno';
const claim = (userId: string) => () =>
  ({ type: 'ClaimHandle', handleKey: handleKeyOf('juno'), userId }) as const;
const choose =
  (handle: string, isProven = false) =>
  (): TipPageCommand => ({
    type: 'ChooseHandle',
    userId: JUNO,
    handleKey: handleKeyOf(handle),
    exactKey: exactKeyOf(handle),
    handle: `sealed:${handle}`,
    isProven,
    most: 3,
  });
const publish = (): TipPageCommand => ({ type: 'PublishTipPage', userId: JUNO });
const unpublish = (): TipPageCommand => ({ type: 'UnpublishTipPage', userId: JUNO });
const describePage =
  (fingerprint: string, isProven = false) =>
  (): TipPageCommand => ({
    type: 'DescribeTipPage',
    userId: JUNO,
    words: 'sealed:words',
    isListed: false,
    fingerprint,
    isProven,
  });

describe('a handle', () => {
  it('is whose who claims it first, and never another’s', () => {
    new StreamStory(handles)
      .then(claim(JUNO), 'HandleClaimed')
      .thenNothing(claim(JUNO))
      .thenRejects(claim('usr_thief'), 'HandleTaken');
  });

  it('that looks like another is the same claim', () => {
    expect(handleKeyOf('jun0')).toBe(handleKeyOf('juno'));
    expect(exactKeyOf('jun0')).not.toBe(exactKeyOf('juno'));
  });

  it('is chosen once without a proof, and changed with one only', () => {
    new StreamStory(tipPage)
      .then(choose('juno'), 'TipPageHandleChosen')
      .thenNothing(choose('juno'))
      .thenRejects(choose('juno_plays'), 'ProofNeeded')
      .then(choose('juno_plays', true), 'TipPageHandleChosen')
      .thenNothing(choose('juno_plays'));
  });

  it('is one of a few that a person ever claims; going back to an own one is no new one', () => {
    new StreamStory(tipPage)
      .do(choose('juno'), choose('valastro', true), choose('piano', true))
      .thenRejects(choose('lantern', true), 'TooManyHandles')
      .then(choose('juno', true), 'TipPageHandleChosen')
      .then(choose('ju_no', true), 'TipPageHandleChosen');
  });
});

describe('many handles at once', () => {
  const runner = () => new StreamRunner(new MemoryLog());
  const take = async (
    streams: StreamRunner,
    handle: string,
    isProven: boolean,
    isOthersUsername = false,
  ): Promise<string> => {
    const keys = { handleKey: handleKeyOf(handle), exactKey: exactKeyOf(handle) };
    const wanted = { userId: JUNO, ...keys, isProven, most: 3, handle: `sealed:${handle}` };
    const ask: Parameters<typeof chooseHandle>[1] = ({ decider, id, command, provenance }) =>
      streams.execute(decider, id, command, provenance);
    const isUsername = () => Promise.resolve(isOthersUsername);
    return chooseHandle(streams, ask, isUsername, wanted, { correlationId: 'cor_1' }).then(
      () => 'chosen',
      (error: unknown) => (error instanceof Rejected ? error.reason : String(error)),
    );
  };
  const HANDLES = 'amber birch cedar dahlia elder fern'.split(' ');
  const ownersIn = (streams: StreamRunner) =>
    Promise.all(
      HANDLES.map(async (handle) => (await streams.read(handles, handleKeyOf(handle))).ownerId ?? null),
    );

  it.each([
    ['with a proof', true],
    ['without one', false],
  ])('are claimed up to the limit, %s', async (_, isProven) => {
    const streams = runner();
    const told = await Promise.all(HANDLES.map((handle) => take(streams, handle, isProven)));
    expect(told).toContain('chosen');
    expect((await ownersIn(streams)).filter((ownerId) => ownerId === JUNO).length).toBeLessThanOrEqual(3);
  });

  it('that others have do not count', async () => {
    const streams = runner();
    for (const handle of HANDLES.slice(1)) {
      const handleKey = handleKeyOf(handle);
      const claimed = { type: 'ClaimHandle', handleKey, userId: 'usr_milo' } as const;
      await streams.execute(handles, handleKey, claimed, { correlationId: 'cor_2' });
      expect(await take(streams, handle, false)).toBe('HandleTaken');
    }
    expect(await take(streams, HANDLES[0]!, false)).toBe('chosen');
  });

  it('are none that somebody else is found by as a username; an own one stays', async () => {
    const streams = runner();
    expect(await take(streams, 'amber', false, true)).toBe('HandleTaken');
    expect(await take(streams, 'amber', false)).toBe('chosen');
    expect(await take(streams, 'amber', false, true)).toBe('chosen');
  });

  it('are one where the same request comes again after the claim', async () => {
    const streams = runner();
    expect(await take(streams, 'amber', false)).toBe('chosen');
    expect(await take(streams, 'amber', false)).toBe('chosen');
    expect(await take(streams, 'birch', false)).toBe('ProofNeeded');
    expect(await ownersIn(streams)).toEqual([JUNO, null, null, null, null, null]);
  });
});

describe('a tip page', () => {
  it('is published under a handle only, taken back, and published again', () => {
    new StreamStory(tipPage)
      .thenRejects(publish, 'NoHandle')
      .thenNothing(unpublish)
      .do(choose('juno'))
      .then(publish, 'TipPagePublished')
      .thenNothing(publish)
      .then(unpublish, 'TipPageUnpublished')
      .then(publish, 'TipPagePublished');
  });

  it('says what its owner wrote; the same words again change nothing', () => {
    new StreamStory(tipPage)
      .then(describePage('f1.a'), 'TipPageDescribed')
      .thenNothing(describePage('f2.b f1.a'))
      .then(describePage('f1.b'), 'TipPageDescribed');
  });

  it('that payers have seen says something else only with a proof, also once it is taken back', () => {
    new StreamStory(tipPage)
      .do(choose('juno'), describePage('f1.a'), publish)
      .thenNothing(describePage('f1.a'))
      .thenRejects(describePage('f1.b'), 'ProofNeeded')
      .do(unpublish)
      .thenRejects(describePage('f1.b'), 'ProofNeeded')
      .then(describePage('f1.b', true), 'TipPageDescribed');
  });
});
