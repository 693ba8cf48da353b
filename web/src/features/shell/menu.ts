/**
 * Whether the phone's menu is open. Kept above the pages: its button is part of each of them, and they come
 * and go.
 */
import { createContext, useContext } from 'react';

interface Menu {
  readonly isOpen: boolean;
  readonly open: () => void;
}
const MenuContext = createContext<Menu>({ isOpen: false, open: () => undefined });

export const MenuProvider = MenuContext.Provider;
export const useMenu = (): Menu => useContext(MenuContext);

/** The sheet's code, loaded when it is about to be needed. */
export const loadMenu = () => import('./MenuSheet.js');
