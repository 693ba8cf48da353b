/** What carries a call of the API out. */
import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit';

/** The store's dispatch, for a call whose endpoint asks no particular state of the store. */
export type CallDispatch = ThunkDispatch<never, unknown, UnknownAction>;
