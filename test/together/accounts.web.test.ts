import { asOne } from './together.js';

await asOne('accounts.web');
