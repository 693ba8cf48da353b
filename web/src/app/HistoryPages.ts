/** The history and the statements, which stand behind it: each in a chunk of its own. */
import { createElement, lazy } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { unlessLeaving } from '../shared/navigation/leaving.js';
import { PATHS } from '../shared/navigation/paths.js';
import { STATEMENTS } from '../shared/navigation/statement-paths.js';

const HistoryPage = lazy(() => import('../features/history/HistoryPage.js').catch(unlessLeaving));
const StatementsPage = lazy(() => import('../features/statements/StatementsPage.js').catch(unlessLeaving));

export default function HistoryPages() {
  const { pathname } = useLocation();
  // Without JSX: its functions would become a file of their own, which every first load had to fetch.
  if (pathname === STATEMENTS) return createElement(StatementsPage);
  return pathname === PATHS.history
    ? createElement(HistoryPage)
    : createElement(Navigate, { to: PATHS.history, replace: true });
}
