/**
 * The books against the provider's record of the same money. Histories in which both agree, from seeds, and
 * errors of each class planted in them: every one is found, under its class, and nothing else is. `make prove
 * PART=reconcile` takes thousands of seeds.
 */
import { describe, expect, it } from '@jest/globals';
import type { Posting } from '#contracts/events/journal';
import { entryFrom, itemizedCsv, listedJson, OutsideWorld, type Affair } from '#test/support/outside-world';
import type { JournalCommand } from '#ledger/journal/commands';
import {
  AT,
  closeDispute,
  dispute,
  failPayout,
  JUNO,
  MILO,
  open,
  openAccount,
  PAYOUT,
  payoutTransferred,
  providerFee,
  refund,
  reinstateDisputed,
  requestPayout,
  settle,
  transfer,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import { metricsText } from './metrics.js';
import { providerChecks } from './report.js';
import type { ReconciledEntry } from './booked-movements.js';
import { isWrong, type DifferenceClass } from './differences.js';
import { providerMovements } from './provider-file.js';
import { reconcileProvider, type ProviderReconciliation, type ProviderStatement } from './provider.js';
import type { ProviderMovement } from './provider-movement.js';

const FROM = Number(process.env.RECONCILE_FROM ?? 1);
const SEEDS = Number(process.env.RECONCILE_SEEDS ?? 40);
const AT_A_TIME = 20;
const HOUR_MS = 3_600_000;

/**
 * An error: what it does to one movement of an affair, and under which class and which of the two ids it is
 * found.
 */
interface Plant {
  readonly class: DifferenceClass;
  readonly do: (affair: Affair, movement: ProviderMovement, world: OutsideWorld) => void;
  /** What the finding names: the movement that was there, or the one that was added. */
  readonly names?: (movement: ProviderMovement) => string;
  readonly fits?: (movement: ProviderMovement, affair: Affair, world: OutsideWorld) => boolean;
}

const replace = (affair: Affair, old: ProviderMovement, ...by: readonly ProviderMovement[]): void => {
  affair.movements = affair.movements.flatMap((each) => (each === old ? by : [each]));
};
/** The entries of the journal that book a movement. */
const bookedBy = (
  { source, type, id }: ProviderMovement,
  { data, type: entryType }: ReconciledEntry,
): boolean => {
  if ('balanceTransactionId' in data) return data.balanceTransactionId === id;
  if (type === 'refund_failure') return entryType.endsWith('RefundFailed') || entryType === 'RefundFailed';
  switch (source.kind) {
    case 'charge':
      return entryType === 'PaymentSettled' || entryType === 'UnappliedReceived';
    case 'refund':
      return entryType === 'PaymentRefunded' || entryType === 'UnappliedRefunded';
    case 'transfer':
      return entryType === 'PayoutTransferred';
    case 'reversal':
      return entryType === 'PayoutFailed';
    default:
      return false;
  }
};
/** Only the legs in card clearing are the provider's business; a leg is never brought below one unit. */
const raised = (postings: readonly Posting[], byMinor: number): Posting[] => {
  const at = postings.findIndex(({ debit, credit }) => [debit, credit].includes('platform/card-clearing'));
  return postings.map((posting, n) =>
    n === at ? { ...posting, amountMinor: posting.amountMinor + byMinor } : posting,
  );
};
const money = (movement: ProviderMovement, grossMinor: number, feeMinor: number): ProviderMovement => ({
  ...movement,
  grossMinor,
  feeMinor,
  netMinor: grossMinor - feeMinor,
});

const PLANTS: Readonly<Record<string, Plant>> = {
  'a movement that the provider lacks': {
    class: 'only-ours',
    do: (affair, movement) => replace(affair, movement),
  },
  'a movement that the books lack': {
    class: 'only-theirs',
    do: (affair, movement) => {
      affair.entries = affair.entries.filter((entry) => !bookedBy(movement, entry));
    },
    // In an account that others use, too, what the log does not name is theirs.
    fits: (_, affair, world) =>
      world.use === 'exclusive' || affair.kind === 'tip' || affair.kind === 'payout',
  },
  'another amount at the provider': {
    class: 'amount',
    do: (affair, movement, { dice }) =>
      replace(
        affair,
        movement,
        money(movement, movement.grossMinor + dice.one([-1, 1, 900]), movement.feeMinor),
      ),
  },
  'another fee at the provider': {
    class: 'amount',
    do: (affair, movement, { dice }) =>
      replace(affair, movement, money(movement, movement.grossMinor, movement.feeMinor + dice.one([1, 77]))),
  },
  'another gross and fee with the same net': {
    class: 'amount',
    do: (affair, movement) =>
      replace(affair, movement, money(movement, movement.grossMinor + 5, movement.feeMinor + 5)),
    fits: ({ grossMinor }) => grossMinor !== 0 && grossMinor !== -5,
  },
  'another amount in the books': {
    class: 'amount',
    do: (affair, movement, { dice }) => {
      const at = affair.entries.findIndex((entry) => bookedBy(movement, entry) && entry.postings.length > 0);
      affair.entries = affair.entries.map((entry, n) =>
        n === at
          ? ({ ...entry, postings: raised(entry.postings, dice.one([1, 250])) } as ReconciledEntry)
          : entry,
      );
    },
  },
  'an entry that stands twice': {
    class: 'amount',
    do: (affair, movement) => {
      const twice = affair.entries.find((entry) => bookedBy(movement, entry) && entry.postings.length > 0);
      if (twice) affair.entries = [...affair.entries, { ...twice, revision: twice.revision + 0.5 }];
    },
  },
  'a fee that names another movement': {
    class: 'amount',
    do: (affair) => {
      affair.entries = affair.entries.map((entry) =>
        entry.type === 'ProviderFeeBooked'
          ? { ...entry, data: { ...entry.data, balanceTransactionId: 'txn_other' } }
          : entry,
      );
    },
    fits: ({ source }) => source.kind === 'charge',
  },
  'a movement that is listed twice': {
    class: 'only-theirs',
    do: (affair, movement) => replace(affair, movement, movement, movement),
  },
  'an object that moved the balance twice': {
    class: 'only-theirs',
    do: (affair, movement) =>
      replace(affair, movement, movement, { ...movement, id: `${movement.id}_again` }),
    names: ({ id }) => `${id}_again`,
    fits: (movement, affair, world) => world.use === 'exclusive' || affair.kind !== 'own money',
  },
  'a movement that is booked after the end': {
    class: 'timing',
    do: (affair, movement, { end }) => {
      const recordedAt = new Date(end.getTime() + HOUR_MS).toISOString();
      affair.entries = affair.entries.map((entry) =>
        bookedBy(movement, entry) ? ({ ...entry, recordedAt } as ReconciledEntry) : entry,
      );
    },
  },
  'a movement of the last hour that is not booked yet': {
    class: 'timing',
    do: (affair, movement, { end }) => {
      affair.entries = affair.entries.filter((entry) => !bookedBy(movement, entry));
      replace(affair, movement, { ...movement, createdAt: new Date(end.getTime() - HOUR_MS).toISOString() });
    },
    fits: (_, { kind }) => kind === 'tip' || kind === 'payout',
  },
};

const statementOf = (world: OutsideWorld, movements = world.movements()): ProviderStatement => ({
  movements,
  isExclusive: world.use === 'exclusive',
  at: world.end,
});
async function* streamed<T>(items: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* items;
}
const reconciled = (world: OutsideWorld, movements?: readonly ProviderMovement[]) =>
  reconcileProvider(streamed(world.entries()), statementOf(world, movements && [...movements]));

/**
 * What was found beside matches and other people's movements, as `class id`, and that the books are explained
 * by it.
 */
function foundIn({ items, endings }: ProviderReconciliation): string[] {
  for (const { currency, differenceMinor } of endings ?? []) {
    const wrong = items.filter((item) => item.currency === currency && isWrong(item.class));
    const sum = wrong.reduce((minor, { theirMinor, ourMinor }) => minor + theirMinor - ourMinor, 0);
    expect({ currency, differenceMinor }).toEqual({ currency, differenceMinor: sum });
  }
  return items
    .filter((item) => item.class !== 'matched' && item.class !== 'foreign')
    .map((item) => `${item.class} ${item.theirId ?? item.subject}`)
    .sort();
}

/** A world with an error in some of its affairs, and what must be found. */
async function planted(seed: number): Promise<{ world: OutsideWorld; expected: string[]; kinds: string[] }> {
  const world = new OutsideWorld(seed, seed % 2 === 0 ? 'exclusive' : 'shared');
  const before = await reconciled(world);
  const expected: string[] = [];
  const kinds: string[] = [];
  for (const affair of world.affairs.filter(({ kind }) => kind !== 'foreign')) {
    const movement = world.dice.maybe(affair.movements);
    if (!movement || !world.dice.chance(0.4)) continue;
    const fitting = Object.entries(PLANTS).filter(([, { fits }]) => fits?.(movement, affair, world) ?? true);
    const [kind, plant] = world.dice.one(fitting);
    const item = before.items.find(({ theirId }) => theirId === movement.id);
    plant.do(affair, movement, world);
    const named = plant.class === 'only-ours' ? item?.subject : (plant.names?.(movement) ?? movement.id);
    expected.push(`${plant.class} ${named}`);
    kinds.push(kind);
  }
  return { world, expected: expected.sort(), kinds };
}

const starts = Array.from({ length: Math.ceil(SEEDS / AT_A_TIME) }, (_, n) => FROM + n * AT_A_TIME);
const seedsFrom = (from: number): number[] => Array.from({ length: AT_A_TIME }, (_, n) => from + n);

describe('the books and the provider’s movements', () => {
  it.each(starts)('agree where nothing is wrong, whichever file tells it (seeds from %i)', async (from) => {
    for (const seed of seedsFrom(from)) {
      const world = new OutsideWorld(seed, seed % 2 === 0 ? 'exclusive' : 'shared');
      const movements = world.movements();
      for (const read of [
        movements,
        providerMovements(itemizedCsv(movements)),
        providerMovements(listedJson(movements)),
      ]) {
        const result = await reconciled(world, read);
        expect({ seed, found: foundIn(result) }).toEqual({ seed, found: [] });
        expect(result.items.filter((item) => item.class === 'matched').length).toBe(
          movements.filter(({ id }) => !id.startsWith('txn_x_')).length,
        );
        expect(result.endings?.map(({ differenceMinor }) => differenceMinor)).toEqual([0]);
      }
    }
  });

  const met = new Set<string>();
  it.each(starts)(
    'differ by the errors that were planted and by nothing else (seeds from %i)',
    async (from) => {
      for (const seed of seedsFrom(from)) {
        const { world, expected, kinds } = await planted(seed);
        const movements = world.movements();
        for (const read of [
          movements,
          providerMovements(itemizedCsv(movements)),
          providerMovements(listedJson(movements)),
        ])
          expect({ seed, kinds, found: foundIn(await reconciled(world, read)) }).toEqual({
            seed,
            kinds,
            found: expected,
          });
        for (const kind of kinds) met.add(kind);
      }
    },
  );
  it('met each kind of error in those seeds', () =>
    expect([...met].sort()).toEqual(Object.keys(PLANTS).sort()));
});

describe('a reconciliation with the provider', () => {
  const at = new Date('2026-04-01T00:00:00Z');
  const movement = (
    id: string,
    netMinor: number,
    over: Partial<ProviderMovement> = {},
  ): ProviderMovement => ({
    ...{ id, type: 'charge', grossMinor: netMinor, feeMinor: 0, netMinor, currency: 'usd' },
    ...{ createdAt: AT, source: { kind: 'other' } },
    ...over,
  });
  const tip = { paymentId: 'pay_1', amount: '20.00' };
  const paid = [openAccount(JUNO), openAccount(MILO), open(tip), settle(tip), providerFee(tip, '0.88')];
  const source = { kind: 'charge', id: 'ch_pay_1' } as const;
  const charge = movement('txn_fee_pay_1', 1_912, { grossMinor: 2_000, feeMinor: 88, source });

  /** What the report says, all of it. */
  async function findings(
    commands: readonly JournalCommand[],
    movements: readonly ProviderMovement[],
    over: Partial<ProviderStatement> = {},
  ): Promise<string[]> {
    const entries = new Story().command(...commands).map(entryFrom);
    const statement = { movements, counted: new Map(), isExclusive: false, at, ...over };
    const result = await reconcileProvider(streamed(entries), statement);
    return providerChecks(result).flatMap((check) => check.findings);
  }

  it('finds nothing beside what was counted as somebody else’s', async () => {
    const counted = new Map([['txn_x', 'foreign' as const]]);
    expect(await findings(paid, [movement('txn_x', 500), charge], { counted })).toEqual([]);
  });
  it('names a movement that nobody has counted', async () => {
    expect(await findings(paid, [movement('txn_x', 500, { type: 'topup' }), charge])).toEqual([
      'the balance is 5.00 usd off what books and foreign movements explain',
      'txn_x (movement txn_x): 5.00 usd, it is in no entry; since 2026-03-01T20:00:00.000Z, 30 days, for operator',
    ]);
  });
  it('takes the log’s word for what is ours, whatever it was counted as', async () => {
    const counted = new Map([[charge.id, 'foreign' as const]]);
    const less = { ...charge, feeMinor: 100, netMinor: 1_900 };
    expect(await findings(paid, [less], { counted })).toEqual([
      'the balance is -0.12 usd off what books and foreign movements explain',
      expect.stringContaining('net 19.00 usd there, 19.12 usd in the books, entry 3, 4 of the journal'),
    ]);
  });
  it('names an entry of which the provider knows nothing', async () => {
    expect(await findings([...paid, refund(tip, '5.00', 're_1')], [charge])).toEqual([
      'the balance is 5.00 usd off what books and foreign movements explain',
      expect.stringMatching(
        /^refund re_1: -5\.00 usd, the provider shows no movement of it, entry 5 .* for finance$/,
      ),
    ]);
  });
  it('finds nothing where a refund left and came back before anybody booked it', async () => {
    const of = { kind: 'refund', id: 're_1' } as const;
    const pair = [
      movement('txn_back', 500, { type: 'refund_failure', source: of }),
      movement('txn_out', -500, { type: 'refund', source: of }),
    ];
    expect(await findings(paid, [...pair, charge])).toEqual([]);
  });
  it('finds nothing where a transfer came back in parts, of which the entry names the last', async () => {
    const entries = [...paid, requestPayout('19.12'), payoutTransferred(), failPayout('trr_2')];
    const part = (n: number, net: number, of: object = { transferId: `tr_${PAYOUT}` }) =>
      movement(`txn_${n}`, net, {
        type: 'transfer_refund',
        source: { kind: 'reversal', id: `trr_${n}`, ...of },
      });
    const transfer = movement('txn_out', -1_912, {
      type: 'transfer',
      source: { kind: 'transfer', id: `tr_${PAYOUT}`, payoutId: PAYOUT },
    });
    expect(await findings(entries, [charge, transfer, part(1, 500), part(2, 1_412)])).toEqual([]);
    const byPayout = { payoutId: PAYOUT };
    expect(
      await findings(entries, [charge, transfer, part(1, 500, byPayout), part(2, 1_412, byPayout)]),
    ).toEqual([]);
    // Less than all of it is another thing.
    expect(await findings(entries, [charge, transfer, part(1, 400), part(2, 1_412)])).not.toEqual([]);
  });
  it('finds nothing where a dispute that was won, its fee with it, made up for a debt that was given up', async () => {
    const spent = [...paid, transfer('20.00', JUNO, MILO), dispute(tip), withdrawDisputed(tip)];
    const writeOff: JournalCommand = { type: 'WriteOffDebt', userId: JUNO, writeOffId: 'wo_1' };
    const won = [...spent, closeDispute(tip, 'lost'), writeOff, reinstateDisputed(tip, '20.00', '15.00')];
    const of = { type: 'adjustment', source: { kind: 'dispute', id: 'dp_pay_1' } } as const;
    const taken = movement('txn_out_pay_1_1', -3_500, { grossMinor: -2_000, feeMinor: 1_500, ...of });
    const back = movement('txn_in_pay_1_1', 3_500, { grossMinor: 2_000, feeMinor: -1_500, ...of });
    expect(await findings(won, [charge, taken, back])).toEqual([]);
  });
  it('cannot be believed where the provider’s movements are not its balance', async () => {
    const endingMinor = new Map([['usd', 2_000]]);
    expect(await findings(paid, [charge], { endingMinor })).toEqual([
      "the provider's movements add up to 19.12 usd, and its balance is 20.00 usd",
      'the balance is 0.88 usd off what books and foreign movements explain',
    ]);
  });
  it('of one month begins with the balances of before', async () => {
    const later = { paymentId: 'pay_2', amount: '10.00' };
    const entries = new Story()
      .command(...paid, open(later), settle(later), providerFee(later, '0.59'))
      .map(entryFrom);
    const march = '2026-03-15T00:00:00.000Z';
    const moved = entries.map((entry) =>
      entry.revision < 5
        ? entry
        : ({ ...entry, recordedAt: march, data: { ...entry.data, occurredAt: march } } as ReconciledEntry),
    );
    const second = movement('txn_fee_pay_2', 941, {
      ...{ grossMinor: 1_000, feeMinor: 59, createdAt: march, source: { kind: 'charge', id: 'ch_pay_2' } },
    });
    const { items, endings } = await reconcileProvider(streamed(moved), {
      ...{ movements: [second], isExclusive: true, at, since: new Date('2026-03-10T00:00:00Z') },
      openingMinor: new Map([['usd', 1_912]]),
    });
    expect(items.map((item) => item.class)).toEqual(['matched']);
    expect(endings).toMatchObject([
      { theirMinor: 2_853, ourMinor: 2_853, broughtForwardMinor: 0, differenceMinor: 0 },
    ]);
  });
  it('tells Prometheus of each class, also of those without a difference', async () => {
    const entries = new Story().command(...paid).map(entryFrom);
    const { items } = await reconcileProvider(streamed(entries), { movements: [], isExclusive: true, at });
    const text = metricsText([{ side: 'provider', items }], at);
    expect(text).toContain('encore_reconcile_items{side="provider",class="only-ours",owner="finance"} 1\n');
    expect(text).toContain(
      'encore_reconcile_items{side="provider",class="only-theirs",owner="operator"} 0\n',
    );
    expect(text).toContain(
      'encore_reconcile_difference_minor{side="provider",class="only-ours",currency="usd"} -1912\n',
    );
    expect(text).toContain(
      `encore_reconcile_done_timestamp_seconds{side="provider"} ${at.getTime() / 1000}\n`,
    );
  });
});

describe('a file of balance transactions', () => {
  const header = 'balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id';
  const listed = (over: object): string =>
    JSON.stringify([
      { id: 'txn_1', type: 'topup', amount: 1, fee: 0, net: 1, currency: 'usd', created: 1, ...over },
    ]);
  it.each([
    ['has no header', '', 'The file has no header line.'],
    [
      'has a line that is too short',
      `${header}\ntxn_1,2026-03-01`,
      'Line 2 has 2 fields, and the header has 8.',
    ],
    [
      'is about something else',
      'name,age\nJuno,30',
      'The header has no currency: is this a file of balance transactions?',
    ],
    ['is nothing but a word', 'null', 'The header has no currency'],
    [
      'has a line without an id',
      `${header}\n,2026-03-01 20:00,usd,1,0,1,charge,ch_1`,
      'Line 2 has no balance_transaction_id or id',
    ],
    [
      'has an amount with half a cent',
      `${header}\ntxn_1,2026-03-01 20:00,usd,1.005,0,1,charge,ch_1`,
      'Line 2: "1.005" is no amount in usd.',
    ],
    [
      'has a time of no zone that it says',
      `${header}\ntxn_1,1 March 2026,usd,1,0,1,charge,ch_1`,
      'Line 2: "1 March 2026" is no time in UTC.',
    ],
    [
      'ends within a quote',
      `${header}\n"txn_1`,
      'Line 2 has a quote where none belongs, or one that never ends.',
    ],
    ['is the first page of a list', '{"data":[],"has_more":true}', /has only the first page/],
    ['is broken JSON', '{"data":', 'The file begins as JSON and is none.'],
    [
      'has amounts that together cannot be counted',
      `${header}\n${[1, 2].map((n) => `txn_${n},2026-03-01 20:00,usd,90000000000000.00,0,90000000000000.00,topup,`).join('\n')}`,
      'The amounts of the file come to more than can be counted to the cent.',
    ],
    ['has a currency of no kind in JSON', listed({ currency: 'us1' }), /no currency/],
    ['has a time beyond all calendars in JSON', listed({ created: 9_000_000_000_000 }), /no time/],
    ['has amounts with a point in JSON', '[{"id":"txn_1","amount":1.5}]', /no list of balance transactions/],
  ])('is refused where it %s', (_what, text, says) => expect(() => providerMovements(text)).toThrow(says));

  it('may have what the provider holds in reserve, which is in no balance that is compared', () => {
    expect(providerMovements(listed({ balance_type: 'risk_reserved' }))).toEqual([]);
    expect(providerMovements(listed({ balance_type: 'payments' }))).toHaveLength(1);
  });

  it('may be the balance history of the dashboard, too', () => {
    const text =
      '\uFEFFid,Type,Source,Amount,Fee,Destination Platform Fee,Net,Currency,Created (UTC),Available On (UTC),Description,paymentId (metadata)\n' +
      'txn_1,charge,ch_1,"1,020.00",29.88,,990.12,usd,2026-03-01 20:00,2026-03-03 00:00,"a ""tip"", thanks",pay_1\n';
    expect(providerMovements(text)).toEqual([
      {
        ...{
          id: 'txn_1',
          type: 'charge',
          grossMinor: 102_000,
          feeMinor: 2_988,
          netMinor: 99_012,
          currency: 'usd',
        },
        createdAt: AT,
        source: { kind: 'charge', id: 'ch_1', paymentId: 'pay_1' },
      },
    ]);
  });
  it('counts a currency without a minor unit in whole units', () =>
    expect(providerMovements(`${header}\ntxn_1,2026-03-01 20:00,jpy,1200,36,1164,charge,ch_1`)).toMatchObject(
      [{ grossMinor: 1_200, feeMinor: 36, netMinor: 1_164, currency: 'jpy' }],
    ));
});
