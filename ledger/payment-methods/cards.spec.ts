import { describe, expect, it } from '@jest/globals';
import { StreamStory } from '#test/support/stream-spec';
import { cards } from './cards.js';

const open = (customerId: string) => () => ({ type: 'OpenCustomer', userId: 'usr_a', customerId }) as const;

describe('a user at the card provider', () => {
  it('has one id there, which stays whatever a second request was given', () => {
    const story = new StreamStory(cards).then(open('cus_a'), 'CardCustomerOpened').thenNothing(open('cus_a'));
    story.thenNothing(open('cus_b'));
    expect(story.state).toEqual({ customerId: 'cus_a' });
  });
  it('is none before the first card', () => {
    expect(new StreamStory(cards).state.customerId).toBeUndefined();
  });
});
