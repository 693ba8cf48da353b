/**
 * What is taken from somebody whose account is closed: the audit follows what the entry draws from what waits
 * unclaimed for them, and finds a book that draws otherwise.
 */
import { describe, expect, it } from '@jest/globals';
import { JOURNAL, type DrawnItem, type JournalEventOf, type Posting } from '#contracts/events/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import { recorded } from '#log/event-log';
import {
  completePayout,
  dispute,
  JUNO,
  MILO,
  open,
  openAccount,
  payoutTransferred,
  refund,
  requestPayout,
  returnPayout,
  settle,
  submitPayout,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { Relations } from './relations.js';
import type { JournalEntry } from './relation.js';

const TIP = { paymentId: 'pay_1', amount: '90.00' };
const CARD = 'platform/card-clearing';
const out = (amount: string, payoutId: string): JournalCommand[] => [
  ...[requestPayout(amount, JUNO, payoutId), payoutTransferred(payoutId)],
  ...[submitPayout(payoutId), completePayout(payoutId)],
];
const paid = [openAccount(JUNO), openAccount(MILO), open(TIP), settle(TIP)];
/** $30 and $50 wait. */
const waiting = [
  ...[...paid, ...out('30.00', 'out_1'), ...out('50.00', 'out_2')],
  ...[refund(TIP, '10.00', 're_before'), { type: 'CloseAccount', userId: JUNO } as const],
  ...[returnPayout('out_1'), returnPayout('out_2')],
];
const taken = [...waiting, refund(TIP, '40.00', 're_late')];

type Forged = Partial<JournalEventOf<'PaymentRefunded'>['data']>;

/** What is found of these commands; `forged` stands in the last refund instead of what was due. */
function findingsAfter(commands: readonly JournalCommand[], forged: Forged = {}): readonly string[] {
  const story = new Story();
  story.register(JUNO, profileOf('juno'));
  story.register(MILO, profileOf('milo'));
  story.command(...commands);
  const relations = new Relations();
  const last = story.log.all.findLastIndex(({ type }) => type === 'PaymentRefunded');
  story.log.all.forEach((raw, n) => {
    const event = recorded(raw);
    if (raw.stream !== JOURNAL) relations.other(event);
    else if (n === last && event.type === 'PaymentRefunded')
      relations.entry({ ...event, data: { ...event.data, ...forged } });
    else relations.entry(event as JournalEntry);
  });
  // Nobody in this story has a bank account or an account at the provider.
  return relations.checks().flatMap(({ findings }) => findings.filter((it) => !/of payout out_/.test(it)));
}

/** A refund of $40 that draws so much, the rest being the platform's loss. */
function drawing(...drawn: readonly DrawnItem[]): Forged {
  const drawnMinor = drawn.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const postings: Posting[] = [
    { debit: 'platform/unclaimed', credit: CARD, amountMinor: drawnMinor },
    { debit: 'platform/losses', credit: CARD, amountMinor: 4_000 - drawnMinor },
  ].filter(({ amountMinor }) => amountMinor > 0);
  return { drawn: [...drawn], postings };
}
const [one, two] = [
  { itemId: 'out_1', amountMinor: 3_000 },
  { itemId: 'out_2', amountMinor: 1_000 },
] as const;

describe('what is taken from somebody who has left', () => {
  it('is in order where it is drawn from the oldest item first, by a refund and by a dispute', () => {
    expect(findingsAfter(taken)).toEqual([]);
    expect(findingsAfter([...taken, dispute(TIP), withdrawDisputed(TIP, '40.00', '15.00')])).toEqual([]);
    expect(findingsAfter(taken, drawing(one, two))).toEqual([]);
  });

  it('is in order where it was the platform’s, as an older ledger wrote it', () =>
    expect(
      findingsAfter(taken, {
        drawn: undefined,
        postings: [{ debit: 'platform/losses', credit: CARD, amountMinor: 4_000 }],
      }),
    ).toEqual([]));

  it.each<readonly [string, Forged, string]>([
    ['less of it is drawn', drawing(one), '"3000 of out_1" and should be "3000 of out_1, 1000 of out_2"'],
    [
      'a newer item is drawn from first',
      drawing({ itemId: 'out_2', amountMinor: 4_000 }),
      '"4000 of out_2" and should be "3000 of out_1, 1000 of out_2"',
    ],
    [
      'more is drawn than an item has',
      drawing({ itemId: 'out_1', amountMinor: 4_000 }),
      '"4000 of out_1" and should be "3000 of out_1, 1000 of out_2"',
    ],
  ])('is found where %s', (_, forged, words) =>
    expect(findingsAfter(taken, forged)).toEqual([
      expect.stringMatching(`PaymentRefunded: drawn is ${words}$`),
    ]),
  );

  it('is found where its postings draw, and the entry does not say from what', () =>
    expect(findingsAfter(taken, { drawn: undefined })).toEqual([
      expect.stringMatching(/PaymentRefunded.*platform\/losses/),
    ]));

  it('is found where something is drawn for somebody who is still here', () =>
    expect(
      findingsAfter([...paid, refund(TIP, '40.00')], {
        drawn: [{ itemId: 'out_1', amountMinor: 4_000 }],
      }),
    ).toEqual([expect.stringContaining('drawn is "4000 of out_1" and should be ""')]));
});
