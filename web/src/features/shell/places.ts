/** The places that the navigation leads to. */
import {
  CalendarClock,
  HandCoins,
  House,
  Inbox,
  Landmark,
  List,
  QrCode,
  Repeat,
  UserRound,
  Vault,
  type LucideIcon,
} from 'lucide-react';
import { PATHS } from '../../shared/navigation/paths.js';

export interface Place {
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Pages without a place of their own that belong to this one. */
  readonly also?: readonly string[];
}

/** The tab bar, from left to right. */
export const TABS: readonly Place[] = [
  { path: PATHS.home, label: 'Home', icon: House },
  {
    path: PATHS.payments,
    label: 'Payments',
    icon: HandCoins,
    also: [PATHS.subscriptions, PATHS.scheduledPayments, PATHS.checkout, PATHS.paymentSuccess, '/tip'],
  },
  { path: PATHS.bankAccounts, label: 'Bank', icon: Landmark },
  { path: PATHS.treasury, label: 'Treasury', icon: Vault },
  { path: PATHS.profile, label: 'Profile', icon: UserRound },
];

/** The menu; on a desktop below the tabs. */
export const MENU: readonly Place[] = [
  { path: PATHS.messages, label: 'Messages', icon: Inbox },
  { path: PATHS.history, label: 'History', icon: List },
  { path: PATHS.subscriptions, label: 'Subscriptions', icon: Repeat },
  { path: PATHS.scheduledPayments, label: 'Scheduled', icon: CalendarClock },
  { path: PATHS.myQr, label: 'My QR Code', icon: QrCode },
];

const within = (path: string, place: string): boolean =>
  path === place || (place !== '/' && path.startsWith(`${place}/`));

/** The place of a path; the first one (home) if it belongs to none. */
export function activePlace(path: string, places: readonly Place[]): number {
  const own = places.findIndex((place) => within(path, place.path));
  return own === -1
    ? Math.max(
        0,
        places.findIndex(({ also }) => also?.some((page) => within(path, page))),
      )
    : own;
}

/** Pages that lead to a payment: no tabs on a phone. */
export const isStraight = (path: string): boolean =>
  within(path, PATHS.checkout) || within(path, PATHS.paymentSuccess) || within(path, '/tip');
