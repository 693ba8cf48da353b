import { asOne } from './together.js';

await asOne('money.web');
