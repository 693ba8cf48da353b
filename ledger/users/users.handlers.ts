/** What takes more than the user's own stream: registering a person at sign-in, and forgetting one. */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Sealed } from '#contracts/events/journal';
import { Profile } from '#contracts/events/user';
import type { Provenance } from '#log/record';
import { KeyDestroyed, Vault } from '#log/vault';
import { RequireKnownUser, RequireStaying } from '../bus/known-user.js';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { GiveUpPayment } from '../bus/payments.js';
import {
  DropCardsOf,
  DropPasskeyCountsOf,
  DropPictureOf,
  EndSchedulesOf,
  ForgetGuestsOf,
} from '../bus/forget-user.js';
import { LOG } from '../parts.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { RegisterPerson, type RegisteredPerson, type SignedInPerson } from '../bus/register-person.js';
import { latest } from '../http/read-models.js';
import { Journal } from '../journal/journal.js';
import { Patience } from '../patience.js';
import { Rejected, StoreAway, StreamParked } from '../rejection.js';
import { Sessions } from '../sessions/sessions.js';
import { user, type UserCommand } from './user.decider.js';

const UNREADABLE = Symbol('unreadable');

/** What the user asked themselves: they are the actor. */
const toStream = (command: UserCommand, { correlationId }: Provenance) =>
  new ExecuteStreamCommand(user, command.userId, command, {
    correlationId,
    actorId: command.userId,
  });

/** Whether mails go where they went; they go to no address that the provider does not vouch for. */
const isReachedAlike = (before: Profile, now: Profile): boolean =>
  !before.emailVerified || (now.emailVerified && now.email.toLowerCase() === before.email.toLowerCase());

/** What the rows say of people; filled in processes/ledger/reads.ts. */
export abstract class KnownPeople {
  /** Whether they are known, and were not forgotten. */
  abstract isKnown(userId: string): Promise<boolean>;
  /** Whether they have asked to be forgotten. */
  abstract isLeaving(userId: string): Promise<boolean>;
}

/** Answers {@link RequireKnownUser}. */
@CommandHandler(RequireKnownUser)
export class RequireKnownUserHandler implements ICommandHandler<RequireKnownUser> {
  constructor(private readonly known: KnownPeople) {}

  async execute({ userId }: RequireKnownUser): Promise<void> {
    if (!(await this.known.isKnown(userId))) throw new Rejected('UserNotFound', { userId });
  }
}

/** Answers {@link RequireStaying}. */
@CommandHandler(RequireStaying)
export class RequireStayingHandler implements ICommandHandler<RequireStaying> {
  constructor(private readonly known: KnownPeople) {}

  async execute({ recipientId }: RequireStaying): Promise<void> {
    // Nobody goes unpaid because the rows cannot be asked.
    const isLeaving = await this.known.isLeaving(recipientId).catch(() => false);
    if (isLeaving) throw new Rejected('RecipientLeaves', { recipientId });
  }
}

@CommandHandler(RegisterPerson)
export class RegisterPersonHandler implements ICommandHandler<RegisterPerson> {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
    private readonly patience: Patience,
    private readonly known: KnownPeople,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * While the event store is away, whoever is known signs in as they are: what is new about them waits for
   * their next sign-in.
   */
  async execute({ person, provenance }: RegisterPerson): Promise<RegisteredPerson> {
    const { userId } = person;
    const sealed = await this.seal(userId, JSON.stringify(person.profile));
    const registering: { now?: Promise<RegisteredPerson> } = {};
    try {
      return await this.patience.unlessAway(
        'writes',
        () => (registering.now = this.register(person, sealed, provenance)),
      );
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error;
      if (!(await this.known.isKnown(userId)))
        return registering.now ?? this.register(person, sealed, provenance);
      this.log.info({ ...provenance, userId }, 'signed in by the rows, for the event store is away');
      return { position: undefined, isNew: false };
    }
  }

  private async register(
    { userId, issuer, subject, profile }: SignedInPerson,
    sealed: Sealed,
    provenance: Provenance,
  ): Promise<RegisteredPerson> {
    const registered = await this.bus.execute(
      toStream({ type: 'Register', userId, issuer, subject, profile: sealed }, provenance),
    );
    const { state, events } = registered;
    const change =
      events.length === 0 && state.status === 'registered'
        ? await this.changeOf(userId, { before: state.profile, now: profile, sealed })
        : undefined;
    const changed = change && (await this.bus.execute(toStream(change, provenance)));
    // The account last: whoever has one can be paid, and must be known by name.
    const account = await this.bus.execute(
      new ExecuteJournalCommand({ type: 'OpenAccount', userId }, { ...provenance, actorId: userId }),
    );
    return {
      position: latest([registered.position, changed?.position, account.position]),
      isNew: events.length > 0,
    };
  }

  private async seal(userId: string, text: string): Promise<Sealed> {
    try {
      return await this.vault.seal(userId, text);
    } catch (error) {
      throw error instanceof KeyDestroyed ? new Rejected('Forgotten', { userId }) : error;
    }
  }

  /** What a sign-in changes of the profile that is known; undefined where it is the same. */
  private async changeOf(
    userId: string,
    profile: { readonly before: Sealed; readonly now: Profile; readonly sealed: Sealed },
  ): Promise<UserCommand | undefined> {
    const change = {
      type: 'ChangeProfile',
      userId,
      replaces: profile.before,
      profile: profile.sealed,
    } as const;
    const known = await this.vault.unsealOr(profile.before, UNREADABLE);
    if (known === undefined) return undefined;
    // What cannot be read is replaced by what the identity provider says now.
    if (known === UNREADABLE) return change;
    const before = Profile.parse(JSON.parse(known));
    const names = Object.keys(Profile.shape) as (keyof Profile)[];
    if (names.every((name) => before[name] === profile.now[name])) return undefined;
    return isReachedAlike(before, profile.now) ? change : { ...change, newAddressAt: new Date() };
  }
}

/**
 * Forgets a user, asked by an operator at the internal port or by themselves some days ago. The journal
 * closes their account first, which it refuses while money is left; then the log says that they are
 * forgotten, the data key is destroyed, and everything that would go on for them ends; last the log says that
 * it is finished. Each step may be run again: a worker asks once more for everybody whose account was closed
 * and of whom the log does not say that yet, or for whom a schedule goes on.
 */
@Injectable()
export class ForgetUserHandler {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
    private readonly sessions: Sessions,
    private readonly journal: Journal,
    commands: InternalCommands,
    @Inject(LOG) private readonly log: Logger,
  ) {
    commands.on('ForgetUser', ({ userId }, provenance) => this.forget(userId, provenance));
  }

  /**
   * Throws Rejected('MoneyLeft') and Rejected('UserNotFound') before anything is done, Unavailable, and
   * StreamParked once all is done but for what is parked: the log names that, for nobody else is told what
   * waits for it.
   */
  async forget(userId: string, provenance: Provenance): Promise<void> {
    await this.closeAccount(userId, provenance);
    const { position } = await this.bus.execute(toStream({ type: 'Forget', userId }, provenance));
    await this.vault.forget(userId);
    await this.sessions.endAllOf(userId);
    await this.bus.execute(new DropPasskeyCountsOf(userId));
    await this.bus.execute(new DropPictureOf(userId));
    const ends = [
      new DropCardsOf(userId, provenance),
      new EndSchedulesOf(userId, provenance),
      // The last to be asked: it may have to wait for rows, and nothing else waits for it.
      new ForgetGuestsOf(userId, position, provenance),
    ];
    const parked: StreamParked[] = [];
    for (const end of ends)
      await this.bus.execute(end).catch((error: unknown) => {
        if (!(error instanceof StreamParked)) throw error;
        parked.push(error);
        const { correlationId } = provenance;
        this.log.warn({ correlationId, userId, ...error.logged }, 'a parked stream holds back a forgetting');
      });
    if (parked[0]) throw parked[0];
    await this.bus.execute(toStream({ type: 'FinishForgetting', userId }, provenance));
    this.log.info({ correlationId: provenance.correlationId, userId }, 'a user is forgotten');
  }

  /**
   * What somebody has open in a checkout is given up first, as far as the provider agrees; what is paid all
   * the same goes back to them. So a stranger's open payment keeps nobody from leaving.
   */
  private async closeAccount(userId: string, provenance: Provenance): Promise<void> {
    await this.journal.readToEnd();
    // Nobody's payment is given up for somebody who stays.
    const left = this.journal.moneyLeftOf(userId);
    if (left > 0) throw new Rejected('MoneyLeft', { userId, left });
    for (const paymentId of this.journal.openPaymentsTo(userId)) await this.giveUp(paymentId, provenance);
    await this.bus.execute(new ExecuteJournalCommand({ type: 'CloseAccount', userId }, provenance));
    const clearing = { type: 'ClearClosedAccount', userId, clearingId: uuidv7() } as const;
    await this.bus.execute(new ExecuteJournalCommand(clearing, provenance));
  }

  /** One that cannot be ended now is ended as abandoned, or its money goes back. */
  private async giveUp(paymentId: string, provenance: Provenance): Promise<void> {
    try {
      await this.bus.execute(new GiveUpPayment(paymentId, provenance));
    } catch (error) {
      const { correlationId } = provenance;
      this.log.warn({ correlationId, paymentId, err: error }, 'a payment to somebody who leaves stays open');
    }
  }
}
