/** Reads of tip pages: one's own, and one by the key of a handle. */
import { nameLook, plainLetters, readsAsLatin } from '#contracts/plain/look-alikes';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { shownName, userById } from '../users/queries.js';
import { tipPages } from './columns.js';

type OwnTipPage = Omit<ViewOf<typeof tipPages, 'owner'>, 'userId'>;

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

/** What a page `t` of a user `u` shows as the name. */
const NAME = `coalesce(nullif(t.stage_name, ''), concat_ws(' ', u.first_name, u.last_name))`;
/** The same as {@link nameLook} has it, as far as it is Latin letters and digits. */
const LATIN_LOOK = `regexp_replace(lower(translate(normalize(${NAME}, nfkd), 'I10', 'llO')), '[^a-z0-9]', '', 'g')`;

/**
 * Whether a name is, to the eye, the one that somebody else's published page shows, in other letters. Only
 * for a name that {@link readsAsLatin}: others have the letters that they seem to have.
 */
export async function imitatesPerformer(db: Queryable, userId: string, name: string): Promise<boolean> {
  if (!readsAsLatin(name)) return false;
  const { rows } = await db.query<{ name: string }>({
    name: 'tip-pages-by-look',
    text: `select ${NAME} as name
             from tip_pages t join users u on u.id = t.user_id left join settings p on p.user_id = u.id
            where t.is_published and t.user_id <> $1 and not coalesce(p.privacy_mode_enabled, false)
              and ${LATIN_LOOK} = $2 limit 50`,
    values: [userId, nameLook(name)],
  });
  return rows.some(
    (other) => nameLook(other.name) === nameLook(name) && plainLetters(other.name) !== plainLetters(name),
  );
}

/** A page as visitors see it, published or not. */
interface VisitedTipPage {
  readonly userId: string;
  readonly handle: string;
  readonly name: string;
  readonly shortName: string;
  readonly line: string;
  readonly isListed: boolean;
  readonly isPublished: boolean;
  /** In privacy mode nothing is shown that tells who stands behind the handle. */
  readonly isPrivate: boolean;
}

type VisitedRow = ViewOf<typeof tipPages, 'visitor'> & { readonly isLeaving: boolean };

/** Whoever has asked to be forgotten takes no more tips. */
const IS_LEAVING = `exists (select from users u where u.id = p.user_id and u.forgetting_due_at is not null) as "isLeaving"`;

/** The page that a handle leads to, also an older one of its owner; undefined where it leads to none. */
export async function tipPageByKey(db: Queryable, exactKey: string): Promise<VisitedTipPage | undefined> {
  const { rows } = await db.query<VisitedRow>({
    name: 'tip-page-by-handle',
    text: `select ${tipPages.seenBy('visitor', 'p')}, ${IS_LEAVING}
             from tip_page_handles h join tip_pages p on p.user_id = h.user_id where h.exact_key = $1`,
    values: [exactKey],
  });
  return visited(db, rows[0]);
}

/** The page of a user; undefined where they never had one, and of somebody who is forgotten. */
export async function visitedTipPageOf(db: Queryable, userId: string): Promise<VisitedTipPage | undefined> {
  const { rows } = await db.query<VisitedRow>({
    name: 'visited-tip-page-of-user',
    text: `select ${tipPages.seenBy('visitor', 'p')}, ${IS_LEAVING} from tip_pages p where p.user_id = $1`,
    values: [userId],
  });
  return visited(db, rows[0]);
}

async function visited(db: Queryable, page: VisitedRow | undefined): Promise<VisitedTipPage | undefined> {
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
    isPublished: page.isPublished && !page.isLeaving,
    isPrivate: owner.privacyMode,
  };
}

/** Whose handle it was, where their account is closed: receipts of what they were paid stay. */
export async function closedOwnerOf(db: Queryable, exactKey: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>({
    name: 'closed-owner-of-handle',
    text: `select u.id from tip_page_handles h join users u on u.id = h.user_id
            where h.exact_key = $1 and u.forgotten`,
    values: [exactKey],
  });
  return rows[0]?.id;
}
