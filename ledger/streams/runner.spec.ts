/** The stream-decider runner: one stream, decided on what it holds, whoever else writes. */
import { describe, expect, it } from '@jest/globals';
import { settingsStream, type SettingName, type SettingsEvent } from '#contracts/events/settings';
import { takeOut } from '#log/quarantine';
import { OutcomeOpen, Rejected, StoreAway, StreamParked, Unavailable } from '#ledger/rejection';
import { isOutage } from '#contracts/outage';
import { AppendDenied, LogUnavailable } from '#log/event-log';
import { MemoryLog } from '#test/support/memory-log';
import { MemoryNode } from '#test/support/memory-node';
import { ChainVerifier } from '#log/chain';
import { StoredContent } from '#log/stored-content';
import { StreamRunner, type Decider } from './runner.js';

type SwitchedOn = Extract<SettingsEvent, { type: 'SettingSwitchedOn' }>;

/** Switches one setting on: a repeat causes nothing. */
const switches: Decider<ReadonlySet<SettingName>, SettingName, SwitchedOn> = {
  streamOf: settingsStream,
  initial: new Set(),
  decide: (setting, on) =>
    on.has(setting) ? [] : [{ type: 'SettingSwitchedOn', data: { userId: 'usr_juno', setting } }],
  evolve: (on, { data }) => new Set([...on, data.setting]),
};
const STREAM = settingsStream('usr_juno');
const by = { correlationId: 'spec', actorId: 'usr_juno' };

describe('the stream runner', () => {
  it('appends what a command causes, and nothing for a repeat, with the same place for both', async () => {
    const log = new MemoryLog();
    const runner = new StreamRunner(log);
    const first = await runner.execute(switches, 'usr_juno', 'biometricEnabled', by);
    const again = await runner.execute(switches, 'usr_juno', 'biometricEnabled', by);
    expect([first.events.length, again.events.length]).toEqual([1, 0]);
    expect(again.position).toEqual(first.position);
    expect(log.all).toHaveLength(1);
  });

  it('decides again on what a rival wrote in between, and keeps the chain', async () => {
    const log = new MemoryLog();
    await new StreamRunner(log).execute(switches, 'usr_juno', 'biometricEnabled', by);
    const results = await Promise.all([
      new StreamRunner(log).execute(switches, 'usr_juno', 'privacyModeEnabled', by),
      new StreamRunner(log).execute(switches, 'usr_juno', 'transactionAlertsEnabled', by),
      new StreamRunner(log).execute(switches, 'usr_juno', 'privacyModeEnabled', by),
    ]);
    expect(Math.max(...results.map(({ revision }) => revision))).toBe(2);
    expect(log.all).toHaveLength(3);
    const chain = new ChainVerifier(STREAM);
    for (const raw of log.all) chain.next(raw);
  });

  it('records nothing while this machine’s clock is more than five minutes ahead of the store’s', async () => {
    const log = new MemoryLog();
    let aheadMs = 6 * 60_000;
    const runner = new StreamRunner(log, () => new Date(Date.now() + aheadMs));
    const on = () => runner.execute(switches, 'usr_juno', 'biometricEnabled', by);
    await expect(on()).rejects.toThrow(/^The clock is 6 minutes ahead of the event store’s/);
    expect(log.all).toHaveLength(0);
    expect(await runner.read(switches, 'usr_juno')).toEqual(new Set());
    // It was set right.
    aheadMs = 4 * 60_000;
    await on();
    expect(log.all).toHaveLength(1);
    // What records nothing needs no clock.
    aheadMs = 6 * 60_000;
    expect((await on()).events).toEqual([]);
  });

  it('goes on with a stream whose last event was recorded by a clock that was ahead', async () => {
    let aheadMs = 3_600_000;
    const clock = () => new Date(Date.now() + aheadMs);
    const log = new MemoryLog(clock);
    await new StreamRunner(log, clock).execute(switches, 'usr_juno', 'biometricEnabled', by);
    aheadMs = 0;
    await new StreamRunner(log, clock).execute(switches, 'usr_juno', 'privacyModeEnabled', by);
    expect(log.all).toHaveLength(2);
  });

  it('sends an append again when its answer was lost, and writes it once', async () => {
    const log = new MemoryLog();
    log.loseNextAppendAfterWriting();
    await new StreamRunner(log).execute(switches, 'usr_juno', 'biometricEnabled', by);
    expect(log.all).toHaveLength(1);
  });

  it('says that it is not certain when the log stays away, sends the same again, and decides nothing before', async () => {
    const log = new MemoryLog();
    const sent: string[][] = [];
    const append = log.append.bind(log);
    log.append = (stream, events, revision) => {
      sent.push(events.map(({ id }) => id));
      return append(stream, events, revision);
    };
    for (let n = 0; n < 6; n++) log.loseNextAppendBeforeWriting();
    const runner = new StreamRunner(log, undefined, 60);
    const execute = (setting: SettingName) => runner.execute(switches, 'usr_juno', setting, by);
    const [first, second] = [execute('biometricEnabled'), execute('privacyModeEnabled')];
    await expect(first).rejects.toBeInstanceOf(OutcomeOpen);
    await expect(second).rejects.toBeInstanceOf(Unavailable);
    // Asked again, nothing new is decided on the stream while the first is open.
    await expect(execute('biometricEnabled')).rejects.toBeInstanceOf(StoreAway);
    expect(log.all).toHaveLength(0);
    const ids = new Set(sent.flat());
    expect(ids.size).toBeLessThanOrEqual(2);
    while (log.all.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(ids).toContain(log.all[0]!.id);
    expect(await runner.read(switches, 'usr_juno')).toContain('biometricEnabled');
    expect((await execute('biometricEnabled')).events).toEqual([]);
    const chain = new ChainVerifier(STREAM);
    for (const raw of log.all) chain.next(raw);
  });

  it('finds that an append was written whose answer came after its caller had left', async () => {
    const log = new MemoryLog();
    log.loseNextAppendAfterWriting();
    for (let n = 0; n < 4; n++) log.loseNextAppendBeforeWriting();
    const runner = new StreamRunner(log, undefined, 40);
    const asked = () => runner.execute(switches, 'usr_juno', 'biometricEnabled', by);
    await expect(asked()).rejects.toBeInstanceOf(OutcomeOpen);
    let again;
    while (!again) again = await asked().catch(() => undefined);
    expect([again.events, log.all.length]).toEqual([[], 1]);
  });

  it('confirms no refusal and no repeat by the word of a node that was cut off', async () => {
    const log = new MemoryLog();
    const node = new MemoryNode(log);
    const runner = new StreamRunner(node);
    const once: typeof switches = {
      ...switches,
      decide: (setting, on) => {
        if (on.has(setting)) throw new Rejected('SubscriptionCanceled');
        return switches.decide(setting, on);
      },
    };
    const asked = (decider: typeof switches) => runner.execute(decider, 'usr_juno', 'biometricEnabled', by);
    await asked(switches);
    node.cutOff();
    await expect(asked(switches)).rejects.toBeInstanceOf(LogUnavailable);
    await expect(asked(once)).rejects.toBeInstanceOf(LogUnavailable);
    node.heal();
    expect((await asked(switches)).events).toEqual([]);
    await expect(asked(once)).rejects.toMatchObject({ reason: 'SubscriptionCanceled' });
  });

  it('refuses to decide on a stream that was edited', async () => {
    const log = new MemoryLog();
    await new StreamRunner(log).execute(switches, 'usr_juno', 'biometricEnabled', by);
    const data = StoredContent.of({ userId: 'usr_juno', setting: 'privacyModeEnabled' });
    log.all[0] = { ...log.all[0]!, data };
    log.reindex();
    const decided = new StreamRunner(log).execute(switches, 'usr_juno', 'biometricEnabled', by);
    await expect(decided).rejects.toMatchObject({
      name: 'StreamParked',
      answer: { status: 409, message: expect.stringMatching(/^Your settings cannot be changed/) },
      logged: { stream: STREAM, revision: 0, why: expect.stringMatching(/not what was written/) },
    });
  });

  it('knows a stream that was deleted for good as parked: it is no outage, which would hold up others', async () => {
    const log = new MemoryLog();
    const runner = new StreamRunner(log);
    await runner.execute(switches, 'usr_juno', 'biometricEnabled', by);
    log.deleteForGood(STREAM);
    for (const asked of [
      runner.execute(switches, 'usr_juno', 'privacyModeEnabled', by),
      runner.read(switches, 'usr_juno'),
    ])
      await expect(asked).rejects.toMatchObject({
        name: 'StreamParked',
        logged: { stream: STREAM, why: expect.stringMatching(/deleted at the event store for good/) },
      });
  });

  it('tells a stream that it may not write to apart from an outage, and writes once it may', async () => {
    const log = new MemoryLog();
    const runner = new StreamRunner(log);
    log.onNextAppend(() => Promise.reject(new AppendDenied('The right "$w" is missing.')));
    const asked = () => runner.execute(switches, 'usr_juno', 'biometricEnabled', by);
    const denied: unknown = await asked().catch((error: unknown) => error);
    expect(denied).toMatchObject({ message: 'The right "$w" is missing.' });
    expect(isOutage(denied)).toBe(false);
    expect((await asked()).events).toHaveLength(1);
  });

  it('decides on a stream again once its unreadable event was quarantined, and chains on behind it', async () => {
    const log = new MemoryLog();
    const runner = new StreamRunner(log);
    const asked = (setting: SettingName) => runner.execute(switches, 'usr_juno', setting, by);
    await asked('biometricEnabled');
    log.put(STREAM, { id: 'strange', type: 'SettingDimmed', data: {}, metadata: {} });
    await expect(asked('privacyModeEnabled')).rejects.toBeInstanceOf(StreamParked);
    await expect(runner.read(switches, 'usr_juno')).rejects.toBeInstanceOf(StreamParked);
    // Another's streams go on.
    await runner.execute(switches, 'usr_milo', 'biometricEnabled', by);
    await takeOut(log, { stream: STREAM, revision: 1, because: 'A test wrote it.' }, new Date());
    await asked('privacyModeEnabled');
    expect(await new StreamRunner(log).read(switches, 'usr_juno')).toEqual(
      new Set(['biometricEnabled', 'privacyModeEnabled']),
    );
    // Again the same: nothing is written twice.
    expect((await asked('privacyModeEnabled')).events).toEqual([]);
  });

  it('keeps what it has read: only what came since is read again, from whoever wrote it', async () => {
    const log = new MemoryLog();
    const [one, other] = [new StreamRunner(log), new StreamRunner(log)];
    await one.execute(switches, 'usr_juno', 'biometricEnabled', by);
    await other.execute(switches, 'usr_juno', 'privacyModeEnabled', by);
    const from: number[] = [];
    const { readStream } = log;
    log.readStream = (stream, revision, limit) => {
      from.push(revision);
      return readStream.call(log, stream, revision, limit);
    };
    expect(await one.read(switches, 'usr_juno')).toEqual(new Set(['biometricEnabled', 'privacyModeEnabled']));
    await one.execute(switches, 'usr_juno', 'transactionAlertsEnabled', by);
    expect(from).toEqual([1, 2]);
    const chain = new ChainVerifier(STREAM);
    for (const raw of log.all) chain.next(raw);
    expect(chain.revision).toBe(2);
  });
});
