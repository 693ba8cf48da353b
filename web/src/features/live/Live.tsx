/**
 * Live updates while somebody is signed in: lists that changed are read again, incoming money gets a toast,
 * and a lost network a notice.
 */
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useDispatch } from 'react-redux';
import { withinSentence } from '#contracts/plain/guest';
import { decimalFromMinor, minorOf } from '#contracts/plain/money';
import type { Alert, Topic } from '#contracts/api/events-out';
import { logOut, useSession, type Session } from '../account/current-user.js';
import { watchOtherTabs } from '../account/other-tabs.js';
import { privacy, useHidesAmounts } from '../account/privacy.js';
import { api, type TAGS } from '../../shared/api/api.js';
import type { CallDispatch } from '../../shared/api/dispatch.js';
import { byServer } from '../../shared/api/server-clock.js';
import { useOutdatedLists, useReadLinesAgain } from '../transactions/transactions.js';
import { noteStaleness } from '../../shared/api/staleness.js';
import { browser } from '../../shared/navigation/leaving.js';
import { useToast } from '../../shared/ui/toasts.js';
import { money, signedMoney } from '../../shared/wording/money.js';
import { dateTimeOf } from '../../shared/wording/time.js';
import { openStream } from './event-stream.js';
import { cleared, received } from './notifications.js';
import { OfflineNotice } from './OfflineNotice.js';
import { paced } from './pace.js';

/** The tags of each topic. */
const TAGS_OF: Readonly<Record<Topic, readonly (typeof TAGS)[number][]>> = {
  user: ['User'],
  transactions: ['Transactions'],
  subscriptions: ['Subscriptions'],
  'scheduled-payments': ['ScheduledPayments'],
  'payment-methods': ['SavedCard'],
  'bank-accounts': ['BankAccounts'],
  payouts: ['Payouts'],
  treasury: ['Wallets', 'WalletTransactions'],
  settings: ['Settings', 'Passkeys'],
  'tip-page': ['TipPage'],
};

/** A toast is read in passing; the whole note is in the list. */
const NOTE_IN_TOAST = 80;
const shortened = (note: string): string => {
  const signs = [...note];
  return signs.length <= NOTE_IN_TOAST ? note : `${signs.slice(0, NOTE_IN_TOAST).join('').trimEnd()}…`;
};

/**
 * The text of the toast: the sender of one tip, the total of several; no figures while amounts are hidden.
 */
function wordsFor(
  alerts: readonly Alert[],
  isHidden: boolean,
): readonly [title: string, description?: string] {
  const [first] = alerts;
  if (first !== undefined && alerts.length === 1) {
    const name = first.counterpartyName ?? first.counterpartyUsername;
    if (isHidden) return ['Payment received', name === null ? undefined : `From ${withinSentence(name)}`];
    const said = first.note === undefined ? '' : `: “${shortened(first.note)}”`;
    return [
      'Payment received',
      `${signedMoney(first.amount, true)}${name === null ? '' : ` from ${withinSentence(name)}`}${said}`,
    ];
  }
  if (isHidden) return [`${alerts.length} payments received`];
  const sum = alerts.reduce((minor, { amount }) => minor + minorOf(amount), 0);
  return [`${alerts.length} payments received`, `${signedMoney(decimalFromMinor(sum), true)} in all`];
}

/** Keeps the balance and the code for when there is no network. */
function useAtHand(session: Session): void {
  const dispatch = useDispatch<CallDispatch>();
  const user = session.status === 'signed-in' ? session.user : undefined;
  useEffect(() => {
    if (user === undefined) return undefined;
    const { id, username, earnings } = user;
    const balance = `Your balance was ${money(earnings)} on ${dateTimeOf(new Date(byServer(Date.now())).toISOString())}. It may have changed since.`;
    let isCurrent = true;
    // The code's library is not for the first screen; without it there is less at hand, and nothing else
    // amiss.
    import('../account/keep-at-hand.js')
      .then(async ({ codeShownLast, keepAtHand }) => {
        const code = await codeShownLast({ id, username }, dispatch);
        if (isCurrent) keepAtHand({ userId: id, username, balance, code });
      })
      .catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [user, dispatch]);
}

/**
 * Loads the page anew where its session is somebody else's meanwhile: they signed in where no tab of this
 * browser heard of it. Before anything of theirs is drawn, what was read for the other user goes, and what
 * was typed with it.
 */
function useLoadForAnother(userId: string | undefined): void {
  const dispatch = useDispatch();
  const before = useRef(userId);
  useLayoutEffect(() => {
    if (userId === before.current) return;
    const wasAnothers = userId !== undefined && before.current !== undefined;
    before.current = userId;
    if (!wasAnothers) return;
    dispatch(privacy.actions.amountsHidden());
    dispatch(api.util.resetApiState());
    browser.goTo(browser.here());
  }, [userId, dispatch]);
}

export default function Live() {
  const session = useSession();
  useAtHand(session);
  const dispatch = useDispatch();
  const toast = useToast();
  // Another user needs another stream; a changed balance does not.
  const userId = session.status === 'signed-in' ? session.user.id : undefined;
  useLoadForAnother(userId);
  const hidesAmounts = useHidesAmounts();
  const readAgain = useReadLinesAgain();
  const allAreOutdated = useOutdatedLists();
  useEffect(() => {
    // Without EventSource, changes are seen after a reload.
    if (userId === undefined || typeof EventSource === 'undefined') return undefined;
    const { changed, stop } = paced((topics, alerts, lines) => {
      const tags = topics.flatMap((topic) => (Object.hasOwn(TAGS_OF, topic) ? TAGS_OF[topic] : []));
      // After a break nobody knows which lines changed meanwhile.
      if (lines === undefined && topics.includes('transactions')) allAreOutdated();
      if (tags.length > 0) dispatch(api.util.invalidateTags([...tags, 'Messages']));
      readAgain(lines ?? []);
      if (alerts.length === 0) return;
      dispatch(received(alerts, new Date(byServer(Date.now())).toISOString()));
      toast.success(...wordsFor(alerts, hidesAmounts()));
    });
    const close = openStream({
      changed,
      marked: noteStaleness,
      refused: () => dispatch(api.util.invalidateTags(['User'])),
    });
    return () => {
      close();
      stop();
      dispatch(cleared());
    };
  }, [userId, dispatch, toast, hidesAmounts, readAgain, allAreOutdated]);
  useEffect(() => {
    if (userId === undefined) return undefined;
    return watchOtherTabs(userId, {
      loggedOut: () => {
        dispatch(logOut.actions.loggedOut());
        dispatch(api.util.resetApiState());
      },
      ended: () => dispatch(api.util.invalidateTags(['User'])),
      changed: () => browser.goTo(browser.here()),
    });
  }, [userId, dispatch]);
  return <OfflineNotice />;
}
