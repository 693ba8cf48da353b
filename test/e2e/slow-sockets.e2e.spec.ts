/**
 * A thousand sockets that hold the server's attention and give nothing for it, at the front and at a ledger
 * itself, from other addresses and from the payer's own: a tip goes through meanwhile, and none of them is
 * left.
 */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Part } from '#local/stack/parts';
import { CardProviderWorld } from '#test/support/payer';
import { useEvidence } from '#test/support/evidence';
import { Person } from '#test/support/person';
import { sampled } from '#test/support/sample';
import { LOOPBACK_ADDRESSES, SlowSockets } from '#test/support/slow-sockets';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const evidence = useEvidence(stack);
/** Where they are opened, and from which addresses. */
type Attack = readonly [where: string, part: Part, from: readonly string[]];
const FROM_OUTSIDE: readonly Attack[] = [
  ['the front, from eight addresses', 'front', LOOPBACK_ADDRESSES],
  ['the front, from the payer’s own address', 'front', ['127.0.0.1']],
];
const AT_A_LEDGER: Attack = ['a ledger itself', 'ledger-1', LOOPBACK_ADDRESSES];
const MANY = 1_000;
const WITHIN_MS = 120_000;

const provider = new CardProviderWorld(stack);
let juno: Person;
let milo: Person;
let slow: SlowSockets | undefined;

beforeAll(async () => {
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
}, WITHIN_MS);
afterEach(() => slow?.close());

describe('a thousand slow sockets', () => {
  it.each(sampled([...FROM_OUTSIDE, AT_A_LEDGER], [AT_A_LEDGER]))(
    'at %s let a tip through, and are all cut',
    async (_, part, from) => {
      const before = (await milo.me()).earnings;
      slow = await SlowSockets.open(stack().ports[part] ?? 0, { count: MANY, from });
      await provider.card((await juno.pay(milo.id, '5.00')).clientSecret);
      await provider.delivered();
      await evidence.shown();
      expect(Number((await milo.me()).earnings) - Number(before)).toBe(5);
      await slow.allCut();
      expect(slow.cut).toBe(MANY);
    },
    WITHIN_MS,
  );
});
