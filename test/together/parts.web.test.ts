import { asOne } from './together.js';

await asOne('parts.web');
