/** The chapter of tip pages, where a visitor of the demo was there before it. */
import { expect, it } from '@jest/globals';
import type { Demo } from './chapter.js';
import { tipPages } from './tip-pages.js';

/** Runs the chapter over the handles that its people have; answers what it changed of Juno's page. */
async function changesOfJuno(handle: string | null): Promise<string[]> {
  const changes: string[] = [];
  const person = (name: string) =>
    Promise.resolve({
      call: (method: string, path: string) => {
        if (name === 'juno' && method !== 'GET') changes.push(path);
        return Promise.resolve({ handle: name === 'juno' ? handle : null });
      },
    });
  const forEach = async (names: readonly string[], work: (name: string) => Promise<void>) => {
    for (const name of names) await work(name);
  };
  await tipPages.run({ person, forEach } as unknown as Demo);
  return changes;
}

const WHOLE = ['/api/tip-page/handle', '/api/tip-page', '/api/tip-page/published'];

it('makes a page for whoever has none, and goes on with one that was cut short', async () => {
  expect(await changesOfJuno(null)).toEqual(WHOLE);
  expect(await changesOfJuno('junoplays')).toEqual(WHOLE);
});

it('leaves a page alone that a visitor moved to a handle of their own', async () =>
  expect(await changesOfJuno('juno_of_the_harbor')).toEqual([]));
