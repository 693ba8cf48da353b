/**
 * The platform's own money: the card provider keeps a fee of every payment, and people are owed all of it. So
 * the platform brings some along, as it would with a real account, and the books say so.
 */
import type { Chapter } from './chapter.js';

/** The fees of the demo many times over, so that whoever visits it can be paid out too. */
export const OWN_MONEY_MINOR = 5_000_00;

export const ownMoney: Chapter = {
  name: 'own money',
  run: (demo) => demo.till.topUp(OWN_MONEY_MINOR, demo.keyOf('own money')),
};
