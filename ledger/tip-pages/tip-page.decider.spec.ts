/** A tip page and its handle: claimed once, changed with a proof, published and taken back. */
import { describe, expect, it } from '@jest/globals';
import { StreamStory } from '#test/support/stream-spec';
import { exactKeyOf, handleKeyOf, handles } from './handle.decider.js';
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
const describePage = (fingerprint: string) => (): TipPageCommand => ({
  type: 'DescribeTipPage',
  userId: JUNO,
  words: 'sealed:words',
  isListed: false,
  fingerprint,
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
});
