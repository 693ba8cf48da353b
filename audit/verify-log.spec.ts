/**
 * What verify finds in a log: each kind of forgery, by hand and by somebody who knows how the chain is made.
 */
import { describe, expect, it } from '@jest/globals';
import { available } from '#contracts/plain/accounts';
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import { ReadRefused, type LogSource, type RawEvent } from '#log/event-log';
import { jsonOrText, StoredContent } from '#log/stored-content';
import {
  decline,
  failRefund,
  JUNO,
  MILO,
  open,
  openAccount,
  refund,
  returnUnapplied,
  settle,
  snapshot,
  submit,
  transfer,
} from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { completeStory } from '#test/support/complete-story';
import { Story } from '#test/support/story';
import { Forger } from '#test/tampering/forger';
import { settingsStream } from '#contracts/events/settings';
import { takeOut } from '#log/quarantine';
import { hasPassed, reportLines } from './report.js';
import { verify } from './verify.js';
import { verifyLog } from './verify-log.js';

const tip = { paymentId: 'pay_tip', amount: '20.00' };

/** Entries of many kinds, three kinds of streams. */
function honest(): Story {
  const story = new Story();
  story.register(JUNO, profileOf('juno'));
  story.register(MILO, profileOf('milo'));
  story.command(openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), decline(tip), settle(tip));
  story.switch(JUNO, 'biometricEnabled', true);
  story.command(settle(tip, { chargeId: 'ch_again' }), returnUnapplied('ch_again', '20.00'));
  story.command(
    transfer('15.00', JUNO, MILO),
    refund(tip, '20.00'),
    failRefund(tip),
    refund(tip, '10.00', 're_2'),
  );
  story.changeProfile(MILO, profileOf('milo', { lastName: 'Moon' }));
  return story;
}

const findingsOf = async (story: Story): Promise<Record<string, readonly string[]>> =>
  Object.fromEntries(
    (await verify(story.log))
      .filter(({ findings }) => findings.length > 0)
      .map(({ name, findings }) => [name, findings]),
  );

/** The findings after `forge` edited the events in place, with the revisions and positions that it left. */
async function forged(forge: (all: RawEvent[]) => void): Promise<Record<string, readonly string[]>> {
  const story = honest();
  forge(story.log.all);
  return findingsOf(story);
}

const place = (all: readonly RawEvent[], type: string): number =>
  all.findIndex((event) => event.type === type);
const edit = (all: RawEvent[], type: string, change: Partial<RawEvent>): void => {
  const at = place(all, type);
  all[at] = { ...all[at]!, ...change };
};

describe('verify, over an untouched log', () => {
  it('finds it in order, with a figure for each check and the balances of the books', async () => {
    const story = honest();
    const { checks, balances } = await verifyLog(story.log);
    expect(hasPassed(checks)).toBe(true);
    expect(Object.fromEntries(balances)).toEqual(snapshot(story.books));
    expect(reportLines(checks)).toEqual([
      'check                              result  figure',
      '---------------------------------  ------  ------',
      'chain of every stream              ok      4 streams, 16 events',
      'revisions without gaps             ok      16 events',
      'bytes as a ledger writes them      ok      16 events',
      'every event readable               ok      16 events',
      'no event twice                     ok      16 ids',
      'no idempotency key twice           ok      12 keys',
      'times in order and not ahead       ok      16 events',
      'every entry balanced               ok      12 entries',
      'trial balance zero                 ok      4 accounts, usd 0',
      'overdrawn by refund or dispute     ok      2 accounts of people, 1 in debt',
      'occurrences collected once         ok      0 occurrences',
      'postings follow from the entry     ok      12 entries',
      'keys and ids fit the entries       ok      10 keys, 1 transfers and movements',
      'payments, charges and refunds fit  ok      1 payments',
      'charges, disputes and fees fit     ok      2 charges, 0 balance transactions',
      'payouts take their course          ok      0 payouts',
      'debits asked for by their owner    ok      2 acts of owners, 0 schedules',
      'people, handles and cards fit      ok      2 people, 0 handles',
      'accounts opened, owned and closed  ok      2 users, 0 wallets open',
      'epochs and suspensions fit         ok      0 epochs',
      'closed months add up               ok      0 months',
      '',
      'The books are in order.',
    ]);
  });

  it('counts the streams of other applications, and does not check them', async () => {
    const story = honest();
    const alone = reportLines((await verifyLog(story.log)).checks);
    const foreign = { type: 'Ordered', data: { total: 1 }, metadata: {} };
    story.log.put('orders-1', { ...foreign, id: 'o1' }, { ...foreign, id: 'o2' });
    story.log.put('journals', { ...foreign, id: 'o3' });
    story.log.all.splice(-3, 1);
    const lines = reportLines((await verifyLog(story.log)).checks);
    expect(lines.filter((line) => !alone.includes(line))).toEqual([
      'streams of others                  ok      2 events of 2 streams, not judged',
    ]);
    expect(lines.at(-1)).toBe('The books are in order.');
  });

  /** A payment whose intent is recorded under a key of the payment's own, as builds of before wrote it. */
  const submittedBefore = (key: string): Story => {
    const story = new Story();
    for (const userId of [JUNO, MILO]) story.register(userId, profileOf(userId));
    story.command(openAccount(JUNO), openAccount(MILO), open(tip));
    const data = { paymentId: tip.paymentId, intentId: 'pi_pay_tip' };
    story.entry({ type: 'PaymentSubmitted', data }, { key });
    return story;
  };

  it('finds a log in order in which a build of before recorded the intent of a payment', async () => {
    const story = submittedBefore('submit:pay_tip');
    story.command(settle(tip));
    expect(await findingsOf(story)).toEqual({});
  });

  it('detects an intent that is recorded once more under its present key', async () => {
    const story = submittedBefore('submit:pay_tip');
    const data = { paymentId: tip.paymentId, intentId: 'pi_pay_tip' };
    story.entry({ type: 'PaymentSubmitted', data }, { key: 'intent:pi_pay_tip' });
    expect(await findingsOf(story)).toEqual({
      'payments, charges and refunds fit': [
        expect.stringContaining("the provider's payment pi_pay_tip was recorded before"),
      ],
    });
  });

  it('detects an intent under the key of another payment, in the form of before too', async () =>
    expect(await findingsOf(submittedBefore('submit:pay_other'))).toEqual({
      'keys and ids fit the entries': [expect.stringContaining('"submit:pay_other" and should be')],
    }));

  it('finds an empty log in order, and does not check the store’s own streams', async () => {
    const story = new Story();
    story.log.put('$metadata', { id: 'x', type: '$metadata', data: {}, metadata: {} });
    expect(hasPassed(await verify(story.log))).toBe(true);
  });

  it('gives the balances at a position in the middle', async () => {
    const story = new Story();
    story.command(openAccount(JUNO), openAccount(MILO), open(tip));
    const [settled] = story.command(settle(tip));
    story.command(transfer('15.00', JUNO, MILO));
    const { balancesAt } = await verifyLog(story.log, settled!.position);
    expect(balancesAt?.get(available(JUNO))).toBe(2000);
    expect((await verifyLog(story.log, { commit: 1n, prepare: 1n })).balancesAt).toBeUndefined();
  });
});

describe('verify, over a store that was edited by hand', () => {
  it('detects a raised amount', async () => {
    const found = await forged((all) => {
      const { data } = all[place(all, 'TransferPosted')]!;
      const richer = StoredContent.of(JSON.parse(JSON.stringify(data).replaceAll('1500', '1501')));
      edit(all, 'TransferPosted', { data: richer });
    });
    expect(found['chain of every stream']).toEqual([
      'journal at revision 8: the event is not what was written here',
    ]);
  });

  it('detects an edited profile in a user’s stream', async () => {
    const found = await forged((all) =>
      edit(all, 'ProfileChanged', { data: StoredContent.of({ userId: JUNO, profile: 'sealed:x:y' }) }),
    );
    expect(found).toEqual({
      'chain of every stream': ['user-usr_milo at revision 1: the event is not what was written here'],
      'every event readable': [
        'user-usr_milo at revision 1: ProfileChanged is about usr_juno and stands in user-usr_milo.',
      ],
    });
  });

  it('detects edited metadata: the time, the actor, the idempotency key', async () => {
    const found = await forged((all) => {
      const metadata = all[place(all, 'PaymentSettled')]!.metadata.value as object;
      edit(all, 'PaymentSettled', {
        metadata: StoredContent.of({ ...metadata, actorId: 'somebody else' }),
      });
    });
    expect(Object.keys(found)).toEqual(['chain of every stream']);
  });

  it('detects a removed entry, whether or not the later ones are renumbered', async () => {
    const gap = await forged((all) => void all.splice(place(all, 'TransferPosted'), 1));
    expect(gap['chain of every stream']).toEqual([
      'journal at revision 8: the log has revision 9 of journal here',
    ]);
    expect(gap['revisions without gaps']).toEqual(['journal at revision 9: the revision before it is 7']);
    const closed = await forged((all) => {
      const at = place(all, 'TransferPosted');
      all.splice(at, 1);
      for (let n = at; n < all.length; n += 1)
        if (all[n]!.stream === JOURNAL) all[n] = { ...all[n]!, revision: all[n]!.revision - 1 };
    });
    expect(closed['chain of every stream']).toEqual([
      'journal at revision 8: the event is not what was written here',
    ]);
    expect(closed['revisions without gaps']).toBeUndefined();
  });

  it('detects an inserted entry', async () => {
    const found = await forged((all) => {
      const at = place(all, 'TransferPosted');
      const copy = { ...all[at]!, id: 'another' };
      all.splice(at, 0, copy);
      for (let n = at + 1; n < all.length; n += 1)
        if (all[n]!.stream === JOURNAL) all[n] = { ...all[n]!, revision: all[n]!.revision + 1 };
    });
    expect(found['chain of every stream']).toEqual([
      'journal at revision 8: the event is not what was written here',
    ]);
    expect(found['no idempotency key twice']).toEqual([
      'journal at revision 9: the key "spec:trf_1" was used at revision 8',
    ]);
  });

  it('detects two swapped entries', async () => {
    const found = await forged((all) => {
      const [one, other] = [place(all, 'PaymentSubmitted'), place(all, 'PaymentAttemptFailed')];
      const [a, b] = [all[one]!, all[other]!];
      all[one] = { ...b, revision: a.revision, position: a.position };
      all[other] = { ...a, revision: b.revision, position: b.position };
    });
    expect(found['chain of every stream']).toEqual([
      'journal at revision 3: the event is not what was written here',
    ]);
    expect(found['times in order and not ahead']?.[0]).toMatch(
      /^journal at revision 4: recorded at .*, before the event in front of it/,
    );
  });

  it('detects a removed hash', async () => {
    const found = await forged((all) =>
      edit(all, 'PaymentOpened', { metadata: StoredContent.of({ version: 1 }) }),
    );
    expect(found['chain of every stream']).toEqual(['journal at revision 2: the event carries no hash']);
    expect(found['every event readable']?.[0]).toMatch(/^journal at revision 2/);
  });
});

describe('verify, over forged events whose hashes are right', () => {
  /** The findings after one more event, with a correct hash: only its content is wrong. */
  const added = async (
    event: JournalEvent,
    provenance: { key?: string } = { key: 'new' },
  ): Promise<Record<string, readonly string[]>> => {
    const story = honest();
    story.write(JOURNAL, event, provenance);
    return findingsOf(story);
  };
  const forgedTransfer = (amountMinor: number, postings: object[]): JournalEvent =>
    ({
      type: 'TransferPosted',
      data: { transferId: 'trf_x', payerId: MILO, recipientId: JUNO, amountMinor, currency: 'usd', postings },
    }) as JournalEvent;

  it('detects created money: an entry whose amount is less than its postings move', async () => {
    const found = await added(
      forgedTransfer(1, [{ debit: available(MILO), credit: available(JUNO), amountMinor: 100 }]),
    );
    expect(found).toMatchObject({
      'every entry balanced': [
        expect.stringMatching(/^journal at revision 12: .*says 1 minor units and its postings move 100/),
      ],
    });
  });

  it('detects a posting that debits one currency and credits another', async () => {
    const found = await added(
      forgedTransfer(100, [{ debit: 'platform/unapplied/jpy', credit: available(JUNO), amountMinor: 100 }]),
    );
    expect(found['every entry balanced']).toHaveLength(1);
    expect(found['postings follow from the entry']).toHaveLength(1);
  });

  it('detects a spend beyond the balance', async () => {
    const found = await added(
      forgedTransfer(1501, [{ debit: available(MILO), credit: available(JUNO), amountMinor: 1501 }]),
    );
    expect(found).toMatchObject({
      'overdrawn by refund or dispute': [
        `journal at revision 12: TransferPosted leaves ${available(MILO)} at -1 minor units`,
      ],
    });
  });

  it('detects an idempotency key and a settlement that are used twice', async () => {
    const found = await added(
      {
        type: 'PaymentSettled',
        data: {
          paymentId: 'pay_tip',
          payerId: MILO,
          recipientId: JUNO,
          amountMinor: 2000,
          currency: 'usd',
          intentId: 'pi_pay_tip',
          chargeId: 'ch_pay_tip',
          occurredAt: '2026-03-01T20:00:00.000Z',
          postings: [{ debit: 'platform/card-clearing', credit: available(JUNO), amountMinor: 2000 }],
        },
      },
      { key: 'settle:ch_pay_tip' },
    );
    expect(found).toMatchObject({
      'no idempotency key twice': [
        'journal at revision 12: the key "settle:ch_pay_tip" was used at revision 5',
      ],
      'payments, charges and refunds fit': [
        'journal at revision 12: PaymentSettled of "pay_tip": it was settled before, at revision 5',
      ],
    });
  });

  it('detects an entry without an idempotency key', async () => {
    const found = await added(
      { type: 'AccountOpened', data: { account: available('usr_x'), userId: 'usr_x' } },
      {},
    );
    expect(found).toMatchObject({
      'no idempotency key twice': ['journal at revision 12: the entry has no key'],
    });
  });

  it('detects an event recorded more than five minutes ahead of the store’s time', async () => {
    const story = honest();
    const last = story.log.all.at(-1)!;
    story.log.all[story.log.all.length - 1] = {
      ...last,
      createdAt: new Date(last.createdAt.getTime() - 301_000),
    };
    expect(await findingsOf(story)).toEqual({
      'times in order and not ahead': [
        expect.stringMatching(/^user-usr_milo at revision 1: recorded at .*more than five minutes ahead/),
      ],
    });
  });

  it('detects an event that stands twice, in one stream or in two', async () => {
    const story = honest();
    const [switched, moved] = ['SettingSwitchedOn', 'ProfileChanged'].map((type) =>
      story.log.all.find((event) => event.type === type)!,
    );
    const forger = new Forger(story.log.all);
    forger.put(forger.at('TransferPosted'), { id: switched!.id });
    forger.put(forger.at('UserRegistered'), { id: moved!.id }).rechain();
    const { checks } = await verifyLog(forger.log);
    expect(checks.filter(({ findings }) => findings.length > 0)).toEqual([
      expect.objectContaining({
        name: 'no event twice',
        findings: [
          `journal at revision 8: the event ${switched!.id} is the one of settings-usr_juno at revision 0`,
          `user-usr_milo at revision 1: the event ${moved!.id} is the one of user-usr_juno at revision 0`,
        ],
      }),
    ]);
  });

  it('detects an event of an unknown type', async () => {
    const story = honest();
    story.log.put(JOURNAL, {
      id: 'x',
      type: 'BalanceSet',
      data: { account: available(JUNO), amountMinor: 1 },
      metadata: {
        version: 1,
        recordedAt: new Date(story.nowMs).toISOString(),
        correlationId: 'x',
        hash: 'x',
      },
    });
    const found = await findingsOf(story);
    expect(found['every event readable']).toEqual([
      expect.stringMatching(/^journal at revision 12: .*"BalanceSet"/),
    ]);
  });
});

describe('verify, over disputes, payouts and collected occurrences', () => {
  it('finds a history with all of them in order', async () => {
    const story = completeStory();
    const { checks, balances } = await verifyLog(story.log);
    expect(checks.filter(({ findings }) => findings.length > 0)).toEqual([]);
    expect(Object.fromEntries(balances)).toEqual(snapshot(story.books));
    const figures = Object.fromEntries(checks.map(({ name, figure }) => [name, figure]));
    expect(figures).toMatchObject({
      'occurrences collected once': '3 occurrences',
      'payouts take their course': '3 payouts',
    });
  });

  it('detects an occurrence collected twice', async () => {
    const story = completeStory();
    const first = story.log.all.find(
      ({ type, data }) => type === 'TransferPosted' && 'occurrence' in (data.value as object),
    )!;
    const event = {
      type: 'TransferPosted',
      data: { ...(first.data.value as object), transferId: 'trf_again' },
    } as JournalEvent;
    story.write(JOURNAL, event, { key: 'again' });
    expect(await findingsOf(story)).toMatchObject({
      'occurrences collected once': [
        expect.stringContaining(`occurrence occ_1 was collected at revision ${first.revision}`),
      ],
    });
  });

  it('detects a transfer for an attempt that was refused', async () => {
    const story = completeStory();
    const refused = story.log.all.find(({ type }) => type === 'CollectionRefused')!;
    const { occurrence } = refused.data.value as { occurrence: object };
    const posted = story.log.all.find(
      ({ type, data }) => type === 'TransferPosted' && 'occurrence' in (data.value as object),
    )!;
    const data = { ...(posted.data.value as object), transferId: 'trf_late', occurrence };
    story.write(JOURNAL, { type: 'TransferPosted', data } as JournalEvent, { key: 'late' });
    expect(await findingsOf(story)).toMatchObject({
      'occurrences collected once': [
        expect.stringContaining(`attempt 1 at occurrence occ_3 was refused at revision ${refused.revision}`),
      ],
    });
  });

  it('detects a payout whose money comes back twice', async () => {
    const story = completeStory();
    const failed = story.log.all.find(({ type }) => type === 'PayoutFailed')!;
    story.write(JOURNAL, { type: 'PayoutFailed', data: failed.data.value } as JournalEvent, { key: 'again' });
    expect((await findingsOf(story))['payouts take their course']).toEqual([
      expect.stringContaining('PayoutFailed of payout out_1: it was failed and should be'),
    ]);
  });
});

it('a report says how many more findings there are than it shows', () => {
  const findings = Array.from({ length: 12 }, (_, n) => `finding ${n}`);
  const lines = reportLines([{ name: 'trial balance zero', figure: '1 accounts', findings }]);
  expect(lines).toContain('  and 2 more');
  expect(lines.at(-1)).toBe('The books are NOT in order: 1 of 1 checks failed.');
});

describe('what a report advises', () => {
  const advice = (...names: readonly string[]): string | undefined =>
    reportLines(names.map((name) => ({ name, figure: '', findings: ['x'] }))).find((line) =>
      line.startsWith('What to do'),
    );

  it('is no rebuild while the log itself is in doubt', () => {
    expect(advice('chain of every stream', 'live rows = replay')).toContain('rebuild nothing');
    expect(advice('payouts take their course')).toContain('rebuild nothing');
  });

  it('is a rebuild only where something outside says that the log is right', () =>
    expect(advice('live rows = replay')).toMatch(/fits a head that was signed before .* rebuild them/));

  it('is left to findings that say it themselves', () => expect(advice('copy complete')).toBeUndefined());
});

describe('an event that cannot be read', () => {
  const strange = (story: Story): void =>
    void story.log.put(settingsStream(JUNO), {
      id: 'strange',
      type: 'SettingDimmed',
      data: {},
      metadata: {},
    });

  it('is a finding, and its stream is named as parked', async () => {
    const story = new Story();
    story.switch(JUNO, 'biometricEnabled', true);
    strange(story);
    const { checks } = await verifyLog(story.log);
    expect(hasPassed(checks)).toBe(false);
    expect(checks.find(({ name }) => name === 'parked streams')?.figure).toBe(
      '1: settings-usr_juno at revision 1',
    );
  });

  it('is none once an operator has taken it out: it is named, and all else holds', async () => {
    const story = new Story();
    story.switch(JUNO, 'biometricEnabled', true);
    strange(story);
    await takeOut(
      story.log,
      { stream: settingsStream(JUNO), revision: 1, because: 'A test.' },
      new Date(story.nowMs),
    );
    const { checks } = await verifyLog(story.log);
    expect(checks.filter(({ findings }) => findings.length > 0)).toEqual([]);
    expect(checks.find(({ name }) => name === 'quarantined events')?.figure).toBe(
      '1: settings-usr_juno at revision 1',
    );
  });
});

it('a field that is nested too deeply for any program to write is a finding, and ends no audit', async () => {
  const forger = new Forger(honest().log.all);
  const place = forger.at('TransferPosted');
  const { bytes } = forger.all[place]!.data;
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const data = Buffer.from(`${bytes.toString().slice(0, -1)},"x":${deep}}`);
  forger.put(place, { data: new StoredContent(data, jsonOrText) }).rechain(false);
  const { checks } = await verifyLog(forger.log);
  expect(checks.flatMap(({ findings }) => findings)).toEqual([
    expect.stringContaining('TransferPosted: its data are not the JSON that a ledger writes'),
  ]);
});

describe('metadata of a stream of ours that say who may use it', () => {
  const describeJournal = (story: Story, data: object): void =>
    void story.log.put('$$journal', { id: JSON.stringify(data), type: '$metadata', data, metadata: {} });
  const rightsOf = async (story: Story) =>
    (await verifyLog(story.log)).checks.find(({ name }) => name === 'rights of streams');

  it('are named, since they may lock out whoever writes or reads it', async () => {
    const story = honest();
    describeJournal(story, { $acl: { $w: ['somebody'] } });
    expect(await rightsOf(story)).toEqual({
      name: 'rights of streams',
      figure: '1: journal by $acl {"$w":["somebody"]}',
      findings: [],
    });
  });

  it('are a finding where we may not read it, which says what to do', async () => {
    const story = honest();
    describeJournal(story, { $acl: { $r: ['somebody'] } });
    const { log } = story;
    const denied: LogSource = {
      readAll: (after, prefixes) => log.readAll(after, prefixes),
      lastOf: (stream) => log.lastOf(stream),
      async *readStream(stream, from, limit) {
        if (stream === JOURNAL) throw new ReadRefused('Access denied', 'denied');
        yield* log.readStream(stream, from, limit);
      },
    };
    const { checks } = await verifyLog(denied);
    expect(checks.filter(({ findings }) => findings.length > 0)).toEqual([
      expect.objectContaining({
        name: 'rights of streams',
        findings: [expect.stringMatching(/does not let this user read the stream "journal".*Correct \$acl/)],
      }),
    ]);
  });

  it('are told no more once they are taken away, and never of streams of others', async () => {
    const story = honest();
    describeJournal(story, { $acl: { $r: ['somebody'] } });
    describeJournal(story, {});
    story.log.put('$$orders-1', { id: 'o', type: '$metadata', data: { $acl: { $r: ['x'] } }, metadata: {} });
    expect(await rightsOf(story)).toBeUndefined();
  });
});

describe('what came since a place', () => {
  /** Two transfers that nobody asked for, chained as the writer would have. */
  const forger = new Forger(honest().log.all);
  const first = forger.at('TransferPosted');
  const { data, type } = forger.metadata(first, { actorId: undefined }).all[first]!;
  forger.forge({ type, data: { ...(data.value as object), transferId: 'trf_x' } }).rechain();
  const [early, late] = [forger.all[first]!.revision, forger.all.at(-1)!.revision];
  const told = async (fromRevision: number, signedSize = 100, log = forger.log) => {
    log.reindex();
    const { checks } = await verifyLog(log, undefined, { fromRevision, fromMs: -Infinity, signedSize });
    return checks.flatMap(({ findings }) => findings);
  };

  it('is judged alone, over balances and accounts that all of the log has made', async () => {
    expect(await told(0)).toEqual(expect.arrayContaining([expect.stringContaining(`at revision ${early}:`)]));
    expect(await told(early + 1)).toEqual([
      expect.stringContaining(
        `journal at revision ${late}: TransferPosted leaves user/usr_juno/available at -`,
      ),
      expect.stringContaining(`journal at revision ${late}: TransferPosted: it is usr_juno’s to ask for`),
    ]);
    expect(await told(late + 1)).toEqual([]);
  });

  it('is not judged where the signed head does not cover what stands before', async () => {
    expect(await told(late + 1, 3)).toEqual([
      `The head was signed over 3 events, and ${forger.all.length} are not judged: name a later head, or an earlier place.`,
    ]);
  });

  it('never hides that the chain of what stands before is broken', async () => {
    const other = new Forger(forger.all);
    other.data(first, { amountMinor: 1 });
    expect(await told(late + 1, 100, other.log)).toEqual([
      `journal at revision ${early}: the event is not what was written here`,
    ]);
  });
});
