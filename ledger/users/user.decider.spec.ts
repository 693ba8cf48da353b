import { describe, expect, it } from '@jest/globals';
import type { UserEvent } from '#contracts/events/user';
import { Rejected } from '../rejection.js';
import { hearingAt, user, type UserCommand } from './user.decider.js';

const register: UserCommand = {
  type: 'Register',
  userId: 'usr_a',
  issuer: 'local',
  subject: 's1',
  profile: 'sealed:1',
};
const change = (replaces: string, profile: string): UserCommand => ({
  type: 'ChangeProfile',
  userId: 'usr_a',
  replaces,
  profile,
});
const registered: UserEvent = {
  type: 'UserRegistered',
  data: { userId: 'usr_a', issuer: 'local', subject: 's1', profile: 'sealed:1' },
};
const changed: UserEvent = { type: 'ProfileChanged', data: { userId: 'usr_a', profile: 'sealed:2' } };
const forgotten: UserEvent = { type: 'UserForgotten', data: { userId: 'usr_a' } };

const decide = (history: UserEvent[], command: UserCommand) =>
  user.decide(command, history.reduce(user.evolve, user.initial));

describe('a user', () => {
  it('is registered at the first sign-in', () => expect(decide([], register)).toEqual([registered]));
  it('is not registered again at the next', () => expect(decide([registered], register)).toEqual([]));
  it('gets a new profile when the provider shows another', () =>
    expect(decide([registered], change('sealed:1', 'sealed:2'))).toEqual([changed]));
  it('keeps a replaced address for as long as it hears of a recovery, and no number of further ones pushes it out', () => {
    const day = (n: number): string => new Date(Date.UTC(2026, 2, n)).toISOString();
    const readdressed = (n: number, at: string): UserEvent => ({
      type: 'ProfileChanged',
      data: { userId: 'usr_a', profile: `sealed:${n}`, newAddressAt: at },
    });
    expect(
      decide([registered], {
        type: 'ChangeProfile',
        userId: 'usr_a',
        replaces: 'sealed:1',
        profile: 'sealed:2',
        newAddressAt: new Date(day(1)),
      }),
    ).toEqual([readdressed(2, day(1))]);
    const many = Array.from({ length: 9 }, (_, n) => readdressed(n + 2, day(n + 1)));
    const state = [registered, ...many, changed].reduce(user.evolve, user.initial);
    const heard = (at: string) =>
      state.status === 'registered'
        ? hearingAt(state.replaced, new Date(at)).map(({ profile }) => profile)
        : [];
    expect(heard(day(10))).toEqual(['sealed:1', 'sealed:2', 'sealed:3', 'sealed:4', 'sealed:5']);
    expect(heard(day(33))).toEqual(['sealed:4', 'sealed:5']);
    const later = user.evolve(state, readdressed(20, day(60)));
    expect(later).toMatchObject({ replaced: [{ profile: 'sealed:2', until: day(60) }] });
  });
  it('keeps the newer profile of two sign-ins at once', () =>
    expect(decide([registered, changed], change('sealed:1', 'sealed:3'))).toEqual([]));
  it('has no profile to change before registration', () =>
    expect(decide([], change('sealed:1', 'sealed:2'))).toEqual([]));
  it.each([register, change('sealed:1', 'sealed:2')])('refuses %j once forgotten', (command) =>
    expect(() => decide([registered, forgotten], command)).toThrow(new Rejected('Forgotten')),
  );
  it('is forgotten once, and only if they were ever known', () => {
    const forget: UserCommand = { type: 'Forget', userId: 'usr_a' };
    expect(decide([registered], forget)).toEqual([forgotten]);
    expect(decide([registered, forgotten], forget)).toEqual([]);
    expect(() => decide([], forget)).toThrow(new Rejected('UserNotFound'));
  });
  it('is forgotten to the end once, and not before it has begun', () => {
    const finish: UserCommand = { type: 'FinishForgetting', userId: 'usr_a' };
    const finished: UserEvent = { type: 'ForgettingFinished', data: { userId: 'usr_a' } };
    expect(decide([registered, forgotten], finish)).toEqual([finished]);
    expect(decide([registered, forgotten, finished], finish)).toEqual([]);
    expect(() => decide([registered], finish)).toThrow(new Rejected('UserNotFound'));
    expect(() => decide([registered, forgotten, finished], register)).toThrow(new Rejected('Forgotten'));
  });
  it('stays forgotten when an older event is met later', () =>
    expect(() => decide([forgotten, changed], register)).toThrow(Rejected));
});

describe('asking to be forgotten', () => {
  const DUE = '2026-03-04T10:00:00.000Z';
  const request = (at = '2026-03-01T10:00:00.000Z'): UserCommand => ({
    type: 'RequestForgetting',
    userId: 'usr_a',
    waitMs: 3 * 24 * 3_600_000,
    now: new Date(at),
  });
  const end = (why: 'canceled' | 'recovery_started' | 'money_left', at: string): UserCommand => ({
    type: 'EndForgettingRequest',
    userId: 'usr_a',
    why,
    now: new Date(at),
  });
  const requested: UserEvent = {
    type: 'ForgettingRequested',
    data: { userId: 'usr_a', requestedAt: '2026-03-01T10:00:00.000Z', dueAt: DUE },
  };

  it('waits three days, and asked again waits no longer', () => {
    expect(decide([registered], request())).toEqual([requested]);
    expect(decide([registered, requested], request('2026-03-02T10:00:00.000Z'))).toEqual([]);
    expect(() => decide([], request())).toThrow(new Rejected('UserNotFound'));
  });
  it('is called off until the wait is over, and called off once', () => {
    const before = end('canceled', '2026-03-04T09:59:59.999Z');
    const [ended] = decide([registered, requested], before);
    expect(ended).toMatchObject({ type: 'ForgettingRequestEnded', data: { why: 'canceled' } });
    expect(decide([registered, requested, ended!], before)).toEqual([]);
    expect(() => decide([registered, requested], end('canceled', DUE))).toThrow(
      new Rejected('ForgettingUnderWay'),
    );
  });
  it('comes to nothing while money is left, and says so until it is asked again', () => {
    const [ended] = decide([registered, requested], end('money_left', DUE));
    const state = [registered, requested, ended!].reduce(user.evolve, user.initial);
    expect(state).toMatchObject({ forgetting: null, notForgotten: 'money_left' });
    expect(user.evolve(state, requested)).toMatchObject({ forgetting: { dueAt: DUE }, notForgotten: null });
  });
  it('outlives a new profile', () =>
    expect([registered, requested, changed].reduce(user.evolve, user.initial)).toMatchObject({
      profile: 'sealed:2',
      forgetting: { dueAt: DUE },
    }));
});
