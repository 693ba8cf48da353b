/**
 * The hash chain: what it covers, byte for byte, and that nothing can be changed, put in, taken out or moved
 * unseen.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { RawEvent } from './event-log.js';
import { ChainBroken, ChainVerifier, GENESIS, hashOf } from './chain.js';
import { record, type Tip } from './record.js';
import { jsonOrText, StoredContent } from './stored-content.js';

const EMPTY: Tip = { revision: -1, hash: GENESIS, recordedAtMs: 0 };

/** A stream of three accounts, as the store would give it back. */
function threeAccounts(): RawEvent[] {
  let tip = EMPTY;
  return ['usr_a', 'usr_b', 'usr_ü'].map((userId, revision) => {
    const opened = { type: 'AccountOpened', data: { account: `user/${userId}/available`, userId } } as const;
    const recording = record(
      'journal',
      opened,
      { correlationId: 'spec', key: `account:${userId}` },
      tip,
      1_000 + revision,
    );
    tip = recording.tip;
    const { id, type, data, metadata } = recording.event;
    const at = BigInt(revision + 1);
    return {
      id,
      stream: 'journal',
      revision,
      type,
      data: StoredContent.of(data),
      metadata: StoredContent.of(metadata),
      position: { commit: at, prepare: at },
      createdAt: new Date(0),
    };
  });
}

const changed = (content: StoredContent, change: object): StoredContent =>
  StoredContent.of({ ...(content.value as object), ...change });

function verify(events: readonly RawEvent[]): number {
  const chain = new ChainVerifier('journal');
  for (const event of events) chain.next(event);
  return chain.revision;
}

describe('the hash chain', () => {
  it('holds for what was written', () => expect(verify(threeAccounts())).toBe(2));

  it('is the SHA-256 of the previous hash and of six texts, each after its length in four bytes', () => {
    const link = {
      stream: 'journal',
      revision: 7,
      id: 'an id',
      type: 'AccountOpened',
      data: '{"name":"Zoë"}',
      metadata: '{"version":1}',
    };
    const sized = (text: string) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.from(text).length);
      return Buffer.concat([length, Buffer.from(text)]);
    };
    const bytes = Buffer.concat([
      Buffer.alloc(32),
      ...['journal', '7', 'an id', 'AccountOpened', '{"name":"Zoë"}', '{"version":1}'].map(sized),
    ]);
    expect(hashOf(GENESIS, link)).toBe(createHash('sha256').update(bytes).digest('base64url'));
  });

  const forgeries: [string, (events: RawEvent[]) => RawEvent[]][] = [
    ['an edited amount', ([a, b, c]) => [a!, { ...b!, data: changed(b!.data, { userId: 'usr_x' }) }, c!]],
    [
      'an edited time',
      ([a, b, c]) => [
        a!,
        { ...b!, metadata: changed(b!.metadata, { recordedAt: '2020-01-01T00:00:00.000Z' }) },
        c!,
      ],
    ],
    ['another type', ([a, b, c]) => [a!, { ...b!, type: 'PaymentOpened' }, c!]],
    ['another id', ([a, b, c]) => [a!, { ...b!, id: 'another' }, c!]],
    ['a removed event', ([a, , c]) => [a!, { ...c!, revision: 1 }]],
    ['an inserted event', ([a, b, c]) => [a!, b!, { ...b!, revision: 2 }, { ...c!, revision: 3 }]],
    ['two that changed places', ([a, b, c]) => [a!, { ...c!, revision: 1 }, { ...b!, revision: 2 }]],
    ['a missing hash', ([a, b, c]) => [a!, { ...b!, metadata: StoredContent.of({ version: 1 }) }, c!]],
    ['a gap', ([a, , c]) => [a!, c!]],
    [
      'data that say the same in other bytes',
      ([a, b, c]) => {
        const spaced = Buffer.from(b!.data.bytes.toString().replaceAll(',', ', '));
        return [a!, { ...b!, data: new StoredContent(spaced, jsonOrText) }, c!];
      },
    ],
    [
      'a hash that does not stand last',
      ([a, b, c]) => {
        const { hash, ...rest } = b!.metadata.value as { hash: string };
        return [a!, { ...b!, metadata: StoredContent.of({ hash, ...rest }) }, c!];
      },
    ],
  ];
  it.each(forgeries)('finds %s', (_, forge) => {
    expect(() => verify(forge(threeAccounts()))).toThrow(ChainBroken);
  });

  it('never records before the event it follows', () => {
    const opened = {
      type: 'AccountOpened',
      data: { account: 'user/usr_a/available', userId: 'usr_a' },
    } as const;
    const late = record(
      'journal',
      opened,
      { correlationId: 'spec' },
      { ...EMPTY, recordedAtMs: 9_000 },
      1_000,
    );
    expect(late.tip.recordedAtMs).toBe(9_000);
  });

  it('refuses to write what no reader could read', () => {
    const broken = { type: 'AccountOpened', data: { account: '', userId: 7 } } as never;
    expect(() => record('journal', broken, { correlationId: 'spec' }, EMPTY, 0)).toThrow(/not well formed/);
  });
});
