import { asOne } from './together.js';

await asOne('checkout.web');
