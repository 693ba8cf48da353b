/**
 * What a browser has to load before the first screen stands, of the web app as it was built (`npm run
 * build`): the script of the start page, and of each screen in a chunk of its own.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { repositoryRoot } from '#local/launch/program';

const FIRST_LOAD_BYTES = 174_000;
const FONT_BYTES = 55_000;
const SCREEN_BYTES = 60_000;
const WEB = join(repositoryRoot(), 'dist/web');
const MANIFEST = join(WEB, '.vite/manifest.json');

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    isEntry: z.boolean().optional(),
    imports: z.array(z.string()).optional(),
    dynamicImports: z.array(z.string()).optional(),
  }),
);

describe('the web app as it is built', () => {
  let manifest: z.infer<typeof Manifest> = {};
  let entry = '';
  beforeAll(() => {
    if (!existsSync(MANIFEST)) throw new Error('The web app is not built: run `npm run build` first.');
    manifest = Manifest.parse(JSON.parse(readFileSync(MANIFEST, 'utf8')));
    entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry) ?? '';
  });

  /** A chunk and all that it needs before it runs. */
  function loadedWith(name: string, found = new Set<string>()): Set<string> {
    if (found.has(name)) return found;
    found.add(name);
    for (const needed of manifest[name]?.imports ?? []) loadedWith(needed, found);
    return found;
  }
  const bytesOf = (names: Iterable<string>): number => {
    const files = new Set(
      [...names].map((name) => manifest[name]?.file ?? '').filter((file) => file.endsWith('.js')),
    );
    return [...files].reduce(
      (sum, file) => sum + gzipSync(readFileSync(join(WEB, file)), { level: 9 }).length,
      0,
    );
  };
  const firstLoadOf = (screen: string): number => bytesOf(loadedWith(screen, loadedWith(entry)));
  const screens = (): string[] =>
    Object.keys(manifest).filter((name) => /^src\/features\/[^/]+\/\w+Page\.tsx$/.test(name));
  const landing = 'src/features/landing/LandingPage.tsx';

  it('loads less than 174 kB of gzipped script before a visitor sees the first screen', () => {
    const lines = [entry, ...screens()].map(
      (name) => `${(firstLoadOf(name) / 1000).toFixed(1).padStart(7)} kB  ${name}`,
    );
    process.stdout.write(`First load, gzipped script:\n${lines.join('\n')}\n`);
    expect(firstLoadOf(landing)).toBeGreaterThan(50_000);
    expect(firstLoadOf(landing)).toBeLessThan(FIRST_LOAD_BYTES);
  });

  it('has every screen in a chunk of its own, which the start page does not load', () => {
    expect(screens().length).toBeGreaterThanOrEqual(14);
    const first = loadedWith(entry);
    expect(screens().filter((screen) => first.has(screen))).toEqual([]);
  });

  it('loads less than 60 kB more for any screen', () => {
    // The shell is there already, around every screen.
    const shell = loadedWith('src/app/Frame.tsx', loadedWith(entry));
    const start = bytesOf(shell);
    const heavy = screens().map((name) => ({
      name,
      bytes: bytesOf(loadedWith(name, new Set(shell))) - start,
    }));
    expect(start - bytesOf(loadedWith(entry))).toBeLessThan(SCREEN_BYTES);
    expect(heavy.filter(({ bytes }) => bytes >= SCREEN_BYTES)).toEqual([]);
    expect(Math.max(...heavy.map(({ bytes }) => bytes))).toBeGreaterThan(10_000);
  });

  it('opens without a network with what its first screen loads, and keeps nothing else', () => {
    const worker = readFileSync(join(WEB, 'service-worker.js'), 'utf8');
    const shell = z.array(z.string()).parse(JSON.parse(/^const SHELL = (.*);$/m.exec(worker)?.[1] ?? ''));
    const scripts = [...loadedWith(landing, loadedWith(entry))].map(
      (name) => `/${manifest[name]?.file ?? ''}`,
    );
    expect(shell.filter((path) => path.endsWith('.js')).sort()).toEqual(scripts.sort());
    expect(shell.filter((path) => !existsSync(join(WEB, path)))).toEqual([]);
    expect(shell.every((path) => path.startsWith('/assets/'))).toBe(true);
  });

  it('loads the card provider’s and the scanner’s code only where they are used', () => {
    const first = [...loadedWith(landing, loadedWith(entry))].map((name) =>
      readFileSync(join(WEB, manifest[name]!.file), 'utf8'),
    );
    for (const words of ['js.stripe.com', 'BarcodeFormat'])
      expect(first.filter((script) => script.includes(words))).toEqual([]);
  });

  it('names every script of the first screen in the page, so that they are asked for in one wave', () => {
    const page = readFileSync(join(WEB, 'index.html'), 'utf8');
    const needed = [...loadedWith(landing, loadedWith(entry))].map((name) => manifest[name]?.file ?? '');
    expect(needed.filter((file) => !page.includes(`"/${file}"`))).toEqual([]);
  });

  it('names the one font that its first words need, and no script in the page itself', () => {
    const page = readFileSync(join(WEB, 'index.html'), 'utf8');
    const fonts = [...page.matchAll(/rel="preload"[^>]*href="\/([^"]+\.woff2)"/g)];
    expect(fonts).toHaveLength(1);
    expect(fonts[0]?.[1]).toMatch(/archivo-latin-(?!ext)/);
    expect(statSync(join(WEB, fonts[0]?.[1] ?? '')).size).toBeLessThan(FONT_BYTES);
    // The content security policy refuses a script without an address.
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
  });
});
