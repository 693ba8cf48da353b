/**
 * Makes sure, at each sign-in, that the ledger knows the person: their stream, their present profile, their
 * account.
 */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Position } from '#contracts/log';
import type { Sealed } from '#contracts/events/journal';
import { Profile } from '#contracts/events/user';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { latest } from '../http/read-models.js';
import { Rejected } from '../rejection.js';
import { KeyDestroyed, Vault } from '#log/vault';
import { AskUser } from './user-door.js';

/** A person as the identity provider vouches for them. */
export interface SignedInPerson {
  readonly userId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly profile: Profile;
}

@Injectable()
export class Registration {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
  ) {}

  /**
   * Registers the person or takes over a changed profile, and opens their account. Run twice it does nothing
   * more. Answers the position that read models must pass to show it. Throws Rejected('Forgotten') and
   * Unavailable.
   */
  async ensure(
    { userId, issuer, subject, profile }: SignedInPerson,
    correlationId: string,
  ): Promise<Position | undefined> {
    const sealed = await this.seal(userId, JSON.stringify(profile));
    const registered = await this.bus.execute(
      new AskUser({ type: 'Register', userId, issuer, subject, profile: sealed }, correlationId),
    );
    let changed: Position | undefined;
    const { state } = registered;
    if (
      registered.events.length === 0 &&
      state.status === 'registered' &&
      !(await this.isSame(state.profile, profile))
    ) {
      const outcome = await this.bus.execute(
        new AskUser(
          { type: 'ChangeProfile', userId, replaces: state.profile, profile: sealed },
          correlationId,
        ),
      );
      changed = outcome.position;
    }
    // The account last: whoever has one can be paid, and must be known by name.
    const account = await this.bus.execute(
      new ExecuteJournalCommand({ type: 'OpenAccount', userId }, { correlationId, actorId: userId }),
    );
    return latest([registered.position, changed, account.position]);
  }

  private async seal(userId: string, text: string): Promise<Sealed> {
    try {
      return await this.vault.seal(userId, text);
    } catch (error) {
      throw error instanceof KeyDestroyed ? new Rejected('Forgotten', { userId }) : error;
    }
  }

  private async isSame(sealed: string, profile: Profile): Promise<boolean> {
    const known = await this.vault.unseal(sealed);
    if (known === undefined) return true;
    const before: unknown = JSON.parse(known);
    return (Object.keys(Profile.shape) as (keyof Profile)[]).every(
      (name) => Profile.parse(before)[name] === profile[name],
    );
  }
}
