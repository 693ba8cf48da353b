/**
 * What a checkout keeps until its tab closes: until the page is loaded anew where the browser keeps nothing.
 */
import { withStorage } from '../../shared/api/browser-storage.js';

const inPage = new Map<string, string>();

export const tabMemory = {
  get: (place: string): string | null =>
    withStorage(() => sessionStorage.getItem(place), null) ?? inPage.get(place) ?? null,

  set(place: string, value: string): void {
    const isKept = withStorage(() => {
      sessionStorage.setItem(place, value);
      return true;
    }, false);
    if (!isKept) inPage.set(place, value);
  },

  remove(place: string): void {
    withStorage(() => sessionStorage.removeItem(place), undefined);
    inPage.delete(place);
  },
};
