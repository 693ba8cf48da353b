/** How the web app is built: web/ becomes dist/web, with hashed names for everything but index.html. */
import { defineConfig, type Plugin } from 'vite';

const BACKEND = process.env.PUBLIC_URL ?? `http://localhost:${process.env.PORT ?? '3000'}`;

/** The page names the one font file that its first words need; the other alphabets load where they are met. */
const preloadLatinFont: Plugin = {
  name: 'preload-latin-font',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const file = Object.keys(bundle ?? {}).find((name) => /archivo-latin-wdth-normal-[^/]*\.woff2$/.test(name));
      if (file === undefined) return html;
      const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' };
      return { html, tags: [{ tag: 'link', attrs, injectTo: 'head' as const }] };
    },
  },
};

export default defineConfig({
  root: 'web',
  plugins: [preloadLatinFont],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    // Inlined as data: they would be paid for by everybody, on every visit.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // Its packages do not say so, but a reader of QR codes needs nothing of those of twenty other codes.
      treeshake: { moduleSideEffects: (id) => !id.includes('/@zxing/') },
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
