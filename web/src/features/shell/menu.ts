/** Whether the phone's menu is open. Kept outside the pages, because the button is part of each page. */
import { createContext, useContext } from 'react';

interface Menu {
  readonly isOpen: boolean;
  readonly open: () => void;
}
const MenuContext = createContext<Menu>({ isOpen: false, open: () => undefined });

export const MenuProvider = MenuContext.Provider;
export const useMenu = (): Menu => useContext(MenuContext);

/** Loads the sheet's code before it is needed. */
export const loadMenu = () => import('./MenuSheet.js');
