import { asOne } from './together.js';

await asOne('event-store.int');
