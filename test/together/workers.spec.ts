import { together } from './together.js';

await together('workers');
