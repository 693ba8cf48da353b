import { asOne } from './together.js';

await asOne('payments.web');
