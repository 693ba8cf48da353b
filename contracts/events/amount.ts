/** The amount of a posting or a request in an event. */
import { z } from 'zod';

/** A whole number of minor units (cents), positive. */
export const AmountMinor = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
