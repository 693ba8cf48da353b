/** Starts the app: asks who is signed in, loads the screen that will be needed, and draws. */
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { wasSignedIn } from '../features/account/browser-memory.js';
import { currentUser } from '../features/account/current-user.js';
import { noticeLeaving } from '../shared/navigation/leaving.js';
import '../shared/ui/fonts.css';
import { App } from './App.js';
import { suppressForeignErrors } from './foreign-errors.js';
import { keepShell } from './keep-shell.js';
import { preload } from './pages.js';
import { makeStore } from './store.js';

/**
 * Navigation shows the new page at once, with skeletons while its code loads, instead of keeping the old
 * page.
 */
function AtOnce({ children }: { readonly children: ReactNode }) {
  return <BrowserRouter useTransitions={false}>{children}</BrowserRouter>;
}

suppressForeignErrors(window);
keepShell();
noticeLeaving(window);
const store = makeStore();
void store.dispatch(currentUser.endpoints.currentUser.initiate());
preload(window.location.pathname, wasSignedIn());

const place = document.getElementById('root');
if (!place) throw new Error('The page has no place for the app.');
createRoot(place).render(<App store={store} Router={AtOnce} />);
