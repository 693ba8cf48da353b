/** How often something recurs, as a call or an event says it. */
import { z } from 'zod';
import { FREQUENCIES } from '../plain/recurrence.js';

export const Frequency = z.enum(FREQUENCIES);
