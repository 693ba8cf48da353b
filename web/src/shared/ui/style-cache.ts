/** Where Emotion puts its styles: into tags with this page's nonce, the only ones that its policy lets in. */
import createCache from '@emotion/cache';

const place = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');

export const styleCache = createCache({
  key: 'css',
  // A browser hides the attribute from scripts of others, and has the property for ours.
  ...(place?.nonce ? { nonce: place.nonce } : {}),
});
