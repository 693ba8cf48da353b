import { describe, expect, it } from '@jest/globals';
import { ownDataText, type OwnDataPart } from './own-data-file.js';

async function textOf(parts: readonly OwnDataPart[]): Promise<string> {
  let text = '';
  for await (const chunk of ownDataText(parts)) text += chunk;
  return text;
}
async function* pages(...lists: readonly (readonly object[])[]): AsyncGenerator<readonly object[]> {
  for (const lines of lists) yield await Promise.resolve(lines);
}

describe('the file of a person’s own data', () => {
  it('is one JSON object with every part and every page of each list', async () => {
    const text = await textOf([
      { name: 'profile', value: { name: 'Juno “Plays”\n', wallets: [{ id: 1 }] } },
      { name: 'payments', pages: pages([{ id: 'a' }, { id: 'b' }], [], [{ id: 'c' }]) },
      { name: 'payouts', pages: pages() },
      { name: 'messages', pages: pages([]) },
    ]);
    expect(JSON.parse(text)).toEqual({
      profile: { name: 'Juno “Plays”\n', wallets: [{ id: 1 }] },
      payments: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      payouts: [],
      messages: [],
    });
    expect(JSON.parse(await textOf([]))).toEqual({});
  });

  it('reads no page before the one in front of it was taken', async () => {
    let read = 0;
    async function* counted(): AsyncGenerator<readonly object[]> {
      for (;;) yield await Promise.resolve([{ page: ++read }]);
    }
    const text = ownDataText([{ name: 'payments', pages: counted() }]);
    for (let chunks = 1; chunks <= 50; chunks++) {
      await text.next();
      // The first chunk is the name of the part.
      expect(read).toBe(chunks - 1);
    }
  });

  it('does not end as if it were whole when a page cannot be read', async () => {
    async function* broken(): AsyncGenerator<readonly object[]> {
      yield await Promise.resolve([{ id: 'a' }]);
      throw new Error('Postgres is away');
    }
    await expect(textOf([{ name: 'payments', pages: broken() }])).rejects.toThrow('Postgres is away');
  });
});
