/** A published tip page, as its view finds it. */
import type { ShownTipPage } from '#ledger/tip-pages/tip-page-reads';

export const JUNOS_PAGE: ShownTipPage = {
  userId: 'usr_juno',
  handle: 'junoplays',
  name: 'Juno Valastro',
  shortName: 'Juno',
  line: '',
  isVerified: true,
  isListed: false,
  isPublished: true,
  pictureHash: undefined,
};
