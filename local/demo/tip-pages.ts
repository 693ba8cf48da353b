/** Public tip pages of those who perform: under their handles, published, and ready to be printed. */
import { suggestedHandle } from '#contracts/plain/handle';
import type { Chapter } from './chapter.js';
import { PEOPLE, type DemoName } from './people.js';

const TIP_PAGES: readonly DemoName[] = ['juno', 'odalys', 'teodor', 'nell'];

export const tipPages: Chapter = {
  name: 'tip-pages',
  run: (demo) =>
    demo.forEach(TIP_PAGES, async (name) => {
      const { username, firstName, lastName, does } = PEOPLE[name];
      const owner = await demo.person(name);
      const handle = suggestedHandle(username) ?? name;
      const before = (await owner.call('GET', '/api/tip-page')) as { handle: string | null };
      // A visitor of the demo has made the page what they want it to be, in a build of before this chapter.
      if (before.handle !== null && before.handle !== handle) return;
      const words = { stageName: `${firstName} ${lastName}`, line: does, isListed: false };
      await owner.call('PUT', '/api/tip-page/handle', { handle });
      await owner.call('PUT', '/api/tip-page', words);
      await owner.call('PUT', '/api/tip-page/published', { isPublished: true });
    }),
};
