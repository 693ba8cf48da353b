/** The phone and the desktop of every browser suite and bench. */
import type { BrowserContextOptions, ViewportSize } from 'playwright-core';

export type Device = 'phone' | 'tablet' | 'desktop';

/** How large, how sharp and how touched a device is. */
export const DEVICES: Readonly<Record<Device, BrowserContextOptions & { readonly viewport: ViewportSize }>> =
  {
    phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
    tablet: { viewport: { width: 768, height: 1024 }, isMobile: true, hasTouch: true },
    desktop: { viewport: { width: 1440, height: 906 } },
  };
