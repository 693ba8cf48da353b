/**
 * Privacy mode: amounts are hidden until they are asked for, and then shown for as long as the page lives.
 * What was chosen is remembered here too, so that nobody's balance is to be seen while the settings are still
 * on their way.
 */
import { createSlice } from '@reduxjs/toolkit';
import { useCallback, useEffect } from 'react';
import { useDispatch, useSelector, useStore } from 'react-redux';
import { useSettingsQuery } from './settings.js';

const PLACE = 'encore.privacy';

export const privacy = createSlice({
  name: 'privacy',
  initialState: { isRevealed: false },
  reducers: {
    amountsRevealed: () => ({ isRevealed: true }),
    amountsHidden: () => ({ isRevealed: false }),
  },
  selectors: { isRevealed: (state) => state.isRevealed },
});

function wasPrivate(): boolean {
  try {
    return localStorage.getItem(PLACE) !== null;
  } catch {
    return false;
  }
}

function remember(isPrivate: boolean): void {
  try {
    if (isPrivate) localStorage.setItem(PLACE, 'yes');
    else localStorage.removeItem(PLACE);
  } catch {
    // A browser that stores nothing knows it as soon as the settings are here.
  }
}

export interface Privacy {
  /** Whether privacy mode is on. */
  readonly isOn: boolean;
  readonly isHidden: boolean;
  readonly show: () => void;
  readonly hide: () => void;
}

/**
 * Whether amounts are hidden, for what is told beside the screens: by what this browser remembers, without
 * another read.
 */
export function useHidesAmounts(): () => boolean {
  const store = useStore<{ readonly privacy: ReturnType<typeof privacy.getInitialState> }>();
  return useCallback(() => wasPrivate() && !privacy.selectors.isRevealed(store.getState()), [store]);
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
