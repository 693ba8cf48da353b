/**
 * The browsers that the web app runs in: Safari 15.4 (March 2022; the last iOS of an iPhone 7 has 15.8),
 * Chrome 97 and Firefox 104, and newer ones. Syntax beyond `target` of vite.config.ts is rewritten by the
 * build; a call that such a browser does not know, or a pattern that it cannot read, would end the screen
 * that needs it.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '#local/launch/program';

const WEB = join(repositoryRoot(), 'dist/web');

/** What came later, by the Safari that had it first, and how the built scripts would name it. */
const TOO_YOUNG: Readonly<Record<string, RegExp>> = {
  'copying array methods (16.0)': /\.(toSorted|toReversed|toSpliced)\b/,
  'structural sets (17.0)': /\.(isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\b/,
  'looking behind in a pattern (16.4)': /\(\?<[=!]/,
  'blocks that initialize a class (16.4)': /\bstatic\s*\{/,
  'URL.canParse, URL.parse (17.0, 18.0)': /\bURL\.(canParse|parse)\b/,
  'AbortSignal.timeout, any (16.0, 17.4)': /\bAbortSignal\.(timeout|any)\b/,
  'Promise.withResolvers, try (17.4, 18.2)': /\bPromise\.(withResolvers|try)\b/,
  'Object.groupBy, Map.groupBy (17.4)': /\b(Object|Map)\.groupBy\b/,
  'Array.fromAsync (16.4)': /\bArray\.fromAsync\b/,
  'well-formed strings (16.4)': /\b(isWellFormed|toWellFormed)\b/,
  'requestIdleCallback (never)': /\brequestIdleCallback\(/,
  'checkVisibility (17.4)': /\.checkVisibility\b/,
};

describe('an older browser', () => {
  it('knows every call and every pattern of the scripts that are built', () => {
    const scripts = (readdirSync(WEB, { recursive: true }) as string[]).filter((name) =>
      name.endsWith('.js'),
    );
    expect(scripts).toEqual(expect.arrayContaining(['tip-page.js', 'service-worker.js']));
    const found = scripts.flatMap((name) => {
      const script = readFileSync(join(WEB, name), 'utf8');
      return Object.entries(TOO_YOUNG).flatMap(([what, named]) =>
        named.test(script) ? [`${name}: ${what}`] : [],
      );
    });
    expect(found).toEqual([]);
  });
});
