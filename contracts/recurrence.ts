/** How often something recurs; when it does is in ./due-times.ts. */
import { z } from 'zod';

export * from './due-times.js';

export const Frequency = z.enum(['daily', 'weekly', 'monthly']);
export type Frequency = z.infer<typeof Frequency>;
