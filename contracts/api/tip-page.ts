/** The calls about a person's own public tip page. */
import { z } from 'zod';
import { HANDLE_RULE, handleProblem } from '../plain/handle.js';
import { cleanName, LONGEST_WRITTEN_NAME, mixedName, mixesAlphabets } from '../plain/names.js';

const STAGE_NAME_MOST = 60;
const PAGE_LINE_MOST = 80;
const AS_OBJECT = { error: 'Send what is to change as a JSON object.' };

/** GET /api/tip-page, and what each change of it answers. */
export const TipPageAnswer = z.object({
  handle: z.string().nullable().describe('Null before the first was chosen.'),
  suggestedHandle: z.string().nullable().describe('Made from the username, where there is no handle yet.'),
  path: z.string().nullable().describe('Where the page is, for links and codes: /@ and the handle.'),
  isPublished: z.boolean(),
  isListed: z.boolean().describe('Whether search engines may list it.'),
  stageName: z.string().describe('Empty: the page shows the first and last name.'),
  line: z.string().describe('What stands under the name; empty for nothing.'),
});
export type TipPageAnswer = z.infer<typeof TipPageAnswer>;

/** PUT /api/tip-page/handle. */
export const PutHandle = z.object(
  {
    handle: z
      .string({ error: HANDLE_RULE })
      .trim()
      .transform((text) => text.replace(/^@/, '').toLowerCase())
      .superRefine((handle, context) => {
        const message = handleProblem(handle);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }),
  },
  AS_OBJECT,
);
export type PutHandle = z.infer<typeof PutHandle>;

const shownText = (what: string, most: number) => {
  const tooLong = `${what} has at most ${most} characters.`;
  return z
    .string({ error: `${what} must be text.` })
    .max(LONGEST_WRITTEN_NAME, tooLong)
    .transform(cleanName)
    .refine((text) => [...text].length <= most, tooLong);
};

/** PUT /api/tip-page: all that it says. */
export const PutTipPage = z.object(
  {
    stageName: shownText('The stage name', STAGE_NAME_MOST).refine(
      (name) => !mixesAlphabets(name),
      mixedName('The stage name'),
    ),
    line: shownText('The line under the name', PAGE_LINE_MOST),
    isListed: z.boolean({ error: 'isListed is true or false.' }),
  },
  AS_OBJECT,
);
export type PutTipPage = z.infer<typeof PutTipPage>;

/** PUT /api/tip-page/published. */
export const PutPublished = z.object(
  {
    isPublished: z.boolean({ error: 'isPublished is true or false.' }),
  },
  AS_OBJECT,
);
export type PutPublished = z.infer<typeof PutPublished>;

export const PrintKind = z.enum(['poster', 'table-card', 'stickers'], {
  error: 'There is a poster, a table-card, and stickers.',
});
export type PrintKind = z.infer<typeof PrintKind>;
export const PrintPaper = z.enum(['a4', 'letter', 'a6'], { error: 'The paper is a4, letter or a6.' });
export type PrintPaper = z.infer<typeof PrintPaper>;

/** The query of GET /api/tip-page/print. */
export const PrintQuery = z.object({ kind: PrintKind, paper: PrintPaper.default('a4') });
export type PrintQuery = z.infer<typeof PrintQuery>;
