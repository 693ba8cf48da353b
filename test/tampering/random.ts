/** One act of tampering at random: which event, which of its words, and how. */
import { StoredContent } from '#log/stored-content';
import type { Dice } from '#test/simulator/dice';
import type { Forger } from './forger.js';

interface RandomAct {
  readonly what: string;
  /** Nothing was chained again: verify must find it by itself. */
  readonly isRaw: boolean;
  /** It was put behind the signed head. */
  readonly isBehindHead: boolean;
  /** What it claims is known by its provider or its asker alone. */
  readonly isOnlyOutside: boolean;
}

/**
 * Copies of these at the end of the log say nothing that it could deny: nothing refers to them a second time.
 */
const REPEATABLE: ReadonlySet<string> = new Set([
  'PaymentSubmitted',
  'PaymentAttemptFailed',
  'CollectionRefused',
  'DebitsSuspended',
  // Verify names each in a line of its own.
  'EpochBegun',
  'TransferPosted',
  'DisputeWon',
  'DisputeLost',
  'WalletFunded',
  'WalletWithdrawn',
  'WalletRenamed',
]);

type Json = { [key: string]: unknown } | unknown[];

/** Another value of the same kind. */
function other(value: unknown, dice: Dice): unknown {
  if (typeof value === 'number') return value + 1 + dice.below(1_000);
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return `${value.slice(0, dice.below(value.length + 1))}x`;
  return 'x';
}

/** Changes one word somewhere in a value, at random; says where. */
function changed(value: Json, dice: Dice): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return '';
  const key = dice.one(keys);
  const inner = (value as Record<string, unknown>)[key];
  if (typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0)
    return `${key}.${changed(inner as Json, dice)}`;
  (value as Record<string, unknown>)[key] = other(inner, dice);
  return key;
}

export function tamper(forger: Forger, dice: Dice): RandomAct {
  const { all } = forger;
  const place = dice.below(all.length);
  const { type, revision, stream } = all[place]!;
  const where = `${type} (${stream} at revision ${revision})`;
  const within = { isRaw: false, isBehindHead: false, isOnlyOutside: false };
  const edit = (): string => {
    const data = forger.dataOf(place);
    const word = changed(data, dice);
    forger.put(place, { data: StoredContent.of(data) });
    return word;
  };
  switch (dice.below(7)) {
    case 0:
      return { ...within, what: `${edit()} of ${where}, raw`, isRaw: true };
    case 1: {
      const { hash, ...metadata } = structuredClone(all[place]!.metadata.value) as { hash: string };
      const word = changed(metadata, dice);
      forger.put(place, { metadata: StoredContent.of({ ...metadata, hash }) });
      return { ...within, what: `metadata ${word} of ${where}, raw`, isRaw: true };
    }
    case 2: {
      // The last event of a stream leaves no gap.
      const isLast = !all.slice(place + 1).some((event) => event.stream === stream);
      forger.remove(place);
      return { ...within, what: `${where} removed`, isRaw: !isLast };
    }
    case 3:
      all.splice(place, 0, all[place]!);
      return { ...within, what: `${where} twice`, isRaw: true };
    case 4: {
      const word = edit();
      forger.rechain();
      return { ...within, what: `${word} of ${where}, chained again` };
    }
    case 5:
      forger.remove(place).rechain();
      return { ...within, what: `${where} removed, chained again` };
    default: {
      const { hash: _, key: __, ...metadata } = all[place]!.metadata.value as { hash: string; key?: string };
      const data = forger.dataOf(place);
      // Another id for what is made, so that it does not repeat a key of its own.
      forger.forge({ stream, type, data, metadata: { actorId: metadata['actorId' as never] } }).rechain();
      return {
        what: `a copy of ${where} at the end`,
        isRaw: false,
        isBehindHead: true,
        isOnlyOutside: stream !== 'journal' || REPEATABLE.has(type),
      };
    }
  }
}
