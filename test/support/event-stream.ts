/**
 * A browser's EventSource, without the browser: opens GET /api/events with a person's cookies and hands out
 * its messages.
 *
 *     const stream = await openEvents(juno);
 *     await stream.next(({ topics }) => topics.includes('user'));
 */
import { EventOut } from '#contracts/api/events-out';
import type { Person } from './person.js';

export class EventStream {
  readonly messages: EventOut[] = [];
  /** How often the server said that it is still there, which it does every twenty seconds. */
  beats = 0;
  /** What the server ended it with, once it has. */
  ended = false;
  readonly #wakers = new Set<() => void>();

  constructor(
    readonly answer: Response,
    private readonly leaving: AbortController,
  ) {
    void this.#read();
  }

  /**
   * The first message that fits and that no earlier call was given; waits for it. Throws when the stream ends
   * before.
   */
  async next(fits: (message: EventOut) => boolean = () => true): Promise<EventOut> {
    for (;;) {
      const at = this.messages.findIndex(fits);
      if (at >= 0) return this.messages.splice(0, at + 1).at(-1)!;
      if (this.ended) throw new Error('The stream of events has ended.');
      await new Promise<void>((resolve) => this.#wakers.add(resolve));
    }
  }

  /** Waits until the server has ended it. */
  async end(): Promise<void> {
    while (!this.ended) await new Promise<void>((resolve) => this.#wakers.add(resolve));
  }

  close(): void {
    this.leaving.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of this.answer.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          if (part.startsWith(': ')) this.beats += 1;
          const data = /^data: (.*)$/m.exec(part)?.[1];
          if (data !== undefined) this.messages.push(EventOut.parse(JSON.parse(data)));
        }
        this.#wake();
      }
    } catch {
      // Cut off, by us or by a process that was killed: an end like any other.
    }
    this.ended = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#wakers]) {
      this.#wakers.delete(wake);
      wake();
    }
  }
}

/** Opens the stream; throws unless it was. `at` is another address of the app than the person's own. */
export async function openEvents(
  person: Person,
  headers: Record<string, string> = {},
  at = person.url,
): Promise<EventStream> {
  const leaving = new AbortController();
  const cookie = await person.jar.getCookieString(person.url);
  const answer = await fetch(`${at}/api/events`, { headers: { ...headers, cookie }, signal: leaving.signal });
  if (!answer.ok) throw new Error(`Answered ${answer.status}: ${await answer.text()}`);
  return new EventStream(answer, leaving);
}
