/**
 * What the stream told of money that came in, since the page was opened: the newest first, and whether it was
 * looked at.
 */
import { createSlice, nanoid, type PayloadAction } from '@reduxjs/toolkit';
import type { Alert } from '#contracts/api/events-out';

export interface Notification extends Alert {
  readonly id: string;
  /** When we heard of it, as an ISO time. */
  readonly at: string;
}

const MOST_KEPT = 20;

interface NotificationState {
  readonly kept: readonly Notification[];
  readonly hasUnread: boolean;
}
const initialState: NotificationState = { kept: [], hasUnread: false };

export const notifications = createSlice({
  name: 'notifications',
  initialState,
  reducers: {
    told: {
      prepare: (alerts: readonly Alert[], at: string) => ({
        payload: alerts.map((alert): Notification => ({ ...alert, id: nanoid(), at })),
      }),
      reducer: (state, { payload }: PayloadAction<Notification[]>) => ({
        kept: [...payload.toReversed(), ...state.kept].slice(0, MOST_KEPT),
        hasUnread: true,
      }),
    },
    read: (state) => ({ ...state, hasUnread: false }),
    forgotten: () => initialState,
  },
  selectors: { kept: (state) => state.kept, hasUnread: (state) => state.hasUnread },
});

export const { told, read, forgotten } = notifications.actions;
