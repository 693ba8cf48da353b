/**
 * Fair turns among ledgers on one journal. A writer that always has an append on its way never lets a rival's
 * revision be the right one, and does not even notice: the rival would starve while the total looks fine. So
 * a writer that has been at it for a spell rests, and reads what others write meanwhile; it goes on when
 * nobody has written for a moment. With a rival about, spells are short, but long enough to be worth the
 * reading: each entry is read by everybody who did not write it. Whoever is not busy never waits. Times are
 * milliseconds of a steady clock.
 */

/**
 * Nobody writes: so long a silence ends a rest. Enough to read the last of what was written, and to append.
 */
const SILENCE_MS = 12;
/** A writer's spell while it sees nobody else; a rest of 12 ms in 500 costs it one fortieth. */
const SPELL_ALONE_MS = 500;
/** A writer's spell among others. */
const SPELL_MS = 80;
/** Nobody rests longer, however busy the others are. */
const LONGEST_REST_MS = 400;
/** A rival that was not seen for so long has gone. */
const RIVAL_MS = 2_000;
/** To have missed so many entries is to have met a rival in the middle of its spell. */
const MANY_ENTRIES = 64;

/**
 * `go`: append. `read`: first read what is new. `land`: let what is on its way land first. `rest`: it is the
 * others' turn; read, and ask again.
 */
type Advice = 'go' | 'read' | 'land' | 'rest';

export class Turns {
  #rivalSeenAt = -Infinity;
  #landedAt = -Infinity;
  #spellBegan = -Infinity;
  #restBegan: number | undefined;
  #hasRead = true;

  /** We have read the journal to its end, and found so many entries of others. */
  read(now: number, entries: number): void {
    this.#hasRead = true;
    if (entries > 0) this.#rivalSeenAt = now;
  }

  /** An append of ours is durable. */
  landed(now: number): void {
    this.#landedAt = now;
    this.#hasRead = false;
  }

  /** An append of ours lost against a rival's; we have read the `entries` that we had missed. */
  lost(now: number, entries: number): void {
    this.read(now, entries);
    if (entries >= MANY_ENTRIES) this.#restBegan ??= now;
  }

  /** What to do now, with so many appends of ours on their way. */
  advice(now: number, flying: number): Advice {
    const hasRival = now - this.#rivalSeenAt < RIVAL_MS;
    if (this.#restBegan === undefined) {
      if (flying === 0 && now - this.#landedAt >= SILENCE_MS) this.#spellBegan = now;
      if (now - this.#spellBegan < (hasRival ? SPELL_MS : SPELL_ALONE_MS)) {
        // With a rival about, an append on unread books is an append lost; within a spell nobody else should
        // write.
        return hasRival && flying === 0 && !this.#hasRead && this.#spellBegan === now ? 'read' : 'go';
      }
      this.#restBegan = now;
    }
    if (flying > 0) return 'land';
    const silentMs = now - Math.max(this.#landedAt, this.#rivalSeenAt);
    if (silentMs < SILENCE_MS && now - this.#restBegan < LONGEST_REST_MS) return 'rest';
    this.#restBegan = undefined;
    this.#spellBegan = now;
    return 'read';
  }
}
