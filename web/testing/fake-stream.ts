/** The stream of changes for component tests: the test says what comes. */
import { expect } from '@jest/globals';
import { act, waitFor } from '@testing-library/react';
import type { EventOut } from '#contracts/api/events-out';

/** A stream that the test writes. */
export class FakeStream {
  static opened: FakeStream[] = [];
  static install(): void {
    FakeStream.opened = [];
    Object.assign(globalThis, { EventSource: FakeStream });
  }
  static remove(): void {
    Reflect.deleteProperty(globalThis, 'EventSource');
  }
  static get last(): FakeStream {
    return FakeStream.opened.at(-1)!;
  }
  /** Its code loads after the page's own. */
  static async stands(): Promise<void> {
    await waitFor(() => expect(FakeStream.opened).not.toHaveLength(0));
  }
  onmessage: ((event: MessageEvent<unknown>) => void) | null = null;
  onerror: (() => void) | null = null;
  isClosed = false;
  constructor(readonly url: string) {
    FakeStream.opened.push(this);
  }
  close(): void {
    this.isClosed = true;
  }
  async says(message: Partial<EventOut>): Promise<void> {
    const whole: EventOut = { position: '7', topics: [], alerts: [], ...message };
    await act(async () =>
      this.onmessage?.(
        new MessageEvent('message', { data: JSON.stringify(whole), lastEventId: whole.position }),
      ),
    );
  }
  async breaks(): Promise<void> {
    await act(async () => this.onerror?.());
  }
}
