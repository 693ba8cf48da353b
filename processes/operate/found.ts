/** `operate found`: begins a ledger over the account of the card provider's whose keys are set. */
import { CannotFound, foundLedger } from '#ledger/founding/founding';
import { Journal } from '#ledger/journal/journal';
import { ProviderAccount } from '#ledger/stripe/provider-account';
import { EsdbLog } from '#log/esdb';
import { CannotRun, type Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';
import { assertNothingLost } from './nothing-lost.js';

/** Nothing that is founded is looked up in the read models. */
const NO_ARCHIVE = {
  find: () => Promise.reject(new Error('No read models here')),
  entriesOf: () => Promise.reject(new Error('No read models here')),
};

/** Founds the ledger. Throws {@link CannotRun}. */
export async function found(): Promise<Verdict> {
  const settings = readSettings(['EVENTSTORE_URL', 'STRIPE_SECRET_KEY', 'STRIPE_API_URL', 'BOOKS_TIME_ZONE']);
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_URL: apiUrl, BOOKS_TIME_ZONE: timeZone } = settings;
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  await assertNothingLost(log);
  const journal = await Journal.open(log, { archive: NO_ARCHIVE });
  const account = new ProviderAccount({ secretKey, apiUrl });
  try {
    return { status: 0, lines: [await foundLedger({ journal, log, account, timeZone }, true)] };
  } catch (error) {
    throw error instanceof CannotFound ? new CannotRun(error.message) : error;
  }
}
