// One browser's stream: what is written, what is merged, and when it ends.
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { EventOut } from '#contracts/api/events-out';
import type { Change } from './change-feed.js';
import { Outlet } from './outlet.js';

const at = (n: number) => ({ commit: BigInt(n), prepare: BigInt(n) });
const alert = {
  kind: 'payment_received',
  amount: '1.00',
  counterpartyUsername: 'milo',
  counterpartyName: null,
} as const;
const HOUR_MS = 3_600_000;
const open: Outlet[] = [];
afterEach(() => open.splice(0).forEach(({ stream }) => stream.destroy()));

function outlet(
  isSignedIn: () => Promise<boolean> = () => Promise.resolve(true),
  heartbeatMs = HOUR_MS,
): Outlet {
  const made = new Outlet({ userId: 'usr_juno', heartbeatMs, isSignedIn });
  open.push(made);
  return made;
}
const messageIn = (text: string): EventOut =>
  JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null') as EventOut;

/** Reads on until the text holds the mark. */
async function until({ stream }: Outlet, mark: string): Promise<string> {
  let text = '';
  while (!text.includes(mark)) {
    const chunk = stream.read() as Buffer | null;
    if (chunk === null) await once(stream, 'readable');
    else text += chunk.toString();
  }
  return text;
}

describe('a stream of changes', () => {
  it('begins with how soon to come back, and names each message by its position', async () => {
    const to = outlet();
    to.changed({ position: at(7), topics: ['user', 'transactions'], alert });
    const text = await until(to, 'data:');
    expect(text).toMatch(/^retry: 2000\n\nid: 7\/7\ndata: \{.*\}\n\n$/);
    expect(messageIn(text)).toEqual({ position: '7/7', topics: ['user', 'transactions'], alerts: [alert] });
  });

  it('merges what happens while nobody reads, so that a slow browser costs no memory', async () => {
    let signedIn: (is: boolean) => void = () => undefined;
    const to = outlet(() => new Promise((resolve) => (signedIn = resolve)));
    for (let n = 1; n <= 1000; n += 1)
      to.changed({ position: at(n), topics: n % 2 ? ['user'] : ['settings'], alert });
    signedIn(true);
    const message = messageIn(await until(to, 'data:'));
    expect([message.position, message.topics, message.alerts.length]).toEqual([
      '1000/1000',
      ['user', 'settings'],
      20,
    ]);
  });

  it('names each line that changed once, and none where it cannot name all of them', async () => {
    let signedIn: (is: boolean) => void = () => undefined;
    const to = outlet(() => new Promise((resolve) => (signedIn = resolve)));
    const linesOf = async (count: number, ...others: readonly Change[]) => {
      for (let n = 0; n < count; n += 1)
        to.changed({ position: at(n), topics: ['transactions'], lineId: `pay_${Math.floor(n / 2)}` });
      for (const other of others) to.changed(other);
      signedIn(true);
      return messageIn(await until(to, 'data:')).lines;
    };
    const fifty = Array.from({ length: 50 }, (_, n) => `pay_${n}`);
    expect(await linesOf(100)).toEqual(fifty);
    expect(await linesOf(102)).toBeUndefined();
    // Which lines a guest's tips are is not told; a balance has none.
    expect(await linesOf(2, { position: at(3), topics: ['user', 'transactions'] })).toBeUndefined();
    expect(await linesOf(2, { position: at(3), topics: ['user'] })).toEqual(['pay_0']);
    expect(await linesOf(0, { position: at(4), topics: ['user'] })).toBeUndefined();
  });

  it('says once that what is read may be out of date, and once that it is not', async () => {
    const to = outlet();
    to.marked(true, false, at(7));
    expect(messageIn(await until(to, 'data:'))).toEqual({
      position: '7/7',
      topics: [],
      alerts: [],
      stale: true,
      closed: false,
    });
    to.changed({ position: at(8), topics: ['user'] });
    expect(messageIn(await until(to, 'data:'))).not.toHaveProperty('stale');
    to.marked(false, false, at(8));
    expect(messageIn(await until(to, 'data:'))).toMatchObject({ topics: [], stale: false, closed: false });
  });

  it.each([
    ['has ended', () => Promise.resolve(false)],
    ['cannot be looked up', () => Promise.reject(new Error('Postgres is away'))],
  ])('tells nothing and ends when the session %s', async (_, isSignedIn) => {
    const to = outlet(isSignedIn);
    to.changed({ position: at(1), topics: ['user'] });
    let text = '';
    for await (const chunk of to.stream) text += String(chunk);
    expect(text).toBe('retry: 2000\n\n');
  });

  it('says between changes that it is still there', async () => {
    expect(await until(outlet(undefined, 1), ':')).toContain('retry');
    expect(await until(outlet(undefined, 1), ': still here')).toContain('\n\n: still here\n\n');
  });

  it('is given up when nobody takes what it says', async () => {
    const to = outlet(undefined, 1);
    const closed = once(to.stream, 'close');
    for (let n = 0; n < 400; n += 1) {
      to.changed({ position: at(n), topics: ['user'], alert });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
    expect(to.stream.destroyed).toBe(true);
  });

  it('ends once, whoever says so', async () => {
    const to = outlet();
    to.end();
    to.end();
    to.changed({ position: at(1), topics: ['user'] });
    for await (const chunk of to.stream) expect(String(chunk)).toBe('retry: 2000\n\n');
    expect(to.stream.readableEnded).toBe(true);
  });
});
