/** Folds tip pages into rows. What their owners wrote is opened; of one who is forgotten nothing is left. */
import { TipPageWords } from '#contracts/events/tip-page';
import type { RecordedEvent } from '#contracts/log';
import { cleanName } from '#contracts/plain/names';
import type { Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import type { TextReader } from '../engine/text-reader.js';
import { tipPageHandles, tipPages } from './columns.js';

type Row = RowOf<typeof tipPages>;

export async function projectTipPages(
  events: readonly RecordedEvent[],
  tx: Tx,
  texts: TextReader,
): Promise<void> {
  const concerned = events.filter(isAboutPage);
  const userIds = new Set(concerned.map(({ data }) => data.userId));
  const rows = new Map((await tipPages.rowsBy('userId', userIds, tx)).map((row) => [row.userId, row]));
  const keys = concerned.flatMap(({ type, data }) => (type === 'TipPageHandleChosen' ? [data.exactKey] : []));
  const handles = new Map(
    (await tipPageHandles.rowsBy('exactKey', new Set(keys), tx)).map((row) => [row.exactKey, row]),
  );
  const forgotten = new Set(
    concerned.flatMap(({ type, data }) => (type === 'UserForgotten' ? [data.userId] : [])),
  );
  for (const userId of forgotten) texts.drop(userId);
  for (const event of concerned) {
    const { userId } = event.data;
    if (event.type === 'UserForgotten') {
      const row = rows.get(userId);
      if (row)
        Object.assign(row, {
          handle: null,
          stageName: null,
          line: null,
          isListed: false,
          isPublished: false,
          unreadable: null,
        });
      continue;
    }
    const row = rows.get(userId) ?? tipPages.row({ userId, isListed: false, isPublished: false });
    rows.set(userId, row);
    await fold(event, row, texts, forgotten.has(userId));
    if (event.type === 'TipPageHandleChosen' && !handles.has(event.data.exactKey)) {
      const { exactKey } = event.data;
      handles.set(exactKey, tipPageHandles.row({ exactKey, userId }));
    }
  }
  await tipPages.put([...rows.values()], tx);
  // Whose a handle is never changes.
  await tipPageHandles.insert([...handles.values()], tx, 'on conflict (exact_key) do nothing');
}

const TYPES = [
  'TipPageHandleChosen',
  'TipPageDescribed',
  'TipPagePublished',
  'TipPageUnpublished',
  'UserForgotten',
] as const;
type AboutPage = Extract<RecordedEvent, { type: (typeof TYPES)[number] }>;
const isAboutPage = (event: RecordedEvent): event is AboutPage => TYPES.some((type) => type === event.type);

async function fold(
  event: Exclude<AboutPage, { type: 'UserForgotten' }>,
  row: Row,
  texts: TextReader,
  isForgotten: boolean,
): Promise<void> {
  switch (event.type) {
    case 'TipPageHandleChosen': {
      const { plain, unreadable } = isForgotten
        ? { plain: undefined, unreadable: null }
        : await texts.open(event.data.handle, event);
      row.handle = plain ?? null;
      row.unreadable = unreadable;
      break;
    }
    case 'TipPageDescribed': {
      const { plain, unreadable } = isForgotten
        ? { plain: undefined, unreadable: null }
        : await texts.open(event.data.words, event);
      const words = plain === undefined ? undefined : TipPageWords.parse(JSON.parse(plain));
      row.stageName = words ? cleanName(words.stageName) : null;
      row.line = words ? cleanName(words.line) : null;
      row.isListed = event.data.isListed;
      row.unreadable = unreadable ?? row.unreadable;
      break;
    }
    case 'TipPagePublished':
      row.isPublished = true;
      break;
    case 'TipPageUnpublished':
      row.isPublished = false;
      break;
  }
}
