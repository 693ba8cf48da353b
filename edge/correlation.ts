/** The correlation id: one id from the click, through log lines and events, to the projected row. */
import { v7 as uuidv7 } from 'uuid';

const SANE = /^[A-Za-z0-9._-]{8,64}$/;

/** The caller's id if it is short, printable and harmless in a log line; otherwise a new one. */
export const correlationIdFrom = (header: string | readonly string[] | undefined): string =>
  typeof header === 'string' && SANE.test(header) ? header : uuidv7();
