import { asOne } from './together.js';

await asOne('programs.e2e');
