/**
 * Payments at two ledgers over one journal, with no database: what one has written, the other goes on with.
 */
import { Module, type INestApplicationContext } from '@nestjs/common';
import { ActiveMethods } from '#ledger/stripe/active-methods';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { ExecuteJournalCommand, JournalCommandHandler } from '#ledger/bus/execute-journal-command';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { ChargeSavedCard, GiveUpPayment } from '#ledger/bus/payments';
import type { JournalCommand } from '#ledger/journal/commands';
import { KnownPeople, RequireStayingHandler } from '#ledger/users/users.handlers';
import { Journal } from '#ledger/journal/journal';
import { Patience } from '#ledger/patience';
import { LOG } from '#ledger/parts';
import { CardProvider } from '#ledger/stripe/card-provider';
import { LostEntries } from '#ledger/start-gate/lost-entries';
import { ProviderFigures, RefundCap } from '#ledger/stripe/provider-figures';
import { ProviderRefused } from '#ledger/stripe/provider-payment';
import { NO_METHOD } from '#ledger/stripe/refusals';
import { CountedFigures } from '#test/support/provider-figures';
import { Vault } from '#log/vault';
import {
  CARD,
  closeDispute,
  collect,
  collecting,
  contextOf,
  dispute,
  JUNO,
  MILO,
  open,
  openAccount,
  settle,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { slices } from '#test/support/slices';
import { Checkout } from './checkout.js';
import { declinesWith } from '#test/support/declines';
import { Declines } from '../limits/declines.js';
import { DeclineLimit } from './declined-payments.js';
import { PaymentProcess } from './payments.handlers.js';
import { PaymentsModule } from './payments.module.js';

const BY = { correlationId: 'spec' };
const KEY = '019d0000-0000-7000-8000-000000000001';
const BODY = { toUserId: JUNO, amount: 2_000, paymentMethod: 'card', description: undefined } as const;

/**
 * The provider, as far as these stories need it. Every saved card is refused; `fault`: for no reason of its
 * own.
 */
class PlayedProvider {
  readonly calls: string[] = [];
  fault: Error | undefined;
  methods: readonly string[] | undefined;
  /** The intent that it made, and whose word was lost. */
  made: string | undefined;

  intentFor({ paymentId, method }: { paymentId: string; method?: string }) {
    if (this.fault && method === 'cashapp') return Promise.reject(this.fault);
    return this.intent(`pi_${paymentId}`);
  }
  intent(intentId: string) {
    this.calls.push(`intent ${intentId}`);
    return Promise.resolve({
      intentId,
      clientSecret: `${intentId}_secret`,
      methods: this.methods,
      isCanceled: false,
    });
  }
  askForConfirmation(intentId: string) {
    this.calls.push(`challenge ${intentId}`);
    return Promise.resolve();
  }
  chargeSaved({ paymentId }: { paymentId: string }) {
    this.calls.push(`charge ${paymentId}`);
    if (this.fault) return Promise.reject(this.fault);
    return Promise.resolve({ kind: 'never', about: 'card', code: 'card_gone' } as const);
  }
  find({ paymentId }: { paymentId: string }) {
    this.calls.push(`find ${paymentId}`);
    return Promise.resolve(this.made);
  }
  payment(intentId: string) {
    this.calls.push(`read ${intentId}`);
    return Promise.resolve({
      intentId,
      paymentId: undefined,
      isSealed: true,
      canceled: undefined,
      charges: [],
      refunds: [],
      disputes: [],
    });
  }
  refundRest(chargeId: string, disputedMinor: number) {
    const amountMinor = 2_000 - disputedMinor;
    this.calls.push(`refund ${amountMinor} of ${chargeId}`);
    const refund = {
      refundId: `re_${chargeId}`,
      chargeId,
      amountMinor,
      currency: 'usd',
      failureReason: undefined,
    };
    return Promise.resolve([
      { ...refund, status: 'given', isFinal: true, createdAt: new Date().toISOString() },
    ]);
  }
}

const FROM = { correlationId: 'spec', network: '192.0.2.7' };

async function ledgerOn(
  log: MemoryLog,
  provider: PlayedProvider,
  declines = declinesWith(),
  rows = { isLeaving: () => Promise.resolve(false), sealing: () => {} },
): Promise<INestApplicationContext> {
  const stopped = () => new Promise<never>(() => undefined);
  const journal = await Journal.open(log, { archive: { find: stopped, entriesOf: stopped } });
  const vault = {
    seal: (_: string, text: string) => Promise.resolve(`sealed:${text}`),
    fingerprint: (_: string, body: unknown) => {
      rows.sealing();
      return Promise.resolve(JSON.stringify(body));
    },
  };

  @Module({
    imports: [CqrsModule.forRoot()],
    providers: slices(
      [PaymentsModule],
      [
        { provide: LOG, useValue: pino({ level: 'silent' }) },
        { provide: Journal, useValue: journal },
        { provide: Patience, useValue: new Patience(log.health) },
        { provide: ActiveMethods, useValue: new ActiveMethods(() => Promise.resolve(['card', 'cashapp'])) },
        { provide: CardProvider, useValue: provider },
        { provide: Vault, useValue: vault },
        InternalCommands,
        JournalCommandHandler,
        { provide: KnownPeople, useValue: rows },
        RequireStayingHandler,
        { provide: LostEntries, useValue: {} },
        { provide: ProviderFigures, useValue: new CountedFigures() },
        { provide: RefundCap, useValue: { perHour: 30 } },
        { provide: Declines, useValue: declines },
        { provide: DeclineLimit, useValue: { perPayment: 5 } satisfies DeclineLimit },
      ],
    ),
  })
  class LedgerModule {}
  return NestFactory.createApplicationContext(LedgerModule, { logger: false });
}

describe('a payment that is opened', () => {
  it('is sealed while the rows are asked who leaves, and nothing is made before they have answered', async () => {
    const log = new MemoryLog();
    const provider = new PlayedProvider();
    let say: (isLeaving: boolean) => void = () => {};
    let sealed = 0;
    const ledger = await ledgerOn(log, provider, declinesWith(), {
      isLeaving: () => new Promise<boolean>((resolve) => (say = resolve)),
      sealing: () => (sealed += 1),
    });
    for (const user of [JUNO, MILO]) await ledger.get(Journal).execute(openAccount(user), BY);
    const opening = ledger.get(Checkout).open(MILO, BODY, KEY, FROM);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sealed).toBe(1);
    say(true);
    await expect(opening).rejects.toMatchObject({ reason: 'RecipientLeaves' });
    expect(log.all.some(({ type }) => type === 'PaymentOpened')).toBe(false);
    await ledger.get(Journal).close();
    await ledger.close();
  });
});

describe('payments at two ledgers', () => {
  let log: MemoryLog;
  let provider: PlayedProvider;
  let here: INestApplicationContext;
  let there: INestApplicationContext;
  beforeEach(async () => {
    log = new MemoryLog();
    provider = new PlayedProvider();
    here = await ledgerOn(log, provider);
    there = await ledgerOn(log, provider);
    for (const user of [JUNO, MILO]) await here.get(Journal).execute(openAccount(user), BY);
  });
  afterEach(async () => {
    for (const ledger of [here, there]) {
      await ledger.get(Journal).close();
      await ledger.close();
    }
  });

  it('show the payer of a payment that one has just opened the same secret at the other', async () => {
    const { answer } = await here.get(Checkout).open(MILO, BODY, KEY, FROM);
    expect(await there.get(Checkout).secretOf(MILO, answer.paymentId)).toEqual({
      ...answer,
      amount: '20.00',
    });
    expect((await there.get(Checkout).open(MILO, BODY, KEY, FROM)).answer).toEqual(answer);
    await expect(there.get(Checkout).secretOf(JUNO, answer.paymentId)).rejects.toMatchObject({
      reason: 'PaymentNotFound',
    });
  });

  it('name the payment of the card provider’s intent to its payer, and to nobody else', async () => {
    const { answer } = await here.get(Checkout).open(MILO, BODY, KEY, FROM);
    const intentId = answer.clientSecret.split('_secret')[0]!;
    expect(await there.get(Checkout).ofIntent(MILO, intentId)).toBe(answer.paymentId);
    for (const [userId, asked] of [
      [JUNO, intentId],
      [MILO, 'pi_of_nobody'],
      [MILO, 'no intent'],
    ] as const)
      await expect(there.get(Checkout).ofIntent(userId, asked)).rejects.toMatchObject({
        reason: 'PaymentOfIntentNotFound',
      });
  });

  it('show a payment that was begun again, and begin no other one, after too many declines since', async () => {
    const declines = declinesWith({ 'payer-declines': 1 });
    const strict = await ledgerOn(log, provider, declines);
    const openAgain = (key: string) => strict.get(Checkout).open(MILO, BODY, key, FROM);
    const { answer } = await openAgain(KEY);
    await declines.declined('pay_other', { payerId: MILO, recipientId: JUNO }, undefined);
    // It may have been paid by now: whoever is refused takes it that nobody was charged, and pays anew later.
    expect((await openAgain(KEY)).answer).toEqual(answer);
    // The payer's bank is asked from now on, as for all that is started near the limit.
    expect(provider.calls.at(-1)).toBe(`challenge pi_${answer.paymentId}`);
    await expect(openAgain(KEY.replace(/1$/, '2'))).rejects.toMatchObject({ answer: { status: 429 } });
    await strict.get(Journal).close();
    await strict.close();
  });

  it('refuse a way to pay that the provider left out, and offer it no more', async () => {
    provider.methods = ['card'];
    const body = { ...BODY, paymentMethod: 'cashapp' } as const;
    await expect(here.get(Checkout).open(MILO, body, KEY, FROM)).rejects.toMatchObject({
      reason: 'MethodInactive',
    });
    expect(await here.get(ActiveMethods).offered()).toEqual(['card']);
  });

  it('refuse it also where the provider makes nothing without it', async () => {
    const refusal = { kind: 'not-now', because: 'account', code: NO_METHOD } as const;
    provider.fault = new ProviderRefused('Refused.', { refusal });
    const body = { ...BODY, paymentMethod: 'cashapp' } as const;
    await expect(here.get(Checkout).open(MILO, body, KEY, FROM)).rejects.toMatchObject({
      reason: 'MethodInactive',
    });
    expect(await here.get(ActiveMethods).offered()).toEqual(['card']);
  });

  it('offer everybody a way to pay that was left out of a sum that it may not take', async () => {
    provider.methods = [];
    const body = { ...BODY, amount: 5_000_000, paymentMethod: 'cashapp' } as const;
    await expect(here.get(Checkout).open(MILO, body, KEY, FROM)).rejects.toMatchObject({
      reason: 'MethodInactive',
    });
    expect(await here.get(ActiveMethods).offered()).toEqual(['card', 'cashapp']);
  });

  it('end a payment whose card is refused once, and say so as often as they are asked', async () => {
    const { paymentId } = collecting('30.00', 1);
    const opened = collect('30.00', 1, { savedCard: CARD });
    const { revision } = await here.get(Journal).execute(opened, contextOf(opened));
    const outcome = {
      status: 'canceled',
      failure: { code: 'card_unusable', reason: 'Your saved card can no longer be charged.' },
      isOurs: false,
    };
    const [bus, otherBus] = [there.get(CommandBus), here.get(CommandBus)];
    expect(await bus.execute(new ChargeSavedCard(paymentId, BY, revision))).toMatchObject(outcome);
    expect(await otherBus.execute(new ChargeSavedCard(paymentId, BY))).toMatchObject(outcome);
    expect(await otherBus.execute(new GiveUpPayment(paymentId, BY))).toMatchObject(outcome);
    expect(provider.calls).toEqual([`charge ${paymentId}`]);
  });

  it('leave a payment open by a refusal that may be our own fault, and charge it again', async () => {
    const { paymentId } = collecting('30.00', 1);
    const opened = collect('30.00', 1, { savedCard: CARD });
    const { revision } = await here.get(Journal).execute(opened, contextOf(opened));
    const bus = here.get(CommandBus);
    provider.fault = new ProviderRefused('The card provider did not take it.');
    await expect(bus.execute(new ChargeSavedCard(paymentId, BY, revision))).rejects.toBe(provider.fault);
    expect(await bus.execute(new GiveUpPayment(paymentId, BY))).toMatchObject({ status: 'open' });
    provider.fault = undefined;
    expect(await bus.execute(new ChargeSavedCard(paymentId, BY))).toMatchObject({ status: 'canceled' });
    expect(provider.calls).toEqual([`charge ${paymentId}`, `find ${paymentId}`, `charge ${paymentId}`]);
  });

  it('leave a young payment open that the provider does not know: somebody may be charging it', async () => {
    const opened = collect('30.00', 1, { savedCard: CARD });
    await here.get(Journal).execute(opened, contextOf(opened));
    const { paymentId } = collecting('30.00', 1);
    expect(await there.get(CommandBus).execute(new GiveUpPayment(paymentId, BY))).toMatchObject({
      status: 'open',
      failure: undefined,
    });
  });

  it('end a young payment that never reached the provider: nobody has the secret that pays it', async () => {
    const opened = open({ paymentId: 'pay_left', amount: '20.00' });
    await here.get(Journal).execute(opened, contextOf(opened));
    const given = await there.get(CommandBus).execute(new GiveUpPayment('pay_left', BY));
    expect(given).toMatchObject({ status: 'canceled' });
  });

  describe('go on with a tip by saved card that the provider did not take', () => {
    const MINUTE = 60_000;
    const TIP = { ...open({ paymentId: 'pay_tip', amount: '20.00' }), savedCard: CARD } as JournalCommand;
    const later = (ageMs: number) => {
      const now = Date.now() + ageMs;
      jest.spyOn(Date, 'now').mockImplementation(() => now);
    };
    const statusOf = async () => (await there.get(Journal).look('payment', 'pay_tip'))?.status;
    const resume = () => there.get(PaymentProcess).resume('pay_tip', BY);
    const charge = () => here.get(CommandBus).execute(new ChargeSavedCard('pay_tip', BY));
    beforeEach(async () => {
      await here.get(Journal).execute(TIP, contextOf(TIP));
      provider.fault = new ProviderRefused('The card provider did not take it.');
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    it('in its first minutes, when the answer may merely have been lost', async () => {
      later(10 * MINUTE);
      await expect(resume()).rejects.toBe(provider.fault);
      expect(provider.calls).toEqual(['charge pay_tip']);
    });

    it('never later without its payer, who was told that it was not taken', async () => {
      later(15 * MINUTE);
      await resume();
      later(50 * MINUTE);
      await resume();
      expect(provider.calls).toEqual(['find pay_tip', 'find pay_tip']);
      expect(await statusOf()).toBe('opened');
    });

    it('for an hour where its payer asks again', async () => {
      later(59 * MINUTE);
      await expect(charge()).rejects.toBe(provider.fault);
      later(MINUTE);
      expect(await charge()).toMatchObject({ status: 'open' });
      expect(provider.calls).toEqual(['charge pay_tip', 'find pay_tip']);
    });

    it('no more once nobody can be charging it: it is ended, and its payer is told so', async () => {
      later(69 * MINUTE);
      await resume();
      expect(await statusOf()).toBe('opened');
      later(MINUTE);
      await resume();
      expect(await charge()).toMatchObject({
        status: 'canceled',
        isOurs: true,
        failure: { code: 'not_made' },
      });
      await resume();
      expect(provider.calls).toEqual(['find pay_tip', 'find pay_tip']);
    });

    it('by what the provider made of it, where only the answer was lost', async () => {
      provider.made = 'pi_tip';
      later(180 * MINUTE);
      await resume();
      expect(provider.calls).toEqual(['find pay_tip', 'read pi_tip']);
      expect(await statusOf()).toBe('submitted');
    });

    it('otherwise than with a payment of a schedule, which nobody waits for', async () => {
      const opened = collect('30.00', 1, { savedCard: CARD });
      await here.get(Journal).execute(opened, contextOf(opened));
      const { paymentId } = collecting('30.00', 1);
      later(22 * 60 * MINUTE);
      await expect(there.get(PaymentProcess).resume(paymentId, BY)).rejects.toBe(provider.fault);
      expect(provider.calls).toEqual([`charge ${paymentId}`]);
    });
  });

  it('give unapplied money back once, whichever is asked', async () => {
    const tip = { paymentId: 'pay_1', amount: '20.00' };
    const again = settle(tip, { chargeId: 'ch_again' });
    for (const command of [open(tip), settle(tip), again])
      await here.get(CommandBus).execute(new ExecuteJournalCommand(command, contextOf(command)));
    await there.get(PaymentProcess).refundUnapplied('ch_again', BY);
    await expect(here.get(PaymentProcess).refundUnapplied('ch_again', BY)).rejects.toMatchObject({
      reason: 'UnappliedNotFound',
    });
    await expect(here.get(PaymentProcess).refundUnapplied('ch_other', BY)).rejects.toMatchObject({
      reason: 'UnappliedNotFound',
    });
    expect(provider.calls).toEqual(['refund 2000 of ch_again']);
  });

  it('give back of unapplied money what a dispute has left of it, once that is decided', async () => {
    const stray = { paymentId: 'pay_stray', amount: '20.00' };
    const tip = { paymentId: 'pay_1', amount: '20.00' };
    const again = settle(tip, { chargeId: 'ch_pay_stray' });
    const execute = (command: JournalCommand) =>
      here.get(CommandBus).execute(new ExecuteJournalCommand(command, contextOf(command)));
    for (const command of [open(tip), settle(tip), again, dispute(stray), withdrawDisputed(stray, '5.00')])
      await execute(command);
    await here.get(PaymentProcess).refundUnapplied('ch_pay_stray', BY);
    expect(provider.calls).toEqual([]);
    await execute(closeDispute(stray, 'lost'));
    await there.get(PaymentProcess).refundUnapplied('ch_pay_stray', BY);
    expect(provider.calls).toEqual(['refund 1500 of ch_pay_stray']);
  });
});
