import { asOne } from './together.js';

await asOne('stripe.int');
