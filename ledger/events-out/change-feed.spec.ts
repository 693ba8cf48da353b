// The feed over a log in memory and read models that pass when the test says so.
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ALL_TOPICS } from '#contracts/api/events-out';
import { comparePositions, START, type Position } from '#contracts/log';
import { JOURNAL } from '#contracts/events/journal';
import { USER_PREFIX } from '#contracts/events/user';
import { PASSKEYS_PREFIX, passkeysStream } from '#contracts/events/passkeys';
import { THANKS_PREFIX, thanksStream } from '#contracts/events/thanks';
import { SETTINGS_PREFIX } from '#contracts/events/settings';
import { ReadProgress } from '../http/read-models.js';
import {
  ADA,
  JUNO,
  MILO,
  cancel,
  decline,
  dispute,
  open,
  openAccount,
  refund,
  settle,
  submit,
  transfer,
} from '#test/support/journal-spec';
import { sealedFor } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { ChangeFeed, type Change, type Listener } from './change-feed.js';

class Passing extends ReadProgress {
  reached: Position = START;
  readonly stoppedBecause = undefined;
  readonly #waiting = new Set<() => void>();
  #asked: (() => void) | undefined;

  waitFor(position: Position): Promise<boolean> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (comparePositions(this.reached, position) < 0) return;
        this.#waiting.delete(look);
        resolve(true);
      };
      this.#waiting.add(look);
      look();
      if (this.#waiting.has(look)) this.#asked?.();
    });
  }

  /** Resolves once somebody waits for a position that is not reached. */
  isAsked(): Promise<void> {
    return this.#waiting.size > 0 ? Promise.resolve() : new Promise((resolve) => (this.#asked = resolve));
  }

  passAll(story: Story): void {
    this.reached = story.log.all.at(-1)!.position;
    for (const look of [...this.#waiting]) look();
  }
}

class Hearer implements Listener {
  readonly heard: Change[] = [];
  ended = false;
  leave: () => void = () => undefined;
  #wake: (() => void) | undefined;
  constructor(readonly userId: string) {}

  changed(change: Change): void {
    this.heard.push(change);
    this.#wake?.();
  }
  end(): void {
    this.ended = true;
  }
  async count(count: number): Promise<readonly Change[]> {
    while (this.heard.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.heard;
  }
}

const tip = { paymentId: 'pay_1', amount: '20.50', from: MILO, to: JUNO };
const ALERT = {
  kind: 'payment_received',
  amount: '20.50',
  counterpartyUsername: `${MILO}.plays`,
  counterpartyName: `name of ${MILO}`,
  note: `note of pay_1 to ${JUNO}`,
};
let feed: ChangeFeed;
const drops: string[] = [];
afterEach(() => {
  feed.close();
  drops.length = 0;
});

/** People with accounts, and a feed whose read models have passed all of that. */
function begin({ wantsAlerts = true, retryMs = 1, lastMovedAt = undefined as Date | undefined } = {}) {
  const story = new Story();
  story.command(openAccount(JUNO), openAccount(MILO), openAccount(ADA));
  const readModels = new Passing();
  feed = new ChangeFeed({
    log: story.log,
    unprojected: [PASSKEYS_PREFIX],
    prefixes: [JOURNAL, USER_PREFIX, SETTINGS_PREFIX, THANKS_PREFIX],
    readModels,
    reads: {
      payerOf: (paymentId) => Promise.resolve(paymentId === tip.paymentId ? tip.from : undefined),
      noteOf: (recipientId, id) => Promise.resolve(`note of ${id} to ${recipientId}`),
      wantsAlerts: () => Promise.resolve(wantsAlerts),
      lastMovedAt: () => Promise.resolve(lastMovedAt),
      knownAs: (userId) =>
        Promise.resolve({ counterpartyUsername: `${userId}.plays`, counterpartyName: `name of ${userId}` }),
    },
    note: pino({ level: 'silent' }),
    onDrop: (why) => drops.push(why),
    retryMs,
  });
  readModels.passAll(story);
  const listening = (userId: string): Hearer => {
    const hearer = new Hearer(userId);
    hearer.leave = feed.listen(hearer);
    return hearer;
  };
  return { story, readModels, listening };
}

describe('the feed of changes', () => {
  it('tells payer and recipient of a settled payment, each their own, and nobody else', async () => {
    const { story, readModels, listening } = begin();
    const [juno, milo, ada] = [listening(JUNO), listening(MILO), listening(ADA)];
    story.command(open(tip), submit(tip), settle(tip));
    const { position } = story.log.all.at(-1)!;
    const after = story.switch(ADA, 'privacyModeEnabled', true);
    readModels.passAll(story);
    expect(await juno.count(1)).toEqual([
      { position, topics: ['user', 'transactions'], lineId: tip.paymentId, alert: ALERT },
    ]);
    expect(await milo.count(1)).toEqual([
      { position, topics: ['user', 'transactions'], lineId: tip.paymentId },
    ]);
    expect(await ada.count(1)).toEqual([{ position: after.position, topics: ['settings'] }]);
    expect([juno.heard.length, milo.heard.length]).toEqual([1, 1]);
  });

  it('tells whoever began to listen while the read models had not passed the entry yet', async () => {
    const { story, readModels, listening } = begin();
    const ada = listening(ADA);
    story.command(open(tip), submit(tip), settle(tip));
    story.switch(ADA, 'privacyModeEnabled', true);
    // It has read the payment, in which nobody took part who listens, and the rows do not show it yet.
    await readModels.isAsked();
    const juno = listening(JUNO);
    readModels.passAll(story);
    await ada.count(1);
    expect(juno.heard.map(({ topics, alert }) => [topics, alert])).toEqual([
      [['user', 'transactions'], ALERT],
    ]);
  });

  it('says nothing before the read models have passed the entry', async () => {
    const { story, readModels, listening } = begin();
    const juno = listening(JUNO);
    story.command(open(tip), submit(tip), settle(tip));
    await readModels.isAsked();
    expect(juno.heard).toEqual([]);
    readModels.passAll(story);
    expect(await juno.count(1)).toHaveLength(1);
  });

  it('gives no alert to whoever switched alerts off, and the change all the same', async () => {
    const { story, readModels, listening } = begin({ wantsAlerts: false });
    const juno = listening(JUNO);
    story.command(open(tip), submit(tip), settle(tip));
    readModels.passAll(story);
    expect(await juno.count(1)).toEqual([
      {
        position: story.log.all.at(-1)?.position,
        topics: ['user', 'transactions'],
        lineId: tip.paymentId,
      },
    ]);
  });

  it('tells the payer of a decline, and both of a refund and a transfer', async () => {
    const { story, readModels, listening } = begin();
    const [juno, milo] = [listening(JUNO), listening(MILO)];
    story.command(
      open(tip),
      submit(tip),
      decline(tip),
      settle(tip),
      refund(tip, '5.00'),
      transfer('1.00', JUNO, MILO),
    );
    readModels.passAll(story);
    const topics = ['user', 'transactions'];
    expect((await milo.count(4)).map((change) => [change.topics, change.alert?.amount])).toEqual([
      [topics, undefined],
      [topics, undefined],
      [topics, undefined],
      [topics, '1.00'],
    ]);
    expect((await juno.count(3)).map(({ alert }) => alert?.amount)).toEqual(['20.50', undefined, undefined]);
    // Which line it is: it may stand far below the newest of their list.
    const lines = milo.heard.map(({ lineId }) => lineId);
    expect(lines.slice(0, 3)).toEqual([tip.paymentId, tip.paymentId, tip.paymentId]);
    expect(juno.heard[1]?.lineId).toBe(tip.paymentId);
  });

  it('tells whoever has put what a guest paid into their account of what becomes of it', async () => {
    const { story, readModels, listening } = begin();
    const milo = listening(MILO);
    // The rows have it as Milo's: they know of the claim.
    const guests = { ...tip, from: 'gst_wren' };
    story.command(open(guests), submit(guests), settle(guests), refund(guests, '5.00'), dispute(guests));
    const thanked = { paymentId: tip.paymentId, payerId: 'gst_wren', recipientId: JUNO };
    story.write(thanksStream(tip.paymentId), {
      type: 'PayerThanked',
      data: { ...thanked, thanks: 'thank_you' },
    });
    readModels.passAll(story);
    const both = ['user', 'transactions'];
    expect((await milo.count(4)).map(({ topics, lineId }) => [topics, lineId])).toEqual([
      [both, tip.paymentId],
      [both, tip.paymentId],
      [both, tip.paymentId],
      [['transactions'], tip.paymentId],
    ]);
  });

  it('tells the user of a passkey that is added or removed, and nobody else', async () => {
    const { story, listening } = begin();
    const [juno, ada] = [listening(JUNO), listening(ADA)];
    const passkey = { userId: JUNO, passkeyId: 'pk_1' };
    story.write(passkeysStream(JUNO), {
      type: 'PasskeyEnrolled',
      data: { ...passkey, credential: sealedFor(JUNO, '{}') },
    });
    story.write(passkeysStream(JUNO), { type: 'PasskeyRemoved', data: passkey });
    // Passkeys are read from the log itself: there are no rows to wait for.
    expect((await juno.count(2)).map(({ topics }) => topics)).toEqual([['settings'], ['settings']]);
    expect(ada.heard).toEqual([]);
  });

  it('tells the payer of a payment that is given up', async () => {
    const { story, readModels, listening } = begin();
    const milo = listening(MILO);
    story.command(open(tip), submit(tip), decline(tip), cancel(tip));
    readModels.passAll(story);
    expect(await milo.count(2)).toHaveLength(2);
  });

  it('goes on behind what it told when the log breaks off, and tells nothing twice', async () => {
    const { story, readModels, listening } = begin();
    const juno = listening(JUNO);
    story.command(open(tip), submit(tip), settle(tip));
    readModels.passAll(story);
    await juno.count(1);
    story.log.breakConnections();
    story.switch(JUNO, 'transactionAlertsEnabled', false);
    readModels.passAll(story);
    expect((await juno.count(2)).map(({ topics }) => topics)).toEqual([
      ['user', 'transactions'],
      ['settings'],
    ]);
  });

  it('goes on at once when the store drops it, after the rows, and tells nothing twice', async () => {
    const { story, readModels, listening } = begin({ retryMs: 3_600_000 });
    story.log.dropWhenBehind(2);
    const juno = listening(JUNO);
    for (let n = 1; n <= 20; n += 1) {
      const paymentId = `pay_${n}`;
      story.command(
        open({ ...tip, paymentId }),
        submit({ ...tip, paymentId }),
        settle({ ...tip, paymentId }),
      );
      await readModels.isAsked();
      expect(juno.heard).toHaveLength(n - 1);
      readModels.passAll(story);
      await juno.count(n);
    }
    const settled = story.log.all.filter(({ type }) => type === 'PaymentSettled');
    expect(juno.heard.map(({ position }) => position)).toEqual(settled.map(({ position }) => position));
    expect(drops.length).toBeGreaterThan(0);
  });

  it('tells everybody to read everything when an event is newer than this build', async () => {
    const { story, readModels, listening } = begin();
    const ada = listening(ADA);
    story.log.put('user-usr_x', {
      id: 'evt_new',
      type: 'FromTheFuture',
      data: {},
      metadata: story.log.all[0]!.metadata as object,
    });
    readModels.passAll(story);
    expect((await ada.count(1))[0]?.topics).toEqual(ALL_TOPICS);
  });

  it('follows the log only while somebody listens, and begins anew where the read models stand', async () => {
    const { story, readModels, listening } = begin();
    const first = listening(JUNO);
    expect([feed.size, feed.countOf(JUNO), feed.countOf(MILO)]).toEqual([1, 1, 0]);
    first.leave();
    expect([feed.size, feed.countOf(JUNO)]).toEqual([0, 0]);
    story.command(open(tip), submit(tip), settle(tip));
    readModels.passAll(story);
    const second = listening(JUNO);
    story.switch(JUNO, 'transactionAlertsEnabled', false);
    readModels.passAll(story);
    expect((await second.count(1))[0]?.topics).toEqual(['settings']);
    expect(first.heard).toEqual([]);
  });

  it('knows whether money moved while a page was loading, or so shortly before that its rows may have come later', async () => {
    const agoMs = 8_000;
    begin({ lastMovedAt: new Date(Date.now() - agoMs) });
    expect(await feed.mayHaveMissed(JUNO, agoMs)).toBe(true);
    expect(await feed.mayHaveMissed(JUNO, agoMs - 4_000)).toBe(true);
    expect(await feed.mayHaveMissed(JUNO, agoMs - 6_000)).toBe(false);
    feed.close();
    begin();
    expect(await feed.mayHaveMissed(JUNO, 3_600_000)).toBe(false);
  });

  it('ends every stream when the process ends, and those that come later', () => {
    const { listening } = begin();
    const juno = listening(JUNO);
    feed.close();
    expect([juno.ended, listening(MILO).ended]).toEqual([true, true]);
  });
});
