/**
 * The landing page as HTML and styles, written once by the build: a stranger reads it, and can leave it for
 * the sign-in, while the app's script is on its way. The app's own landing page takes its place.
 */
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { renderToStaticMarkup } from 'react-dom/server';
import LandingPage from '../features/landing/LandingPage.js';
import { theme } from '../shared/ui/theme.js';

/** Throws where the page has no single button, for which a link stands until the script is there. */
export function writtenLandingPage(nonce: string): string {
  // A name of its own: the app's styles neither take these over nor know them.
  const cache = createCache({ key: 'written', nonce });
  const html = renderToStaticMarkup(
    <CacheProvider value={cache}>
      <ThemeProvider theme={theme} storageManager={null}>
        <CssBaseline />
        <LandingPage />
      </ThemeProvider>
    </CacheProvider>,
  ).replace(/<title>.*?<\/title>/, '');
  const button = /<button([^>]*?) type="button"([^>]*)>(.*?)<\/button>/g;
  if (html.match(button)?.length !== 1) throw new Error('The landing page has no single button.');
  const linked = html.replace(button, '<a$1$2 href="/api/login">$3</a>');
  // The policy lets in no style of a single element.
  const rules: string[] = [];
  const plain = linked.replace(/ style="([^"]*)"/g, (_attribute, declarations: string) => {
    rules.push(`[data-written="${rules.length}"]{${declarations}}`);
    return ` data-written="${rules.length - 1}"`;
  });
  return `<style nonce="${nonce}">${rules.join('')}</style>${plain}`;
}
