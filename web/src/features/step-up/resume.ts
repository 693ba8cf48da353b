/** Sends a parked call again, as it was. */
import { api, TAGS } from '../../shared/api/api.js';
import type { SentCall } from '../../shared/api/confirmations.js';

const resume = api.injectEndpoints({
  endpoints: (build) => ({
    resumeCall: build.mutation<unknown, SentCall>({
      query: (call) => call,
      // Nobody here knows what it changes, and after the sign-in little has been read.
      invalidatesTags: (_answer, error) => (error === undefined ? [...TAGS] : []),
    }),
  }),
});

export const { useResumeCallMutation } = resume;
