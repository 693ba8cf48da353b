/**
 * Signing in while the event store is away: who is known by the rows does, anybody else is told to come back.
 */
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { CommandBus } from '@nestjs/cqrs';
import type { Profile } from '#contracts/events/user';
import { StoreHealth } from '#log/store-health';
import { KeyDestroyed, type Vault } from '#log/vault';
import { RegisterPerson } from '../bus/register-person.js';
import { Patience } from '../patience.js';
import { StoreAway } from '../rejection.js';
import type { UserCommand } from './user.decider.js';
import { RegisterPersonHandler } from './users.handlers.js';

const PROFILE = { email: 'juno@example.org', firstName: 'Juno' } as never;
const signIn = (userId: string) =>
  new RegisterPerson(
    { userId, issuer: 'spec', subject: userId, profile: PROFILE },
    { correlationId: 'spec' },
  );

/** A handler whose log takes what it is asked and never answers; Juno has a row, Milo's key was destroyed. */
function handlerInOutage() {
  const store = new StoreHealth();
  const world = { asked: 0, answers: undefined as (() => Promise<unknown>) | undefined };
  const bus = {
    execute: () => {
      world.asked += 1;
      return world.answers?.() ?? new Promise(() => undefined);
    },
  } as unknown as CommandBus;
  const vault = {
    seal: (userId: string) =>
      userId === 'milo' ? Promise.reject(new KeyDestroyed('milo')) : Promise.resolve('sealed'),
  } as unknown as Vault;
  const known = {
    isLeaving: () => Promise.resolve(false),
    isKnown: (userId: string) => Promise.resolve(userId === 'juno'),
  };
  const handler = new RegisterPersonHandler(
    bus,
    vault,
    new Patience(store),
    known,
    pino({ level: 'silent' }),
  );
  return { store, world, handler };
}

describe('signing in while the event store is away', () => {
  it('works at once for whoever has signed in before, and asks nothing of the store', async () => {
    const { store, world, handler } = handlerInOutage();
    store.unanswered(performance.now() - 5_000);
    await expect(handler.execute(signIn('juno'))).resolves.toEqual({ position: undefined, isNew: false });
    expect(world.asked).toBe(0);
  });

  it('goes on soon after the store went away', async () => {
    const { store, handler } = handlerInOutage();
    const signedIn = handler.execute(signIn('juno'));
    await new Promise((resolve) => setImmediate(resolve));
    store.appendUnanswered();
    await expect(signedIn).resolves.toEqual({ position: undefined, isNew: false });
  });

  it('waits with the store for whoever is new, and asks once', async () => {
    const { store, world, handler } = handlerInOutage();
    world.answers = () => new Promise((_, reject) => setTimeout(() => reject(new StoreAway()), 2_000));
    const refused = handler.execute(signIn('ada'));
    await new Promise((resolve) => setImmediate(resolve));
    store.unanswered();
    await expect(refused).rejects.toBeInstanceOf(StoreAway);
    expect(world.asked).toBe(1);
  });

  it('is no way back for whoever was forgotten', async () => {
    const { store, handler } = handlerInOutage();
    store.unanswered();
    await expect(handler.execute(signIn('milo'))).rejects.toMatchObject({ reason: 'Forgotten' });
  });
});

describe('a sign-in that shows another profile', () => {
  const KNOWN: Profile = {
    email: 'juno@example.org',
    emailVerified: true,
    username: 'juno',
    firstName: 'Juno',
    lastName: 'Valastro',
    profileImageUrl: null,
  };

  /** What it has changed of a profile that was known as this one. */
  async function changeBy(shown: Profile, known = KNOWN): Promise<UserCommand | undefined> {
    const commands: UserCommand[] = [];
    const bus = {
      execute: ({ command }: { command: UserCommand }) => {
        commands.push(command);
        return Promise.resolve({ state: { status: 'registered', profile: 'sealed:before' }, events: [] });
      },
    } as unknown as CommandBus;
    const vault = {
      seal: () => Promise.resolve('sealed:now'),
      unsealOr: () => Promise.resolve(JSON.stringify(known)),
    } as unknown as Vault;
    const handler = new RegisterPersonHandler(
      bus,
      vault,
      new Patience(new StoreHealth()),
      { isKnown: () => Promise.resolve(true), isLeaving: () => Promise.resolve(false) },
      pino({ level: 'silent' }),
    );
    const person = { userId: 'juno', issuer: 'spec', subject: 'juno', profile: shown };
    await handler.execute(new RegisterPerson(person, { correlationId: 'spec' }));
    return commands.find(({ type }) => type === 'ChangeProfile');
  }

  it('says so where mails go elsewhere from now on, or nowhere', async () => {
    const newAddressAt: unknown = expect.any(Date);
    for (const over of [{ email: 'thief@example.org' }, { emailVerified: false }])
      expect(await changeBy({ ...KNOWN, ...over })).toMatchObject({ profile: 'sealed:now', newAddressAt });
  });

  it('does not where they go where they went, or where they went nowhere', async () => {
    for (const over of [{ firstName: 'June' }, { email: 'Juno@Example.org' }])
      expect(await changeBy({ ...KNOWN, ...over })).not.toHaveProperty('newAddressAt');
    const unproven = { ...KNOWN, emailVerified: false };
    expect(await changeBy(KNOWN, unproven)).not.toHaveProperty('newAddressAt');
    expect(await changeBy(KNOWN)).toBeUndefined();
  });
});
