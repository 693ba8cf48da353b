/** Writes the pages of docs/reference that are made from the code: `node dist/test/docs/write.js`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#local/launch/program';
import { madePages } from './reference.js';

for (const [path, text] of Object.entries(madePages())) writeFileSync(join(repositoryRoot(), path), text);
