/** Who is asked to confirm, and who is stopped, by how often cards are declined. */
import { describe, expect, it } from '@jest/globals';
import { declinesWith } from '#test/support/declines';
import { LimitCounts, OwnCounter } from './counter.js';
import { Declines, tooManyDeclines, type Judgement } from './declines.js';

const JUNO = 'usr_juno';
const VENUE = '192.0.2.7';
const MINUTE = 60_000;

interface Try {
  /** Undefined for what is no card; one of the payer's own where none is named. */
  readonly card?: string | undefined;
  readonly network?: string;
  readonly to?: string;
  readonly pays?: boolean;
}

class World {
  nowMs = 0;
  readonly declines = declinesWith({}, () => this.nowMs);
  #payments = 0;

  /** Somebody starts a payment and enters a card, if they may. Answers what they were told. */
  async tries(
    payerId: string,
    { network = VENUE, to = JUNO, pays = false, ...by }: Try = {},
  ): Promise<Judgement['kind'] | 'stopped'> {
    const card = 'card' in by ? by.card : `card_${payerId}`;
    const { kind } = await this.declines.judge(payerId, to, network);
    if (kind === 'refuse') return kind;
    const paymentId = `pay_${++this.#payments}`;
    const parties = { payerId, recipientId: to };
    await this.declines.opened(paymentId, network);
    if (pays) await this.declines.paid(paymentId, parties);
    else {
      await this.declines.declined(paymentId, parties, card);
      if (!(await this.declines.mayGoOn(paymentId, parties, card))) return 'stopped';
    }
    return kind;
  }

  /** Somebody starts a payment, if they may, and enters no card yet. */
  async opens(payerId: string, { network = VENUE, to = JUNO } = {}): Promise<Judgement['kind']> {
    const { kind } = await this.declines.judge(payerId, to, network);
    // Twice, as after an answer that was lost.
    const paymentId = `pay_${++this.#payments}`;
    if (kind !== 'refuse') for (const _ of 'ab') await this.declines.opened(paymentId, network);
    return kind;
  }
}

describe('declines', () => {
  it('of a tester with 300 cards, accounts and addresses against one performer end at the 30th', async () => {
    const world = new World();
    const told = [];
    for (let n = 0; n < 300; n++) {
      world.nowMs = n * 1_000;
      told.push(await world.tries(`thief${n}`, { card: `fp_${n}`, network: `198.51.100.${n}` }));
    }
    expect(told.indexOf('challenge')).toBe(15);
    expect(told.filter((kind) => kind === 'clear' || kind === 'challenge')).toHaveLength(29);
    expect(told[29]).toBe('stopped');
    expect(new Set(told.slice(30))).toEqual(new Set(['refuse']));
    const judged = await world.declines.judge('honest', JUNO, VENUE);
    if (judged.kind !== 'refuse') throw new Error(`Expected a refusal, got ${judged.kind}`);
    expect(tooManyDeclines(judged.reached).message).toBe(
      'Too many cards were declined for this person just now. Please wait 6 minutes and try again.',
    );
    // Nobody else is paid less for it, and ten minutes later this performer is paid again.
    expect(await world.tries('honest', { to: 'usr_ada', pays: true })).toBe('clear');
    world.nowMs = 11 * MINUTE;
    expect(await world.tries('honest', { pays: true })).not.toBe('refuse');
  });

  it('of some among 300 payers behind one address stop nobody: all of them pay', async () => {
    const world = new World();
    for (let n = 0; n < 300; n++) {
      world.nowMs = n * 2_000;
      // Every tenth has a card that is declined, and takes another one.
      if (n % 10 === 5) expect(await world.tries(`guest${n}`)).toBe('clear');
      expect(await world.tries(`guest${n}`, { pays: true })).toBe('clear');
    }
  });

  it('of one payer are asked to be confirmed at five, and end at ten, until ten minutes have passed', async () => {
    const world = new World();
    const told = [];
    for (let n = 0; n < 12; n++) told.push(await world.tries('milo', { to: `usr_${n}`, card: `fp_${n}` }));
    expect(told).toEqual([
      ...Array(5).fill('clear'),
      ...Array(4).fill('challenge'),
      'stopped',
      'refuse',
      'refuse',
    ]);
    world.nowMs = 10 * MINUTE + 1;
    expect(await world.tries('milo', { pays: true })).toBe('clear');
  });

  it('of one card end at six, whoever uses it', async () => {
    const world = new World();
    const told = [];
    for (let n = 0; n < 7; n++)
      told.push(
        await world.tries(`thief${n}`, { to: `usr_${n}`, card: 'fp_stolen', network: `198.51.100.${n}` }),
      );
    expect(told.slice(0, 5)).not.toContain('stopped');
    expect(told.slice(5)).toEqual(['stopped', 'stopped']);
  });

  it('of cards that one saves count with those that one pays by, each event once, and end at ten', async () => {
    const world = new World();
    const { declines } = world;
    const saves = (n: number) =>
      declines.setupDeclined({ setupId: 'seti_1', eventId: `evt_${n}`, payerId: 'milo', card: `fp_${n}` });
    for (let n = 0; n < 5; n++) for (const again of [n, n, n]) expect(await saves(again)).toBe(true);
    for (let n = 0; n < 4; n++)
      expect(await world.tries('milo', { to: `usr_${n}`, card: `fp_p${n}` })).toBe('challenge');
    expect((await declines.judge('milo', undefined, VENUE)).kind).toBe('challenge');
    expect(await saves(9)).toBe(false);
    const judged = await declines.judge('milo', undefined, VENUE);
    expect(judged.kind === 'refuse' && tooManyDeclines(judged.reached).message).toMatch(
      /^Too many cards were declined\. Please wait/,
    );
  });

  it('behind one address end at 40 where nobody there pays', async () => {
    const world = new World();
    const told = [];
    for (let n = 0; n < 60; n++)
      told.push(await world.tries(`thief${n}`, { to: `usr_${n}`, card: `fp_${n}` }));
    expect(told.indexOf('refuse')).toBe(40);
  });

  it('of one card keep nobody else from paying a performer, however often it is tried, and by whom', async () => {
    const world = new World();
    // All day, from another address and as another guest each time, as with a card that its owner has frozen.
    for (let n = 0; n < 200; n++) {
      world.nowMs = n * 2 * MINUTE;
      const frozen = { card: 'fp_frozen', network: `198.51.100.${n}` };
      expect(await world.tries(`guest${n}`, frozen)).not.toBe('refuse');
    }
    expect(await world.tries('honest', { pays: true })).toBe('clear');
  });

  it.each([
    // Any digits that add up are a card that nobody has: one to each try, if need be.
    ['cards', (n: number) => `fp_${n}`],
    ['what is no card, such as Cash App', () => undefined],
  ])('of %s from one address keep nobody elsewhere from paying a performer', async (_, cardOf) => {
    const world = new World();
    for (let n = 0; n < 200; n++) {
      world.nowMs = n * 2 * MINUTE;
      await world.tries(`guest${n}`, { card: cardOf(n), network: '198.51.100.7' });
    }
    expect(await world.tries('honest', { pays: true })).toBe('clear');
  });

  it('are not got round by payments that are started first, and all tried at once later', async () => {
    const world = new World();
    const told = [];
    for (let n = 0; n < 400; n++) told.push(await world.opens(`thief${n}`, { to: `usr_${n}` }));
    expect([told.indexOf('challenge'), told.indexOf('refuse')]).toEqual([150, 300]);
    const judged = await world.declines.judge('honest', JUNO, VENUE);
    expect(judged.kind === 'refuse' && tooManyDeclines(judged.reached).message).toBe(
      'Too many payments were started at this connection and not paid. Please wait 10 minutes and try again.',
    );
    world.nowMs = 4 * MINUTE;
    expect((await world.declines.judge('honest', JUNO, VENUE)).kind).toBe('refuse');
    world.nowMs = 10 * MINUTE;
    expect((await world.declines.judge('honest', JUNO, VENUE)).kind).toBe('clear');
    // Not all day either.
    let started = 0;
    for (let n = 0; n < 24 * 60; n++) {
      world.nowMs = n * MINUTE;
      for (let m = 0; m < 10; m++)
        if ((await world.opens(`thief${n}`, { network: '198.51.100.7' })) !== 'refuse') started++;
    }
    expect(started).toBe(1_000);
  });

  it('leave alone what is started while nobody can be told where: what is paid could not be counted either', async () => {
    const declines = new Declines(
      new LimitCounts({ counter: new OwnCounter(0.5), secret: Buffer.alloc(32) }),
      { keep: () => Promise.resolve(false), of: () => Promise.resolve(undefined) },
    );
    for (let n = 0; n < 300; n++) await declines.opened(`pay_${n}`, VENUE);
    expect((await declines.judge('honest', JUNO, VENUE)).kind).toBe('clear');
  });

  it('hold nobody up where 900 pay within the hour, and some look no further than the sum', async () => {
    const world = new World();
    for (let n = 0; n < 900; n++) {
      world.nowMs = n * 4_000;
      expect(await world.tries(`guest${n}`, { pays: true })).toBe('clear');
      if (n % 4 === 0) expect(await world.opens(`shy${n}`)).toBe('clear');
    }
  });

  it('of others never stop somebody who has paid today', async () => {
    const world = new World();
    expect(await world.tries('regular', { pays: true, network: '203.0.113.9' })).toBe('clear');
    for (let n = 0; n < 40; n++)
      await world.tries(`thief${n}`, { card: `fp_${n}`, network: `198.51.100.${n}` });
    expect(await world.tries('stranger', { network: '203.0.113.8', pays: true })).toBe('refuse');
    expect(await world.tries('regular', { network: '203.0.113.9', pays: true })).toBe('challenge');
  });
});
