/** How the web app is built: web/ becomes dist/web, with hashed names for everything but index.html. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { NONCE_PLACEHOLDER } from './contracts/plain/page-nonce.js';

const BACKEND = process.env.PUBLIC_URL ?? `http://localhost:${process.env.PORT ?? '3000'}`;

/**
 * The page names all that its first screen needs, so that it is asked for in one wave: the one font file of
 * its first words (the other alphabets load where they are met), and the code of the landing page, which is
 * as small.
 */
const nameWhatIsNeededFirst: Plugin = {
  name: 'name-what-is-needed-first',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const files = Object.values(bundle);
      const font = files.find(({ fileName }) => /archivo-latin-(?!ext)[^/]*\.woff2$/.test(fileName));
      const landing = files.find((file) => file.type === 'chunk' && file.name === 'LandingPage');
      if (font === undefined || landing?.type !== 'chunk') return html;
      const scripts = [landing.fileName, ...landing.imports]
        .filter((name) => !html.includes(name))
        .map((name) => ({ rel: 'modulepreload', crossorigin: '', href: `/${name}` }));
      const fonts = [
        { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font.fileName}`, crossorigin: '' },
      ];
      const tags = [...fonts, ...scripts].map((attrs) => ({
        tag: 'link',
        attrs,
        injectTo: 'head' as const,
      }));
      return { html, tags };
    },
  },
};

const hashOf = (content: string): string => createHash('sha256').update(content).digest('hex').slice(0, 12);

/**
 * The worker that opens the app without a network: web/service-worker.js, told what this build's start page
 * loads first. The start page is kept under a name of its own, so that it never belongs to another build than
 * the files that it names.
 */
const serviceWorker: Plugin = {
  name: 'service-worker',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const page = bundle['index.html'];
      const start = Object.values(bundle).find((file) => file.type === 'chunk' && file.isEntry);
      const landing = Object.values(bundle).find(
        (file) => file.type === 'chunk' && file.name === 'LandingPage',
      );
      if (page?.type !== 'asset' || start === undefined || landing === undefined)
        throw new Error(
          'There is nothing to open the app with: the build has no start page, no start script or no landing page.',
        );
      const html = String(page.source);
      const startPage = `assets/start-${hashOf(html)}.html`;
      this.emitFile({ type: 'asset', fileName: startPage, source: html });
      const first = new Set<string>();
      const add = (name: string): void => {
        const file = bundle[name];
        if (file?.type !== 'chunk' || first.has(name)) return;
        first.add(name);
        for (const style of file.viteMetadata?.importedCss ?? []) first.add(style);
        file.imports.forEach(add);
      };
      add(start.fileName);
      add(landing.fileName);
      const font = /href="\/(assets\/[^"]+\.woff2)"/.exec(html)?.[1];
      const shell = [startPage, ...first, ...(font === undefined ? [] : [font])].map((name) => `/${name}`);
      const worker = readFileSync(fileURLToPath(new URL('web/service-worker.js', import.meta.url)), 'utf8');
      const constants = {
        VERSION: hashOf(shell.join(' ') + worker),
        START_PAGE: `/${startPage}`,
        SHELL: shell,
        NONCE_PLACEHOLDER,
      };
      const declared = Object.entries(constants).map(
        ([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`,
      );
      this.emitFile({ type: 'asset', fileName: 'service-worker.js', source: declared.join('') + worker });
    },
  },
};

/**
 * Parts of MUI that its buttons, its tabs and its theme bring along and that never draw here: the theme
 * switches ripples off, a busy button has its own sign, tabs never scroll, and nothing is rendered on a
 * server. In everybody's first load they would only be weight.
 */
const NEVER_DRAWN =
  /\/@mui\/material\/(?:ButtonBase\/TouchRipple|CircularProgress\/CircularProgress|TabScrollButton\/TabScrollButton)\.m?js$/;
/**
 * The script that sets a stored colour scheme before a page from a server is drawn; the names beside it are
 * used.
 */
const SCHEME_SCRIPT = /\/@mui\/system\/InitColorSchemeScript\/InitColorSchemeScript\.m?js$/;
const WITHOUT_SCHEME_SCRIPT = `
export const DEFAULT_MODE_STORAGE_KEY = 'mode';
export const DEFAULT_COLOR_SCHEME_STORAGE_KEY = 'color-scheme';
export const DEFAULT_ATTRIBUTE = 'data-color-scheme';
export const buildInitColorSchemeScript = () => null;
export default () => null;`;
/**
 * Functions that style by a property, such as `border` or `gridArea`: made one by one, and most of them never
 * asked for.
 */
const STYLE_FUNCTIONS =
  /\/@mui\/system\/(?:borders|cssGrid|display|flexbox|palette|positions|shadows|sizing|spacing|typography)\/\w+\.m?js$/;
const leaveOutWhatNeverDraws: Plugin = {
  name: 'leave-out-what-never-draws',
  enforce: 'pre',
  load: (id) => {
    if (SCHEME_SCRIPT.test(id)) return WITHOUT_SCHEME_SCRIPT;
    return NEVER_DRAWN.test(id) ? 'export default () => null;' : null;
  },
  transform: (code, id) =>
    STYLE_FUNCTIONS.test(id)
      ? code.replace(/ = (compose|style|createBorderStyle|createUnarySpacing)\(/g, ' = /*#__PURE__*/ $1(')
      : null,
};

/** What the start script imports itself: there before any screen is asked for. */
const startsWith = new Set<string>();
const noteWhatStarts: Plugin = {
  name: 'note-what-starts',
  enforce: 'pre',
  generateBundle: {
    order: 'pre',
    handler(_options, bundle) {
      startsWith.clear();
      const add = (name: string): void => {
        const file = bundle[name];
        if (file?.type !== 'chunk' || startsWith.has(name)) return;
        startsWith.add(name);
        file.imports.forEach(add);
      };
      for (const file of Object.values(bundle)) if (file.type === 'chunk' && file.isEntry) add(file.fileName);
    },
  },
};

export default defineConfig({
  root: 'web',
  plugins: [noteWhatStarts, nameWhatIsNeededFirst, leaveOutWhatNeverDraws, serviceWorker],
  html: { cspNonce: NONCE_PLACEHOLDER },
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    target: ['es2022', 'safari15.4'],
    // Inlined as data: they would be paid for by everybody, on every visit.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // The start script lists what each screen needs, to fetch it at once: not what it has loaded itself.
    modulePreload: {
      // A browser that loads nothing ahead (Safari before 17) loads it a little later.
      polyfill: false,
      resolveDependencies: (_file, needed, { hostType }) =>
        hostType === 'html' ? needed : needed.filter((name) => !startsWith.has(name)),
    },
    rolldownOptions: {
      // Their packages do not say so, but a reader of QR codes needs nothing of those of twenty other codes,
      // and what Emotion imports and no longer uses does nothing by being there.
      treeshake: { moduleSideEffects: (id) => !/\/(?:@zxing|hoist-non-react-statics)\//.test(id) },
      // What every screen needs anyway: in one chunk it compresses better than in a dozen.
      output: {
        // The start script names every chunk, and hashes do not compress: seven characters (42 bits) tell
        // builds apart.
        chunkFileNames: 'assets/[name]-[hash:7].js',
        codeSplitting: {
          groups: [
            {
              name: 'first',
              test: /\/node_modules\/(?:react|react-dom|scheduler|react-redux|@reduxjs|immer|reselect|@emotion|stylis|react-router|react-router-dom|use-sync-external-store)\//,
            },
          ],
        },
      },
      onLog(level, log, report) {
        // MUI marks its files for servers; in a browser the mark means nothing.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
  server: {
    // `make start` in another terminal is what answers the calls.
    proxy: { '/api': BACKEND, '/identity': BACKEND },
  },
});
