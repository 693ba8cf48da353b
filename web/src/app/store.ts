/**
 * The Redux store: answers of the server, the visible toast, notifications, and whether hidden amounts are
 * shown.
 */
import { configureStore, isFulfilled, type Middleware } from '@reduxjs/toolkit';
import { logOut } from '../features/account/current-user.js';
import { privacy } from '../features/account/privacy.js';
import { api } from '../shared/api/api.js';
import type { CallMeta } from '../shared/api/call.js';
import { notifications } from '../features/live/notifications.js';
import { toasts } from '../shared/ui/toasts.js';

interface ReadMeta {
  readonly arg: { readonly endpointName: string };
  readonly baseQueryMeta?: CallMeta;
}
const hasReadMeta = (meta: object): meta is ReadMeta => 'arg' in meta && 'baseQueryMeta' in meta;

/** The reads of who is signed in: what they answer is heard by whoever asked. */
const ASKS_WHO = ['currentUser', 'sessionCheck'];

/** A read that is answered 401 means that the session may have ended: the current user is read again. */
const noticeTheEndOfTheSession: Middleware = (store) => (next) => (action) => {
  const result = next(action);
  if (isFulfilled(action) && hasReadMeta(action.meta)) {
    const { arg, baseQueryMeta } = action.meta;
    if (baseQueryMeta?.status === 401 && !ASKS_WHO.includes(arg.endpointName))
      store.dispatch(api.util.invalidateTags(['User']));
  }
  return result;
};

/** A new store, with nothing read yet. */
export function makeStore() {
  return configureStore({
    reducer: {
      [api.reducerPath]: api.reducer,
      [toasts.reducerPath]: toasts.reducer,
      [privacy.reducerPath]: privacy.reducer,
      [logOut.reducerPath]: logOut.reducer,
      [notifications.reducerPath]: notifications.reducer,
    },
    // Wallet passes are Blobs, which are not serializable. The immutability check's warning depends on the
    // machine's speed.
    middleware: (standard) =>
      standard({ serializableCheck: false, immutableCheck: { warnAfter: Infinity } }).concat(
        api.middleware,
        noticeTheEndOfTheSession,
      ),
  });
}

export type Store = ReturnType<typeof makeStore>;
