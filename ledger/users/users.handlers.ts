/**
 * Makes sure, at each sign-in, that the ledger knows the person: their stream, their present profile, their
 * account.
 */
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Position } from '#contracts/log';
import type { Sealed } from '#contracts/events/journal';
import { Profile } from '#contracts/events/user';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { RegisterPerson } from '../bus/register-person.js';
import { latest } from '../http/read-models.js';
import { Rejected } from '../rejection.js';
import { KeyDestroyed, Vault } from '#log/vault';
import { AskUser } from './user-door.js';

@CommandHandler(RegisterPerson)
export class RegisterPersonHandler implements ICommandHandler<RegisterPerson> {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
  ) {}

  async execute({ person, correlationId }: RegisterPerson): Promise<Position | undefined> {
    const { userId, issuer, subject, profile } = person;
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
