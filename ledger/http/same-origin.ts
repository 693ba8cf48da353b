/**
 * The defence against forged calls from other sites: a call that changes something must come from our own
 * pages. A browser says where a call comes from in headers that no page can change; every one it sends must
 * agree. A client that sends neither is not a browser, and no other site can make it act.
 */

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

interface CallOrigin {
  readonly method: string;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/** Whether another site may have made this call. `publicOrigin` is the origin of PUBLIC_URL. */
export function isForeign(call: CallOrigin, publicOrigin: string): boolean {
  if (SAFE_METHODS.has(call.method)) return false;
  if (call.fetchSite !== undefined && call.fetchSite !== 'same-origin' && call.fetchSite !== 'none')
    return true;
  return call.origin !== undefined && call.origin !== publicOrigin;
}
