import { asOne } from './together.js';

await asOne('tip-page.web');
