/**
 * A history for specs of readers: commands are decided by the real books, recorded and chained as the writer
 * does it, and put into a log in memory. What a reader meets here is what it will meet in the store.
 *
 *     const story = new Story();
 *     await story.register(JUNO, { email: 'juno@example.org' });
 *     story.command(openAccount(JUNO), open(tip), settle(tip));
 */
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import type { DomainEvent } from '#contracts/events/index';
import { settingsStream, type SettingName } from '#contracts/events/settings';
import { userStream, type Profile } from '#contracts/events/user';
import type { RecordedEvent } from '#contracts/log';
import { recorded } from '#log/event-log';
import { decide, evolve } from '#ledger/journal/books';
import { GENESIS } from '#log/chain';
import type { JournalCommand } from '#ledger/journal/commands';
import { record, type KeyedProvenance, type Tip as ChainTip } from '#log/record';
import { Books } from '#ledger/journal/state';
import { askerOf } from '#test/support/asker';
import { AT, contextOf } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { PlainVault, sealedFor } from '#test/support/plain-vault';

export class Story {
  readonly log: MemoryLog;
  readonly vault = new PlainVault();
  readonly books = new Books();
  readonly #tips = new Map<string, ChainTip>();
  /** The ledger's clock, which is the store's too; every event is a second after the one before. */
  nowMs = Date.parse(AT);

  constructor(log?: MemoryLog) {
    this.log = log ?? new MemoryLog(() => new Date(this.nowMs));
  }

  /**
   * Executes commands on the books; each must be taken. Returns the entries' events as a reader sees them.
   */
  command(...commands: readonly JournalCommand[]): RecordedEvent[] {
    return commands.map((command) => {
      const decision = decide(command, contextOf(command), this.books, this.nowMs);
      if (decision.kind !== 'entry') throw new Error(`${command.type} was not taken: ${decision.kind}`);
      return this.entry(decision.event, { key: decision.key, actorId: askerOf(command) });
    });
  }

  /** Puts an entry into the journal whatever the books say of it, chained as if it were right. */
  entry(event: JournalEvent, provenance: Partial<KeyedProvenance> = {}): RecordedEvent {
    const written = this.write(JOURNAL, event, provenance);
    evolve(
      event,
      {
        revision: written.revision,
        key: provenance.key,
        fingerprint: provenance.fingerprint,
        recordedAtMs: this.nowMs,
        landing: { position: written.position },
      },
      this.books,
    );
    return written;
  }

  register(userId: string, profile: Profile): RecordedEvent {
    return this.write(userStream(userId), {
      type: 'UserRegistered',
      data: {
        userId,
        issuer: 'spec',
        subject: `sub-${userId}`,
        profile: sealedFor(userId, JSON.stringify(profile)),
      },
    });
  }

  changeProfile(userId: string, profile: Profile): RecordedEvent {
    return this.write(userStream(userId), {
      type: 'ProfileChanged',
      data: { userId, profile: sealedFor(userId, JSON.stringify(profile)) },
    });
  }

  /** The key is destroyed and the event says so. */
  forget(userId: string): RecordedEvent {
    this.vault.forgotten.add(userId);
    return this.write(userStream(userId), { type: 'UserForgotten', data: { userId } });
  }

  switch(userId: string, setting: SettingName, on: boolean): RecordedEvent {
    return this.write(settingsStream(userId), {
      type: on ? 'SettingSwitchedOn' : 'SettingSwitchedOff',
      data: { userId, setting },
    });
  }

  /** Puts any event at the end of a stream, chained. */
  write(stream: string, event: DomainEvent, provenance: Partial<KeyedProvenance> = {}): RecordedEvent {
    this.nowMs += 1000;
    const tip = this.#tips.get(stream) ?? { revision: -1, hash: GENESIS, recordedAtMs: 0 };
    const recording = record(stream, event, { correlationId: 'spec', ...provenance }, tip, this.nowMs);
    this.#tips.set(stream, recording.tip);
    this.log.put(stream, recording.event);
    return recorded(this.log.all.at(-1)!);
  }
}
