/** Settings of the signed-in user. A switch moves at once, and back if the server refuses. */
import type { PutSettings, SettingsAnswer } from '#contracts/api/settings';
import { api } from '../../shared/api/api.js';

export const settings = api.injectEndpoints({
  endpoints: (build) => ({
    settings: build.query<SettingsAnswer | null, void>({
      query: () => '/api/settings',
      transformResponse: (answer: Partial<SettingsAnswer> | null) =>
        answer && ({ transactionAlertsEnabled: true, ...answer } as SettingsAnswer),
      providesTags: ['Settings'],
    }),
    changeSetting: build.mutation<SettingsAnswer, PutSettings>({
      query: (body) => ({ path: '/api/settings', method: 'PUT', body }),
      async onQueryStarted(change, { dispatch, queryFulfilled }) {
        const shown = dispatch(
          settings.util.updateQueryData('settings', undefined, (kept) =>
            kept === null ? kept : { ...kept, ...change },
          ),
        );
        try {
          await queryFulfilled;
        } catch {
          shown.undo();
        }
      },
      // After a refusal nothing has changed. After an answer the settings are read again: another device may
      // have changed them too.
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Settings']),
    }),
  }),
});

export const { useSettingsQuery, useChangeSettingMutation } = settings;
