/**
 * Seeded random histories: everything that can be asked of the journal, in any order, again and again, by two
 * ledgers with a small memory, against a model that knows nothing of entries or postings. A failing history
 * runs again by its seed.
 */
import { describe, expect, it } from '@jest/globals';
import { available, payouts, platform, wallet } from '#contracts/plain/accounts';
import { JOURNAL } from '#contracts/events/journal';
import { recorded } from '#log/event-log';
import { Journal } from '#ledger/journal/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import { Rejected } from '#ledger/rejection';
import { archiveOf } from '#test/support/log-archive';
import {
  AT,
  cancel,
  CARD,
  collecting,
  contextOf,
  completePayout,
  failPayout,
  openAccount,
  openWallet,
  payoutTransferred,
  refund,
  returnPayout,
  settle,
  submitPayout,
} from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { Dice } from '#test/simulator/dice';
import { MemoryNode } from '#test/support/memory-node';
import { ChainVerifier } from '#log/chain';

const STEPS = 260;
/** A sample; `make prove` asks for more. */
const SEEDS = Array.from({ length: Number(process.env.HISTORIES ?? 3) }, (_, n) => n + 1);

/** What there is to a payment, by the story told to it. */
interface ModelPayment {
  readonly id: string;
  readonly to: string;
  readonly amountMinor: number;
  readonly occurrence?: ModelOccurrence;
  paid: boolean;
  /** Its money came when the attempt at an occurrence that it was had been ended: it is kept apart. */
  stray: boolean;
  canceled: boolean;
  refundedMinor: number;
  disputedMinor: number;
  disputes: number;
}
interface ModelPayout {
  readonly id: string;
  readonly userId: string;
  readonly amountMinor: number;
  at: 'requested' | 'transferred' | 'submitted' | 'completed' | 'returned' | 'failed';
}
interface ModelOccurrence {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly amountMinor: number;
  attempts: number;
  collected: boolean;
  payments: ModelPayment[];
}

/** One thing that may be asked: the command, whether it must be taken, and what it then does. */
interface Act {
  readonly command: JournalCommand;
  readonly allowed: boolean;
  readonly effect: () => void;
}

class Model {
  readonly users = ['usr_a', 'usr_b', 'usr_c', 'usr_d'];
  readonly has = new Map(this.users.map((user) => [user, 0]));
  readonly wallets = new Map<string, { owner: string; minor: number }>();
  readonly payments: ModelPayment[] = [];
  readonly payouts: ModelPayout[] = [];
  readonly occurrences: ModelOccurrence[] = [];
  feesMinor = 0;
  lossesMinor = 0;
  strayMinor = 0;
  /** What the card provider has for us, by its own account of it. */
  atProviderMinor = 0;

  constructor(private readonly random: () => number) {}

  readonly pick = <T>(of: readonly T[]): T => of[Math.floor(this.random() * of.length)]!;
  readonly upTo = (most: number): number => 1 + Math.floor(this.random() * most);

  add(userId: string, byMinor: number): void {
    this.has.set(userId, this.has.get(userId)! + byMinor);
  }

  next(step: number): Act {
    const roll = this.random();
    if (roll < 0.16 || this.payments.length === 0) return this.open(step);
    if (roll < 0.36) return this.settle();
    if (roll < 0.41) return this.cancel();
    if (roll < 0.47) return this.refund(step);
    if (roll < 0.56) return this.dispute(step);
    if (roll < 0.59) return this.fee(step);
    if (roll < 0.65) return this.transfer(step);
    if (roll < 0.75) return this.treasury(step);
    if (roll < 0.89) return this.payout(step);
    return this.collect(step);
  }

  private open(step: number): Act {
    const [payerId, recipientId] = [this.pick(this.users), this.pick(this.users)];
    const payment = newPayment(`pay_${step}`, recipientId, 50 + this.upTo(5_000));
    const { id: paymentId, amountMinor } = payment;
    return {
      command: {
        type: 'OpenPayment',
        paymentId,
        payerId,
        recipientId,
        amountMinor,
        currency: 'usd',
        method: 'card',
      },
      allowed: payerId !== recipientId,
      effect: () => void this.payments.push(payment),
    };
  }

  private settle(): Act {
    const payment = this.pick(this.payments);
    const { occurrence, amountMinor } = payment;
    return {
      command: { ...settle({ paymentId: payment.id, amount: '1.00' }), amountMinor } as JournalCommand,
      allowed: true,
      effect: () => {
        if (payment.paid || payment.stray) return;
        this.atProviderMinor += amountMinor;
        if (occurrence && payment.canceled) {
          payment.stray = true;
          this.strayMinor += amountMinor;
          return;
        }
        payment.paid = true;
        if (occurrence) occurrence.collected = true;
        this.add(payment.to, amountMinor);
      },
    };
  }

  private cancel(): Act {
    const payment = this.pick(this.payments);
    return {
      command: cancel({ paymentId: payment.id, amount: '1.00' }),
      allowed: !payment.paid,
      effect: () => void (payment.canceled = true),
    };
  }

  private refund(step: number): Act {
    const payment = this.pick(this.payments);
    const amountMinor = this.upTo(payment.amountMinor);
    return {
      command: {
        ...refund({ paymentId: payment.id, amount: '1.00' }, '1.00', `re_${step}`),
        amountMinor,
      } as JournalCommand,
      allowed: payment.paid && payment.refundedMinor + amountMinor <= payment.amountMinor,
      effect: () => {
        payment.refundedMinor += amountMinor;
        this.atProviderMinor -= amountMinor;
        // What a dispute took before is not taken again.
        const twiceMinor = Math.max(0, payment.refundedMinor + payment.disputedMinor - payment.amountMinor);
        payment.disputedMinor -= twiceMinor;
        this.lossesMinor += twiceMinor;
        this.add(payment.to, twiceMinor - amountMinor);
      },
    };
  }

  /** A first one opens a dispute; later ones take the money and give it back in turn. */
  private dispute(step: number): Act {
    const payment = this.pick(this.payments.slice(0, 4));
    const { amountMinor } = payment;
    const about = {
      disputeId: `dp_${payment.id}`,
      paymentId: payment.id,
      chargeId: `ch_${payment.id}`,
      amountMinor,
      currency: 'usd',
      occurredAt: AT,
    };
    const held = payment.paid;
    if (payment.disputes === 0)
      return {
        command: { type: 'OpenDispute', ...about, reason: 'fraudulent' },
        allowed: held || payment.stray,
        effect: () => void (payment.disputes = held ? 1 : 0),
      };
    const funds = { ...about, balanceTransactionId: `txn_${step}`, feeCurrency: 'usd' };
    if (payment.disputes % 2 === 1)
      return {
        command: { type: 'WithdrawDisputed', ...funds, feeMinor: 1_500 },
        allowed: true,
        effect: () => {
          const own = Math.max(0, amountMinor - payment.refundedMinor);
          payment.disputedMinor = own;
          payment.disputes += 1;
          this.add(payment.to, -own);
          this.lossesMinor += amountMinor - own + 1_500;
          this.atProviderMinor -= amountMinor + 1_500;
        },
      };
    return {
      command: { type: 'ReinstateDisputed', ...funds, feeMinor: 0 },
      allowed: true,
      effect: () => {
        this.add(payment.to, payment.disputedMinor);
        this.lossesMinor -= amountMinor - payment.disputedMinor;
        this.atProviderMinor += amountMinor;
        payment.disputedMinor = 0;
        payment.disputes += 1;
      },
    };
  }

  private fee(step: number): Act {
    const payment = this.pick(this.payments);
    const amountMinor = this.upTo(200) - 1;
    return {
      command: {
        type: 'BookProviderFee',
        paymentId: payment.id,
        chargeId: `ch_${payment.id}`,
        balanceTransactionId: `txn_${step}`,
        amountMinor,
        currency: 'usd',
        netMinor: payment.amountMinor - amountMinor,
        availableOn: AT,
        occurredAt: AT,
      },
      allowed: payment.paid || payment.stray,
      effect: () => {
        this.feesMinor += amountMinor;
        this.atProviderMinor -= amountMinor;
      },
    };
  }

  private transfer(step: number): Act {
    return this.transferOf(this.upTo(3_000), this.pick(this.users), step);
  }

  /** Somebody who has more than at an earlier time spends it all: refused by whoever has not heard of it. */
  spendAll(before: ReadonlyMap<string, number>, step: number): Act | undefined {
    const richer = this.users.find((user) => this.has.get(user)! > Math.max(0, before.get(user)!));
    return richer === undefined ? undefined : this.transferOf(this.has.get(richer)!, richer, step);
  }

  private transferOf(amountMinor: number, payerId: string, step: number): Act {
    const recipientId = this.pick(this.users);
    return {
      command: {
        type: 'PostTransfer',
        transferId: `trf_${step}`,
        payerId,
        recipientId,
        amountMinor,
        currency: 'usd',
      },
      allowed: payerId !== recipientId && this.has.get(payerId)! >= amountMinor,
      effect: () => {
        this.add(payerId, -amountMinor);
        this.add(recipientId, amountMinor);
      },
    };
  }

  private treasury(step: number): Act {
    const userId = this.pick(this.users);
    const known = [...this.wallets.keys()];
    if (known.length === 0 || this.random() < 0.15) {
      const walletId = `wal_${step}`;
      return {
        command: openWallet(userId, walletId),
        allowed: true,
        effect: () => void this.wallets.set(walletId, { owner: userId, minor: 0 }),
      };
    }
    const walletId = this.pick(known);
    const found = this.wallets.get(walletId)!;
    const amountMinor = this.upTo(2_000);
    const isIn = this.random() < 0.6;
    const covered = isIn ? this.has.get(userId)! : found.minor;
    return {
      command: {
        type: isIn ? 'FundWallet' : 'WithdrawWallet',
        movementId: `wtx_${step}`,
        walletId,
        userId,
        amountMinor,
        currency: 'usd',
      },
      allowed: found.owner === userId && covered >= amountMinor,
      effect: () => {
        this.add(userId, isIn ? -amountMinor : amountMinor);
        found.minor += isIn ? amountMinor : -amountMinor;
      },
    };
  }

  private payout(step: number): Act {
    if (this.payouts.length === 0 || this.random() < 0.3) {
      const userId = this.pick(this.users);
      const amountMinor = this.upTo(4_000);
      const payout: ModelPayout = { id: `out_${step}`, userId, amountMinor, at: 'requested' };
      return {
        command: {
          type: 'RequestPayout',
          payoutId: payout.id,
          userId,
          bankAccountId: 'ba_1',
          amountMinor,
          currency: 'usd',
        },
        allowed: this.has.get(userId)! >= amountMinor,
        effect: () => {
          this.payouts.push(payout);
          this.add(userId, -amountMinor);
        },
      };
    }
    const payout = this.pick(this.payouts.slice(-5));
    const { at } = payout;
    const was = (...places: ModelPayout['at'][]): boolean => places.includes(at);
    const to =
      (place: ModelPayout['at'], ...from: ModelPayout['at'][]) =>
      () => {
        if (from.includes(payout.at)) payout.at = place;
      };
    // A payout in these specs failed either before anything was transferred, or after the provider had sent
    // it on.
    const steps: readonly Act[] = [
      {
        command: payoutTransferred(payout.id),
        allowed: !was('failed') || this.sent.has(payout.id),
        effect: () => {
          to('transferred', 'requested')();
          this.sent.add(payout.id);
        },
      },
      {
        command: submitPayout(payout.id),
        allowed: !was('requested') && (!was('failed') || this.submitted.has(payout.id)),
        effect: () => {
          to('submitted', 'transferred')();
          this.submitted.add(payout.id);
        },
      },
      {
        command: completePayout(payout.id),
        allowed: this.submitted.has(payout.id),
        effect: to('completed', 'submitted'),
      },
      {
        command: returnPayout(payout.id),
        allowed: this.submitted.has(payout.id),
        effect: to('returned', 'submitted', 'completed'),
      },
      {
        command: failPayout(`trr_${payout.id}`, payout.id),
        allowed: was('requested', 'transferred', 'returned', 'failed'),
        effect: () => {
          if (payout.at !== 'failed') this.add(payout.userId, payout.amountMinor);
          payout.at = 'failed';
        },
      },
    ];
    // Mostly on its way, sometimes out of order.
    return this.pick(this.random() < 0.7 ? steps.filter(({ allowed }) => allowed) : steps);
  }
  private readonly sent = new Set<string>();
  private readonly submitted = new Set<string>();

  private collect(step: number): Act {
    let occurrence =
      this.occurrences.length === 0 || this.random() < 0.4 ? undefined : this.pick(this.occurrences);
    if (!occurrence) {
      const [from, to] = [this.users[step % 4]!, this.users[(step + 1) % 4]!];
      occurrence = {
        id: `occ_${step}`,
        from,
        to,
        amountMinor: 50 + this.upTo(2_000),
        attempts: 0,
        collected: false,
        payments: [],
      };
      this.occurrences.push(occurrence);
    }
    const known = occurrence;
    const { id: occurrenceId, from: payerId, to: recipientId, amountMinor } = known;
    const attempt = known.attempts + 1;
    const savedCard = this.random() < 0.75 ? CARD : 'none';
    const open = known.payments.some(({ paid, stray, canceled }) => !paid && !stray && !canceled);
    return {
      command: {
        type: 'CollectOccurrence',
        occurrenceId,
        attempt,
        scheduleKind: 'subscription',
        scheduleId: 'sub_1',
        dueAt: AT,
        payerId,
        recipientId,
        amountMinor,
        currency: 'usd',
        savedCard,
      },
      allowed: known.collected || !open,
      effect: () => {
        if (known.collected) return;
        known.attempts = attempt;
        if (this.has.get(payerId)! >= amountMinor) {
          this.add(payerId, -amountMinor);
          this.add(recipientId, amountMinor);
          known.collected = true;
          return;
        }
        if (savedCard === 'none') return;
        const { paymentId } = collecting('1.00', attempt, occurrenceId);
        const payment: ModelPayment = {
          ...newPayment(paymentId, recipientId, amountMinor),
          occurrence: known,
        };
        known.payments.push(payment);
        this.payments.push(payment);
      },
    };
  }

  /** Every account that anything has happened to, and what must be in it. */
  accounts(): Record<string, number> {
    const on = (...places: ModelPayout['at'][]): number =>
      this.payouts.reduce((sum, { at, amountMinor }) => sum + (places.includes(at) ? amountMinor : 0), 0);
    const mine = (userId: string): number =>
      this.payouts.reduce(
        (sum, payout) =>
          sum +
          (payout.userId === userId && payout.at !== 'completed' && payout.at !== 'failed'
            ? payout.amountMinor
            : 0),
        0,
      );
    return {
      ...Object.fromEntries(this.users.map((user) => [available(user), this.has.get(user)!])),
      ...Object.fromEntries(this.users.map((user) => [payouts(user), mine(user)])),
      ...Object.fromEntries([...this.wallets].map(([id, { minor }]) => [wallet(id), minor])),
      [platform('fees')]: 0 - this.feesMinor,
      [platform('dispute-losses')]: 0 - this.lossesMinor,
      [platform('unapplied')]: this.strayMinor,
      [platform('connect-clearing')]: 0 - on('transferred', 'returned'),
      [platform('bank-clearing')]: 0 - on('submitted'),
      [platform('card-clearing')]:
        on('transferred', 'returned', 'submitted', 'completed') - this.atProviderMinor,
    };
  }
}

const newPayment = (id: string, to: string, amountMinor: number): ModelPayment => ({
  id,
  to,
  amountMinor,
  paid: false,
  stray: false,
  canceled: false,
  refundedMinor: 0,
  disputedMinor: 0,
  disputes: 0,
});

/** The kinds of command that any of the histories took. */
const taken = new Set<string>();

/** Some turns of the event loop, in which a writer decides what waits. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

describe('seeded random histories', () => {
  it.each(SEEDS)(
    'keep the trial balance at zero and agree with a small model of their own (seed %i)',
    async (seed) => {
      const dice = new Dice(seed);
      const random = () => dice.next();
      const model = new Model(random);
      const log = new MemoryLog();
      const open = (at: MemoryLog | MemoryNode) =>
        Journal.open(at, { archive: archiveOf(log), window: { ms: 3_600_000, entries: 20 } });
      const nodes = [new MemoryNode(log), new MemoryNode(log)];
      const ledgers = await Promise.all(nodes.map(open));
      const run = (command: JournalCommand) => model.pick(ledgers).execute(command, contextOf(command));
      /**
       * Asks a ledger whose node was cut off some steps ago, and connects it to the leader while it waits.
       */
      const runAtCutOff = async (command: JournalCommand, n: number) => {
        const answer = ledgers[n]!.execute(command, contextOf(command));
        answer.catch(() => undefined);
        await turns(model.upTo(8));
        nodes[n]!.heal();
        return answer;
      };
      for (const user of model.users) await run(openAccount(user));

      const told: JournalCommand[] = [];
      /** The one that is cut off, and how many steps the other goes on without it. */
      let cut: { n: number; left: number; before: ReadonlyMap<string, number> } | undefined;
      for (let step = 0; step < STEPS; step++) {
        if (random() < 0.1) log.loseNextAppendAfterWriting();
        if (!cut && random() < 0.04) {
          cut = { n: Math.floor(random() * 2), left: model.upTo(4), before: new Map(model.has) };
          nodes[cut.n]!.cutOff();
        }
        // Whatever was asked once is asked again, by anyone, at any time: it changes nothing.
        const again = told.length > 0 && random() < 0.2 ? model.pick(told) : undefined;
        const spends = cut?.left === 0 ? model.spendAll(cut.before, step) : undefined;
        const act = again ? undefined : (spends ?? model.next(step));
        const command = again ?? act!.command;
        let answer: Promise<unknown>;
        if (!cut) answer = run(command);
        else if (cut.left-- > 0) answer = ledgers[1 - cut.n]!.execute(command, contextOf(command));
        else {
          answer = runAtCutOff(command, cut.n);
          cut = undefined;
        }
        const outcome = await answer.then(
          () => 'taken',
          (error: unknown) => (error instanceof Rejected ? 'refused' : Promise.reject(error as Error)),
        );
        if (!act) continue;
        expect({ seed, step, command, outcome }).toEqual({
          seed,
          step,
          command,
          outcome: act.allowed ? 'taken' : 'refused',
        });
        if (!act.allowed) continue;
        act.effect();
        told.push(command);
        taken.add(command.type);
      }

      for (const node of nodes) node.heal();
      const fresh = await open(log);
      for (const journal of [...ledgers, fresh]) {
        // An idle ledger reads on by itself; this one is asked something, and has to be up to date to answer.
        await journal.execute(openAccount(model.users[0]!), contextOf(openAccount(model.users[0]!)));
        for (const [account, balance] of Object.entries(model.accounts()))
          expect({ seed, account, balance: journal.balanceOf(account) }).toEqual({ seed, account, balance });
        expect(journal.trialBalance()).toEqual({ usd: 0 });
      }
      const chain = new ChainVerifier(JOURNAL);
      const keys = new Set<string | undefined>();
      for (const raw of log.all) {
        chain.next(raw);
        keys.add(recorded(raw).metadata.key);
      }
      expect(keys.size).toBe(log.all.length);
    },
  );

  it('take commands of most kinds, one history with another', () => {
    expect(taken.size).toBeGreaterThan(12);
  });
});
