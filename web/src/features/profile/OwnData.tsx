/** One's own data as one file. */
import { Download } from 'lucide-react';
import { OWN_DATA_FILE } from '#contracts/plain/own-data';
import { api } from '../../shared/api/api.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { useFailure } from '../../shared/ui/failure.js';
import { Note, Section, Stack } from '../../shared/ui/Layout.js';
import { saveFile } from '../../shared/ui/save-file.js';
import { useToast } from '../../shared/ui/toasts.js';

const FILE_KEPT_MS = 60_000;

const { useDownloadOwnDataMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    downloadOwnData: build.mutation<string, void>({
      query: () => ({ path: '/api/own-data', method: 'POST', answer: 'file', body: {} }),
      // The store holds the object URL of the file, which is given back a minute later.
      transformResponse: (file: Blob) => URL.createObjectURL(file),
      // Its owner is told of each download.
      invalidatesTags: (_answer, error) => (error === undefined ? ['Messages'] : []),
    }),
  }),
});

export default function OwnData() {
  const toast = useToast();
  const fail = useFailure();
  const [download, { isLoading }] = useDownloadOwnDataMutation();
  const save = async () => {
    try {
      const url = await download().unwrap();
      saveFile(OWN_DATA_FILE, url);
      // Safari reads the file after the click has ended.
      setTimeout(() => URL.revokeObjectURL(url), FILE_KEPT_MS);
      toast.success('Data Downloaded', `Keep ${OWN_DATA_FILE} where only you can read it.`);
    } catch (error) {
      fail(error, 'Failed to download your data');
    }
  };
  return (
    <Section title="Your data">
      <Stack>
        <Note>
          Your profile, payments, payouts, wallets, schedules and messages as one file. It also says what is
          kept after your account is deleted, and why.
        </Note>
        <BusyButton
          variant="outlined"
          isBusy={isLoading}
          busyLabel="Collecting your data"
          startIcon={<Download size={18} aria-hidden="true" />}
          onClick={() => void save()}
        >
          Download my data
        </BusyButton>
      </Stack>
    </Section>
  );
}
