/** Incoming money since the page was opened, newest first, and whether it was looked at. */
import { createSlice, nanoid, type PayloadAction } from '@reduxjs/toolkit';
import type { Alert } from '#contracts/api/events-out';

interface Notification extends Alert {
  readonly id: string;
  /** ISO time at which the browser received it. */
  readonly at: string;
}

const MOST_LISTED = 20;

interface NotificationState {
  readonly list: readonly Notification[];
  readonly hasUnread: boolean;
}
const initialState: NotificationState = { list: [], hasUnread: false };

export const notifications = createSlice({
  name: 'notifications',
  initialState,
  reducers: {
    received: {
      prepare: (alerts: readonly Alert[], at: string) => ({
        payload: alerts.map((alert): Notification => ({ ...alert, id: nanoid(), at })),
      }),
      reducer: (state, { payload }: PayloadAction<Notification[]>) => ({
        list: [...[...payload].reverse(), ...state.list].slice(0, MOST_LISTED),
        hasUnread: true,
      }),
    },
    read: (state) => ({ ...state, hasUnread: false }),
    cleared: () => initialState,
  },
  selectors: { list: (state) => state.list, hasUnread: (state) => state.hasUnread },
});

export const { received, read, cleared } = notifications.actions;
