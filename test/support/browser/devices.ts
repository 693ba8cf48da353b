/** The phone and the desktop of every browser suite and bench. */
import type { BrowserContextOptions, ViewportSize } from 'playwright-core';

export type Device = 'phone' | 'desktop';

/** How large, how sharp and how touched a device is. */
export const DEVICES: Readonly<Record<Device, BrowserContextOptions & { readonly viewport: ViewportSize }>> =
  {
    phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
    desktop: { viewport: { width: 1440, height: 906 } },
  };
