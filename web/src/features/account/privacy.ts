/**
 * Privacy mode: amounts are hidden until the user shows them, and then visible until the page is reloaded.
 * The mode is remembered in localStorage too, so that no balance is visible while the settings are loading.
 */
import { createSlice } from '@reduxjs/toolkit';
import { useCallback, useEffect } from 'react';
import { useDispatch, useSelector, useStore } from 'react-redux';
import { withStorage } from '../../shared/api/browser-storage.js';
import { PRIVACY_PLACE as PLACE } from './browser-memory.js';
import { settings, useSettingsQuery } from './settings.js';

export const privacy = createSlice({
  name: 'privacy',
  initialState: { isRevealed: false },
  reducers: {
    amountsRevealed: () => ({ isRevealed: true }),
    amountsHidden: () => ({ isRevealed: false }),
  },
  selectors: { isRevealed: (state) => state.isRevealed },
});

/** Without storage the mode is known once the settings have loaded. */
const wasPrivate = (): boolean => withStorage(() => localStorage.getItem(PLACE) !== null, false);

function remember(isPrivate: boolean): void {
  withStorage(() => {
    if (isPrivate) localStorage.setItem(PLACE, 'yes');
    else localStorage.removeItem(PLACE);
  }, undefined);
}

export interface Privacy {
  /** Whether privacy mode is on. */
  readonly isOn: boolean;
  readonly isHidden: boolean;
  readonly show: () => void;
  readonly hide: () => void;
}

/** Whether amounts are hidden, for toasts: by the settings if they were read, else by localStorage. */
export function useHidesAmounts(): () => boolean {
  const store = useStore<{ readonly privacy: ReturnType<typeof privacy.getInitialState> }>();
  return useCallback(() => {
    const state = store.getState();
    const { data } = settings.endpoints.settings.select()(state as never);
    return (data?.privacyModeEnabled ?? wasPrivate()) && !privacy.selectors.isRevealed(state);
  }, [store]);
}

export function usePrivacy(): Privacy {
  const dispatch = useDispatch();
  const { data } = useSettingsQuery();
  const isRevealed = useSelector(privacy.selectors.isRevealed);
  const isKnown = data !== undefined && data !== null;
  const isOn = isKnown ? data.privacyModeEnabled : wasPrivate();
  useEffect(() => {
    if (isKnown) remember(isOn);
  }, [isKnown, isOn]);
  return {
    isOn,
    isHidden: isOn && !isRevealed,
    show: () => void dispatch(privacy.actions.amountsRevealed()),
    hide: () => void dispatch(privacy.actions.amountsHidden()),
  };
}
