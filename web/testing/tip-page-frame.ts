/** What surrounds each page of tips in suites: no script of a build, and no font. */
import type { PageFrame } from '#ledger/tip-pages/page-html';

export const FRAME: PageFrame = {
  nonce: 'n0nce',
  origin: 'https://encore.example',
  script: '',
  font: undefined,
  isStaging: false,
  freshness: 'fresh',
};
