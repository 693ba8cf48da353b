/** Reads of tip pages: one's own, and one by the key of a handle. */
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { shownName, userById } from '../users/queries.js';
import { tipPages } from './columns.js';

export type OwnTipPage = Omit<ViewOf<typeof tipPages, 'owner'>, 'userId'>;

const NONE = {
  handle: null,
  stageName: null,
  line: null,
  isListed: false,
  isPublished: false,
};

/** The tip page of a user, as they set it up; an empty one where they never did. */
export async function tipPageOf(db: Queryable, userId: string): Promise<OwnTipPage> {
  const { rows } = await db.query<OwnTipPage>({
    name: 'tip-page-of-user',
    text: `select ${tipPages.seenBy('owner', 'p')} from tip_pages p where p.user_id = $1`,
    values: [userId],
  });
  return rows[0] ?? NONE;
}

/** A page as visitors see it, published or not. */
export interface VisitedTipPage {
  readonly userId: string;
  readonly handle: string;
  readonly name: string;
  readonly shortName: string;
  readonly line: string;
  readonly isListed: boolean;
  readonly isPublished: boolean;
}

/** The page that a handle leads to, also an older one of its owner; undefined where it leads to none. */
export async function tipPageByKey(db: Queryable, exactKey: string): Promise<VisitedTipPage | undefined> {
  const { rows } = await db.query<ViewOf<typeof tipPages, 'visitor'>>({
    name: 'tip-page-by-handle',
    text: `select ${tipPages.seenBy('visitor', 'p')}
             from tip_page_handles h join tip_pages p on p.user_id = h.user_id where h.exact_key = $1`,
    values: [exactKey],
  });
  const [page] = rows;
  const handle = page?.handle ?? undefined;
  if (page === undefined || handle === undefined) return undefined;
  const owner = await userById(db, page.userId);
  if (!owner || owner.forgotten) return undefined;
  const stageName = page.stageName ?? '';
  // In privacy mode the handle is all that is shown.
  const own = owner.privacyMode ? '' : stageName || (shownName(owner) ?? '');
  // “Tip Juno”, and “Tip The Lanterns”: a stage name is shortened only to the first name that it begins with.
  const firstName = owner.firstName ?? '';
  const first = stageName === '' || stageName.split(' ')[0] === firstName ? firstName : stageName;
  return {
    userId: page.userId,
    handle,
    name: own === '' ? `@${handle}` : own,
    shortName: own === '' || first === '' ? `@${handle}` : first,
    line: owner.privacyMode ? '' : (page.line ?? ''),
    isListed: page.isListed && !owner.privacyMode,
    isPublished: page.isPublished,
  };
}
