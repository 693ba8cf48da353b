/**
 * What an operator does by hand, with a shell:
 *
 *     node dist/processes/operate.js found
 *     node dist/processes/operate.js unclaimed --list
 *     node dist/processes/operate.js pay-unclaimed ITEM --reference TEXT
 *     node dist/processes/operate.js write-off USER --because TEXT
 *
 * `found` begins a ledger over the account of the card provider's whose keys are set, also where another
 * ledger's objects are there: the log must be empty of payments. `unclaimed` lists money that came back for people
 * whose accounts are closed, `pay-unclaimed` books that it was given to whom it belongs, `write-off` gives up what
 * somebody owes. Exits 0, or 2 when it cannot be done.
 */
import { CannotFound, foundLedger } from '#ledger/founding/founding';
import { Journal } from '#ledger/journal/journal';
import { ProviderAccount } from '#ledger/stripe/provider-account';
import { EsdbLog } from '#log/esdb';
import { CannotRun, runCommand, type Verdict } from './shell/command.js';
import { listUnclaimed, payUnclaimed, UNCLAIMED_USAGE, writeOff } from './operate/unclaimed.js';
import { readSettings } from './shell/settings.js';

const USAGE = `Usage: ${['operate found', ...UNCLAIMED_USAGE].join(', or ')}`;

/** Nothing that is founded is looked up in the read models. */
const NO_ARCHIVE = {
  find: () => Promise.reject(new Error('No read models here')),
  entriesOf: () => Promise.reject(new Error('No read models here')),
};

async function found(): Promise<Verdict> {
  const settings = readSettings(['EVENTSTORE_URL', 'STRIPE_SECRET_KEY', 'STRIPE_API_URL']);
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_URL: apiUrl } = settings;
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  const journal = await Journal.open(log, { archive: NO_ARCHIVE });
  const account = new ProviderAccount({ secretKey, apiUrl });
  try {
    return { status: 0, lines: [await foundLedger({ journal, log, account }, true)] };
  } catch (error) {
    throw error instanceof CannotFound ? new CannotRun(error.message) : error;
  }
}

function run(words: readonly string[]): Promise<Verdict> {
  const [verb, ...more] = words;
  if (verb === 'unclaimed') return listUnclaimed(more);
  if (verb === 'pay-unclaimed') return payUnclaimed(more);
  if (verb === 'write-off') return writeOff(more);
  if (verb !== 'found' || more.length > 0)
    throw new CannotRun(
      verb === undefined ? USAGE : `"${words.join(' ')}" is not something to operate. ${USAGE}`,
    );
  return found();
}

await runCommand('It could not be done', run);
