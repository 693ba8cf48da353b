/** Leaving by the link on the profile. */
import type { Guest } from './guest.js';
import { comesToRest } from './looks.js';

/**
 * Logs out on the open profile, once it stands still: what loads above the link moves it from under the
 * pointer.
 */
export async function logOut(guest: Guest): Promise<void> {
  const link = guest.page.getByRole('link', { name: 'Log Out' }).filter({ visible: true });
  await link.waitFor();
  await comesToRest(guest);
  await guest.press(link);
}
