/** Wallets in which money is set aside, put in and taken out. */
import type { Chapter } from './chapter.js';
import type { DemoName } from './people.js';

interface Move {
  /** Into the wallet; below zero: out of it. In whole dollars. */
  readonly dollars: number;
  readonly note: string;
}

export const WALLETS: readonly {
  readonly of: DemoName;
  readonly name: string;
  readonly about?: string;
  readonly moves: readonly Move[];
}[] = [
  {
    of: 'juno',
    name: 'Spring tour',
    about: 'Van, fuel and hotels',
    moves: [
      { dollars: 200, note: 'The first hundred miles' },
      { dollars: 75, note: 'Half of Friday' },
      { dollars: -40, note: 'Deposit for the van' },
    ],
  },
  { of: 'juno', name: 'Piano tuner', moves: [{ dollars: 60, note: 'Before the recording' }] },
  {
    of: 'odalys',
    name: 'Studio days',
    about: 'Three in May',
    moves: [{ dollars: 120, note: 'The first day' }],
  },
  { of: 'teodor', name: 'Doves', about: 'Feed, and a larger cage', moves: [] },
];

export const treasury: Chapter = {
  name: 'treasury',
  run: (demo) =>
    demo.forEach(WALLETS, async ({ of, name, about, moves }) => {
      const owner = await demo.person(of);
      const body = { displayName: name, description: about ?? null };
      const { id } = (await owner.call(
        'POST',
        '/api/treasury/wallets',
        body,
        demo.keyOf(`wallet ${of} ${name}`),
      )) as {
        id: string;
      };
      for (const { dollars, note } of moves) {
        const path = dollars > 0 ? '/api/treasury/transfer' : '/api/treasury/withdraw';
        const move = { walletId: id, amount: `${Math.abs(dollars)}.00`, description: note };
        await owner.call('POST', path, move, demo.keyOf(`move ${of} ${name} ${note}`));
      }
    }),
};
