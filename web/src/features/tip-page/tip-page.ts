/** One's own public tip page: its handle, its words, and whether it is published. */
import type {
  PrintKind,
  PrintPaper,
  PutHandle,
  PutPublished,
  PutTipPage,
  TipPageAnswer,
} from '#contracts/api/tip-page';
import { api } from '../../shared/api/api.js';
import { urlOf } from '../../shared/ui/save-file.js';

export type TipPage = TipPageAnswer;

const tipPage = api.injectEndpoints({
  endpoints: (build) => ({
    tipPage: build.query<TipPageAnswer | null, void>({
      query: () => '/api/tip-page',
      providesTags: ['TipPage'],
    }),
    chooseHandle: build.mutation<TipPageAnswer, PutHandle>({
      query: (body) => ({ path: '/api/tip-page/handle', method: 'PUT', body }),
      invalidatesTags: ['TipPage'],
    }),
    describeTipPage: build.mutation<TipPageAnswer, PutTipPage>({
      query: (body) => ({ path: '/api/tip-page', method: 'PUT', body }),
      // Its switch moves at once, and back if the server refuses.
      onQueryStarted: ({ isListed }, { dispatch, queryFulfilled }) => {
        const shown = dispatch(
          tipPage.util.updateQueryData('tipPage', undefined, (kept) => (kept ? { ...kept, isListed } : kept)),
        );
        queryFulfilled.catch(() => shown.undo());
      },
      invalidatesTags: ['TipPage'],
    }),
    printTipPage: build.mutation<string | null, { readonly kind: PrintKind; readonly paper: PrintPaper }>({
      query: ({ kind, paper }) => ({
        path: `/api/tip-page/print?kind=${kind}&paper=${paper}`,
        answer: 'file',
      }),
      transformResponse: urlOf,
    }),
    publishTipPage: build.mutation<TipPageAnswer, PutPublished>({
      query: (body) => ({ path: '/api/tip-page/published', method: 'PUT', body }),
      invalidatesTags: ['TipPage'],
    }),
  }),
});

export const {
  useTipPageQuery,
  useChooseHandleMutation,
  useDescribeTipPageMutation,
  usePrintTipPageMutation,
  usePublishTipPageMutation,
} = tipPage;

/** Reads one's own page for once. */
export const readTipPage = () => tipPage.endpoints.tipPage.initiate(undefined, { subscribe: false });

/** The whole address of a page. */
export const addressOf = (path: string): string => `${window.location.origin}${path}`;

const CODE_PLACE = 'encore.my-qr-code';
export type CodeKind = 'app' | 'camera';

/** Which code was shown last in this browser. */
export function rememberedCode(): CodeKind {
  try {
    return localStorage.getItem(CODE_PLACE) === 'camera' ? 'camera' : 'app';
  } catch {
    return 'app';
  }
}

export function rememberCode(kind: CodeKind): void {
  try {
    localStorage.setItem(CODE_PLACE, kind);
  } catch {
    // A browser that keeps nothing shows the app's code at the next visit.
  }
}
