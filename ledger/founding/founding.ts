/**
 * A ledger keeps its books over one account of the card provider's, and its first entry says which. Books
 * that belong to another account, or an empty log beside another ledger's objects, would explain nothing that
 * the provider says: such a start is refused.
 */
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { DEFAULT_TIME_ZONE } from '#contracts/plain/months';
import { recorded, type EventLog } from '#log/event-log';
import type { Journal } from '../journal/journal.js';
import { Unavailable } from '../rejection.js';
import type { ProviderAccount } from '../stripe/provider-account.js';

/**
 * The log and the account do not belong together. The message is a sentence for whoever starts the ledger.
 */
export class CannotFound extends Error {
  override readonly name = 'CannotFound';
}

interface FoundingParts {
  readonly journal: Journal;
  readonly log: EventLog;
  readonly account: Pick<ProviderAccount, 'current' | 'has' | 'objectOfALedger'>;
  /** In which months of the books begin and end, where that is set. */
  readonly timeZone?: string | undefined;
}

/** What a log of before tells of the account that it belongs to is told early, or not at all. */
const ENTRIES_READ = 20_000;

/**
 * Founds the ledger, or checks that it was founded over the account of these keys. `isOperatorsAct`: an empty
 * log is founded also where the account has another ledger's objects. Answers a sentence. Throws
 * {@link CannotFound}, Unavailable and ProviderRefused.
 */
export async function foundLedger(
  { journal, log, account, timeZone }: FoundingParts,
  isOperatorsAct = false,
): Promise<string> {
  const current = await account.current();
  const { providerAccountId, mode } = current;
  const over = `the card provider’s account ${providerAccountId} (${mode} mode)`;
  const { founding } = journal;
  if (founding) {
    const foundedZone = founding.timeZone ?? DEFAULT_TIME_ZONE;
    if (timeZone !== undefined && timeZone !== foundedZone)
      throw new CannotFound(
        `BOOKS_TIME_ZONE is ${timeZone}, and the months of these books are cut in ${foundedZone} since their ` +
          `beginning. Set ${foundedZone}, or leave it unset.`,
      );
    if (founding.providerAccountId === providerAccountId && founding.mode === mode)
      return `This ledger is founded over ${over}.`;
    throw new CannotFound(
      `The keys are of ${over}, and this ledger was founded over ${founding.providerAccountId} (${founding.mode} mode). ` +
        'Set the keys of that account, or give this ledger an event store of its own.',
    );
  }
  const named = await paymentsNamedBy(log);
  if (named.intentId !== undefined && !(await account.has(named.intentId)))
    throw new CannotFound(
      `The keys are of ${over}, which does not have the payment ${named.intentId} that the log names. ` +
        'Set the keys of the account that this log belongs to.',
    );
  if (!named.any && !isOperatorsAct) {
    const other = await account.objectOfALedger();
    if (other !== undefined)
      throw new CannotFound(
        `The log has no payment, and ${over} has one of another ledger: ${other}. Restore the log that belongs to this ` +
          'account, or set the keys of another account. To begin a new ledger over this one all the same, run: ' +
          'encore operate found',
      );
  }
  await journal.execute({ type: 'FoundLedger', ...current, timeZone }, { correlationId: 'founding' });
  return `This ledger is now founded over ${over}.`;
}

/** Whether the log has payments, and the first object of the provider's that it names. */
async function paymentsNamedBy(log: EventLog): Promise<{ any: boolean; intentId: string | undefined }> {
  let any = false;
  for await (const raw of log.readStream(JOURNAL, 0, ENTRIES_READ)) {
    const event = recorded(raw) as RecordedEvent<JournalEvent>;
    if (event.type === 'PaymentSubmitted' || event.type === 'PaymentSettled')
      return { any: true, intentId: event.data.intentId };
    if (event.type === 'PaymentOpened') any = true;
  }
  return { any, intentId: undefined };
}

/**
 * Keeps the provider out of reach until it is proven that log and account belong together. A provider that is
 * away is asked again; the ledger serves meanwhile what needs no provider.
 */
export class FoundingGate {
  #state: 'unproven' | 'proven' | CannotFound = 'unproven';

  constructor(private readonly prove: () => Promise<string>) {}

  /** Whether the provider may be asked. */
  get isProven(): boolean {
    return this.#state === 'proven';
  }

  /** One attempt. Throws {@link CannotFound}, and Unavailable: try again. */
  async attempt(): Promise<string> {
    try {
      const sentence = await this.prove();
      this.#state = 'proven';
      return sentence;
    } catch (error) {
      if (error instanceof CannotFound) this.#state = error;
      throw error;
    }
  }

  /** Throws Unavailable as long as it is not proven. */
  assertProven(): void {
    if (this.#state === 'proven') return;
    throw new Unavailable('Payments are still being set up. Please try again in a moment.', {
      cause: this.#state === 'unproven' ? undefined : this.#state,
    });
  }
}
