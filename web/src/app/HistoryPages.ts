/** The history and the statements, which stand behind it: each in a chunk of its own. */
import { createElement } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { PATHS } from '../shared/navigation/paths.js';
import { STATEMENTS } from '../shared/navigation/statement-paths.js';
import { screen, type Dispatch } from './screen.js';

const HISTORY = screen(() => import('../features/history/HistoryPage.js'));
const STATEMENTS_PAGE = screen(() => import('../features/statements/StatementsPage.js'));

export async function prepare(path: string, dispatch?: Dispatch): Promise<void> {
  const { load } = path === STATEMENTS ? STATEMENTS_PAGE : HISTORY;
  const module = await load().catch(() => undefined);
  module?.prepare?.(path, dispatch);
}

export default function HistoryPages() {
  const { pathname } = useLocation();
  // Without JSX: its functions would become a file of their own, which every first load had to fetch.
  if (pathname === STATEMENTS) return createElement(STATEMENTS_PAGE.Page);
  return pathname === PATHS.history
    ? createElement(HISTORY.Page)
    : createElement(Navigate, { to: PATHS.history, replace: true });
}
