/** Everybody signs up, and some change a preference. */
import type { Chapter } from './chapter.js';
import { PEOPLE, type DemoName } from './people.js';

const PREFERENCES: Partial<Record<DemoName, Readonly<Record<string, boolean>>>> = {
  nell: { transactionAlertsEnabled: false },
  petra: { privacyModeEnabled: true },
};

export const signUps: Chapter = {
  name: 'sign-ups',
  run: (demo) =>
    demo.forEach(Object.keys(PEOPLE) as DemoName[], async (name) => {
      const person = await demo.person(name);
      for (const [preference, on] of Object.entries(PREFERENCES[name] ?? {}))
        await person.call('PUT', '/api/settings', { [preference]: on });
    }),
};
