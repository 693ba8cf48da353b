/** Cards kept for payments to come: of those who subscribe, and of Juno, who travels. */
import type { Chapter } from './chapter.js';
import type { DemoName } from './people.js';
import { GOOD_CARD } from './till.js';

/** The provider's test numbers, of several brands. */
export const CARDS: readonly { readonly of: DemoName; readonly number: string }[] = [
  { of: 'juno', number: GOOD_CARD },
  { of: 'juno', number: '5555555555554444' },
  { of: 'wren', number: GOOD_CARD },
  { of: 'imani', number: '5555555555554444' },
  { of: 'petra', number: '6011111111111117' },
  { of: 'lantern', number: '378282246310005' },
];

export const savedCards: Chapter = {
  name: 'saved cards',
  run: (demo) =>
    demo.forEach(CARDS, async ({ of, number }) => {
      const person = await demo.person(of);
      const key = demo.keyOf(`card ${of} ${number}`);
      const { clientSecret } = (await person.call('POST', '/api/setup-intent', {}, key)) as {
        clientSecret: string;
      };
      await demo.till.saveCard(clientSecret, number);
    }),
};
