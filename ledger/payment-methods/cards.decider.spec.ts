import { describe, expect, it } from '@jest/globals';
import { StreamStory } from '#test/support/stream-spec';
import { cards, type CardsCommand } from './cards.decider.js';

const open = (customerId: string) => (): CardsCommand => ({
  type: 'OpenCustomer',
  userId: 'usr_a',
  customerId,
});
const note =
  (cardIds: readonly string[], defaultId = cardIds[0]) =>
  (): CardsCommand => ({ type: 'NoteCards', userId: 'usr_a', cardIds, defaultId });
const close = (): CardsCommand => ({ type: 'CloseCustomer', userId: 'usr_a' });
const known = () => new StreamStory(cards).do(open('cus_a'));

describe('a user at the card provider', () => {
  it('has one id there, which stays whatever a second request was given', () => {
    const story = new StreamStory(cards).then(open('cus_a'), 'CardCustomerOpened').thenNothing(open('cus_a'));
    story.thenNothing(open('cus_b'));
    expect(story.state).toMatchObject({ status: 'open', customerId: 'cus_a' });
  });
  it('gets another id where the provider has lost the first one, and its cards are gone with it', () => {
    const replace = (lostId: string, customerId: string) => (): CardsCommand => ({
      type: 'ReplaceCustomer',
      userId: 'usr_a',
      lostId,
      customerId,
    });
    const story = known()
      .do(note(['pm_a', 'pm_b']))
      .thenNothing(replace('cus_other', 'cus_b'))
      .then(replace('cus_a', 'cus_b'), 'CardRemoved', 'CardRemoved', 'CardCustomerOpened')
      .thenNothing(replace('cus_a', 'cus_c'));
    expect(story.state).toEqual({
      status: 'open',
      customerId: 'cus_b',
      cardIds: [],
      defaultId: undefined,
    });
    story.do(close).thenRejects(replace('cus_b', 'cus_c'), 'Forgotten');
  });
  it('is none before the first card', () => {
    expect(new StreamStory(cards).state).toEqual({ status: 'none' });
    new StreamStory(cards).thenNothing(close);
  });
  it('who was forgotten has none any more, and gets no other', () => {
    const story = known()
      .do(note(['pm_a']))
      .then(close, 'CardCustomerClosed')
      .thenNothing(close);
    story.thenNothing(note(['pm_b'])).thenRejects(open('cus_b'), 'Forgotten');
    expect(story.state).toEqual({ status: 'closed' });
  });
});

describe('a saved card', () => {
  it('is noted when the provider shows it, and once', () => {
    known()
      .then(note(['pm_a']), 'CardSaved', 'DefaultCardChanged')
      .thenNothing(note(['pm_a']))
      .then(note(['pm_b', 'pm_a'], 'pm_a'), 'CardSaved');
  });
  it('that becomes the default is noted, and one that is gone', () => {
    const story = known().do(note(['pm_b', 'pm_a']));
    story.then(note(['pm_b', 'pm_a'], 'pm_a'), 'DefaultCardChanged');
    story
      .then(note(['pm_b']), 'CardRemoved', 'DefaultCardChanged')
      .then(note([]), 'CardRemoved')
      .thenNothing(note([]));
    expect(story.state).toMatchObject({ cardIds: [] });
  });
});
