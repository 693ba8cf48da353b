/** What every page says of a staging server. */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { withStagingNotice } from './staging-notice.js';

it('every page says that no real money moves, on a staging server only', () => {
  const page = readFileSync('web/index.html', 'utf8');
  const notice = /<p id="staging"[^>]*>Staging: no real money moves here\./;
  expect(notice.exec(page)?.[0]).toContain('hidden');
  expect(notice.exec(withStagingNotice(page))?.[0]).not.toContain('hidden');
});
