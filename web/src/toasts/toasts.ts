/**
 * What the app tells a person in passing. One at a time: a new toast takes the place of the one before.
 *
 *     const toast = useToast();
 *     toast('Payment Link Copied');
 *     toast.error('Update Failed', 'Failed to update settings. Please try again.');
 */
import { createSlice, nanoid, type PayloadAction } from '@reduxjs/toolkit';
import { useMemo } from 'react';
import { useDispatch } from 'react-redux';

export interface Toast {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly tone: 'plain' | 'success' | 'error';
}

export const TOAST_MS = 5000;

interface ToastState {
  readonly shown: Toast | null;
}
const initialState: ToastState = { shown: null };

export const toasts = createSlice({
  name: 'toasts',
  initialState,
  reducers: {
    toastShown: {
      prepare: (toast: Omit<Toast, 'id'>) => ({ payload: { id: nanoid(), ...toast } }),
      reducer: (_state, { payload }: PayloadAction<Toast>) => ({ shown: payload }),
    },
    /** By its id: a timer of the one before must not close the one after. */
    toastDismissed: (state, { payload }: PayloadAction<string>) => (state.shown?.id === payload ? { shown: null } : state),
  },
  selectors: { shownToast: (state) => state.shown },
});

export const { toastShown, toastDismissed } = toasts.actions;
export const { shownToast } = toasts.selectors;

export interface ToastTeller {
  (title: string, description?: string): void;
  success(title: string, description?: string): void;
  error(title: string, description?: string): void;
}

/** Shows toasts. */
export function useToast(): ToastTeller {
  const dispatch = useDispatch();
  return useMemo(() => {
    const tell = (tone: Toast['tone']) => (title: string, description?: string) => {
      dispatch(toastShown({ title, description, tone }));
    };
    return Object.assign(tell('plain'), { success: tell('success'), error: tell('error') });
  }, [dispatch]);
}
