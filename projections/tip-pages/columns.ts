/** Public tip pages as their owners set them up, and the handles under which they are found. */
import { TIP_PAGE_PREFIX } from '#contracts/events/tip-page';
import { USER_PREFIX } from '#contracts/events/user';
import { declared } from '../engine/read-model.js';
import { flag, Table, text } from '../engine/table.js';
import { indexOfUnreadable, unreadable } from '../engine/text-reader.js';

export const tipPages = new Table(
  'tip_pages',
  {
    userId: text().key().seenBy('owner', 'visitor'),
    // Null before the first, and once the owner is forgotten.
    handle: text().orNull().seenBy('owner', 'visitor'),
    stageName: text().orNull().seenBy('owner', 'visitor'),
    line: text().orNull().seenBy('owner', 'visitor'),
    isListed: flag().seenBy('owner', 'visitor'),
    isPublished: flag().seenBy('owner', 'visitor'),
    unreadable: unreadable(),
  },
  {
    indexes: [
      indexOfUnreadable('tip_pages', 'user_id'),
      // Nothing is found by it any more. Without it the shape would be another one, and the table rebuilt for
      // that alone.
      'create index tip_pages_by_handle on tip_pages (handle) where is_published',
    ],
  },
);

/** Every handle that was ever chosen, by its key: older ones lead to the page as well. */
export const tipPageHandles = new Table('tip_page_handles', {
  exactKey: text().key(),
  userId: text().fixed(),
});

export const tipPagesModel = declared({
  name: 'tip-pages',
  prefixes: [TIP_PAGE_PREFIX, USER_PREFIX],
  // Since the second, names are cleaned of check marks.
  fold: 2,
  tables: [tipPages, tipPageHandles],
});
