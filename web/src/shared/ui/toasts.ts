/**
 * What the app tells a person in passing. One at a time: a new toast takes the place of the one before.
 *
 *     const toast = useToast();
 *     toast('Payment Link Copied');
 *     toast.error('Update Failed', 'Failed to update settings. Please try again.');
 */
import { createSlice, isPending, nanoid, type PayloadAction, type UnknownAction } from '@reduxjs/toolkit';
import { useMemo } from 'react';
import { useDispatch } from 'react-redux';

export interface Toast {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly tone: 'plain' | 'success' | 'error';
}

export const TOAST_MS = 5000;
/**
 * The timer of the visible toast, so that a test can replace it. `start` returns a function that stops it.
 */
export const toastTimer = {
  start: (act: () => void): (() => void) => {
    const timer = setTimeout(act, TOAST_MS);
    return () => clearTimeout(timer);
  },
};

interface ToastState {
  readonly shown: Toast | null;
}
const initialState: ToastState = { shown: null };

const withoutError = (state: ToastState): ToastState =>
  state.shown?.tone === 'error' ? { shown: null } : state;

/** A mutation: whoever starts one has read the previous error. */
const isCommandSent = (action: UnknownAction): boolean =>
  isPending(action) && (action.meta.arg as { readonly type?: unknown } | undefined)?.type === 'mutation';

export const toasts = createSlice({
  name: 'toasts',
  initialState,
  reducers: {
    toastShown: {
      prepare: (toast: Omit<Toast, 'id'>) => ({ payload: { id: nanoid(), ...toast } }),
      reducer: (_state, { payload }: PayloadAction<Toast>) => ({ shown: payload }),
    },
    /** By id: the previous toast's timer must not close the next toast. */
    toastDismissed: (state, { payload }: PayloadAction<string>) =>
      state.shown?.id === payload ? { shown: null } : state,
    /** The error of one attempt must not remain during the next. */
    triedAgain: withoutError,
  },
  extraReducers: (builder) => {
    builder.addMatcher(isCommandSent, withoutError);
  },
  selectors: { shownToast: (state) => state.shown },
});

export const { toastShown, toastDismissed, triedAgain } = toasts.actions;
export const { shownToast } = toasts.selectors;

interface ToastTeller {
  (title: string, description?: string): void;
  success(title: string, description?: string): void;
  error(title: string, description?: string): void;
  /** Dismisses the visible error: the person tries again without a mutation, such as a search. */
  again(): void;
}

/** Shows toasts. */
export function useToast(): ToastTeller {
  const dispatch = useDispatch();
  return useMemo(() => {
    const tell = (tone: Toast['tone']) => (title: string, description?: string) => {
      dispatch(toastShown({ title, description, tone }));
    };
    const again = () => void dispatch(triedAgain());
    return Object.assign(tell('plain'), { success: tell('success'), error: tell('error'), again });
  }, [dispatch]);
}
