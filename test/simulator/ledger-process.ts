/**
 * A ledger process in the simulated world: the real journal, deciders, flows and jobs, reached as a worker
 * or a controller reaches them. Everything that leaves it (to the log, to the provider) waits its turn and
 * may be lost; once it has died, nothing that it was at goes on, and nobody who asked it is answered.
 */
import { Module, type INestApplicationContext } from '@nestjs/common';
import { ActiveMethods } from '#ledger/stripe/active-methods';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import { pino } from 'pino';
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import type { Position } from '#contracts/log';
import { BankAccountHandlers, PayoutAccountOwners } from '#ledger/bank-accounts/bank-accounts.handlers';
import { BankAccountsModule } from '#ledger/bank-accounts/bank-accounts.module';
import { bankAccounts, destinationOf } from '#ledger/bank-accounts/bank-accounts.decider';
import { LOG, PUBLIC_URL } from '#ledger/parts';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { StreamCommandHandler } from '#ledger/bus/execute-stream-command';
import { JournalCommandHandler } from '#ledger/bus/execute-journal-command';
import { KnownPeople } from '#ledger/users/users.handlers';
import { UsersModule } from '#ledger/users/users.module';
import { ConnectHints } from '#ledger/bus/connect-hints';
import { ConnectModule } from '#ledger/connect/connect.module';
import {
  OutcomeUnknown,
  type AppendResult,
  type EventLog,
  type LeaderWitness,
  type SubscriptionItem,
  type NewEvent,
  type RawEvent,
} from '#log/event-log';
import { StoreHealth } from '#log/store-health';
import { Journal } from '#ledger/journal/journal';
import { Patience } from '#ledger/patience';
import { SavedCardHandlers } from '#ledger/payment-methods/payment-methods.handlers';
import { PaymentMethodsModule } from '#ledger/payment-methods/payment-methods.module';
import { Checkout } from '#ledger/payments/checkout';
import { LostEntries } from '#ledger/start-gate/lost-entries';
import { ProviderFigures, RefundCap } from '#ledger/stripe/provider-figures';
import { CountedFigures } from '#test/support/provider-figures';
import { PaymentSync } from '#ledger/payments/payment-sync';
import { PaymentsModule } from '#ledger/payments/payments.module';
import { PayoutDestinations, type Destination } from '#ledger/payouts/payout-answers';
import { PayoutQueue, PayoutTurns } from '#ledger/payouts/payout-turns';
import { PayoutProcess } from '#ledger/payouts/payouts.handlers';
import { PayoutsModule } from '#ledger/payouts/payouts.module';
import { CollectDueHandler } from '#ledger/schedules/schedules.handlers';
import { SchedulesModule } from '#ledger/schedules/schedules.module';
import { ScheduleClock } from '#ledger/schedules/schedule-clock';
import { StreamRunner } from '#ledger/streams/runner';
import { Declines } from '#ledger/limits/declines';
import { DeclineLimit } from '#ledger/payments/declined-payments';
import { CardProvider } from '#ledger/stripe/card-provider';
import { declinesWith, UNLIMITED_DECLINES } from '#test/support/declines';
import { PayoutProvider } from '#ledger/stripe/payout-provider';
import { SavedCards } from '#ledger/stripe/saved-cards';
import { Vault } from '#log/vault';
import type { MemoryLog } from '#test/support/memory-log';
import { PlainVault, sealedFor } from '#test/support/plain-vault';
import { slices } from '#test/support/slices';
import type { Dice } from './dice.js';
import type { Lookout } from './lookout.js';
import type { Loom } from './loom.js';
import { away, type Line, type ProviderModel } from './provider.js';

/** What takes part in the stories. */
const SLICES = [
  UsersModule,
  PaymentsModule,
  PaymentMethodsModule,
  SchedulesModule,
  ConnectModule,
  BankAccountsModule,
  PayoutsModule,
];

/** The process that was asked has died; what came of it is unknown. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** How often what goes out is lost, on either side of the deed. */
export interface Losses {
  log: number;
  provider: number;
}

export interface Surroundings {
  readonly loom: Loom;
  readonly dice: Dice;
  readonly log: MemoryLog;
  readonly lookout: Lookout;
  readonly provider: ProviderModel;
  readonly losses: Losses;
  /** The log has grown: whoever reads it may read on. */
  readonly wrote: () => void;
}

/** The log as one process reaches it. */
class LogLine implements EventLog {
  readonly health = new StoreHealth();

  constructor(
    private readonly world: Surroundings,
    private readonly isAlive: () => boolean,
  ) {}

  async append(stream: string, events: readonly NewEvent[], expectedRevision: number): Promise<AppendResult> {
    const { dice, losses, log } = this.world;
    await this.#turn();
    if (dice.chance(losses.log)) throw new OutcomeUnknown('The question was lost');
    const appended = await log.append(stream, events, expectedRevision);
    this.world.wrote();
    await this.#turn();
    if (dice.chance(losses.log)) throw new OutcomeUnknown('The answer was lost');
    return appended;
  }

  async *readStream(stream: string, fromRevision: number, limit?: number): AsyncIterable<RawEvent> {
    await this.#turn();
    yield* this.world.log.readStream(stream, fromRevision, limit);
  }

  async lastOf(stream: string): Promise<RawEvent | undefined> {
    await this.#turn();
    return this.world.log.lastOf(stream);
  }

  async *readAll(after: Position, prefixes: readonly string[]): AsyncIterable<RawEvent> {
    await this.#turn();
    yield* this.world.log.readAll(after, prefixes);
  }

  follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<SubscriptionItem> {
    return this.world.log.follow(after, prefixes, signal);
  }

  witness(): LeaderWitness {
    return this.world.log.witness();
  }

  async storeTime(): Promise<Date> {
    await this.#turn();
    return this.world.log.storeTime();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #turn(): Promise<void> {
    return this.world.loom.turn(this.isAlive);
  }
}

/** Looks each time: a story's days pass in no time. */
class TurnsByTheMoment extends PayoutTurns {
  protected override readonly lookEveryMs = 0;
}

export class LedgerProcess {
  isAlive = true;
  #tellDeath: (death: Died) => void = () => undefined;
  readonly #death: Promise<never>;
  #context: INestApplicationContext | undefined;
  #journal: Journal | undefined;

  private constructor(readonly name: string) {
    this.#death = new Promise((_, reject) => {
      this.#tellDeath = reject;
    });
    this.#death.catch(() => undefined);
  }

  static async start(name: string, world: Surroundings): Promise<LedgerProcess> {
    const process = new LedgerProcess(name);
    const isAlive = (): boolean => process.isAlive;
    const { loom, dice, provider, losses, lookout } = world;
    const log = new LogLine(world, isAlive);
    const line: Line = {
      async call(deed) {
        await loom.turn(isAlive);
        if (provider.isAway || dice.chance(losses.provider)) throw away();
        const answer = deed();
        await loom.turn(isAlive);
        if (dice.chance(losses.provider)) throw away();
        return answer;
      },
    };
    // A window so short that every story needs the archive.
    const journal = await Journal.open(log, { archive: lookout, window: { ms: 10 * 60_000, entries: 40 } });
    const streams = new StreamRunner(log);
    const vault = new PlainVault();
    const destinations: PayoutDestinations = {
      // As processes/ledger/reads.ts has it: from the log, and not from a read model.
      async of(userId, bankAccountId): Promise<Destination> {
        return destinationOf(await streams.read(bankAccounts, userId), bankAccountId);
      },
    };
    @Module({
      imports: [CqrsModule.forRoot()],
      providers: slices(SLICES, [
        { provide: LOG, useValue: pino({ level: 'silent' }) },
        { provide: Journal, useValue: journal },
        { provide: Patience, useValue: new Patience(log.health) },
        { provide: StreamRunner, useValue: streams },
        { provide: ScheduleClock, useValue: { now: () => loom.now } },
        { provide: CardProvider, useValue: provider.cardsPort(line) },
        { provide: SavedCards, useValue: provider.savedCardsPort(line) },
        { provide: PayoutProvider, useValue: provider.payoutsPort(line) },
        {
          provide: Vault,
          useValue: {
            seal: (userId: string, text: string) => Promise.resolve(sealedFor(userId, text)),
            unseal: (sealed: string) => vault.unseal(sealed),
            unsealOr: (sealed: string) => vault.unseal(sealed),
            fingerprint: (userId: string, body: unknown) =>
              Promise.resolve(Buffer.from(`${userId} ${JSON.stringify(body)}`).toString('base64url')),
          },
        },
        { provide: PayoutDestinations, useValue: destinations },
        {
          provide: LostEntries,
          useValue: { found: () => Promise.reject(new Error('The log has lost something')) },
        },
        { provide: PayoutQueue, useValue: lookout },
        { provide: PayoutTurns, useClass: TurnsByTheMoment },
        { provide: ProviderFigures, useValue: new CountedFigures() },
        { provide: RefundCap, useValue: { perHour: 30 } },
        { provide: Declines, useValue: declinesWith(UNLIMITED_DECLINES) },
        { provide: DeclineLimit, useValue: { perPayment: 5 } satisfies DeclineLimit },
        { provide: ActiveMethods, useValue: new ActiveMethods(() => Promise.resolve(['card', 'cashapp'])) },
        { provide: PayoutAccountOwners, useValue: { of: () => Promise.resolve(undefined) } },
        { provide: PUBLIC_URL, useValue: 'https://encore.example' },
        InternalCommands,
        { provide: KnownPeople, useValue: { isLeaving: () => Promise.resolve(false) } },
        JournalCommandHandler,
        StreamCommandHandler,
        ConnectHints,
      ]),
    })
    class ProcessModule {}

    process.#journal = journal;
    process.#context = await NestFactory.createApplicationContext(ProcessModule, {
      logger: false,
      abortOnError: false,
    });
    return process;
  }

  /** What the work in it answers, or that it died over it. */
  do<T>(work: (parts: Parts) => Promise<T>): Promise<T> {
    if (!this.isAlive || !this.#context) return Promise.reject(new Died(`${this.name} is dead.`));
    return Promise.race([work(new Parts(this.#context)), this.#death]);
  }

  /** As kill -9: nothing that it was at goes on. */
  kill(): void {
    this.isAlive = false;
    this.#tellDeath(new Died(`${this.name} died.`));
  }

  get journal(): Journal {
    if (!this.#journal) throw new Error(`${this.name} has no journal.`);
    return this.#journal;
  }
}

/** The parts of a process that somebody outside may ask. */
class Parts {
  constructor(private readonly context: INestApplicationContext) {}

  get bus(): CommandBus {
    return this.context.get(CommandBus);
  }
  get collection(): CollectDueHandler {
    return this.context.get(CollectDueHandler);
  }
  get checkout(): Checkout {
    return this.context.get(Checkout);
  }
  get payments(): PaymentSync {
    return this.context.get(PaymentSync);
  }
  get payouts(): PayoutProcess {
    return this.context.get(PayoutProcess);
  }
  get banks(): BankAccountHandlers {
    return this.context.get(BankAccountHandlers);
  }
  get cards(): SavedCardHandlers {
    return this.context.get(SavedCardHandlers);
  }
  get hints(): ConnectHints {
    return this.context.get(ConnectHints);
  }
  carryOut(command: InternalCommand, correlationId: string): Promise<InternalAnswer> {
    return this.context.get(InternalCommands).carryOut(command, correlationId);
  }
}
