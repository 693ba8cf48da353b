import { describe, expect, it } from '@jest/globals';
import { StreamStory } from '#test/support/stream-spec';
import { accountRecovery, heldBackUntil, type AccountRecoveryCommand } from './account-recovery.decider.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WAIT_MS = 3 * DAY_MS;
const USER = 'usr_a';
type Asked = (now: Date) => AccountRecoveryCommand;

const start =
  (id = 'rec_1', more: object = {}): Asked =>
  (now) => ({
    type: 'StartRecovery',
    userId: USER,
    recoveryId: id,
    startedBy: 'owner',
    signedInAt: now,
    refusalToken: `sealed:${USER}:token`,
    hasPasskey: true,
    waitMs: WAIT_MS,
    now,
    ...more,
  });
const operatorStarts = (id = 'rec_1') => start(id, { startedBy: 'operator', signedInAt: null });
const refuse =
  (refusedBy: 'passkey' | 'link', id = 'rec_1'): Asked =>
  (now) => ({ type: 'RefuseRecovery', userId: USER, recoveryId: id, refusedBy, now });
const complete =
  (signedInAt?: string): Asked =>
  (now) => ({
    type: 'CompleteRecovery',
    userId: USER,
    signedInAt: signedInAt === undefined ? now : new Date(signedInAt),
    now,
  });
const finish: Asked = () => ({ type: 'FinishRecovery', userId: USER, recoveryId: 'rec_1' });

const STARTED = '2026-03-01T10:00:00.000Z';
const story = () => new StreamStory(accountRecovery).at(STARTED);
const begun = () => story().do(start());

describe('the recovery of an account', () => {
  it('is completed by another fresh sign-in, once its wait is over', () => {
    begun().at(WAIT_MS).then(complete(), 'AccountRecoveryCompleted').then(finish, 'AccountRecoveryFinished');
  });

  it('waits to the last millisecond, however fresh the sign-in is', () => {
    begun()
      .at(WAIT_MS - 1)
      .thenRejects(complete(), 'RecoveryTooEarly');
  });

  it('is not completed by the sign-in that began it', () => {
    begun().at(WAIT_MS).thenRejects(complete(STARTED), 'RecoverySignInNeeded');
  });

  it('is one at a time: asked for again it stays as it is, and its wait is no shorter and no longer', () => {
    const told = begun()
      .at(DAY_MS)
      .thenNothing(start('rec_2', { waitMs: 1 }));
    expect(told.state).toMatchObject({
      status: 'running',
      recoveryId: 'rec_1',
      completableFrom: '2026-03-04T10:00:00.000Z',
    });
  });

  it('is not begun where no passkey stands in anybody’s way', () => {
    story().thenRejects(start('rec_1', { hasPasskey: false }), 'NothingToRecover');
  });

  it('may be repeated at each step', () => {
    begun()
      .thenNothing(start())
      .at(WAIT_MS)
      .do(complete())
      .thenNothing(complete())
      .do(finish)
      .thenNothing(finish)
      .thenNothing(complete());
  });
});

describe('a refused recovery', () => {
  it.each(['passkey', 'link'] as const)('is stopped by a %s, and completed by nobody', (by) => {
    begun()
      .at(HOUR_MS)
      .then(refuse(by), 'AccountRecoveryRefused')
      .thenNothing(refuse(by))
      .at(WAIT_MS)
      .thenRejects(complete(), 'NoRecovery');
  });

  it('is begun again a day later at the earliest, but for an operator', () => {
    const stopped = begun().do(refuse('link'));
    stopped.at(DAY_MS - 1).thenRejects(start('rec_2'), 'RecoveryRefusedLately');
    stopped.at(1).then(start('rec_2'), 'AccountRecoveryStarted');
    begun().do(refuse('link')).then(operatorStarts('rec_2'), 'AccountRecoveryStarted');
  });

  it('is refused by its own link alone: that of an earlier one stops nothing', () => {
    begun()
      .do(refuse('link'))
      .at(DAY_MS)
      .do(start('rec_2'))
      .thenRejects(refuse('link', 'rec_1'), 'NoRecovery');
  });

  it('cannot be refused any more once it is completed', () => {
    begun().at(WAIT_MS).do(complete()).thenRejects(refuse('passkey'), 'NoRecovery');
  });
});

describe('a recovery that an operator begins', () => {
  it('needs both sign-ins of its owner, and the whole wait', () => {
    story()
      .then(operatorStarts(), 'AccountRecoveryStarted')
      .at(HOUR_MS)
      .then(start('rec_2'), 'AccountRecoveryConfirmed')
      .at(WAIT_MS - HOUR_MS - 1)
      .thenRejects(complete(), 'RecoveryTooEarly')
      .at(1)
      .then(complete(), 'AccountRecoveryCompleted');
  });

  it('is not completed by one sign-in', () => {
    story().do(operatorStarts()).at(WAIT_MS).thenRejects(complete(), 'RecoverySignInNeeded');
  });

  it('changes nothing of one that runs', () => {
    begun().thenNothing(operatorStarts('rec_2'));
  });
});

describe('a recovery that nobody completes', () => {
  it('lapses a week after its wait: it can be neither completed nor refused, and another one begins', () => {
    begun()
      .at(WAIT_MS + 7 * DAY_MS)
      .thenRejects(complete(), 'NoRecovery')
      .thenRejects(refuse('link'), 'NoRecovery')
      .then(start('rec_2'), 'AccountRecoveryStarted');
  });
});

describe('what is guarded', () => {
  it('is held back from the start of a recovery to its end', () => {
    const told = story();
    const held = () => heldBackUntil(told.state, told.now)?.toISOString();
    expect(held()).toBeUndefined();
    told.do(start());
    expect(held()).toBe('2026-03-04T10:00:00.000Z');
    told.at(WAIT_MS);
    expect(held()).toBeDefined();
    told.do(complete());
    // Until the passkeys of before are gone.
    expect(held()).toBeDefined();
    told.do(finish);
    expect(held()).toBeUndefined();
  });

  it('is free again after a refusal, and when the recovery has lapsed', () => {
    const stopped = begun().do(refuse('passkey'));
    expect(heldBackUntil(stopped.state, stopped.now)).toBeUndefined();
    const lapsed = begun().at(WAIT_MS + 7 * DAY_MS);
    expect(heldBackUntil(lapsed.state, lapsed.now)).toBeUndefined();
  });
});
