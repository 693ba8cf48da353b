/** The ledger's internal port, as a worker calls it. */
import { CORRELATION_HEADER, OPERATOR_HEADER } from '#contracts/plain/headers';
import { OUTAGE_CODE } from '#contracts/outage';
import { InternalAnswer, type InternalCommand } from '#contracts/api/internal';
import { LedgerAddress } from './ledger-address.js';

/** The ledger will not, or cannot for a reason of this one command: the others are not concerned. */
export class LedgerDeclined extends Error {
  override readonly name = 'LedgerDeclined';

  /**
   * `isFinal`: it says no to the command itself, and will again. Otherwise it, or the provider, stumbled over
   * it. `sentence` is what it says to people.
   */
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly sentence?: string,
  ) {
    super(message);
  }
}

/** The ledger, or what it needs, is away: no use in asking on. The same command may be sent again. */
export class LedgerAway extends Error {
  override readonly name = 'LedgerAway';
  /**
   * No ledger answered, or one whose stores are away: that says nothing of what was asked, and is no try of
   * it.
   */
  readonly isOutage: boolean;
  /** What the ledger says to people; undefined where none answered. */
  readonly sentence: string | undefined;

  constructor(
    message: string,
    {
      isOutage = false,
      sentence,
      ...options
    }: ErrorOptions & { isOutage?: boolean; sentence?: string | undefined } = {},
  ) {
    super(message, options);
    this.isOutage = isOutage;
    this.sentence = sentence;
  }
}

/**
 * A stretch of reconciliation reads every payment in it at the provider. `fetch` itself waits no longer than
 * five minutes.
 */
const TIMEOUT_MS = 290_000;
const READY_WITHIN_MS = 5_000;

const WRONG_TOKEN =
  'The ledger does not take this ENCORE_INTERNAL_TOKEN: it must be the one that the ledgers were started with.';
const codeOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
const sentenceOf = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
    ? body.message
    : undefined;

/** A connection that was never made: nothing was asked, and another ledger may be. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
function isNotConnected(error: unknown): boolean {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return NOT_CONNECTED.has(String(codeOf(cause)));
}

/** An answer, and where the ledger is that gave it. */
interface LedgersAnswer {
  readonly at: URL;
  readonly answer: Response;
}

export class LedgerClient {
  readonly #address: LedgerAddress;

  constructor(
    private readonly url: string,
    private readonly token: string,
    /** Who asks, where that is a person and not a worker. */
    private readonly operator?: string,
  ) {
    this.#address = new LedgerAddress(url);
  }

  /** Throws {@link LedgerDeclined} and {@link LedgerAway}. */
  async ask(command: InternalCommand, correlationId: string): Promise<InternalAnswer> {
    const { answer, at } = await this.#post(command, correlationId);
    const body: unknown = await answer.json().catch(() => undefined);
    if (answer.ok) {
      const { data, error } = InternalAnswer.safeParse(body);
      if (data !== undefined) return data;
      // Cut off on its way, or somebody else's answer: a try of this one command, which keeps no other
      // waiting.
      throw new LedgerAway(`${command.type} got an answer that cannot be read.`, { cause: error });
    }
    const sentence = answer.status === 401 ? WRONG_TOKEN : sentenceOf(body);
    const why = `${command.type} was answered ${answer.status}: ${JSON.stringify(body)}`;
    const isOutage = codeOf(body) === OUTAGE_CODE;
    // It may be this ledger's alone; a new token comes to one after the other.
    if (isOutage || answer.status === 401) this.#address.leave(at);
    // A token that is being changed says nothing of the command either.
    throw answer.status === 503 || answer.status === 401
      ? new LedgerAway(why, { isOutage, sentence })
      : new LedgerDeclined(why, answer.status < 500, sentence);
  }

  /** Whether the ledger takes commands, as far as it says; throws where none answers. */
  async areWritesOpen(): Promise<boolean> {
    const { answer, at } = await this.#fetch('/readyz', { signal: AbortSignal.timeout(READY_WITHIN_MS) });
    const body: unknown = await answer.json();
    const isClosed =
      typeof body === 'object' && body !== null && 'writes' in body && body.writes === 'closed';
    // A ledger of an earlier build does not know the question.
    const isOpen = answer.status !== 503 && !isClosed;
    if (!isOpen) this.#address.leave(at);
    return isOpen;
  }

  async #post(command: InternalCommand, correlationId: string): Promise<LedgersAnswer> {
    try {
      return await this.#fetch('/internal/commands', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${this.token}`,
          [CORRELATION_HEADER]: correlationId,
          ...(this.operator === undefined ? {} : { [OPERATOR_HEADER]: this.operator }),
        },
        body: JSON.stringify(command),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      const isOutage = !(error instanceof DOMException && error.name === 'TimeoutError');
      throw new LedgerAway(`No ledger answers at ${this.url}.`, { cause: error, isOutage });
    }
  }

  /** Asks a ledger, and another one where there was no connection to it. */
  async #fetch(path: string, request: RequestInit): Promise<LedgersAnswer> {
    const tried = new Set<string>();
    for (;;) {
      const at = await this.#address.present();
      try {
        return { at, answer: await fetch(new URL(path, at), request) };
      } catch (error) {
        this.#address.leave(at);
        tried.add(at.href);
        const next = await this.#address.present();
        if (!isNotConnected(error) || tried.has(next.href)) throw error;
      }
    }
  }
}
