import { asOne } from './together.js';

await asOne('programs.int');
